/**
 * What somebody is typing, in the memory of this tab: going to another screen and back, or a session that ends in the middle, loses
 * nothing. It is never stored, and signing out forgets it.
 */
import { useCallback, useEffect, useState } from 'react'

const kept = new Map<string, unknown>()
const forgetters = new Set<() => void>()

/** For what else must not outlast the person in this tab. */
export function whenSignedOut(forget: () => void): void {
  forgetters.add(forget)
}

export function forgetDrafts(): void {
  kept.clear()
  for (const forget of forgetters) forget()
}

export type Draft<Value> = {
  value: Value
  change(changes: Partial<Value>): void
  /** It has been sent: what comes next begins with what the API says. */
  forget(): void
  isChanged: boolean
}

/** `key` holds whose it is: the id of the person or of the business. */
export function useDraft<Value extends object>(key: string, first: Value): Draft<Value> {
  const [changes, setChanges] = useState(() => (kept.get(key) ?? {}) as Partial<Value>)
  const isChanged = Object.keys(changes).length > 0
  useEffect(() => {
    if (!isChanged) return undefined
    // A closed tab takes what was typed with it.
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
    forget: useCallback(() => {
      kept.delete(key)
      setChanges({})
    }, [key]),
    isChanged,
  }
}
