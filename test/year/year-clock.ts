/**
 * The one clock of the simulated year: moved forward in the database, in every process of the service, in the simulator and in the
 * run itself.
 */
import type pg from 'pg'
import { simulatedClock, simulatedClockSetting } from '../../server/platform/db/simulated-clock.sql.ts'
import { moveTime } from './moved-time.ts'

/** A process whose clock moves with the year's. Resolves when the work that became due there has begun. */
export type Follower = { moveTo(aheadMs: number): Promise<void> }

/**
 * By then the server has notified its sessions, if the machine is not busy; processes get the new time only after the sessions have
 * it.
 */
const marginMs = 8

const machineNow = (): number => Date.now() - aheadMs
let aheadMs = 0

export type YearClock = {
  now(): number
  /** The time by which all clocks are ahead of the machine's. */
  aheadMs(): number
  follow(follower: Follower): void
  leave(follower: Follower): void
  forward(ms: number): Promise<void>
  moveTo(moment: number): Promise<void>
  /** The database's clock is behind all others by this much from now on, as after a failover to a server that is behind. */
  setBack(ms: number): Promise<void>
  /** Installs the variant of `clock_now()` in a new database, or sets the time of a database that came back. */
  tellDatabase(): Promise<void>
}

export function createYearClock(owner: () => pg.Pool): YearClock {
  const followers = new Set<Follower>()
  let behindMs = 0

  /** Transactions that begin from `at` on, in the machine's milliseconds, use the new shift. */
  async function setDatabase(beforeMs: number, afterMs: number, at: number): Promise<void> {
    const value = `${at / 1000}/${(beforeMs - behindMs) / 1000}/${(afterMs - behindMs) / 1000}`
    await owner().query(`alter system set ${simulatedClockSetting} = '${value}'`)
    await owner().query('select pg_reload_conf()')
    // The server notifies all sessions at once: after one has read the value, every other reads it before its next statement.
    for (;;) {
      const { rows } = await owner().query<{ value: string }>(`select current_setting('${simulatedClockSetting}', true) as value`)
      if (rows[0]!.value === value) return
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  async function moveBy(ms: number): Promise<void> {
    const [before, at] = [aheadMs, machineNow() + marginMs]
    const after = before + Math.round(ms)
    await setDatabase(before, after, at)
    while (machineNow() < at) await new Promise((resolve) => setTimeout(resolve, 1))
    aheadMs = after
    moveTime(after)
    await Promise.all([...followers].map((follower) => follower.moveTo(after)))
  }

  /** One move at a time: payers who pay together may all wait for a process that comes back. */
  let lastMove: Promise<void> = Promise.resolve()
  function forward(ms: number): Promise<void> {
    const move = lastMove.then(() => moveBy(ms))
    lastMove = move.catch(() => undefined)
    return move
  }

  return {
    now: () => Date.now(),
    aheadMs: () => aheadMs,
    follow: (follower) => void followers.add(follower),
    leave: (follower) => void followers.delete(follower),
    forward,
    moveTo: (moment) => forward(Math.max(0, moment - Date.now())),
    async setBack(ms) {
      behindMs = ms
      await setDatabase(aheadMs, aheadMs, machineNow() + marginMs)
    },
    async tellDatabase() {
      await setDatabase(aheadMs, aheadMs, machineNow() + marginMs)
      await owner().query(simulatedClock)
    },
  }
}
