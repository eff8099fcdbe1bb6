/** The promise about the schema: it is the result of the migrations. All other promises depend on it. */
import { createHash } from 'node:crypto'
import type { Mode } from '../../config/process.ts'
import type { Runner } from '../../platform/db/db.ts'
import { simulatedClock } from '../../platform/db/simulated-clock.sql.ts'
import { readLevel, readSchema, type Applied, type SchemaObject } from './schema.sql.ts'
import shipped from './schema-hashes.json' with { type: 'json' }
import type { Violation } from './verify.ts'

/**
 * Which `clock_now()` is accepted: the migrations' own; outside production, also that of a simulated year; in tests that stop the clock,
 * any. `unchecked`: in tests that change the schema itself.
 */
export type Clocks = 'own' | 'simulated' | 'any' | 'unchecked'

export const clocksOf = (mode: Mode): Clocks => (mode === 'production' ? 'own' : 'simulated')

/** What the migrations of this version make: their names, and the hash of each object. */
export const shippedSchema: { readonly migrations: readonly string[]; readonly objects: Readonly<Record<string, string>> } =
  shipped

const promise =
  'The schema is what the migrations made: constraints, indexes, triggers, functions, columns, privileges and state machines.'

const clock = 'function clock_now()'

/** Long enough that two definitions do not share it by chance, short enough to be read in a list. */
export function hashOfDefinition(definition: string): string {
  return createHash('sha256').update(definition).digest('hex').slice(0, 16)
}

/** The hash of each object; objects with the same name, such as overloaded functions, have their arguments in the name. */
export function hashesOf(objects: SchemaObject[]): Record<string, string> {
  return Object.fromEntries(objects.map(({ name, definition }) => [name, hashOfDefinition(definition)]))
}

const bodyOf = (text: string): string => /\$\w*\$([\s\S]*)\$\w*\$/.exec(text)?.[1]?.trim() ?? ''

function isRightClock(definition: string, clocks: Clocks): boolean {
  return clocks === 'any' || (clocks === 'simulated' && bodyOf(definition) === bodyOf(simulatedClock))
}

/**
 * The differences from the schema that this version was written for. `isUpgrading`: processes of this version may run for an hour beside
 * those of a newer one, which check the rest. Without it, a row of the list of migrations hides nothing.
 */
export async function verifySchema(db: Runner, clocks: Clocks, { isUpgrading } = { isUpgrading: false }): Promise<Violation[]> {
  if (clocks === 'unchecked') return []
  const { migrations, objects: expected } = shippedSchema
  const applied = await readLevel(db)
  const names = new Set(applied.map(({ name }) => name))
  const known = new Set(migrations)
  const unknown = applied.filter(({ name }) => !known.has(name))
  // Migration names are in order.
  const isOfNewer = ({ name, isOfLastHour }: Applied): boolean => isUpgrading && isOfLastHour && name > migrations.at(-1)!
  if (unknown.length > 0 && unknown.every(isOfNewer)) return []
  const problems = [
    ...migrations.filter((name) => !names.has(name)).map((name) => `the migration ${name} is missing`),
    ...unknown.map(({ name }) => `the migration ${name} is of no version that this one knows`),
  ]
  const objects = await readSchema(db)
  const found = hashesOf(objects)
  const definitions = new Map(objects.map(({ name, definition }) => [name, definition]))
  for (const [name, hash] of Object.entries(expected)) {
    if (found[name] === undefined) problems.push(`${name} is missing`)
    else if (found[name] !== hash && !(name === clock && isRightClock(definitions.get(name)!, clocks)))
      problems.push(`${name} is not what the migrations made`)
  }
  problems.push(
    ...Object.keys(found)
      .filter((name) => !(name in expected))
      .map((name) => `${name} is of no migration`),
  )
  return problems
    .slice(0, 20)
    .map((what) => ({ invariant: 'schema', promise, severity: 'alert', what, home: null, merchantId: null, environment: null }))
}
