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

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values)
}
