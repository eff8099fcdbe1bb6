/** Registers a business and changes its data. Invariant: data that was verified, or is under review, never changes without a new review. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { findDocuments } from '../documents/document.sql.ts'
import {
  countOpenBusinesses,
  insertBusinessMerchant,
  lockMerchantOfUser,
  renameMerchant,
} from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { CreateSandbox, Sandbox } from '../../accounts/identity/sandbox.ts'
import { confirmSession, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { requireStudentId } from '../../accounts/identity/user.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { assert, must, Refusal, requireRoom } from '../../platform/refusal.ts'
import type { Config } from '../../config/config.ts'
import { caps } from '../../config/limits.ts'
import { insertHistory, markSubmitted, submittedDocumentIds, wasEverVerified } from './review.sql.ts'
import type { Review } from './review.ts'
import { lockOrMakeReview, packageOf, requireRepresentative } from './submit-package.ts'
import { findBusiness, insertBusiness, updateBusiness } from './business.sql.ts'
import {
  displayNameOf,
  factsToJson,
  refuseKnownName,
  requireRegistrationNumber,
  type Business,
  type BusinessFacts,
} from './business.ts'

async function readBack(tx: Tx, id: string): Promise<Business> {
  return must(await findBusiness(tx, id), 'a business can be read in the transaction that wrote it')
}

/**
 * Any person with a student number may register one; it can test at once with its sandbox, and receive money once it is verified. Refuses too many that are not with
 * 409 `too_many_objects`, and a person without a student number with 403 `student_id_required`.
 */
export async function registerBusiness(
  deps: { db: Db; createSandbox: CreateSandbox; config: Pick<Config, 'cell'> },
  who: ActiveSession,
  facts: BusinessFacts,
  origin: Origin,
): Promise<{ business: Business; sandbox: Sandbox }> {
  const { userId } = who
  requireRegistrationNumber(facts)
  refuseKnownName(facts)
  const id = newId()
  return deps.db.tx(async (tx) => {
    const person = await lockMerchantOfUser(tx, userId)
    // Its key outlives the session: one that has ended meanwhile makes none.
    await confirmSession(tx, who)
    const user = await findUser(tx, userId)
    assert(user && person, 'a signed-in user has a row, and a personal merchant')
    requireStudentId(user)
    const { most } = person.verificationStatus === 'verified' ? caps.businesses : caps.businessesOfUnverified
    requireRoom('businesses', await countOpenBusinesses(tx, userId), most, [
      'Complete the verification of one first.',
      'Kamilisha kwanza uthibitisho wa moja.',
    ])
    await insertBusinessMerchant(tx, { id, userId, displayName: displayNameOf(facts) }, deps.config.cell.homes)
    await insertBusiness(tx, { ...facts, id, representativeStudentId: user.studentId })
    const business = await readBack(tx, id)
    await appendAudit(tx, origin, { action: 'business.registered', object: toWire('biz', id), merchantId: id })
    return { business, sandbox: await deps.createSandbox(tx, id, origin) }
  })
}

/** A change of data under review makes a new version of the package, with the same files. */
async function resubmit(tx: Tx, review: Review, facts: BusinessFacts, userId: string, origin: Origin): Promise<number> {
  const version = review.version + 1
  const pinned = await submittedDocumentIds(tx, [review.merchantId])
  const documents = await findDocuments(
    tx,
    pinned.map(({ documentId }) => documentId),
  )
  await markSubmitted(tx, review.merchantId, version)
  await insertHistory(tx, {
    merchantId: review.merchantId,
    version,
    action: 'changed',
    fromStatus: review.status,
    toStatus: 'pending',
    reason: null,
    package: packageOf(
      factsToJson(facts),
      documents.map(({ id, purpose, sha256 }) => ({ id, purpose, sha256: sha256! })),
    ),
    actorUserId: userId,
    requestId: origin.requestId,
  })
  return version
}

/** The change for the audit log, which keeps it permanently: values that identify a person are left out and are only in the history of the review. */
function auditedFacts(facts: BusinessFacts, names: readonly (keyof BusinessFacts)[]): Record<string, string | null> {
  const impersonal = new Set<keyof BusinessFacts>(['businessType', 'country', 'region'])
  return Object.fromEntries(names.map((name) => [name, impersonal.has(name) ? facts[name] : '(not kept here)']))
}

/**
 * Refuses with 409 `business_already_verified` once it is verified. Only different values count as a change, and a change of data
 * under review counts as a submission, with the same 403 `representative_kyc_required`.
 */
export async function changeBusiness(
  deps: { db: Db },
  { id, userId: representativeId }: Pick<Merchant, 'id' | 'userId'>,
  changes: Partial<BusinessFacts>,
  /** `confirm` refuses, in the transaction, a person that may no longer change it. */
  { userId, origin, confirm }: { userId: string; origin: Origin; confirm(tx: Tx): Promise<void> },
): Promise<void> {
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    const review = await lockOrMakeReview(tx, id)
    const before = await readBack(tx, id)
    const after: BusinessFacts = { ...before, ...changes }
    if (review.stage === 'submitted') await requireRepresentative(tx, representativeId)
    requireRegistrationNumber(after)
    refuseKnownName(after)
    if (review.status === 'verified') {
      const message =
        'A verified business cannot be changed. If its data have changed, ask us to end the verification: live payments stop until it is verified again.'
      throw new Refusal(409, 'business_already_verified', message)
    }
    const changed = (Object.keys(changes) as (keyof BusinessFacts)[]).filter((name) => changes[name] !== before[name])
    if (changed.length === 0) return
    await updateBusiness(tx, id, after)
    // Payers read only a name that reviewers have approved: before the first verification none, and after it no new one.
    if (!(await wasEverVerified(tx, id))) await renameMerchant(tx, id, displayNameOf(after))
    const version = review.stage === 'submitted' ? await resubmit(tx, review, after, userId, origin) : review.version
    await appendAudit(tx, origin, {
      action: 'business.changed',
      object: toWire('biz', id),
      merchantId: id,
      before: { version: review.version, ...auditedFacts(before, changed) },
      after: { version, ...auditedFacts(after, changed) },
    })
  })
}
