/**
 * Approves a batch: every row becomes a payout, and the money of all of them is reserved, in one transaction. Invariant: either all payouts
 * exist with their money, or none; and nothing leaves before the people that the approval rule asks for have approved it.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { ApprovalFailure, DecisionOutcome } from '../../domain/approval.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { requireOtherApprovers } from '../../accounts/members/approval-rule.ts'
import { endApproval, lockApproval, raiseApproval } from '../../accounts/members/approval.sql.ts'
import { askApproval } from '../../accounts/members/ask-approval.ts'
import { decideApproval, requestingRoles, requireSeen, type ApprovalDecision } from '../../accounts/members/decide-approval.ts'
import { outcomeOfEnd } from '../../accounts/members/end-approval.ts'
import { sightOf } from '../../accounts/members/sight.ts'
import { violates, type Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { assert, invalidState, orNotFound, Refusal } from '../../platform/refusal.ts'
import { neededApproval, type NeededApproval } from '../payouts/exceeded-sum.ts'
import { mailWaitingPayouts } from '../payouts/payout-wait.ts'
import { batchPayoutIdOf } from '../payouts/payout.ts'
import { insertPayouts, type NewPayout } from '../payouts/payout.sql.ts'
import { reserveAll, type Money } from '../payouts/post-payout.ts'
import { composeOrder, insufficientBalance, refuseStopped, type RequestPayoutDeps } from '../payouts/request-payout.ts'
import { hashOf } from '../../platform/crypto/hash-of.ts'
import type { Batch, BatchView } from './batch.ts'
import { changesSince } from './changes-since.ts'
import {
  findBatch,
  listReady,
  listShares,
  lockAnyBatch,
  lockBatch,
  setRefused,
  setRunning,
  setWaiting,
  type ReadyRow,
} from './batch.sql.ts'

type CompleteBatch = Batch & { fees: number }

/** Refuses with 409 a batch whose rows cannot be paid as they are. */
function requireComplete(batch: Batch): CompleteBatch {
  if (batch.invalidCount > 0) {
    throw invalidState(
      `${batch.invalidCount} rows of this batch have errors. Change or remove them first.`,
      `Mistari ${batch.invalidCount} ya orodha hii ina makosa. Irekebishe au iondoe kwanza.`,
    )
  }
  if (batch.rowCount === 0) throw invalidState('All rows of this batch were removed.', 'Mistari yote ya orodha hii imeondolewa.')
  const { fees } = batch
  if (fees === null)
    throw invalidState(
      'The fees of this batch are not known yet. Continue when `fees` is set.',
      'Makato ya orodha hii bado hayajulikani. Subiri kidogo, kisha uendelee yakionekana.',
    )
  return { ...batch, fees }
}

/** Rows in one statement. */
const storedAtOnce = 1_000

/** How a batch is carried out: the actor, and how long payouts to new recipients wait. */
type Execution = { origin: Origin; newRecipientWaitSeconds: number }

function orderOf(deps: RequestPayoutDeps, owner: Owner, batch: Batch, row: ReadyRow, by: Execution): NewPayout {
  const { rowNumber, amount, phoneNumber, network, recipientName, narration, reference, fee, nameDiffers } = row
  assert(fee !== null, 'a batch with fees has the fee of each row')
  const id = batchPayoutIdOf(batch.home, batch.id, rowNumber)
  const accepted = {
    fee,
    // Apart from the keys of payouts, which are hashed alone.
    idempotencyHash: hashOf(['batch row', batch.id, rowNumber]),
    requestHash: hashOf([amount, phoneNumber, recipientName, narration, reference]),
    requestedBy: batch.requestedBy,
    requestId: by.origin.requestId,
    newRecipientWaitSeconds: by.newRecipientWaitSeconds,
  }
  const source = { purpose: 'merchant', method: 'provider', refundOf: null, reason: null } as const
  const wanted = { id, ...source, batchId: batch.id, batchRow: rowNumber }
  const warnings = nameDiffers ? (['recipient_name_differs'] as const) : []
  return composeOrder(
    deps,
    owner,
    { ...wanted, amount, phoneNumber, network, recipientName, narration, reference, metadata: {}, warnings: [...warnings] },
    accepted,
  )
}

/**
 * Makes the payouts of a batch that this transaction has locked and reserves their money. The ledger comes last, so that the wallet is
 * locked for a short time. A wallet without enough money violates `wallet_not_overdrawn`.
 */
