/**
 * Between the fields of HTTP (snake_case) and the properties of rows (camelCase), by their names. The schema of an answer is the one list of its fields: a field is the row's property of the same name in camelCase
 * (`created_at`: `createdAt`), unless the caller gives it. Invariant: a property that is not in the schema never reaches an answer.
 */
import type { z } from 'zod'
import { camelCase } from '../db/db.ts'

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name

declare const unfit: unique symbol
type Unfit = typeof unfit

/** Other objects are given by hand: they could carry properties that their schema does not have. */
type Plain<Value> = Value extends string | number | boolean | null
  ? Value
  : Value extends readonly (string | number | boolean)[]
    ? Value
    : string extends keyof Value
      ? Value[string & keyof Value] extends string | number | boolean | null
        ? Value
        : Unfit
      : Unfit

type InAnswer<Value> = Value extends Date ? string : Value extends undefined ? null : Plain<Value>

/** Ids are given by hand too: those of a row have no prefix. */
type Copied<Answer, Row> = {
  [Name in keyof Answer & string]: Name extends 'id' | `${string}_id`
    ? never
    : undefined extends Answer[Name]
      ? never
      : CamelCase<Name> extends keyof Row
        ? InAnswer<Row[CamelCase<Name>]> extends Answer[Name]
          ? Name
          : never
        : never
}[keyof Answer & string]

/** The fields of an answer that its row does not have in the same form, and others of its fields that replace the row's. */
type Own<Answer, Row> = Omit<Answer, Copied<Answer, Row>> & Partial<Pick<Answer, Copied<Answer, Row> & keyof Answer>>

/** The fields of a schema, and the properties that they are copied from. An optional field is never copied: it is left out, or given. */
type Plan = { name: string; property: string; isCopied: boolean }[]

const plans = new WeakMap<z.ZodObject, Plan>()

function planOf(schema: z.ZodObject): Plan {
  let plan = plans.get(schema)
  if (plan === undefined) {
    plan = Object.entries(schema.shape).map(([name, field]) => ({
      name,
      property: camelCase(name),
      isCopied: field._zod.optout !== 'optional',
    }))
    plans.set(schema, plan)
  }
  return plan
}

/** The fields of a body, under the names of a row. */
export type FieldsOf<Body> = { [Name in keyof Body as CamelCase<Name & string>]: Exclude<Body[Name], undefined> }

/** The fields that a body sets, under the names of a row. Fields that it leaves out stay left out. */
export function fieldsOf<Body extends object>(body: Body): FieldsOf<Body> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [camelCase(name), value])) as FieldsOf<Body>
}

/**
 * The answer of a row, with its fields in the order of the schema. A moment becomes ISO 8601, a missing value null. `own`: the fields
 * that are computed; the compiler demands each one that the row does not have, or has with another type. Ids and objects always are.
 */
export function answerOf<Schema extends z.ZodObject, Row extends object>(
  schema: Schema,
  row: Row,
  own: Own<z.infer<Schema>, Row>,
): z.infer<Schema> {
  const given = own as Record<string, unknown>
  const values = row as Record<string, unknown>
  const answer: Record<string, unknown> = {}
  for (const { name, property, isCopied } of planOf(schema)) {
    if (Object.hasOwn(given, name)) answer[name] = given[name]
    else if (isCopied) {
      const value = values[property]
      answer[name] = value instanceof Date ? value.toISOString() : (value ?? null)
    }
  }
  return answer as z.infer<Schema>
}
