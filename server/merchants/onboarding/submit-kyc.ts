/** Submits a person's own documents for review. */
import type { PersonalPurpose } from '../../domain/document.ts'
import type { Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { confirmSession, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { lockMerchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import { requireStudentId } from '../../accounts/identity/user.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { type FieldError, must } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { findSubmitted, type FindSubmittedDeps } from './find-submitted.ts'
import { changeBirthday, findPapers, readToday, savePapers } from './kyc.sql.ts'
import { contextOfNationalId, endOfNationalId, hashOfNationalId, isBirthday } from './kyc.ts'
import { submitPackage } from './submit-package.ts'

export type SubmitKycDeps = FindSubmittedDeps & { db: Db; sealer: Sealer; config: Pick<Config, 'urls' | 'keys'> }

export type WantedKyc = {
  /** Without separators; undefined keeps the submitted number. */
  nationalIdNumber: string | undefined
  /** YYYY-MM-DD. */
  dateOfBirth: string
  urls: readonly (readonly [PersonalPurpose, string])[]
}

function sealed(deps: SubmitKycDeps, userId: string, plain: string) {
  return {
    nationalIdLast4: endOfNationalId(plain),
    nationalIdHash: hashOfNationalId(deps.config.keys, plain),
    sealedNationalId: deps.sealer.seal(plain, contextOfNationalId(userId)),
  }
}

/** `merchant` is the personal merchant of the submitter. Refuses invalid data with 400, a person without a student number with 403, and a verified one with 409. */
export async function submitKyc(
  deps: SubmitKycDeps,
  merchant: Merchant,
  wanted: WantedKyc,
  { who, origin }: { who: ActiveSession; origin: Origin },
): Promise<void> {
  const userId = merchant.id
  const user = must(await findUser(deps.db, userId), 'a personal merchant has a user')
  requireStudentId(user)
  const { nationalIdNumber, dateOfBirth, urls } = wanted
  const isPossible = isBirthday(dateOfBirth, await readToday(deps.db))
  const message = 'This is not a possible date of birth.'
  const alsoWrong: FieldError[] = isPossible ? [] : [{ field: 'date_of_birth', code: 'invalid', message }]
  if (nationalIdNumber === undefined && (await findPapers(deps.db, [userId])).length === 0) {
    alsoWrong.push({ field: 'national_id_number', code: 'required', message: 'Send the number of your identity card.' })
  }
  const documents = await findSubmitted(deps, merchant, urls, alsoWrong)
  const number = nationalIdNumber === undefined ? undefined : sealed(deps, userId, nationalIdNumber)
  const factsOf = async (tx: Tx) => {
    const nationalIdLast4 = number
      ? await savePapers(tx, { userId, ...number, dateOfBirth }).then(() => number.nationalIdLast4)
      : await changeBirthday(tx, userId, dateOfBirth)
    return { national_id_last4: nationalIdLast4, date_of_birth: dateOfBirth }
  }
  const confirm = async (tx: Tx) => {
    // The merchant before the person, as everywhere.
    await lockMerchantOfUser(tx, userId)
    await confirmSession(tx, who)
  }
  await submitPackage(deps, { merchant, documents, factsOf, userId, confirm }, origin)
}