async function executeBatch(deps: RequestPayoutDeps, tx: Tx, owner: Owner, batch: CompleteBatch, by: Execution): Promise<void> {
  const payouts: Money[] = []
  let [waiting, waitsUntil] = [0, null as Date | null]
  for (let afterRow = 0; ;) {
    const rows = await listReady(tx, batch, { afterRow, limit: storedAtOnce })
    if (rows.length === 0) break
    const orders = rows.map((row) => orderOf(deps, owner, batch, row, by))
    const made = await insertPayouts(tx, orders)
    assert(made.stored === orders.length, 'every row of a batch becomes a payout')
    waiting += made.waiting
    waitsUntil = made.waitsUntil ?? waitsUntil
    // The bytes of the orders are not needed any more.
    for (const { home, id, merchantId, purpose, method, breakId, refundOf, environment, amount, fee, requestedBy } of orders) {
      payouts.push({ home, id, merchantId, purpose, method, breakId, refundOf, environment, amount, fee, requestedBy })
    }
    afterRow = rows.at(-1)!.rowNumber
  }
  const sum = payouts.reduce((total, { amount, fee }) => total + amount + fee, 0)
  assert(payouts.length === batch.rowCount && sum === batch.total + batch.fees, 'the payouts of a batch are its rows')
  await setRunning(tx, batch, by.origin.actor)
  if (waitsUntil !== null) await mailWaitingPayouts(deps, tx, { count: waiting, waitsUntil }, owner.merchant.id)
  await reserveAll(tx, payouts, { actor: by.origin.actor, requestId: by.origin.requestId })
}

/** The approval that the rule needs for a batch that this transaction has locked. */
const neededFor = async (tx: Tx, owner: Owner, batch: Batch) =>
  neededApproval(tx, owner, await listShares(tx, batch), { isWaiting: batch.status === 'waiting' })

/**
 * Asks others to approve a draft that this transaction has locked; its rows do not change any more. Without a need, one person is asked.
 * Refuses with 409 `approvers_missing` when its maker and editors leave too few.
 */
async function askOthers(
  deps: RequestPayoutDeps,
  tx: Tx,
  owner: Owner,
  batch: CompleteBatch,
  needed: NeededApproval | undefined,
  origin: Origin,
): Promise<void> {
  await requireOtherApprovers(tx, owner.merchant, [batch.requestedByUser, ...batch.editedBy], needed?.approvers)
  await setWaiting(tx, batch)
  const wanted = {
    id: batch.id,
    wireId: toWire('pb', batch.id),
    kind: 'payout_batch',
    version: batch.version,
    amount: batch.total,
    approvers: needed?.approvers ?? 1,
    exceeded: needed?.exceeded,
  } as const
  await askApproval(deps, tx, owner, wanted, {
    ...origin,
    userId: batch.requestedByUser,
    isPerson: false,
    actor: batch.requestedBy,
  })
}

/** Sends a draft to the people who may approve it. Refuses with 404 an unknown batch, with 409 one that cannot be paid as it is. */
export async function submitBatch(
  deps: RequestPayoutDeps,
  owner: Owner,
  id: string,
  origin: Origin,
  confirm: (tx: Tx) => Promise<unknown>,
): Promise<BatchView> {
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    const batch = orNotFound(await lockBatch(tx, owner, id))
    if (batch.status !== 'draft')
      throw invalidState('This batch was sent for approval before.', 'Orodha hii ilishatumwa kuombewa idhini.')
    await askOthers(deps, tx, owner, requireComplete(batch), await neededFor(tx, owner, batch), origin)
  })
  return orNotFound(await findBatch(deps.db, owner, id))
}

export type BatchDecision = Execution & {
  decision: ApprovalDecision
  /** Runs first in the transaction: checks that the person may still approve and pay, by throwing. */
  confirm(tx: Tx): Promise<unknown>
}

/** Refuses with 403 `self_approval_forbidden` the maker of the batch and everyone who changed a row of it. */
function requireNotMaker({ requestedByUser, editedBy, status }: Batch, userId: string): void {
  if (requestedByUser !== userId && !editedBy.includes(userId)) return
  throw new Refusal(
    403,
    'self_approval_forbidden',
    `You made this batch, or changed a row of it. ${status === 'draft' ? 'Send it for approval: another' : 'Another'} member must approve it.`,
  )
}

/** What everyone sees who may approve. */
const deciders = sightOf(['payouts.approve'])

/**
 * Refuses with 402 a wallet without the money, before the payouts are made. Read while the batch is locked: of two approvals at once the
 * second is refused because of the first, not because of the money that the first has reserved.
 */
