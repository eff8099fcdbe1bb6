/**
 * The session of this browser. The refresh token is in a cookie that scripts cannot read; the access token is only in the memory of this
 * tab and is renewed when needed. Invariant: two tabs never use the cookie at the same moment, and a tab never continues with the
 * session of a person after another tab has signed out.
 */
import { ApiError, errorOf, fetchOrFail } from './api-error.ts'
import { clearDrafts } from './kept-drafts.ts'
import type { Operations, Sandbox } from './operations.ts'

/** Which dashboard this page is; its HTML says so. */
export const face = document.documentElement.dataset['face'] === 'admin' ? 'admin' : 'merchant'

type TokenAnswer = { data: { access_token: string; expires_in: number } }
type SignInBody = Operations['POST /v1/auth/login']['body']
type RegisterBody = Operations['POST /v1/auth/register']['body']
type VerifyBody = Operations['POST /v1/auth/2fa/verify']['body']

export type SignInOutcome = { kind: 'signed_in' } | { kind: 'second_factor_due'; challengeToken: string }

/** Tokens are renewed this long before their end, so that none expires during a request. */
const renewAheadMs = 60_000

let access: { token: string; endsAt: number } | undefined
let isKnownToBeOut = false
/** The sandboxes of the accounts and businesses that were registered in this tab, by owner, until their keys are stored. */
const sandboxes = new Map<string, Sandbox>()
let renewing: Promise<string | undefined> | undefined
const endListeners = new Set<() => void>()

const tabs = new BroadcastChannel(`malipo-${face}-session`)

tabs.addEventListener('message', ({ data }) => {
  if (data === 'signed_out') clearDrafts()
  // A person signed in or out in another tab: the data of this tab may belong to another person.
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

/** One tab at a time, if the browser supports it: each tab uses the cookie that the previous one received. */
async function renew(): Promise<string | undefined> {
  // `locks` exists only on https and localhost; otherwise the service accepts two concurrent refreshes for a short time.
  const locks = navigator.locks as LockManager | undefined
  return locks ? locks.request(`malipo-${face}-refresh`, trade) : trade()
}

/** A valid token for the next request; undefined without a session. `isRefused`: the last token was not accepted. */
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

/** Called when the session of this tab ends without a sign-out here. */
export function onSessionEnd(listener: () => void): () => void {
  endListeners.add(listener)
  return () => endListeners.delete(listener)
}

/** The service has ended the session: no further requests are sent with it. */
export function endSession(): void {
  access = undefined
  sandboxes.clear()
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
  const answer = (await response.json()) as Operations['POST /v1/auth/register']['answer']
  keep(answer)
  keepSandbox('me', answer.data.sandbox)
  tabs.postMessage('signed_in')
}

/** `owner`: `me`, or the id of a business. */
export function keepSandbox(owner: string, sandbox: Sandbox): void {
  sandboxes.set(owner, sandbox)
}

/** The sandbox of an owner that was registered in this tab, until its key is stored or the session ends. */
export function newSandbox(owner: string): Sandbox | undefined {
  return sandboxes.get(owner)
}

export function forgetSandbox(owner: string): void {
  sandboxes.delete(owner)
}

/** Ends the session and forgets what was typed, here and in every other tab; if the service has already ended it, this counts as a sign-out. */
export async function signOut(): Promise<void> {
  const token = await accessToken()
  if (token !== undefined) {
    await send('/v1/auth/logout', {}, { authorization: `Bearer ${token}` }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    })
  }
  access = undefined
  sandboxes.clear()
  clearDrafts()
  isKnownToBeOut = true
  tabs.postMessage('signed_out')
}
