/**
 * Typed input in the memory of this tab: it survives a visit of another screen and the end of the session; sign-out deletes it, in every tab.
 * Only a draft without numbers of identity papers may survive a reload: it is also in the storage of this tab (`sessionStorage`), which a
 * browser restores with a tab that it had discarded, no other tab shares, and ends with the tab, as on a computer that several people use.
 */
import { useCallback, useEffect, useState } from 'react'
import { kept, storedAs } from '../api/kept-drafts.ts'

function stored(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(storedAs(key)) ?? 'null')
  } catch {
    return null
  }
}

function store(key: string, changes: object): void {
  // A full storage, or one that is switched off: the draft is in memory only.
  try {
    sessionStorage.setItem(storedAs(key), JSON.stringify(changes))
  } catch {
    return
  }
}

function lastOf<Value>(key: string, survivesReload: boolean): Partial<Value> {
  return (kept.get(key) ?? (survivesReload ? stored(key) : undefined) ?? {}) as Partial<Value>
}

export type Draft<Value> = {
  value: Value
  change(changes: Partial<Value>): void
  /** After sending: the next draft starts with the API's data. */
  clear(): void
  isChanged: boolean
}

/** `key` contains the owner: the id of the person or of the business. */
export function useDraft<Value extends object>(key: string, first: Value, { survivesReload = false } = {}): Draft<Value> {
  const [changes, setChanges] = useState(() => lastOf<Value>(key, survivesReload))
  const isChanged = Object.keys(changes).length > 0
  useEffect(() => {
    if (!isChanged || survivesReload) return undefined
    // Closing the tab loses the draft, so the browser warns.
    const warn = (event: BeforeUnloadEvent): void => {
      // After a sign-out, in any tab, nothing of it may stay on the screen.
      if (kept.has(key)) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged, key, survivesReload])
  return {
    value: { ...first, ...changes },
    change: useCallback(
      (more) => {
        // At once, not when the screen is next drawn: the key of a request must be kept before the request is sent.
        const after = { ...lastOf<Value>(key, survivesReload), ...more }
        kept.set(key, after)
        if (survivesReload) store(key, after)
        setChanges(after)
      },
      [key, survivesReload],
    ),
    clear: useCallback(() => {
      kept.delete(key)
      sessionStorage.removeItem(storedAs(key))
      setChanges({})
    }, [key]),
    isChanged,
  }
}
