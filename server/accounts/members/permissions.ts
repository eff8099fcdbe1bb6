/**
 * The one table of who may do what: the scope that a key needs, and how far each role reaches. Every route of a merchant names one
 * permission. docs/guides/members.md is generated from it.
 */
import type { Environment } from '../../domain/environment.ts'
import { memberRoles, type MemberRole } from '../../domain/member.ts'
import type { Scope } from '../../domain/scope.ts'
import { usesPower, type OperationClass } from '../identity/operation-classes.ts'

/** `test`: only in the test environment. `today`: only what was made since midnight in Tanzania. */
export type Reach = 'all' | 'today' | 'test' | 'none'

type Rule = {
  /** What it allows, for the docs. */
  allows: string
  /** The scope of a key; null: people only. */
  scope: Scope | null
  /** What a new role does with it only after a wait, as in the classes of operations; null, and for all that only read: nothing. */
  gives?: Exclude<OperationClass, 'ordinary'> | null
} & Record<MemberRole, Reach>

/** Everyone who handles money: not the cashier, not the developer. */
const moneyPeople = {
  owner: 'all',
  admin: 'all',
  approver: 'all',
  accountant: 'all',
  cashier: 'none',
  developer: 'none',
} as const
const managers = { owner: 'all', admin: 'all', approver: 'none', accountant: 'none', cashier: 'none', developer: 'none' } as const
const everyone = { owner: 'all', admin: 'all', approver: 'all', accountant: 'all', cashier: 'all', developer: 'all' } as const

export const permissions = {
  'profile.read': { allows: 'see the name and the state of the account', scope: 'profile:read', ...everyone },
  'payments.read': { allows: 'see payments', scope: 'payments:read', ...moneyPeople, cashier: 'today', developer: 'test' },
  'customers.read': { allows: 'see customers and their totals', scope: null, ...moneyPeople, developer: 'test' },
  'payers.read': { allows: 'see the whole phone number of who paid', scope: null, ...moneyPeople, developer: 'test' },
  'payments.write': {
    allows: 'request a payment from a phone',
    scope: 'payments:write',
    gives: 'moves_money',
    ...managers,
    developer: 'test',
  },
  'pages.read': { allows: 'see pages', scope: 'pages:read', ...moneyPeople, cashier: 'all', developer: 'test' },
  'pages.write': { allows: 'make and change pages', scope: 'pages:write', gives: 'makes_power', ...managers, developer: 'test' },
  'requests.read': { allows: 'see payment requests', scope: 'pages:read', ...moneyPeople, cashier: 'today', developer: 'test' },
  'requests.write': {
    allows: 'make and cancel payment requests, and send them to a phone',
    scope: 'pages:write',
    gives: null,
    ...managers,
    // What a cashier cannot see, they cannot cancel.
    cashier: 'today',
    developer: 'test',
  },
  'wallet.read': { allows: 'see the balance', scope: 'balance:read', ...moneyPeople },
  'statements.read': { allows: 'see statements and summaries, search, export', scope: 'transactions:read', ...moneyPeople },
  'payouts.read': { allows: 'see payouts, refunds, batches and recipients', scope: 'payouts:read', ...moneyPeople },
  'payouts.write': {
    allows: 'request payouts, refunds and batches',
    scope: 'payouts:write',
    gives: 'moves_money',
    ...moneyPeople,
  },
  'payouts.approve': {
    allows: 'approve payouts, refunds and batches',
    scope: null,
    gives: 'decides',
    ...managers,
    approver: 'all',
  },
  'events.read': { allows: 'see and resend events', scope: 'transactions:read', ...managers, developer: 'all' },
  'apps.write': { allows: 'manage apps, keys and webhooks', scope: null, gives: 'makes_power', ...managers, developer: 'all' },
  'payout-keys.write': {
    allows: 'make keys that can pay out',
    scope: null,
    gives: 'makes_power',
    ...managers,
    developer: 'test',
  },
  'business.read': { allows: 'see the data of the business and its verification', scope: null, ...managers },
  'business.write': {
    allows: 'change the data of the business and submit documents',
    scope: null,
    gives: 'makes_power',
    ...managers,
  },
  'members.read': { allows: 'see the members', scope: null, ...moneyPeople },
  'members.write': { allows: 'invite, change and remove members', scope: null, gives: 'makes_power', ...managers },
  'owners.write': { allows: 'make and remove owners', scope: null, gives: 'makes_power', ...managers, admin: 'none' },
  'rules.read': { allows: 'see the approval rule and what waits for approval', scope: null, ...moneyPeople },
  'rules.write': { allows: 'change the approval rule', scope: null, gives: 'makes_power', ...managers },
  'activity.read': { allows: 'see who did what', scope: null, ...managers },
} as const satisfies Record<string, Rule>

export type Permission = keyof typeof permissions
/** A permission that keys can have, too. */
export type KeyPermission = { [P in Permission]: (typeof permissions)[P]['scope'] extends Scope ? P : never }[Permission]

export const allPermissions = Object.keys(permissions) as Permission[]

export const reachOf = (role: MemberRole, permission: Permission): Reach => permissions[permission][role]

/** Whether a role has a permission in an environment, for anything at all. */
export function isAllowed(role: MemberRole, permission: Permission, environment: Environment): boolean {
  const reach = reachOf(role, permission)
  return reach === 'all' || reach === 'today' || (reach === 'test' && environment === 'test')
}

/** What a role may do in an environment. */
export function permissionsOf(role: MemberRole, environment: Environment): Permission[] {
  return allPermissions.filter((permission) => isAllowed(role, permission, environment))
}

/** What a key with these scopes may do. */
export function permissionsOfKey(scopes: readonly Scope[]): Permission[] {
  return allPermissions.filter((permission) => scopes.some((scope) => scope === permissions[permission].scope))
}

/** Whether a role has every right that a scope gives a key, in the live environment. */
export function holdsScope(role: MemberRole, scope: Scope): boolean {
  return allPermissions.every((permission) => permissions[permission].scope !== scope || isAllowed(role, permission, 'live'))
}

/** What a permission gives that a new role has only after a wait. */
export const powerOf = (permission: Permission): Rule['gives'] => (permissions[permission] as Rule).gives

/** Whether a new role waits before it calls an operation with this permission in live. */
export const waitsWithPower = (operationId: string, permission: Permission | undefined): boolean =>
  permission !== undefined && Boolean(powerOf(permission)) && usesPower(operationId)

/** Whether a role that may pay or decide has a power in live that the role before did not have; undefined: no role. */
export function gainsPower(before: MemberRole | undefined, after: MemberRole): boolean {
  const powers = permissionsOf(after, 'live').filter(powerOf)
  const isGuarded = powers.some((permission) => powerOf(permission) !== 'makes_power')
  return isGuarded && powers.some((permission) => before === undefined || !isAllowed(before, permission, 'live'))
}

/** The roles that have a permission in an environment. */
export function rolesWith(permission: Permission, environment: Environment): MemberRole[] {
  return memberRoles.filter((role) => isAllowed(role, permission, environment))
}
