/**
 * Erases the person behind an account. Invariant: it happens completely or not at all, in one transaction, and only while none of the
 * account's money is open. Amounts, references and times stay unchanged, under a pseudonym that identifies no person.
 */
import { shillings } from '../../domain/currency.ts'
import { randomBytes } from 'node:crypto'
import { appendAudit, byCommandLine, bySystem } from '../../base/audit/audit.ts'
import { eraseApps } from '../../accounts/developers/app.sql.ts'
import { askAboutKeys } from '../../accounts/developers/unkept-keys.ts'
import { eraseKeys } from '../../accounts/developers/key.sql.ts'
import { pseudonymiseBusinesses } from '../../merchants/onboarding/business.sql.ts'
import { deleteViewsOf, documentsOf } from '../../merchants/documents/document.sql.ts'
import { removeDocuments } from '../../merchants/documents/prune-unsubmitted.ts'
import { deleteAnswersTo } from '../../accounts/idempotency/answer.sql.ts'
import { dropChallenges } from '../../accounts/identity/challenge.sql.ts'
import { deleteMailedTokensOf } from '../../accounts/identity/mailed-token.sql.ts'
import { lockMerchantsOfUser, pseudonymiseMerchants } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { deleteFiltersOf } from '../../views/merchant-account/saved-filter.sql.ts'
import { deleteStatementMailsOf } from '../../views/notifications/statement-schedule.sql.ts'
import { deletePreferencesOf } from '../../accounts/identity/notification.sql.ts'
import { deleteSecondFactorOf } from '../../accounts/identity/second-factor.sql.ts'
import { deleteSessionsOf, lockSessionsOf } from '../../accounts/identity/session.sql.ts'
import { lockUser, pseudonymiseUser } from '../../accounts/identity/user.sql.ts'
import { deleteMailsTo } from '../../base/mail/mail.sql.ts'
import { endMemberships } from '../../accounts/members/end-memberships.ts'
import { deleteInvitationsTo, lockMerchantsOfMember } from '../../accounts/members/member.sql.ts'
import { erasePages } from '../../collect/pages/page.sql.ts'
import { deleteRecipientsOfMerchants } from '../../pay-out/recipients/recipient.sql.ts'
import { eraseCustomersOf } from '../../collect/payment-requests/payment-request.sql.ts'
import { deleteBrands } from '../../merchants/brands/brand.sql.ts'
import { deleteSupportContacts } from '../../collect/support-cases/support-contact.sql.ts'
import { deleteHostsOf } from '../../collect/pages/redirect-host.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { invalidCommand, must } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { recordDecision } from '../../merchants/onboarding/decide.ts'
import { eraseIdentification, everSubmitted, replaceSubmittedDocuments } from '../../merchants/onboarding/review.sql.ts'
import { lockOrMakeReview, renewReview } from '../../merchants/onboarding/submit-package.ts'
import { eraseBatchesOf } from '../../pay-out/payout-batches/batch.sql.ts'
import { deleteEndpoint, eraseEndpoints } from '../../merchants/webhooks/endpoint.sql.ts'
import { requireAccount } from './export-person.ts'
import {
  findEndedHolds,
  findOpenMoney,
  retentionEnds,
  insertErasure,
  markHeldErased,
  wasEverVerified,
  type HeldErasure,
  type OpenMoney,
} from './person.sql.ts'

/** For this long after its start, a failed payment may still turn out to have succeeded. */
export const lateHours = 72

export const newPseudonym = (): string => `erased-${randomBytes(8).toString('hex')}`

function refuseOpenMoney(open: OpenMoney): void {
  const reasons = [
    open.owed !== 0 && `${shillings(open.owed)} are owed by it (the debt must be repaid first)`,
    open.inWallets !== 0 &&
      `${shillings(open.inWallets)} are in its live wallets (pay them out first; less than the smallest payout and its fee needs another payment before)`,
    open.unfinishedPayments > 0 && `${open.unfinishedPayments} payments to it have not ended`,
    open.unfinishedPayouts > 0 && `${open.unfinishedPayouts} payouts of it have not ended`,
    open.openBreaks > 0 && `${open.openBreaks} breaks about its money are open`,
    open.mayStillSucceed > 0 &&
      `${open.mayStillSucceed} payments to it failed within the last ${lateHours} hours and may still succeed`,
  ].filter((reason) => reason !== false)
  if (reasons.length > 0) throw invalidCommand(`The account cannot be erased yet: ${reasons.join('; ')}.`)
}

/** Erases the records of an account when no record is held, or when the hold has ended. */
async function eraseRecords(tx: Tx, erasure: Pick<HeldErasure, 'userId' | 'pseudonym'>, merchants: Merchant[]): Promise<void> {
  const ids = merchants.map(({ id }) => id)
  for (const id of ids) await replaceSubmittedDocuments(tx, id, [])
  await removeDocuments(tx, await documentsOf(tx, ids))
  await eraseIdentification(tx, erasure.userId)
  await pseudonymiseBusinesses(tx, ids, erasure.pseudonym)
}

/** Files without a decision are not records of identification. */
async function removeUnsubmitted(tx: Tx, merchants: Merchant[]): Promise<void> {
  const ids = merchants.map(({ id }) => id)
  const submitted = await everSubmitted(tx, ids)
  const documents = await documentsOf(tx, ids)
  await removeDocuments(
    tx,
    documents.filter(({ id }) => !submitted.has(toWire('doc', id))),
  )
}

