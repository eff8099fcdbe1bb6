/** Caches the answers of a pure function. Invariant: at most `maxKept` answers are kept, the newest ones. */
export function memoized<Value>(read: (text: string) => Value, maxKept: number): (text: string) => Value {
  const kept = new Map<string, Value>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const value = read(text)
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value!)
    kept.set(text, value)
    return value
  }
}
