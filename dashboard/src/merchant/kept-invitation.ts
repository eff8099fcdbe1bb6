/**
 * The secret of an invitation, from the fragment of the mailed link, which is never sent to a server. It is kept in this tab, so that it
 * survives signing in, registering and verifying the address; it works once, and for one address only.
 */

const storageKey = 'malipo-invitation'

export function keepInvitation(secret: string): void {
  sessionStorage.setItem(storageKey, secret)
}

export function keptInvitation(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(storageKey)
}
