/**
 * The connection that tells this tab what has changed: a stream, or a request that waits where something cuts streams. It carries hints
 * only; a screen that gets one reads again. Invariant: after a loss, either every missed hint arrives or `is_gap` says that some are missing;
 * and `state` is `live` only while the service was heard within the last seconds. No part of this file needs a browser.
 */

import { firstEventMs, readEvents, type Changes } from './read-events.ts'
import { createRetry, type Ended } from './retry.ts'

/**
 * `connecting`: for a moment, which needs no notice. `old`: what is shown may be outdated since `since`. `paused`: no one is here, so
 * nothing is asked. `off`: nothing on the screen follows changes, or no one is signed in.
 */
export type LiveState = { state: 'off' | 'connecting' | 'live' | 'old' | 'paused'; since: number }

export type LiveOptions = {
  /** Sends the request; undefined without a session. Rejects without a connection. */
  ask(request: {
    cursor: string | undefined
    isStream: boolean
    waitSeconds: number
    signal: AbortSignal
  }): Promise<Response | undefined>
  /** False while no one looks at the tab. */
  mayRun(): boolean
  random(): number
}

export type Live = {
  /** Keeps the connection open until the answer is called. */
  hold(): () => void
  getState(): LiveState
  onState(listener: () => void): () => void
  /** Called with the changes of all wallets that the person may see. */
  onChanges(listener: (changes: Changes) => void): () => void
  /** `mayRun` may have changed, or the network came back: acts at once instead of at the next try. */
  nudge(): void
  /** The browser says that there is no network. */
  lost(): void
}

/** Shorter losses show no notice. */
const graceMs = 3_000
const waitSeconds = 25
/** A screen that is closed is often followed by another one. */
const lingerMs = 2_000

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

export function createLive({ ask, mayRun, random }: LiveOptions): Live {
  let current: LiveState = { state: 'off', since: 0 }
  let holders = 0
  let cursor: string | undefined
  let heardAt = 0
  let connection: AbortController | undefined
  /** Ends the running pause between two tries. */
  let pause: AbortController | undefined
  let graceTimer: ReturnType<typeof setTimeout> | undefined
  let lingerTimer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isSignedOut = false
  const retry = createRetry(random)
  const stateListeners = new Set<() => void>()
  const changeListeners = new Set<(changes: Changes) => void>()

  const isWanted = (): boolean => holders > 0 || lingerTimer !== undefined

  function become(state: LiveState['state']): void {
    // Who is told that the screen is old is told until it is live again.
    if (state === current.state || (state === 'connecting' && current.state === 'old')) return
    clearTimeout(graceTimer)
    if (state === 'connecting') graceTimer = setTimeout(() => become('old'), graceMs)
    current = { state, since: state === 'old' || state === 'paused' ? heardAt : Date.now() }
    for (const listener of stateListeners) listener()
  }

  function heard(): void {
    heardAt = Date.now()
    retry.heard()
    become('live')
  }

  function take(changes: Changes): void {
    cursor = changes.cursor === '' ? undefined : changes.cursor
    heard()
    if (changes.is_gap || changes.hints.length > 0) for (const listener of changeListeners) listener(changes)
  }

  /** One connection, until it ends. */
  async function connect(): Promise<Ended> {
    const isStream = retry.mayStream()
    const own = new AbortController()
    connection = own
    const stop = (): void => own.abort()
    // Headers that do not come are a loss, too: a waiting request answers after its time.
    const deadline = setTimeout(stop, isStream ? firstEventMs : (waitSeconds + 10) * 1000)
    try {
      const response = await ask({ cursor, isStream, waitSeconds, signal: own.signal })
      if (!response) return { kind: 'signed_out' }
      if (!response.ok) return { kind: 'refused', retryMs: Number(response.headers.get('retry-after') ?? 0) * 1000 }
      if (isStream) {
        clearTimeout(deadline)
        return await readEvents(response, own.signal, stop, ({ changes }) => (changes ? take(changes) : heard()))
      }
      const { data } = (await response.json()) as { data: Changes }
      take(data)
      return { kind: 'told', reason: data.is_gap ? 'gap' : 'answered' }
    } catch {
      return { kind: 'cut', heardAny: false }
    } finally {
      clearTimeout(deadline)
      own.abort()
      connection = undefined
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      while (isWanted() && !isSignedOut) {
        if (!mayRun()) {
          become('paused')
          return
        }
        if (current.state !== 'live') become('connecting')
        const startedAt = Date.now()
        const wasStream = retry.mayStream()
        const ended = await connect()
        if (!isWanted()) break
        if (!mayRun()) continue
        if (ended.kind === 'signed_out') isSignedOut = true
        if (ended.kind === 'refused' || ended.kind === 'cut') become('connecting')
        const wait = retry.pauseAfter(ended, { livedMs: Date.now() - startedAt, wasStream })
        if (wait === 0) continue
        pause = new AbortController()
        await sleep(wait, pause.signal)
        pause = undefined
      }
      become('off')
    } finally {
      isRunning = false
    }
  }

  function nudge(): void {
    if (!mayRun()) return connection?.abort()
    pause?.abort()
    if (isWanted()) void run()
  }

  return {
    hold() {
      clearTimeout(lingerTimer)
      lingerTimer = undefined
      holders += 1
      if (heardAt === 0) heardAt = Date.now()
      isSignedOut = false
      void run()
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        holders -= 1
        if (holders > 0) return
        lingerTimer = setTimeout(() => {
          lingerTimer = undefined
          pause?.abort()
          connection?.abort()
        }, lingerMs)
      }
    },
    getState: () => current,
    onState(listener) {
      stateListeners.add(listener)
      return () => stateListeners.delete(listener)
    },
    onChanges(listener) {
      changeListeners.add(listener)
      return () => changeListeners.delete(listener)
    },
    nudge,
    lost() {
      connection?.abort()
    },
  }
}
