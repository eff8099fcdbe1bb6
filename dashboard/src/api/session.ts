/**
 * The session of this browser. The refresh token is in a cookie that no script reads; the access token is in the memory of this tab
 * alone and is renewed when it is needed. Invariant: two tabs never trade the cookie at the same moment, and a tab never goes on in the
 * name of a person whom another tab has signed out.
 */
import { ApiError, errorOf, fetchOrFail } from './api-error.ts'
import type { Operations } from './operations.ts'

/** Which of the two dashboards this page is; its HTML says so. */
export const face = document.documentElement.dataset['face'] === 'admin' ? 'admin' : 'merchant'

type TokenAnswer = { data: { access_token: string; expires_in: number } }
type SignInBody = Operations['POST /v1/auth/login']['body']
type RegisterBody = Operations['POST /v1/auth/register']['body']
type VerifyBody = Operations['POST /v1/auth/2fa/verify']['body']

export type SignInOutcome = { kind: 'signed_in' } | { kind: 'second_factor_due'; challengeToken: string }

/** Renewed so long before its end that no request leaves with a token that ends on the way. */
const renewAheadMs = 60_000

let access: { token: string; endsAt: number } | undefined
let isKnownToBeOut = false
let renewing: Promise<string | undefined> | undefined
const endListeners = new Set<() => void>()

const tabs = new BroadcastChannel(`malipo-${face}-session`)

tabs.addEventListener('message', () => {
  // Somebody signed in or out in another tab: what this one shows may be another person's.
  if (access) location.reload()
})

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetchOrFail(path, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json', 'x-session-cookie': face, ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await errorOf(response)
  return response
}

function keep({ data }: TokenAnswer): string {
  access = { token: data.access_token, endsAt: Date.now() + data.expires_in * 1000 }
  isKnownToBeOut = false
  return access.token
}

async function trade(): Promise<string | undefined> {
  try {
    const response = await send('/v1/auth/refresh', {})
    return keep((await response.json()) as TokenAnswer)
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error
    const wasOpen = access !== undefined
    access = undefined
    isKnownToBeOut = true
    if (wasOpen) for (const listener of endListeners) listener()
    return undefined
  }
}

/** One tab at a time, where the browser can: each then trades the cookie that the one before it was given. */
async function renew(): Promise<string | undefined> {
  // `locks` is there on https and on this machine only; without it the service's grace for two at once has to do.
  const locks = navigator.locks as LockManager | undefined
  return locks ? locks.request(`malipo-${face}-refresh`, trade) : trade()
}

/** A token that is good for the next request; undefined when nobody is signed in. `isRefused` says that the last one was not taken. */
export async function accessToken(isRefused = false): Promise<string | undefined> {
  if (isKnownToBeOut) return undefined
  if (!isRefused && access && access.endsAt - renewAheadMs > Date.now()) return access.token
  renewing ??= renew().finally(() => {
    renewing = undefined
  })
  return renewing
}

export async function isSignedIn(): Promise<boolean> {
  return (await accessToken()) !== undefined
}

/** Calls back when the session of this tab has ended without the person's doing. */
export function onSessionEnd(listener: () => void): () => void {
  endListeners.add(listener)
  return () => endListeners.delete(listener)
}

/** The service has ended the session: nothing more is asked in its name. */
export function endSession(): void {
  access = undefined
  isKnownToBeOut = true
  for (const listener of endListeners) listener()
}

export async function signIn(body: SignInBody): Promise<SignInOutcome> {
  const response = await send('/v1/auth/login', body)
  const answer = (await response.json()) as Operations['POST /v1/auth/login']['answer']
  if ('two_factor_required' in answer.data) return { kind: 'second_factor_due', challengeToken: answer.data.challenge_token }
  keep(answer as TokenAnswer)
  tabs.postMessage('signed_in')
  return { kind: 'signed_in' }
}

export async function verifySignIn(body: VerifyBody): Promise<void> {
  const response = await send('/v1/auth/2fa/verify', body)
  keep((await response.json()) as TokenAnswer)
  tabs.postMessage('signed_in')
}

export async function register(body: RegisterBody): Promise<void> {
  const response = await send('/v1/auth/register', body)
  keep((await response.json()) as TokenAnswer)
  tabs.postMessage('signed_in')
}

/** Ends the session here and in every other tab; one that the service has ended already is as good as signed out. */
export async function signOut(): Promise<void> {
  const token = await accessToken()
  if (token !== undefined) {
    await send('/v1/auth/logout', {}, { authorization: `Bearer ${token}` }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    })
  }
  access = undefined
  isKnownToBeOut = true
  tabs.postMessage('signed_out')
}
