/** Invites a person to a business by mail. Invariant: a token works once, for seven days, and only its hash is stored. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Merchant } from '../identity/merchant.ts'
import { lockMerchant, merchantOfUser } from '../identity/merchant.sql.ts'
import { hashOfToken, newToken } from '../identity/one-use-token.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { must, Refusal } from '../../platform/refusal.ts'
import { confirmAccess, requireRole } from './access.ts'
import { withdrawRoleRequest } from './approval.sql.ts'
import { askForRole } from './ask-role.ts'
import { tellOwners } from './mail-owners.ts'
import { invitationMail, memberNotice } from './member-mails.ts'
import { countMembers, findByAddress, findMember, insertInvitation, renewInvitation } from './member.sql.ts'
import type { Member } from './member.ts'
import type { Permission } from './permissions.ts'

export type InviteDeps = { db: Db; sealer: Sealer; config: Pick<Config, 'urls' | 'cell'> }

export const invitationDays = 7
export const mostMembers = 200
export const mostInvitations = 50

/** Owners are made and removed by owners only; other members by everyone who manages members. */
export const permissionFor = (...roles: MemberRole[]): Permission => (roles.includes('owner') ? 'owners.write' : 'members.write')

/** Confirms, in the transaction, that a person may manage members of these roles. */
export async function confirmManager(
  tx: Tx,
  who: WhoActs,
  merchant: Pick<Merchant, 'id'>,
  ...roles: MemberRole[]
): Promise<void> {
  await confirmAccess(tx, who, { merchant, environment: 'live' }, permissionFor(...roles))
}

/** The name that reviewers have approved: a mail to a stranger carries no other text that a person typed. */
const approvedNameOf = (merchant: Merchant | undefined): string | undefined =>
  merchant?.verificationStatus === 'verified' ? merchant.displayName : undefined

async function requireRoom(tx: Tx, merchantId: string): Promise<void> {
  const { members, invitations } = await countMembers(tx, merchantId)
  if (members + invitations < mostMembers && invitations < mostInvitations) return
  const message = `A business can have ${mostMembers} members, and ${mostInvitations} open invitations. Remove some first.`
  throw new Refusal(409, 'too_many_members', message, { details: { members, invitations } })
}

/**
 * Mails an invitation. The same address again, while it is invited, gets a new token; `isNew` is false then. Refuses with 409
 * `already_member` and `too_many_members`, and with 403 `insufficient_role` an owner invited by someone who is not one.
 */
export async function inviteMember(
  deps: InviteDeps,
  merchant: Merchant,
  wanted: { email: string; role: MemberRole },
  who: WhoActs,
  origin: Origin,
): Promise<{ member: Member; isNew: boolean }> {
  const { email, role } = wanted
  const token = newToken(deps.config.cell.name)
  return deps.db.tx(async (tx) => {
    const locked = must(await lockMerchant(tx, merchant.id), 'a merchant does not vanish')
    const known = await findByAddress(tx, merchant.id, email)
    await confirmManager(tx, who, merchant, role, ...(known ? [known.role] : []))
    if (known?.status === 'active') {
      throw new Refusal(409, 'already_member', 'The person with this address is a member already. Change their role instead.', {
        details: { id: toWire('mem', known.id) },
      })
    }
    const id = known?.id ?? newId()
    const invitation = { role, tokenHash: hashOfToken(token), invitedBy: who.userId, days: invitationDays }
    if (known?.status !== 'invited') await requireRoom(tx, merchant.id)
    if (known) await renewInvitation(tx, id, invitation)
    else await insertInvitation(tx, { ...invitation, id, merchantId: merchant.id, email })
    const link = `${deps.config.urls.api}/dashboard/invitation#${token}`
    const business = approvedNameOf(locked)
    const inviter = business === undefined ? undefined : approvedNameOf(await merchantOfUser(tx, who.userId))
    await enqueueMail(deps, tx, invitationMail(email, { business, inviter }, role, link))
    const invited = must(await findMember(tx, merchant.id, id), 'an invitation is there once it is made')
    await withdrawRoleRequest(tx, locked, id)
    const waits = await askForRole(deps, tx, locked, invited, role, who, origin)
    const member = waits ? (await findMember(tx, merchant.id, id))! : invited
    await tellOwners(deps, tx, merchant.id, memberNotice('member_invited', role, locked.displayName))
    await appendAudit(tx, origin, {
      action: 'member.invited',
      object: toWire('mem', id),
      merchantId: merchant.id,
      after: { role, again: known !== undefined },
    })
    return { member, isNew: known === undefined }
  })
}

/** Whether a role may manage a member of these roles, before the transaction: 403 `insufficient_role`. */
export function requireManager(role: MemberRole, ...roles: MemberRole[]): void {
  requireRole(role, permissionFor(...roles), 'live')
}
