/** Submits a person's own documents for review. */
import type { Origin } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import type { PersonalPurpose } from '../documents/document.ts'
import type { Merchant } from '../identity/merchant.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Sealer } from '../platform/secrets.ts'
import { findSubmitted, type FindSubmittedDeps } from './find-submitted.ts'
import { readToday, savePapers } from './kyc.sql.ts'
import { endOfNationalId, hashOfNationalId, isBirthday } from './kyc.ts'
import { submitPackage } from './submit-package.ts'

export type SubmitKycDeps = FindSubmittedDeps & { db: Db; sealer: Sealer; config: Pick<Config, 'urls' | 'keys'> }

export type WantedKyc = {
  /** Without the signs between its characters. */
  nationalIdNumber: string
  /** YYYY-MM-DD. */
  dateOfBirth: string
  urls: readonly (readonly [PersonalPurpose, string])[]
}

export function contextOfNationalId(userId: string): string {
  return `identity_papers.sealed_national_id.${userId}`
}

/** `merchant` is the personal one of the person who submits. Refuses with 400 what is not right, 409 when it is verified already. */
export async function submitKyc(deps: SubmitKycDeps, merchant: Merchant, wanted: WantedKyc, origin: Origin): Promise<void> {
  const { nationalIdNumber, dateOfBirth, urls } = wanted
  const isPossible = isBirthday(dateOfBirth, await readToday(deps.db))
  const message = 'This is not a day on which you can have been born.'
  const alsoWrong = isPossible ? [] : [{ field: 'date_of_birth', code: 'invalid', message }]
  const documents = await findSubmitted(deps, merchant, urls, alsoWrong)
  const userId = merchant.id
  const nationalIdLast4 = endOfNationalId(nationalIdNumber)
  const nationalIdHash = hashOfNationalId(deps.config.keys, nationalIdNumber)
  const sealedNationalId = deps.sealer.seal(nationalIdNumber, contextOfNationalId(userId))
  const factsOf = async (tx: Tx) => {
    await savePapers(tx, { userId, sealedNationalId, nationalIdHash, nationalIdLast4, dateOfBirth })
    return { national_id_last4: nationalIdLast4, date_of_birth: dateOfBirth }
  }
  await submitPackage(deps, { merchant, documents, factsOf, userId }, origin)
}
