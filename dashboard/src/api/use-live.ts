/** The live connection of this tab: its request, when it may run, and the hooks of screens that follow changes. */
import { useSyncExternalStore } from 'react'
import { fetchOrFail } from './api-error.ts'
import { createLive, type LiveState } from './live.ts'
import { accessToken, endSession, face } from './session.ts'
import { shareStream } from './share-stream.ts'

/** An operator's page that no one uses asks for nothing, so that its session expires. A counter's phone may lie untouched all day. */
const awayAfterMs = 5 * 60_000
let lastSeenAt = Date.now()

const isVisible = (): boolean => document.visibilityState === 'visible'
const isUnattended = (): boolean => face === 'admin' && Date.now() - lastSeenAt >= awayAfterMs

/** Whether someone may be looking: only then does the page ask for anything by itself. */
export function isWatched(): boolean {
  return isVisible() && !isUnattended()
}

let isUnseenHeard = false

/** The tab also follows changes while it is in the background, because the person wants to be told of them. */
export function listenUnseen(isWanted: boolean): void {
  isUnseenHeard = isWanted
  live.nudge()
}

const path = face === 'admin' ? '/v1/admin/changes' : '/v1/changes'

export const live = createLive({
  mayRun: () => isWatched() || isUnseenHeard,
  random: Math.random,
  async ask({ cursor, isStream, waitSeconds, signal }) {
    const query = new URLSearchParams()
    if (cursor !== undefined) query.set('cursor', cursor)
    if (!isStream) query.set('wait', String(waitSeconds))
    const send = async (isRefused: boolean): Promise<Response | undefined> => {
      const token = await accessToken(isRefused)
      if (token === undefined) return undefined
      const headers = { authorization: `Bearer ${token}`, accept: isStream ? 'text/event-stream' : 'application/json' }
      return fetchOrFail(`${path}?${query}`, { headers, signal, cache: 'no-store' })
    }
    const open = async (): Promise<Response | undefined> => {
      let response = await send(false)
      if (response?.status !== 401) return response
      const { error } = (await response.json()) as { error: { code: string } }
      if (error.code === 'invalid_token') response = await send(true)
      if (response?.status !== 401) return response
      endSession()
      return undefined
    }
    // All windows of a browser have one session.
    return isStream ? shareStream(`malipo-${face}-changes`, signal, open) : open()
  },
})

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const) {
  addEventListener(
    event,
    () => {
      const wasUnattended = isUnattended()
      lastSeenAt = Date.now()
      if (wasUnattended) live.nudge()
    },
    { passive: true, capture: true },
  )
}
document.addEventListener('visibilitychange', () => live.nudge())
addEventListener('online', () => live.nudge())
addEventListener('offline', () => live.lost())

/** Whether the screen follows changes at the moment, and since when not. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(live.onState, live.getState)
}
