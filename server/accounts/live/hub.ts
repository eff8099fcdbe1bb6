/**
 * The open streams of this process, and what they still have to learn. Invariant: a hint reaches only those who may read what it names
 * at that moment; a stream whose session has ended, or that cannot take its hints fast enough, is ended. One notification costs a look-up
 * for each change and a write for each stream that it concerns; the database is read only when memberships or sessions have changed, in
 * one statement for all streams that these concern.
 */
import { randomBytes } from 'node:crypto'
import { listLiveSessions } from '../identity/session.sql.ts'
import { listRolesOf } from '../members/access.sql.ts'
import type { Clock } from '../../platform/clock.ts'
import { anyChange, changesChannel } from '../../platform/db/changes.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Meters } from '../../platform/process/meters.ts'
import { Refusal } from '../../platform/refusal.ts'
import { caps } from '../../config/limits.ts'
import { concerns, cursorOf, hintsOf, isPersonal, readChanges, readCursor, type Change } from './change.ts'
import { createIndex, type Caller, type EndReason, type Listener, type Open } from './open-streams.ts'

export type Stream = { close(): void }

export type Hub = {
  /** Tells at once what has changed since `cursor`; without a known cursor, that there is a gap. 503 above the limit of the process. */
  open(caller: Caller, cursor: string | undefined, listener: Listener): Promise<Stream>
  /** Ends all streams, and every later one at once. */
  drain(): void
}

const mostStreams = 5_000

/** Kept for those who reconnect. */
const keptChanges = 5_000
/** One stream is told at most this often. */
const tellEveryMs = 300

type HubDeps = { db: Runner; notifications: Notifications; log: Log; meters: Meters; clock: Clock }

/** Until its newest look has ended, a stream may have the roles from before a removal: nothing is told. */
const isCurrent = ({ looksBegun, lookTaken }: Open): boolean => looksBegun === lookTaken

/** The sessions that are alive, and the roles of people, in two statements for any number of streams. */
async function readNow(db: Runner, all: Open[]) {
  const sessionIds = all.map(({ sessionId }) => sessionId)
  const userIds = all.filter(({ isOperator }) => !isOperator).map(({ userId }) => userId)
  const [alive, roles] = await Promise.all([listLiveSessions(db, sessionIds), listRolesOf(db, userIds)])
  return { sessions: new Map(alive.map((session) => [session.id, session])), roles: Map.groupBy(roles, ({ userId }) => userId) }
}

