/** What a change is about, who may learn of it, and the cursor that names a place in the order of changes. It carries names only, no data. */
import { z } from 'zod'
import { environments, type Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import { isAllowed, type Permission } from '../members/permissions.ts'
import { toWire } from '../../platform/ids.ts'

/** By subject of a merchant: what a role must be allowed to see. The triggers of the tables send these names. */
const neededFor = {
  payments: 'payments.read',
  cases: 'payments.read',
  balance: 'wallet.read',
  payouts: 'payouts.read',
  batches: 'payouts.read',
  pages: 'pages.read',
  approvals: 'rules.read',
  webhooks: 'events.read',
  deliveries: 'events.read',
  api_requests: 'apps.write',
  members: 'members.read',
  activity: 'activity.read',
  account: 'profile.read',
} as const satisfies Record<string, Permission>

/** Of one person: their memberships, their sessions, their data. After these, access is read again. */
const personal = ['memberships', 'sessions', 'person'] as const

/** Of the service: for operators only. */
const internal = ['breaks', 'switches', 'networks', 'reconciliation', 'reviews'] as const

export const subjects = [...(Object.keys(neededFor) as (keyof typeof neededFor)[]), ...personal, ...internal] as const
export type Subject = (typeof subjects)[number]

const known = new Set<string>(subjects)
const ofPersons = new Set<string>(personal)

/** `scope`: the id of the merchant or person, which is one id for a personal account; empty for the service itself. */
export type Change = { seq: number; subject: Subject; scope: string; environment: Environment | '' }

export const isPersonal = ({ subject }: Pick<Change, 'subject'>): boolean => ofPersons.has(subject)

/** The changes that the payload of a notification names; a newer version may send names that this one does not know. */
export function readChanges(payload: string): Omit<Change, 'seq'>[] {
  return payload.split(',').flatMap((name) => {
    const [subject = '', scope = '', environment = ''] = name.split('|')
    return known.has(subject) ? [{ subject: subject as Subject, scope, environment: environment as Environment | '' }] : []
  })
}

/** Whose changes are wanted. `roles`: by merchant; null for an operator. */
export type Audience = { userId: string; roles: ReadonlyMap<string, MemberRole> | null }

/** Whether this person may learn that this has changed. */
export function concerns({ userId, roles }: Audience, change: Omit<Change, 'seq'>): boolean {
  if (isPersonal(change)) return change.scope === userId
  if (roles === null) return true
  const role = roles.get(change.scope)
  const permission = (neededFor as Partial<Record<Subject, Permission>>)[change.subject]
  if (role === undefined || permission === undefined) return false
  const places = change.environment === '' ? environments : [change.environment]
  return places.some((environment) => isAllowed(role, permission, environment))
}

const hintSchema = z
  .object({
    business_id: z.string().nullable().meta({ description: 'Null: the personal account, the person, or the service itself.' }),
    environment: z.enum(environments).nullable().meta({ description: 'Null: both.' }),
    subjects: z.array(z.enum(subjects)),
  })
  .meta({ id: 'ChangeHint' })

export const changesSchema = z
  .object({
    cursor: z.string().meta({ description: 'Send it with the next request.' }),
    is_gap: z.boolean().meta({ description: 'Changes may be missing here: read everything that is shown again.' }),
    hints: z.array(hintSchema),
  })
  .meta({ id: 'Changes' })

type Hint = z.infer<typeof hintSchema>

/** One hint for each wallet. */
export function hintsOf({ userId, roles }: Audience, changes: readonly Change[]): Hint[] {
  const found = new Map<string, Hint>()
  for (const { subject, scope, environment } of changes) {
    const isOfBusiness = roles !== null && scope !== '' && scope !== userId
    const place = {
      business_id: isOfBusiness ? toWire('biz', scope) : null,
      environment: roles === null ? null : environment || null,
    }
    const key = `${place.business_id} ${place.environment}`
    const hint = found.get(key) ?? { ...place, subjects: [] }
    if (!hint.subjects.includes(subject)) hint.subjects.push(subject)
    found.set(key, hint)
  }
  return [...found.values()]
}

/** `epoch`: of one process, until it may have missed something. */
export const cursorOf = (epoch: string, seq: number): string => `${epoch}-${seq}`

export function readCursor(epoch: string, cursor: string | undefined): number | undefined {
  const [, ofEpoch, seq] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(cursor ?? '') ?? []
  return ofEpoch === epoch ? Number(seq) : undefined
}
