/**
 * The wait of a new role before it moves money in live, decides and makes power. Invariant: only an owner who has served this wait, or
 * never had one, and whose own payouts do not wait, ends that of another.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { MemberRole } from '../../domain/member.ts'
import { refuseWaitingAccount } from '../identity/account-wait.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { lockMerchant } from '../identity/merchant.sql.ts'
import type { Merchant } from '../identity/merchant.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { confirmAccess, powerNotActive } from './access.ts'
import { endPowerWait, findMember, findUnservedWait, lockMember, startPowerWait } from './member.sql.ts'
import { tellOwners } from './mail-owners.ts'
import { memberNotice } from './member-mails.ts'
import type { Member } from './member.ts'
import { gainsPower } from './permissions.ts'

export type PowerWaitDeps = { config: Pick<Config, 'safeguards'> }

/** The merchant, locked against other changes of its members, and the member. Refuses an unknown one with 404. */
export async function lockBoth(tx: Tx, merchantId: string, id: string): Promise<{ merchant: Merchant; member: Member }> {
  const merchant = await lockMerchant(tx, merchantId)
  const member = await lockMember(tx, merchantId, id)
  if (!merchant || !member) throw notFound()
  return { merchant, member }
}

/** `before`: the role until now; undefined: none. */
export async function waitWithPower(
  { config }: PowerWaitDeps,
  tx: Tx,
  id: string,
  before: MemberRole | undefined,
  after: MemberRole,
): Promise<void> {
  const { newPowerWaitHours } = config.safeguards
  if (newPowerWaitHours > 0 && gainsPower(before, after)) await startPowerWait(tx, id, newPowerWaitHours)
}

/**
 * Refuses with 403 `self_approval_forbidden` the member themselves, with 409 `power_not_active_yet` an owner who is new themselves, and with
 * 409 `payout_must_wait` an owner whose account may have been taken over: the confirmed member could pay at once.
 */
export async function confirmMember(
  deps: { db: Db; sealer: Sealer } & PowerWaitDeps,
  { id: merchantId }: Pick<Merchant, 'id'>,
  id: string,
  who: WhoActs,
  origin: Origin,
): Promise<Member> {
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, merchantId, id)
    await confirmAccess(tx, who, { merchant, environment: 'live' }, 'owners.write')
    if (member.userId === who.userId) {
      throw new Refusal(403, 'self_approval_forbidden', 'You cannot confirm your own role. Ask another owner.')
    }
    const unserved = await findUnservedWait(tx, merchantId, who.userId)
    if (unserved) throw powerNotActive('confirm the role of another member', ['owner'], unserved)
    if (member.powerFrom === null) return member
    await refuseWaitingAccount({ ...deps, db: tx }, 'live', who, 'confirm the role of another member')
    await endPowerWait(tx, id)
    await tellOwners(deps, tx, merchantId, memberNotice('member_confirmed', member.role, merchant.displayName))
    await appendAudit(tx, origin, {
      action: 'member.confirmed',
      object: toWire('mem', id),
      merchantId,
      before: { power_from: member.powerFrom.toISOString() },
      after: { role: member.role },
    })
    return (await findMember(tx, merchantId, id))!
  })
}
