/**
 * Whether a person may do something for a merchant: the only place that decides it. Invariant: a removed member is refused from the next
 * request on, and no transaction of theirs commits after the removal was answered.
 */
import type { Environment } from '../domain/environment.ts'
import type { MemberRole } from '../domain/member.ts'
import { confirmSession, type WhoActs } from '../identity/authenticate.ts'
import type { Owner } from '../identity/merchant.ts'
import type { Runner, Tx } from '../platform/db/db.ts'
import { fromWire } from '../platform/ids.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import { findMembership, relyOnMembership, type Membership } from './access.sql.ts'
import { isAllowed, permissions, reachOf, rolesWith, type Permission } from './permissions.ts'

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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a signed-in person needs on a route of a merchant; the description of the API shows it. */
    permission?: Permission
  }
}

/** What a person was allowed: the merchant in whose name, and by which role. */
export type Access = { owner: Owner; role: MemberRole; permission: Permission }

function accessTo({ merchant, role }: Membership, permission: Permission, environment: Environment): Access {
  requireRole(role, permission, environment)
  const owner = { merchant, environment, ...(reachOf(role, permission) === 'today' && { seesOnlyToday: true as const }) }
  return { owner, role, permission }
}

export type Wanted = {
  permission: Permission
  environment: Environment
  /** `biz_…`; undefined: the person's own account. */
  businessId: string | undefined
}

/** The merchant that a person wants to act for. 404: none of theirs. 403 `insufficient_role`: their role does not allow it. */
export async function authorize(db: Runner, userId: string, { permission, environment, businessId }: Wanted): Promise<Access> {
  const id = businessId === undefined ? userId : fromWire('biz', businessId)
  const membership = id === undefined ? undefined : await findMembership(db, userId, id)
  if (!membership || (businessId !== undefined && membership.merchant.kind !== 'business')) throw notFound()
  return accessTo(membership, permission, environment)
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
  return accessTo(membership, permission, environment).owner
}
