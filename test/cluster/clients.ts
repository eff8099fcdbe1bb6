/** What the clients of one wallet do on the cluster, and what they need for it. */
import { eventually, type TestApp } from '../app.ts'
import type { Notes } from '../faults/model-clients.ts'
import type { Balance, WalletHistory } from './wallet-history.ts'

export type Surroundings = {
  app: TestApp
  scene: Notes
  /** The apis in turn; any of them may be down. */
  someUrl(): string
  /** Keeps an answer that the model does not allow. */
  surprise(what: unknown): void
  /** Whether the schedule has ended. */
  isOver(): boolean
}

export type Clients = {
  wallet: WalletHistory
  /** Uses the apis until it is over. */
  live(round: number): Promise<void>
  readBalance(): Promise<Balance | undefined>
  /** After everything has healed: asks again for what has no answer yet, and looks at all that was not seen ended. */
  settle(): Promise<void>
  /** What is wrong while no work is open. `end`: the balance. */
  findings(end: Balance): Promise<string[]>
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long unanswered requests are repeated after everything has healed. */
export const settleMs = 120_000

/** Reads the database as often as it takes: the primary may change once more after everything has healed. */
export const readInTheEnd = <Result>(read: () => Promise<Result>): Promise<Result> =>
  eventually(
    'the database is read',
    () =>
      read().then(
        (result) => ({ result }),
        () => undefined,
      ),
    60_000,
  ).then(
    ({ result }) => result,
    // What it says itself, if it never succeeds.
    read,
  )
