/**
 * What a refused field was probably meant to be, from the schema of its route. Reads only names and bounds, never a value, and runs only
 * for requests that are refused; its cost is bounded by the schema.
 */
import { z } from 'zod'

/** The schema that a wrapper such as `optional` holds. */
function unwrapped(schema: unknown): unknown {
  const { def } = (schema as z.ZodType)._zod as { def: { type: string; innerType?: unknown; in?: z.ZodType; out?: unknown } }
  if (def.innerType !== undefined) return unwrapped(def.innerType)
  if (def.type === 'pipe') return unwrapped(def.in!._zod.def.type === 'transform' ? def.out : def.in)
  return schema
}

/** The schema of the field at a path; undefined where the form is free. */
export function schemaAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let schema = root === undefined ? undefined : unwrapped(root)
  for (const step of path) {
    if (schema instanceof z.ZodObject) schema = schema.shape[String(step)]
    else if (schema instanceof z.ZodArray) schema = schema.element
    else if (schema instanceof z.ZodRecord) schema = schema.valueType
    else return undefined
    if (schema === undefined) return undefined
    schema = unwrapped(schema)
  }
  return schema
}

export const namesIn = (schema: unknown): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])

/** The bounds of a number that has both; an integer of any size has none. */
export function rangeIn(schema: unknown): { least: number; most: number } | undefined {
  const { minValue: least, maxValue: most } = schema instanceof z.ZodNumber ? schema : {}
  return typeof least === 'number' && typeof most === 'number' && least > -1e14 && most < 1e14 ? { least, most } : undefined
}

const longestShown = 40

/** A name that a caller has sent, as an error shows it. */
export function shownName(name: PropertyKey): string {
  const text = String(name)
    .slice(0, longestShown)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
  return String(name).length > longestShown ? `${text}…` : text
}

/** A name without its case and its marks: `phoneNumber`, `Phone-Number` and `phone_number` are one. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** One letter more, less or other, or two neighbours swapped, in at least four letters. */
function isOneSlip(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 4) return false
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const [a, b] = [one.slice(same), other.slice(same)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isSwapped
}

/** The one known name that an unknown one resembles, if exactly one does. */
export function meantBy(sent: string, known: readonly string[]): string | undefined {
  if (sent.length > longestShown) return undefined
  const plain = plainName(sent)
  const ways: ((name: string) => boolean)[] = [
    (name) => plainName(name) === plain,
    (name) => isOneSlip(plainName(name), plain),
    (name) => name.startsWith(`${sent}_`) || name.endsWith(`_${sent}`),
  ]
  for (const isLike of ways) {
    const like = known.filter(isLike)
    if (like.length > 0) return like.length === 1 ? like[0] : undefined
  }
  return undefined
}
