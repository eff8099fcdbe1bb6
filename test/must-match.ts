/** Failures of lists that are held complete: only what differs, each with the file to open and what to write there. */
import assert from 'node:assert/strict'

/** Fails if anything is wrong, with `advice` above the list. */
export function mustBeNone(wrong: Iterable<string>, advice: string): void {
  const lines = [...new Set(wrong)]
  if (lines.length > 0) assert.fail(`${advice}:\n  ${lines.join('\n  ')}`)
}

/** Fails if something is larger than its limit. `advice` says how to make it smaller, and where the limit is. */
export function mustFit(
  what: string,
  { size, limit, unit }: { size: number; limit: number; unit: string },
  advice: string,
): void {
  const over = (size - limit).toFixed(Number.isInteger(size) ? 0 : 1)
  if (size > limit) assert.fail(`${what}: ${Number(size.toFixed(1))} ${unit}, ${over} above the limit of ${limit}. ${advice}`)
}

/** What exists is listed, once, and nothing else is. `add` and `remove` say what to do about one entry. */
export function mustMatch(
  existing: Iterable<string>,
  listed: Iterable<string>,
  advice: { add: (entry: string) => string; remove: (entry: string) => string },
): void {
  const [known, list] = [new Set(existing), [...listed]]
  const missing = [...known].filter((entry) => !list.includes(entry))
  const unneeded = list.filter((entry) => !known.has(entry))
  const repeated = list.filter((entry, place) => known.has(entry) && list.indexOf(entry) !== place)
  const lines = [
    ...missing.map((entry) => `missing: ${entry} → ${advice.add(entry)}`),
    ...unneeded.map((entry) => `not there any more: ${entry} → ${advice.remove(entry)}`),
    ...repeated.map((entry) => `listed twice: ${entry} → ${advice.remove(entry)}`),
  ]
  mustBeNone(lines, 'The list differs from what exists')
}
