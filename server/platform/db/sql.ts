/** SQL as a value: a text with its values, which are bound as parameters and never become text. */

/** A piece of SQL with its values: interpolated values are bound as parameters, interpolated pieces are inserted as SQL. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

/** Refuses functions: a piece of SQL that reads a relation of its statement must be called with it. */
type NoFunctions<Values extends readonly unknown[]> = {
  [Place in keyof Values]: Values[Place] extends (...given: never[]) => unknown ? never : Values[Place]
}

export function sql<Values extends readonly unknown[]>(
  strings: TemplateStringsArray,
  ...values: Values & NoFunctions<Values>
): Sql {
  return new Sql(strings, values)
}
