/** Accepts an invitation. Invariant: only the person whose verified address was invited becomes a member, once. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { confirmSession, type WhoActs } from '../identity/authenticate.ts'
import { lockMerchant, merchantOfUser } from '../identity/merchant.sql.ts'
import { hashOfToken } from '../identity/one-use-token.ts'
import { findUser } from '../identity/user.sql.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { must, notFound, orNotFound, Refusal } from '../../platform/refusal.ts'
import { findMembership } from './access.sql.ts'
import { permissionFor } from './invite-member.ts'
import { requireApprovedRole } from './ask-role.ts'
import { tellOwners } from './mail-owners.ts'
import { memberNotice } from './member-mails.ts'
import { findByAddress, findInvitation, findMember, joinAsMember, lockMember, type OpenInvitation } from './member.sql.ts'
import type { Member } from './member.ts'
import { waitWithPower, type PowerWaitDeps } from './new-power.ts'
import { isAllowed } from './permissions.ts'

/** The open invitation of a token; refuses any other token with 404. */
export async function readInvitation(db: Runner, token: string): Promise<OpenInvitation> {
  return orNotFound(await findInvitation(db, hashOfToken(token)))
}

/** Whether a token is of an open invitation to this address: such a person registers without student data. */
export async function isInvited(db: Runner, token: string, email: string): Promise<boolean> {
  return (await findInvitation(db, hashOfToken(token)))?.email === email
}

/** A new owner must be a verified person: 403 `kyc_required`. */
export async function requireVerifiedPerson(db: Runner, userId: string): Promise<void> {
  const person = await merchantOfUser(db, userId)
  if (person?.verificationStatus === 'verified') return
  throw new Refusal(
    403,
    'kyc_required',
    'An owner must have a verified identity. Open Verification in the dashboard first, or send POST /v1/kyc.',
  )
}

/**
 * Refuses with 404 a token that does not work, with 403 `invitation_for_another_address`, `email_not_verified`, and `kyc_required` for an
 * owner, with 409 `already_member`.
 */
export async function acceptInvitation(
  deps: { db: Db; sealer: Sealer } & PowerWaitDeps,
  token: string,
  who: WhoActs,
  origin: Origin,
): Promise<Member> {
  return deps.db.tx(async (tx) => {
    const { id, merchantId, businessName } = await readInvitation(tx, token)
    const merchant = must(await lockMerchant(tx, merchantId), 'a merchant does not vanish')
    await confirmSession(tx, who)
    const invited = await lockMember(tx, merchantId, id)
    // Accepted, cancelled or renewed a moment ago.
    if (invited?.status !== 'invited' || (await readInvitation(tx, token)).id !== id) throw notFound()
    // The right to invite ends with its holder, also for what was invited before.
    const inviter = invited.invitedBy === null ? undefined : await findMembership(tx, invited.invitedBy, merchantId)
    if (!inviter || !isAllowed(inviter.role, permissionFor(invited.role), 'live')) throw notFound()
    const user = must(await findUser(tx, who.userId), 'a signed-in user has a row')
    if (user.email !== invited.email) {
      const message = 'This invitation was mailed to another address. Sign in with the account of that address.'
      throw new Refusal(403, 'invitation_for_another_address', message)
    }
    if (!user.isEmailVerified) {
      const message =
        'Verify your e-mail address first: POST /v1/auth/email/resend mails a code, POST /v1/auth/email/verify accepts it.'
      throw new Refusal(403, 'email_not_verified', message)
    }
    const known = await findByAddress(tx, merchantId, user.email)
    if (known?.status === 'active') throw new Refusal(409, 'already_member', 'You are a member of this business already.')
    const { role } = invited
    if (role === 'owner') await requireVerifiedPerson(tx, who.userId)
    await requireApprovedRole(tx, merchant, invited)
    await tellOwners(deps, tx, merchantId, memberNotice(role === 'owner' ? 'owner_added' : 'member_joined', role, businessName))
    await joinAsMember(tx, id, who.userId)
    await waitWithPower(deps, tx, id, undefined, role)
    const member = must(await findMember(tx, merchantId, id), 'a member is there once they joined')
    await appendAudit(tx, origin, { action: 'member.joined', object: toWire('mem', id), merchantId, after: { role } })
    return member
  })
}
