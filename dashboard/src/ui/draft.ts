/**
 * Typed input in the memory of this tab: it survives a visit of another screen and the end of the session. It is never stored, and
 * sign-out deletes it.
 */
import { useCallback, useEffect, useState } from 'react'

const kept = new Map<string, unknown>()
const clearers = new Set<() => void>()

/** For other data that must not outlast the person in this tab. */
export function whenSignedOut(clear: () => void): void {
  clearers.add(clear)
}

export function clearDrafts(): void {
  kept.clear()
  for (const clear of clearers) clear()
}

export type Draft<Value> = {
  value: Value
  change(changes: Partial<Value>): void
  /** After sending: the next draft starts with the API's data. */
  clear(): void
  isChanged: boolean
}

/** `key` contains the owner: the id of the person or of the business. */
export function useDraft<Value extends object>(key: string, first: Value): Draft<Value> {
  const [changes, setChanges] = useState(() => (kept.get(key) ?? {}) as Partial<Value>)
  const isChanged = Object.keys(changes).length > 0
  useEffect(() => {
    if (!isChanged) return undefined
    // Closing the tab loses the draft, so the browser warns.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged])
  return {
    value: { ...first, ...changes },
    change: useCallback(
      (more) =>
        setChanges((before) => {
          const after = { ...before, ...more }
          kept.set(key, after)
          return after
        }),
      [key],
    ),
    clear: useCallback(() => {
      kept.delete(key)
      setChanges({})
    }, [key]),
    isChanged,
  }
}