export function createHub({ db, notifications, log, meters, clock }: HubDeps): Hub {
  let epoch = randomBytes(6).toString('hex')
  let seq = 0
  let kept: Change[] = []
  let isDraining = false
  const { streams, operators, byScope, oldestOfSession, oldestOfPerson, index, unindex, add, remove } = createIndex(meters)

  function end(stream: Open, reason: EndReason): void {
    if (remove(stream)) stream.listener.end(reason)
  }

  function tell(stream: Open): void {
    stream.timer = undefined
    if (!isCurrent(stream)) return
    const changes = stream.pending.filter((change) => concerns(stream, change))
    stream.pending = []
    if (changes.length === 0 && !stream.isGap) return
    stream.toldAt = performance.now()
    const told = { cursor: cursorOf(epoch, seq), is_gap: stream.isGap, hints: hintsOf(stream, changes) }
    stream.isGap = false
    stream.listener.tell(told)
  }

  function tellSoon(stream: Open): void {
    if (!streams.has(stream) || !stream.isReady || stream.timer !== undefined) return
    const wait = Math.max(0, stream.toldAt + tellEveryMs - performance.now())
    stream.timer = setTimeout(() => tell(stream), wait)
  }

  /** Reads sessions and roles again. A look that hangs holds up no later one. */
  async function recheck(affected: Set<Open>): Promise<void> {
    const looks = [...affected].map((stream) => ({ stream, number: (stream.looksBegun += 1) }))
    try {
      const { sessions, roles } = await readNow(db, [...affected])
      for (const { stream, number } of looks) {
        // An earlier answer that arrives late would put back the roles from before a removal.
        if (!streams.has(stream) || number < stream.lookTaken) continue
        stream.lookTaken = number
        const session = sessions.get(stream.sessionId)
        if (!session || (stream.isOperator && !session.isOperator)) {
          end(stream, 'session')
          continue
        }
        stream.endsAt = Math.min(stream.endsAt, session.endsAt.getTime())
        if (stream.isOperator) continue
        unindex(stream)
        stream.roles = new Map(roles.get(stream.userId)?.map(({ merchantId, role }) => [merchantId, role]))
        index(stream)
      }
    } catch (error) {
      // Who may see what is not known: they open a new stream, which asks again.
      log.error('live.recheck_failed', error)
      for (const { stream, number } of looks) if (number > stream.lookTaken) end(stream, 'drain')
    }
  }

  function take(payload: string): void {
    if (payload === anyChange) return gap()
    const touched = new Set<Open>()
    const affected = new Set<Open>()
    for (const named of readChanges(payload)) {
      const change: Change = { ...named, seq: (seq += 1) }
      kept.push(change)
      for (const group of [byScope.get(change.scope), operators]) {
        for (const stream of group ?? []) {
          if (isPersonal(change) && change.scope !== stream.userId) continue
          stream.pending.push(change)
          touched.add(stream)
          if (isPersonal(change)) affected.add(stream)
        }
      }
    }
    // In large steps: each one copies the list.
    if (kept.length > 2 * keptChanges) kept = kept.slice(-keptChanges)
    for (const stream of touched) if (!affected.has(stream)) tellSoon(stream)
    if (affected.size > 0) void recheck(affected).then(() => affected.forEach(tellSoon))
  }

  /** Notifications are missing: no cursor of before is valid, and every stream learns that it has to read again. */
  function gap(): void {
    epoch = randomBytes(6).toString('hex')
    kept = []
    for (const stream of streams) stream.isGap = true
    const all = new Set(streams)
    if (all.size > 0) void recheck(all).then(() => all.forEach(tellSoon))
  }

  notifications.on(changesChannel, take)
  notifications.onGap(gap)

  return {
    async open(caller, cursor, listener) {
      if (streams.size >= mostStreams) {
        throw new Refusal(503, 'overloaded', 'Too many open screens. Try again shortly.', { retryAfterSeconds: 5 })
      }
      const stream: Open = {
        ...caller,
        roles: caller.isOperator ? null : new Map(),
        listener,
        pending: [],
        isGap: false,
        isReady: false,
        looksBegun: 0,
        lookTaken: 0,
        openedAt: performance.now(),
        timer: undefined,
        toldAt: -Infinity,
        endTimer: undefined,
      }
      // Listens before the first read, so that no change in between is lost.
      add(stream)
      do await recheck(new Set([stream]))
      while (streams.has(stream) && !isCurrent(stream))
      const close = { close: () => void remove(stream) }
      if (!streams.has(stream)) return close
      if (isDraining) {
        end(stream, 'drain')
        return close
      }
      for (const old of oldestOfSession(stream, caps.streamsOfSession.most)) end(old, 'replaced')
      for (const old of oldestOfPerson(stream, caps.streams.most)) end(old, 'replaced')
      // Others were opened at the same time, and later.
      if (!streams.has(stream)) return close
      stream.endTimer = setTimeout(() => end(stream, 'renew'), Math.max(0, stream.endsAt - clock.now()))
      const after = readCursor(epoch, cursor)
      const oldest = kept[0]?.seq ?? seq + 1
      const isGap = after === undefined || after < oldest - 1 || after > seq
      // What arrived since the start of this call is among the kept changes.
      const missed = isGap ? [] : kept.filter((change) => change.seq > after && concerns(stream, change))
      Object.assign(stream, { pending: [], isGap: false, isReady: true, toldAt: performance.now() })
      listener.tell({ cursor: cursorOf(epoch, seq), is_gap: isGap, hints: hintsOf(stream, missed) })
      return close
    },

    drain() {
      isDraining = true
      for (const stream of streams) end(stream, 'drain')
    },
  }
}
