/**
 * A new approver, admin or owner, while the live wallet has an approval rule: others approve them under the rule. Invariant: the role takes
 * effect only with the approval of a person who neither requested it nor gets it; where there is none, the requester confirms by mail.
 */
import type { Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import { hashOfToken, newToken } from '../identity/one-use-token.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { invalidState } from '../../platform/refusal.ts'
import { listOwners } from './access.sql.ts'
import { approversMissing, approvingRoles } from './approval-rule.ts'
import { countApprovers, findRule } from './approval-rule.sql.ts'
import { findLastRoleRequest } from './approval.sql.ts'
import { askApproval } from './ask-approval.ts'
import { roleConfirmationMail } from './member-mails.ts'
import type { Member } from './member.ts'
import { gainsPower, isAllowed } from './permissions.ts'

export type RoleRequestDeps = { sealer: Sealer; config: Pick<Config, 'urls' | 'cell'> }

const live = (merchant: Merchant): Owner => ({ merchant, environment: 'live' })

/** The rule under which a role is approved; undefined: it needs no approval. */
const ruleFor = async (tx: Tx, merchant: Merchant, before: MemberRole | undefined, role: MemberRole) =>
  isAllowed(role, 'payouts.approve', 'live') && gainsPower(before, role) ? findRule(tx, live(merchant)) : undefined

/**
 * Asks for a role of a member or invitation, in the transaction that has locked them. Returns whether it waits; false: it needs no
 * approval. Refuses with 409 `approvers_missing` where not even the requester is an owner who could confirm.
 */
export async function askForRole(
  deps: RoleRequestDeps,
  tx: Tx,
  merchant: Merchant,
  member: Member,
  role: MemberRole,
  { userId }: WhoActs,
  origin: Origin,
): Promise<boolean> {
  const rule = await ruleFor(tx, merchant, member.userId === null ? undefined : member.role, role)
  if (!rule) return false
  const others = await countApprovers(tx, merchant.id, approvingRoles('live'), [userId, member.userId ?? userId])
  const alone = others > 0 ? undefined : (await listOwners(tx, merchant.id)).find((one) => one.userId === userId)
  if (others === 0 && !alone)
    throw approversMissing(
      'No other member could approve this role. Ask an owner.',
      'Hakuna mwanachama mwingine anayeweza kuidhinisha jukumu hili. Mwombe mmiliki.',
      2,
      1,
    )
  const id = newMoneyId(merchant.home)
  const token = newToken(deps.config.cell.name)
  const wanted = {
    id,
    wireId: toWire('amr', id),
    kind: 'member_role',
    amount: null,
    approvers: others > 1 ? rule.approvers : 1,
    member: { id: member.id, role, tokenHash: alone ? hashOfToken(token) : null },
  } as const
  await askApproval(deps, tx, live(merchant), wanted, { ...origin, userId, isPerson: true })
  if (alone) {
    const page = `${deps.config.urls.api}/dashboard/${toWire('biz', merchant.id)}/live/approvals#${token}`
    await enqueueMail(deps, tx, roleConfirmationMail(alone.email, role, page))
  }
  return true
}

/** Refuses with 409 `invalid_state` an invitation whose role needs an approval that was not given. */
export async function requireApprovedRole(tx: Tx, merchant: Merchant, { id, role }: Member): Promise<void> {
  if (!(await ruleFor(tx, merchant, undefined, role))) return
  const last = await findLastRoleRequest(tx, merchant, id)
  if (last?.status === 'approved' && last.newRole === role) return
  throw invalidState(
    'Other members must approve this invitation first, under Approvals. If it is not there, ask for a new invitation.',
    'Wanachama wengine lazima waidhinishe mwaliko huu kwanza, kwenye Idhini. Kama haupo huko, omba mwaliko mpya.',
  )
}
