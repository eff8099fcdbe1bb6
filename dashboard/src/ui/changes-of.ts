/** The values that differ from the first ones. The others are not sent back: they may have been changed elsewhere meanwhile. */
export function changesOf<Values extends object>(first: Values, last: Values): Partial<Values> {
  const before = Object.fromEntries(Object.entries(first))
  const changes = Object.entries(last).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return Object.fromEntries(changes) as Partial<Values>
}
