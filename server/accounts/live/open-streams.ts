/** The streams that are open in this process, found by the merchants and people whose changes they follow. */
import type { z } from 'zod'
import type { MemberRole } from '../../domain/member.ts'
import type { Meters } from '../../platform/process/meters.ts'
import type { Audience, Change, changesSchema } from './change.ts'

type Changes = z.infer<typeof changesSchema>

export type EndReason =
  /** The access token has expired: continue with a new one. */
  | 'renew'
  /** The process stops: another one continues. */
  | 'drain'
  /** The session, or the person, has opened too many streams: this was the oldest. */
  | 'replaced'
  /** The session has ended. */
  | 'session'

export type Caller = { userId: string; sessionId: string; isOperator: boolean; endsAt: number }

/** `tell` gets changes; `end` is called once when the stream ends on either side, but not after `close`. */
export type Listener = { tell(changes: Changes): void; end(reason: EndReason): void }

export type Open = Audience &
  Caller & {
    roles: Map<string, MemberRole> | null
    listener: Listener
    pending: Change[]
    isGap: boolean
    /** False until the roles are read. */
    isReady: boolean
    /** The looks at its session and roles so far, and the newest one whose answer it has. */
    looksBegun: number
    lookTaken: number
    openedAt: number
    timer: NodeJS.Timeout | undefined
    toldAt: number
    endTimer: NodeJS.Timeout | undefined
  }

export type StreamIndex = {
  streams: ReadonlySet<Open>
  operators: ReadonlySet<Open>
  /** By merchant and person. */
  byScope: ReadonlyMap<string, ReadonlySet<Open>>
  /** The streams of the session, or of the person, of this one that are older than the newest `most`. */
  oldestOfSession(stream: Open, most: number): Open[]
  oldestOfPerson(stream: Open, most: number): Open[]
  /** Called after, and `unindex` before, the roles of a stream change. */
  index(stream: Open): void
  unindex(stream: Open): void
  add(stream: Open): void
  /** False if it was removed before. */
  remove(stream: Open): boolean
}

export function createIndex(meters: Meters): StreamIndex {
  const gauge = meters.figure('malipo_live_streams', 'Open streams of changes.', ['face'])
  const streams = new Set<Open>()
  const operators = new Set<Open>()
  const byScope = new Map<string, Set<Open>>()

  function count(): void {
    gauge.set({ face: 'merchant' }, streams.size - operators.size)
    gauge.set({ face: 'admin' }, operators.size)
  }

  const scopesOf = ({ userId, roles }: Open): Set<string> => new Set([userId, ...(roles?.keys() ?? [])])

  function index(stream: Open): void {
    for (const scope of scopesOf(stream)) byScope.set(scope, (byScope.get(scope) ?? new Set()).add(stream))
  }

  function unindex(stream: Open): void {
    for (const scope of scopesOf(stream)) {
      const there = byScope.get(scope)
      there?.delete(stream)
      if (there?.size === 0) byScope.delete(scope)
    }
  }

  function oldest({ userId }: Open, most: number, isCounted: (one: Open) => boolean): Open[] {
    const counted = [...(byScope.get(userId) ?? [])].filter((one) => one.userId === userId && isCounted(one))
    counted.sort((one, other) => one.openedAt - other.openedAt)
    return counted.slice(0, Math.max(0, counted.length - most))
  }

  count()
  return {
    streams,
    operators,
    byScope,
    oldestOfSession: (stream, most) => oldest(stream, most, ({ sessionId }) => sessionId === stream.sessionId),
    oldestOfPerson: (stream, most) => oldest(stream, most, () => true),
    index,
    unindex,
    add(stream) {
      streams.add(stream)
      if (stream.isOperator) operators.add(stream)
      index(stream)
      count()
    },
    remove(stream) {
      if (!streams.delete(stream)) return false
      operators.delete(stream)
      unindex(stream)
      clearTimeout(stream.timer)
      clearTimeout(stream.endTimer)
      count()
      return true
    },
  }
}
