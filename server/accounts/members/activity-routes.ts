/** HTTP route of what was done in a business: the entries of the audit log about it. */
import { personRoute, type SignedInRouteDeps } from '../identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { listActivity, type AuditRow } from '../../base/audit/audit.sql.ts'
import type { Merchant } from '../identity/merchant.ts'
import { namesOfUsers } from '../identity/user.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { authorize, type Access } from './access.ts'
import { namesOfMembers } from './member.sql.ts'

const actorTypes = ['user', 'key', 'system', 'operator'] as const

const activitySchema = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor: z.object({
      type: z.enum(actorTypes).meta({ description: '`operator`: of this service.' }),
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    action: z.string().meta({ example: 'approval.given' }),
    object: z.string().meta({ description: 'The id of what it was done to.' }),
    about: z.string().nullable().meta({
      description: 'The recipient of a payout or refund, the member, or the invited person.',
    }),
    details: z.record(z.string(), z.unknown()).meta({ description: 'What changed.' }),
  })
  .meta({ id: 'Activity' })

type Person = { name: string; isOperator: boolean }

function actorOf(actor: string, people: Map<string, Person>): z.infer<typeof activitySchema>['actor'] {
  if (actor.startsWith('key_')) return { type: 'key', id: actor, name: null }
  const userId = fromWire('usr', actor)
  const person = userId === undefined ? undefined : people.get(userId)
  // A merchant does not see which operator acted.
  if (person?.isOperator || actor === 'ops') return { type: 'operator', id: null, name: null }
  if (person) return { type: 'user', id: actor, name: person.name }
  return { type: 'system', id: null, name: null }
}

/** The recipients of payouts and refunds of a merchant, by their ids; payouts belong to a folder above this one. */
export type RecipientNames = (db: Runner, merchant: Merchant, ids: string[]) => Promise<Map<string, string>>

/** The names of the people that entries are about, by the ids of their objects. */
async function namesOfObjects(
  deps: { db: Runner; recipientNames: RecipientNames },
  merchant: Merchant,
  objects: string[],
): Promise<(object: string) => string | null> {
  const idsOf = (...prefixes: ('mem' | 'po' | 'rf')[]) =>
    objects.flatMap((object) => prefixes.flatMap((prefix) => fromWire(prefix, object) ?? []))
  const members = await namesOfMembers(deps.db, merchant.id, idsOf('mem'))
  const recipients = await deps.recipientNames(deps.db, merchant, idsOf('po', 'rf'))
  return (object) => {
    const member = fromWire('mem', object)
    if (member !== undefined) return members.get(member) ?? null
    const payout = fromWire('po', object) ?? fromWire('rf', object)
    return payout === undefined ? null : (recipients.get(payout) ?? null)
  }
}

function toJson(
  row: AuditRow,
  people: Map<string, Person>,
  nameOf: (object: string) => string | null,
): z.infer<typeof activitySchema> {
  const { seq, at, actor, action, object, after, before } = row
  const details = after ?? before ?? {}
  return { id: seq, at: at.toISOString(), actor: actorOf(actor, people), action, object, about: nameOf(object), details }
}

export async function activityRoutes(
  http: Http,
  deps: SignedInRouteDeps & { cursors: Cursors; recipientNames: RecipientNames },
): Promise<void> {
  const allowed = (request: FastifyRequest): Promise<Access> => {
    const businessId = (request.params as { business_id: string }).business_id
    return authorize(deps.db, request.signedIn, { permission: 'activity.read', environment: 'live', businessId })
  }
  personRoute(http, deps, {
    route: 'GET /v1/businesses/:business_id/activity',
    permission: 'activity.read',
    operationId: 'listActivity',
    summary: 'List what members did',
    description: 'Who did what, newest first: members, keys, and operators of this service.',
    query: z.strictObject(listQuery),
    answers: { 200: listOf(activitySchema) },
    before: (request) => allowed(request),
    handler: async (request) => {
      const { merchant } = (await allowed(request)).owner
      const { limit, cursor, created_from, created_to } = request.query
      const scope = `activity ${merchant.id}`
      const [beforeSeq] = deps.cursors.decode(scope, cursor)
      const wanted = { beforeSeq: beforeSeq === undefined ? null : Number(beforeSeq), limit }
      const rows = await listActivity(deps.db, merchant.id, { ...wanted, from: created_from, to: created_to })
      const people = await namesOfUsers(deps.db, [...new Set(rows.flatMap(({ actor }) => fromWire('usr', actor) ?? []))])
      const nameOf = await namesOfObjects(
        deps,
        merchant,
        rows.map(({ object }) => object),
      )
      const page = toPage(rows, limit, (last) => deps.cursors.encode(scope, [last.seq]))
      return answerPage(page, (row) => toJson(row, people, nameOf))
    },
  })
}