type EraseDeps = { db: Db; sealer: Sealer }

export type ErasedAccount = { id: string; pseudonym: string; heldUntil: Date | null }

/**
 * Erases the account with this e-mail address. Refuses the account of an operator, an account with unsettled money, and, unless
 * `keepsHeldRecords`, an account that was verified: then the proof of identity is held for `heldYears`, and the rest is erased at once.
 * A business with another owner is not erased: that owner becomes its person.
 */
export async function eraseAccount(
  deps: EraseDeps,
  wanted: { email: string; heldYears: number; keepsHeldRecords: boolean },
): Promise<ErasedAccount> {
  const { id, email } = await requireAccount(deps.db, wanted.email)
  const pseudonym = newPseudonym()
  const heldUntil = await deps.db.tx(async (tx) => {
    // Merchants are locked before their user: all code that changes both uses this order.
    const locked = await lockMerchantsOfMember(tx, id)
    const user = must(await lockUser(tx, id), 'an account does not vanish')
    if (user.email !== email) throw invalidCommand('The account was changed a moment ago. Repeat the command.')
    if (user.role === 'admin')
      throw invalidCommand('The account of an operator cannot be erased, because their decisions must stay attributable.')
    // After the locks: a decision that they waited for counts.
    const isHeld = await wasEverVerified(tx, id)
    if (isHeld && !wanted.keepsHeldRecords) {
      const until = (await retentionEnds(tx, wanted.heldYears)).toISOString().slice(0, 10)
      throw invalidCommand(
        `This account was verified. The law requires its identification records to be kept for ${wanted.heldYears} years after it is closed (Anti-Money Laundering Act, section 16), that is until ${until}. With --keep-held-records everything else is erased now, and those records automatically on that day.`,
      )
    }
    const { own: merchants, entries } = await endMemberships({ ...deps, renewReview }, tx, locked, id, byCommandLine)
    for (const { id: merchantId } of locked.filter((one) => !merchants.includes(one)))
      await askAboutKeys(deps, tx, { userId: id, merchantId, role: undefined })
    await deleteInvitationsTo(tx, email)
    refuseOpenMoney(await findOpenMoney(tx, id, lateHours))
    const ids = merchants.map((merchant) => merchant.id)
    for (const merchant of merchants) {
      const review = await lockOrMakeReview(tx, merchant.id)
      const reason = 'The account was erased.'
      await recordDecision(deps, tx, {
        merchant,
        review,
        status: 'rejected',
        reason,
        problems: [],
        userId: null,
        origin: byCommandLine,
      })
    }
    await eraseKeys(tx, ids)
    for (const appId of await eraseApps(tx, ids)) await deleteEndpoint(tx, appId)
    await eraseEndpoints(tx, ids)
    await eraseCustomersOf(tx, merchants)
    await deleteRecipientsOfMerchants(tx, merchants)
    await eraseBatchesOf(tx, merchants)
    await erasePages(tx, merchants)
    await deleteHostsOf(tx, ids)
    await deleteSupportContacts(tx, ids)
    await deleteBrands(tx, ids)
    await deleteAnswersTo(tx, [id, ...ids])
    await dropChallenges(tx, id)
    await deleteMailedTokensOf(tx, id)
    await deleteSecondFactorOf(tx, id)
    await deletePreferencesOf(tx, id)
    await deleteStatementMailsOf(tx, id, ids)
    await deleteFiltersOf(tx, id, ids)
    await lockSessionsOf(tx, id)
    await deleteViewsOf(tx, id)
    await deleteSessionsOf(tx, id)
    await pseudonymiseMerchants(tx, id, pseudonym)
    await pseudonymiseUser(tx, id, pseudonym)
    await deleteMailsTo(tx, [email], null)
    const until = await insertErasure(tx, { id: newId(), userId: id, pseudonym, heldYears: isHeld ? wanted.heldYears : null })
    if (isHeld) await removeUnsubmitted(tx, merchants)
    else await eraseRecords(tx, { userId: id, pseudonym }, merchants)
    // Again, at the end: checkouts do not wait for these locks.
    refuseOpenMoney(await findOpenMoney(tx, id, lateHours))
    for (const entry of entries) await appendAudit(tx, byCommandLine, entry)
    await appendAudit(tx, byCommandLine, {
      action: 'person.erased',
      object: toWire('usr', id),
      after: { pseudonym, businesses: merchants.length - 1, held_until: until?.toISOString() ?? null },
    })
    return until
  })
  return { id, pseudonym, heldUntil }
}

/** Erases records whose legal hold has ended. Returns the number of accounts. */
export async function eraseHeldRecords(deps: { db: Db }, limit: number): Promise<number> {
  const ended = await findEndedHolds(deps.db, limit)
  for (const erasure of ended) {
    await deps.db.tx(async (tx) => {
      const merchants = await lockMerchantsOfUser(tx, erasure.userId)
      await eraseRecords(tx, erasure, merchants)
      await markHeldErased(tx, erasure.id)
      await appendAudit(tx, bySystem, { action: 'person.records_erased', object: toWire('usr', erasure.userId) })
    })
  }
  return ended.length
}
