/** HTTP of saved recipients, by API key and by the owner's sign-in. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { actorOf, ownerAuthMethods, type OwnerAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { lineOfText, searchWords } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { invalidFields, notFound } from '../../platform/refusal.ts'
import { readRecipient, type ReadRecipient } from './read-recipient.ts'
import { recipientSchema, recipientToJson } from './recipient.ts'
import { findRecipient, listRecipients, type RecipientFilter } from './recipient.sql.ts'
import { changeRecipient, removeRecipient, saveRecipient, type Change } from './save-recipient.ts'

export type RecipientRouteDeps = OwnerAuthDeps & { db: Db; cursors: Cursors }

/** How many recipients one answer searches for those that contain a text. */
const maxSearchedRecipients = 20_000

const name = lineOfText(120).meta({ example: 'Asha Mushi' })
const phone_number = z.string().max(40).meta({ example: '+255754123789' })
const byId = z.object({ id: z.string() })

/** The number as it is stored; refuses with 400 one that no payout can go to. */
function phoneOf(typed: string): ReadRecipient {
  const phone = readRecipient(typed)
  const [first] = phone.errors
  if (first) throw invalidFields(phone.errors, first.code, first.message)
  return phone
}

/** The forms in which the digits of a text stand in a stored number: as they are, and without the 0 that is dialled before a number. */
function digitsIn(text: string): string[] {
  const digits = text.replace(/[\s().-]/g, '')
  if (!/^\+?\d+$/.test(digits)) return []
  return [digits, ...(/^0\d/.test(digits) ? [`+255${digits.slice(1)}`] : [])]
}

/** Shared by the routes of this file. */
type Shared = ReturnType<typeof createShared>

function createShared(deps: RecipientRouteDeps, auth: OwnerAuth) {
  const described = auth.describe('Recipients')
  const querystring = z.strictObject(auth.query)
  const path = `${auth.prefix}/recipients`

  async function idOf(request: FastifyRequest): Promise<{ owner: Owner; id: string }> {
    const owner = auth.ownerOf(request)
    const id = fromWire('rcp', (request.params as { id: string }).id)
    if (id === undefined) throw notFound()
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

  return { path, described, querystring, idOf, findOwn, changeBy }
}

export async function recipientRoutes(http: Http, deps: RecipientRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    const shared = createShared(deps, auth)
    createRecipientRoute(http, deps, auth, shared)
    listRecipientsRoute(http, deps, auth, shared)
    getRecipientRoute(http, deps, auth, shared)
    updateRecipientRoute(http, deps, auth, shared)
    deleteRecipientRoute(http, deps, auth, shared)
  }
}

function createRecipientRoute(http: Http, deps: RecipientRouteDeps, auth: OwnerAuth, shared: Shared): void {
  const { path, described, querystring, changeBy } = shared
  http.post(
    path,
    {
      onRequest: auth.require('payouts.write'),
      // The owner before the form of the body: another person's business answers 404 in any case.
      config: { idempotencyKey: 'replay_answer' },
      schema: {
        ...described,
        operationId: `create${auth.name}Recipient`,
        summary: 'Save a recipient',
        description:
          'Saves a name and a number for this wallet. No verification is needed, and nothing is sent to the number. A number that is saved already: 409 `recipient_exists` with `details.id`, and nothing changes.',
        querystring,
        body: z.strictObject({ name, phone_number }),
        response: { 201: dataOf(recipientSchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const owner = auth.ownerOf(request)
      const phone = phoneOf(request.body.phone_number)
      const saved = await saveRecipient(deps, owner, { name: request.body.name, phone }, changeBy(request, owner))
      void reply.code(201)
      return { data: recipientToJson(saved) }
    },
  )
}

function listRecipientsRoute(
  http: Http,
  deps: RecipientRouteDeps,
  auth: OwnerAuth,
  { path, described }: Pick<Shared, 'path' | 'described'>,
): void {
  http.get(
    path,
    {
      onRequest: auth.require('payouts.read'),
      schema: {
        ...described,
        operationId: `list${auth.name}Recipients`,
        summary: 'List recipients',
        description: `Newest first. The search with \`q\` covers at most ${maxSearchedRecipients.toLocaleString('en')} recipients for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
        querystring: z.strictObject({
          ...listQuery,
          ...auth.query,
          q: searchWords.optional().meta({ description: 'Part of the name, or digits of the number as dialled or stored.' }),
          phone_number: phone_number.optional().meta({ description: 'The recipient with this number.' }),
        }),
        response: { 200: listOf(recipientSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      const { q, phone_number: typed } = request.query
      const filter: RecipientFilter = {
        ...(typed !== undefined && { phoneNumber: phoneOf(typed).e164 }),
        ...(q !== undefined && { text: { name: q, digits: digitsIn(q) } }),
      }
      const scope = `recipients ${owner.merchant.id} ${owner.environment}`
      const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedRecipients }
      const { recipients, hasMore, last } = await listRecipients(deps.db, owner, filter, range)
      const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
      return answerPage({ items: recipients, hasMore, nextCursor }, recipientToJson)
    },
  )
}

function getRecipientRoute(http: Http, deps: RecipientRouteDeps, auth: OwnerAuth, shared: Shared): void {
  const { path, described, querystring, idOf } = shared
  http.get(
    `${path}/:id`,
    {
      onRequest: auth.require('payouts.read'),
      schema: {
        ...described,
        operationId: `get${auth.name}Recipient`,
        summary: 'Get a recipient',
        params: byId,
        querystring,
        response: { 200: dataOf(recipientSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const { owner, id } = await idOf(request)
      const recipient = await findRecipient(deps.db, owner, id)
      if (!recipient) throw notFound()
      return { data: recipientToJson(recipient) }
    },
  )
}

function updateRecipientRoute(http: Http, deps: RecipientRouteDeps, auth: OwnerAuth, shared: Shared): void {
  const { path, described, querystring, idOf, findOwn, changeBy } = shared
  http.patch(
    `${path}/:id`,
    {
      onRequest: auth.require('payouts.write'),
      preValidation: findOwn,
      schema: {
        ...described,
        operationId: `update${auth.name}Recipient`,
        summary: 'Rename a recipient',
        description: 'The number cannot be changed: save another recipient, and delete this one.',
        params: byId,
        querystring,
        body: z.strictObject({ name: name.optional() }).prefault({}),
        response: { 200: dataOf(recipientSchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const { owner, id } = await idOf(request)
      return { data: recipientToJson(await changeRecipient(deps, owner, id, request.body, changeBy(request, owner))) }
    },
  )
}

function deleteRecipientRoute(http: Http, deps: RecipientRouteDeps, auth: OwnerAuth, shared: Shared): void {
  const { path, described, querystring, idOf, changeBy } = shared
  http.delete(
    `${path}/:id`,
    {
      onRequest: auth.require('payouts.write'),
      schema: {
        ...described,
        operationId: `delete${auth.name}Recipient`,
        summary: 'Delete a recipient',
        description: 'Payouts to the number stay, and a recipient with the number can be saved again.',
        params: byId,
        querystring,
        response: { 200: dataOf(z.object({ id: z.string(), deleted: z.literal(true) })), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const { owner, id } = await idOf(request)
      await removeRecipient(deps, owner, id, changeBy(request, owner))
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}
