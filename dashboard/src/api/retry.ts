/** When to connect again after a connection has ended, and whether as a stream. */
import { firstEventMs, type StreamEnd } from './read-events.ts'

export type Ended = StreamEnd | { kind: 'refused'; retryMs: number } | { kind: 'signed_out' }

const backoffMs = { first: 500, most: 15_000 } as const
/** A stream that lives shorter than this was cut by something between. */
const shortLifeMs = 30_000
const cutsBeforePolling = 2
const streamAgainAfterMs = 10 * 60_000
/** After the service has ended the oldest of too many streams: asking now and then is enough. */
const replacedPauseMs = 15_000
/**
 * Connections that live shorter than this, one after the other, need a pause: processes of the service that do not know each other's cursors
 * answer each request at once, one whose clock is ahead ends each stream at once, and a busy wallet always has news.
 */
const quickMs = 2_000
const busyPauseMs = 2_000

export type Retry = {
  /** The service was heard: the next failure is the first one. */
  heard(): void
  /** False for some minutes where streams are cut. */
  mayStream(): boolean
  /** In milliseconds; 0: at once. */
  pauseAfter(ended: Ended, connection: { livedMs: number; wasStream: boolean }): number
}

export function createRetry(random: () => number): Retry {
  let failures = 0
  let cuts = 0
  let quickEnds = 0
  let quickNews = 0
  let pollsUntil = 0

  /** Half of the time is random, so that the tabs of a service that restarts do not return together. */
  function backoff(earlier: number): number {
    const most = Math.min(backoffMs.most, backoffMs.first * 2 ** earlier)
    return most / 2 + (random() * most) / 2
  }

  /** Streams that are cut early, one after the other, are no use here: ask and wait instead, for some minutes. */
  function noteCut(livedMs: number): void {
    cuts = livedMs < shortLifeMs ? cuts + 1 : 0
    if (cuts < cutsBeforePolling) return
    cuts = 0
    pollsUntil = Date.now() + streamAgainAfterMs
  }

  return {
    heard: () => void (failures = 0),
    mayStream: () => Date.now() >= pollsUntil,
    pauseAfter(ended, { livedMs, wasStream }) {
      switch (ended.kind) {
        case 'signed_out':
          return 0
        case 'told':
          if (wasStream) cuts = 0
          if (ended.reason === 'replaced') {
            pollsUntil = Date.now() + streamAgainAfterMs
            return replacedPauseMs
          }
          if (ended.reason === 'drain') return random() * 1000
          if (livedMs >= quickMs) quickEnds = quickNews = 0
          else if (ended.reason === 'answered') quickNews += 1
          else quickEnds += 1
          // Everything is read again after a gap, and at once after news: the pause after news stays short.
          if (ended.reason === 'answered') return quickNews < 2 ? 0 : busyPauseMs
          return quickEnds < 2 ? 0 : backoff(quickEnds + 1)
        case 'refused':
          return Math.max(ended.retryMs, backoff(failures++))
        case 'cut':
          // A service that is down refuses both kinds; only one that answers and is cut points to something between.
          if (wasStream && (ended.heardAny || livedMs >= firstEventMs)) noteCut(livedMs)
          return backoff(failures++)
      }
    },
  }
}