async function requireMoney(tx: Tx, owner: Owner, { total, fees }: CompleteBatch): Promise<void> {
  const { merchant, environment } = owner
  const wallet = await readWallet(tx, { merchantId: merchant.id, home: merchant.home, environment })
  if (wallet.balance < total + fees) throw await insufficientBalance(tx, owner, total, fees, deciders)
}

/**
 * Asks for more approvals if the rule needs more than it did when the batch was sent: other batches that waited then may have left, or the
 * rule is stricter. Before the vote counts. The lock of the rule comes after that of the batch, as for a draft.
 */
async function judgeAgain(tx: Tx, owner: Owner, batch: Batch): Promise<void> {
  const needed = await neededFor(tx, owner, batch)
  if (needed) await raiseApproval(tx, batch, needed)
}

async function decideWithin(
  deps: RequestPayoutDeps,
  tx: Tx,
  owner: Owner,
  batch: Batch,
  { decision, ...by }: BatchDecision,
): Promise<DecisionOutcome> {
  const wireId = toWire('pb', batch.id)
  if (batch.status !== 'draft' && batch.status !== 'waiting')
    throw invalidState('This batch does not wait for approval.', 'Orodha hii haisubiri idhini.')
  await requireSeen(batch.version, decision.version, (seen) => changesSince(tx, batch, seen))
  const isApproval = decision.verdict === 'approve'
  const complete = isApproval ? requireComplete(batch) : undefined
  if (complete) await requireMoney(tx, owner, complete)
  if (batch.status === 'draft') {
    if (!complete)
      throw invalidState('A draft does not wait for approval. Delete it instead.', 'Rasimu haisubiri idhini. Ifute badala yake.')
    const needed = await neededFor(tx, owner, batch)
    if (!needed) {
      await executeBatch(deps, tx, owner, complete, by)
      const facts = { status: 'running', version: batch.version, rows: batch.rowCount, total: batch.total, fees: complete.fees }
      const { merchantId } = batch
      await appendAudit(tx, by.origin, { action: 'payout_batch.approved', object: wireId, merchantId, after: facts })
      return 'approved'
    }
    requireNotMaker(batch, decision.who.userId)
    await askOthers(deps, tx, owner, complete, needed, by.origin)
  }
  if (isApproval && batch.status === 'waiting') {
    requireNotMaker(batch, decision.who.userId)
    await judgeAgain(tx, owner, batch)
  }
  const { outcome } = await decideApproval(tx, owner, { id: batch.id, wireId }, decision, by.origin, async (decided) => {
    if (decided === 'refused') await setRefused(tx, batch, 'approval_refused')
    if (decided === 'approved') await executeBatch(deps, tx, owner, complete!, by)
  })
  return outcome
}

/**
 * A member approves or refuses a batch. After the last approval that the rule needs, it runs. Refuses with 404 an unknown batch, with 409
 * one that cannot be approved, another version than the person has seen, or payouts on hold, with 403 its maker, with 503 halted payouts, with 402 a wallet that cannot pay all of it.
 */
export async function decideBatch(
  deps: RequestPayoutDeps,
  owner: Owner,
  id: string,
  by: BatchDecision,
): Promise<DecisionOutcome> {
  if (by.decision.verdict === 'approve') await refuseStopped(deps, owner)
  try {
    return await deps.db.tx(async (tx) => {
      await by.confirm(tx)
      const batch = orNotFound(await lockBatch(tx, owner, id))
      return decideWithin(deps, tx, owner, batch, by)
    })
  } catch (error) {
    if (!violates(error, 'wallet_not_overdrawn')) throw error
    const { total, fees } = orNotFound(await findBatch(deps.db, owner, id))
    throw await insufficientBalance(deps.db, owner, total, fees ?? 0, deciders)
  }
}

/** Ends a batch that no one can approve any more: no row of it was or will be paid. */
export async function endUnapprovedBatch(deps: Pick<RequestPayoutDeps, 'db'>, key: { home: number; id: string }): Promise<void> {
  await deps.db.tx(async (tx) => {
    const batch = await lockAnyBatch(tx, key)
    const request = await lockApproval(tx, key, requestingRoles({ environment: batch?.environment ?? 'live' }, 'payout_batch'))
    const ended = request && outcomeOfEnd(request)
    if (!batch || !ended) return
    const isWaiting = batch.status === 'waiting'
    await endApproval(tx, key, isWaiting ? ended.status : 'withdrawn')
    if (isWaiting) await setRefused(tx, batch, ended.code satisfies ApprovalFailure)
  })
}
