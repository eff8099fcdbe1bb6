/** The operator's word on a person's identity, from the command line. */
import type { Db } from '../platform/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { setVerificationStatus } from './merchant.sql.ts'
import type { VerificationStatus } from './merchant.ts'
import { findUserByEmail } from './user.sql.ts'
import type { User } from './user.ts'

/** Sets the personal KYC status of the user with this e-mail address, in any letter case; refuses an unknown one with 404. */
export async function setKycStatus(deps: { db: Db }, email: string, status: VerificationStatus): Promise<User> {
  return deps.db.tx(async (tx) => {
    const user = await findUserByEmail(tx, email.trim().toLowerCase())
    if (!user) throw new Refusal(404, 'not_found', `There is no user with the e-mail address ${email}.`)
    await setVerificationStatus(tx, user.id, status)
    return { ...user, kycStatus: status }
  })
}
