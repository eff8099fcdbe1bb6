/** HTTP of saved recipients, by API key and by the owner's sign-in. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { partOfPhone } from '../../domain/phone.ts'
import { actorOf, ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { lineOfText, searchWords } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { invalidFields, notFound, orNotFound } from '../../platform/refusal.ts'
import { readRecipient, type ReadRecipient } from './read-recipient.ts'
import { recipientSchema, recipientToJson } from './recipient.ts'
import { findRecipient, listRecipients, type RecipientFilter } from './recipient.sql.ts'
import { changeRecipient, removeRecipient, saveRecipient, type Change } from './save-recipient.ts'

export type RecipientRouteDeps = OwnerAuthDeps & { db: Db; cursors: Cursors }

/** How many recipients one answer searches for those that contain a text. */
const maxSearchedRecipients = 20_000

const name = lineOfText(120).meta({ example: 'Asha Mushi' })
const phone_number = z.string().max(40).meta({ example: '+255754123789' })

/** The number as it is stored; refuses with 400 one that no payout can go to. */
function phoneOf(typed: string): ReadRecipient {
  const phone = readRecipient(typed)
  const [first] = phone.errors
  if (first) throw invalidFields(phone.errors, first.code, first.message)
  return phone
}

export async function recipientRoutes(http: Http, deps: RecipientRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    async function idOf(request: FastifyRequest): Promise<{ owner: Owner; id: string }> {
      const owner = auth.ownerOf(request)
      const id = orNotFound(fromWire('rcp', (request.params as { id: string }).id))
      return { owner, id }
    }

    /** Before the body is checked: another owner's recipient is reported as missing whatever the body is. */
    async function findOwn(request: FastifyRequest): Promise<void> {
      const { owner, id } = await idOf(request)
      if (!(await findRecipient(deps.db, owner, id))) throw notFound()
    }

    const changeBy = (request: FastifyRequest, owner: Owner): Change => ({
      origin: { actor: actorOf(request), requestId: request.id, ip: request.ip },
      confirm: async (tx: Tx) => void (await auth.confirm(tx, request, owner)),
    })
    ownerRoute(http, deps, auth, {
      route: 'POST /recipients',
      permission: 'payouts.write',
      operationId: `create${auth.name}Recipient`,
      summary: 'Save a recipient',
      description:
        'Saves a name and a number for this wallet. No verification is needed, and nothing is sent to the number. A number that is saved already: 409 `recipient_exists` with `details.id`, and nothing changes.',
      body: z.strictObject({ name, phone_number }),
      answers: { 201: dataOf(recipientSchema) },
      refuses: ['phone_invalid', 'network_unsupported', 'recipient_exists'],
      idempotencyKey: 'replay_answer',
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const phone = phoneOf(request.body.phone_number)
        const saved = await saveRecipient(deps, owner, { name: request.body.name, phone }, changeBy(request, owner))
        void reply.code(201)
        return { data: recipientToJson(saved) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /recipients',
      permission: 'payouts.read',
      operationId: `list${auth.name}Recipients`,
      summary: 'List recipients',
      description: `Newest first. The search with \`q\` covers at most ${maxSearchedRecipients.toLocaleString('en')} recipients for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
      query: z.strictObject({
        ...listQuery,
        ...auth.query,
        q: searchWords.optional().meta({ description: 'Part of the name, or digits of the number as dialled or stored.' }),
        phone_number: phone_number.optional().meta({ description: 'The recipient with this number.' }),
      }),
      answers: { 200: listOf(recipientSchema) },
      refuses: ['phone_invalid', 'network_unsupported'],
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { q, phone_number: typed } = request.query
        const filter: RecipientFilter = {
          ...(typed !== undefined && { phoneNumber: phoneOf(typed).e164 }),
          ...(q !== undefined && { text: { name: q, digits: partOfPhone(q) } }),
        }
        const scope = `recipients ${owner.merchant.id} ${owner.environment}`
        const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedRecipients }
        const { recipients, hasMore, last } = await listRecipients(deps.db, owner, filter, range)
        const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
        return answerPage({ items: recipients, hasMore, nextCursor }, recipientToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /recipients/:id',
      permission: 'payouts.read',
      operationId: `get${auth.name}Recipient`,
      summary: 'Get a recipient',
      answers: { 200: dataOf(recipientSchema) },
      handler: async (request) => {
        const { owner, id } = await idOf(request)
        const recipient = orNotFound(await findRecipient(deps.db, owner, id))
        return { data: recipientToJson(recipient) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'PATCH /recipients/:id',
      permission: 'payouts.write',
      operationId: `update${auth.name}Recipient`,
      summary: 'Rename a recipient',
      description: 'The number cannot be changed: save another recipient, and delete this one.',
      body: z.strictObject({ name: name.optional() }).prefault({}),
      answers: { 200: dataOf(recipientSchema) },
      before: findOwn,
      handler: async (request) => {
        const { owner, id } = await idOf(request)
        return { data: recipientToJson(await changeRecipient(deps, owner, id, request.body, changeBy(request, owner))) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'DELETE /recipients/:id',
      permission: 'payouts.write',
      operationId: `delete${auth.name}Recipient`,
      summary: 'Delete a recipient',
      description: 'Payouts to the number stay, and a recipient with the number can be saved again.',
      answers: { 200: dataOf(z.object({ id: z.string(), deleted: z.literal(true) })) },
      handler: async (request) => {
        const { owner, id } = await idOf(request)
        await removeRecipient(deps, owner, id, changeBy(request, owner))
        return { data: { id: request.params.id, deleted: true as const } }
      },
    })
  }
}
