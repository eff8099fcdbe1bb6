/** Checks the outcomes of charges every few seconds and decides the status of each network. One worker checks at a time. */
import type { Db } from '../../platform/db/db.ts'
import { homeCount } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { nextStatus, windowSeconds, type Tally } from './network.ts'
import { lockStatesToCheck, tallyCharges, updateStates } from './network.sql.ts'

/** The newest charges of each home are enough for a decision, and they limit the cost of a check. */
const perHome = 200

const nothing: Tally = { worked: 0, failed: 0, workedSince: 0, quietSeconds: null }

/** One check, unless another one ran within `pauseSeconds`. */
export async function watchNetworks({ db, log }: { db: Db; log: Log }, pauseSeconds: number): Promise<void> {
  const changes = await db.tx(async (tx) => {
    const states = await lockStatesToCheck(tx, pauseSeconds)
    if (states.length === 0) return []
    const tallies = await tallyCharges(tx, { homes: homeCount, perHome, windowSeconds })
    const checked = states.map((state) => {
      const tally =
        tallies.find(({ environment, network }) => environment === state.environment && network === state.network) ?? nothing
      const status = nextStatus(state.status, tally)
      return { ...state, status, worked: tally.worked, failed: tally.failed, hasChanged: status !== state.status }
    })
    await updateStates(tx, checked)
    return checked.filter(({ hasChanged }) => hasChanged)
  })
  for (const { environment, network, status, worked, failed } of changes) {
    const fields = { environment, network, status, worked, failed }
    if (status === 'operational') log.info('network.recovered', fields)
    else log.error('network.charges_failed', new Error(`network_${status}`), fields)
  }
}
