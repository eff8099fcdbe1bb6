/**
 * Whether a person may do something for a merchant: the only place that decides it. Invariant: a removed member is refused from the next
 * request on, and no transaction of theirs commits after the removal was answered.
 */
import type { Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import { confirmSession, type WhoActs } from '../identity/authenticate.ts'
import type { Owner } from '../identity/merchant.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { findMembership, relyOnMembership, type Holder, type Membership } from './access.sql.ts'
import { isAllowed, permissions, powerOf, reachOf, rolesWith, type Permission } from './permissions.ts'

/** Refuses with 403 `insufficient_role` a role that the table gives no permission in this environment. */
export function requireRole(role: MemberRole, permission: Permission, environment: Environment): void {
  if (isAllowed(role, permission, environment)) return
  const where = reachOf(role, permission) === 'test' ? ' in the live environment' : ''
  throw new Refusal(
    403,
    'insufficient_role',
    `Your role in this business (${role}) may not ${permissions[permission].allows}${where}. Ask an owner.`,
    { details: { role, required_roles: rolesWith(permission, environment) } },
  )
}

/** Also refuses with 409 `power_not_active_yet` what the person's new role does only later. Nothing waits in test. */
export function requireHolder(
  { role, powerFrom }: Holder,
  permission: Permission,
  environment: Environment,
  { usesPower }: Pick<WhoActs, 'usesPower'>,
): void {
  requireRole(role, permission, environment)
  if (!usesPower || powerFrom === null || !powerOf(permission) || environment === 'test') return
  throw powerNotActive(permissions[permission].allows, rolesWith(permission, environment), powerFrom)
}

/** 409 `power_not_active_yet`. `roles`: whose members can do it now. */
export function powerNotActive(what: string, roles: readonly MemberRole[], from: Date): Refusal {
  const until = from.toISOString()
  return new Refusal(
    409,
    'power_not_active_yet',
    `Your role is new. In the live environment you may ${what} from ${until} on. Until then, ask another member (${roles.join(', ')}), or ask another owner to confirm your role: POST /v1/businesses/{business_id}/members/{member_id}/confirm.`,
    { details: { until, required_roles: roles } },
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a signed-in person needs on a route of a merchant; the description of the API shows it. */
    permission?: Permission
  }
}

/** What a person was allowed: the merchant in whose name, and by which role. */
export type Access = { owner: Owner; role: MemberRole; permission: Permission }

function accessTo({ merchant, ...holder }: Membership, permission: Permission, environment: Environment, who: Acting): Access {
  requireHolder(holder, permission, environment, who)
  const { role } = holder
  const owner = { merchant, environment, ...(reachOf(role, permission) === 'today' && { seesOnlyToday: true as const }) }
  return { owner, role, permission }
}

type Acting = Pick<WhoActs, 'userId' | 'usesPower'>

export type Wanted = {
  permission: Permission
  environment: Environment
  /** `biz_…`; undefined: the person's own account. */
  businessId: string | undefined
}

/** The merchant that a person wants to act for. 404: none of theirs. 403 `insufficient_role`: their role does not allow it. */
export async function authorize(db: Runner, who: Acting, { permission, environment, businessId }: Wanted): Promise<Access> {
  const { userId } = who
  const id = businessId === undefined ? userId : fromWire('biz', businessId)
  const membership = id === undefined ? undefined : await findMembership(db, userId, id)
  if (!membership || (businessId !== undefined && membership.merchant.kind !== 'business')) throw notFound()
  return accessTo(membership, permission, environment, who)
}

/** Whether a person's role gives them this permission for a merchant, in the live environment. */
export async function mayReach(db: Runner, userId: string, merchantId: string, permission: Permission): Promise<boolean> {
  const membership = await findMembership(db, userId, merchantId)
  return membership !== undefined && isAllowed(membership.role, permission, 'live')
}

/**
 * Reads the session and the role again, in the transaction of the action, and locks them until its end. Refuses as `authorize` does;
 * returns the current merchant.
 */
export async function confirmAccess(
  tx: Tx,
  who: WhoActs,
  { merchant, environment }: { merchant: { id: string }; environment: Environment },
  permission: Permission,
): Promise<Owner> {
  // The merchant before the user: an erasure locks them in the same order.
  const membership = await relyOnMembership(tx, who.userId, merchant.id)
  await confirmSession(tx, who)
  if (!membership) throw notFound()
  return accessTo(membership, permission, environment, who).owner
}
