/** What was typed in this tab and not sent yet: none of it outlasts the person who signs out. */

/** By the key of the draft, which contains its owner. */
export const kept = new Map<string, unknown>()
const clearers = new Set<() => void>()

export const storedAs = (key: string): string => `malipo-draft ${key}`

/** For other data that must not outlast the person in this tab. */
export function whenSignedOut(clear: () => void): void {
  clearers.add(clear)
}

export function clearDrafts(): void {
  kept.clear()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(storedAs(''))) sessionStorage.removeItem(key)
  for (const clear of clearers) clear()
}
