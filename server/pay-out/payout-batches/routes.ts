/** HTTP routes of payout batches, by API key and by the owner's sign-in. Only a signed-in person approves. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { csvQuery, sheetOf } from '../../domain/sheet.ts'
import { ownerAuthMethods } from '../../accounts/developers/owner-auth.ts'
import { approvalVerdicts } from '../../domain/approval.ts'
import { batchItemStatusSchema, batchStatusSchema } from '../../domain/payout-batch.ts'
import { requireGoodStanding, type Owner, standingRefusals } from '../../accounts/identity/merchant.ts'
import { seenVersion } from '../../accounts/members/decide-approval.ts'
import type { Tx } from '../../platform/db/db.ts'
import { dayOf, jsonOrCsv, mapPages, sendCsv, wantsCsv } from '../../platform/http/csv.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/http/idempotency-key.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, toPage } from '../../platform/http/page.ts'
import { must, notFound, orNotFound } from '../../platform/refusal.ts'
import { lineOfText, trueOrFalse } from '../../platform/http/text.ts'
import { newRecipientWaitOf } from '../payouts/payout-wait.ts'
import { requesterOf, requireMayPay, type PayoutRouteDeps } from '../payouts/routes.ts'
import { decideBatch, submitBatch } from './approve-batch.ts'
import { batchSchema, batchToJson, itemSchema, itemToCells, itemToJson, resultColumns, type BatchItem } from './batch.ts'
import { findBatch, listBatches, listItems } from './batch.sql.ts'
import { createBatch } from './create-batch.ts'
import { correctRow, removeDraft } from './correct-row.ts'
import { quoteFees } from './quote-fees.ts'
import { referenceNamed } from '../../platform/http/own-data.ts'
import { batchBytes, batchRows, fileTypes, readCsv } from './read-csv.ts'
import { differingNames } from './name-warnings.ts'
import { saveRecipients } from './save-recipients.ts'
import { stopBatch } from './stop-batch.ts'

const title = lineOfText(120).nullish().meta({ description: 'For your own overview.', example: 'Mishahara, Machi' })

const cells = {
  amount: z.unknown().meta({ type: 'integer', description: 'TZS that the recipient receives.', example: 20_000 }),
  phone_number: z.unknown().meta({ type: 'string', example: '+255754123789' }),
  recipient_name: z.unknown().meta({ type: 'string', example: 'Asha Mushi' }),
  narration: z.unknown().meta({ type: ['string', 'null'], description: 'Text for the recipient, if the network shows it.' }),
  merchant_reference: z.unknown().meta({ type: ['string', 'null'], description: 'Your own reference.' }),
  reference: z.unknown().meta({ type: ['string', 'null'], description: 'The older name of `merchant_reference`.' }),
}

const itemDescription = {
  type: 'object',
  description: 'Checked one by one: an item with an error becomes an invalid row.',
  properties: {
    amount: { type: 'integer', example: 20_000 },
    phone_number: { type: 'string', example: '+255754123789' },
    recipient_name: { type: 'string', example: 'Asha Mushi' },
    narration: { type: ['string', 'null'] },
    merchant_reference: { type: ['string', 'null'] },
    reference: { type: ['string', 'null'] },
  },
  required: ['amount', 'phone_number', 'recipient_name'],
} as const

/** An item is checked like a row of a file: one that is wrong becomes a row with an error, and does not refuse the others. */
const batchBody = z.strictObject({
  title,
  items: z.array(z.unknown().meta(itemDescription)).meta({ description: `1 to ${batchRows} items with the fields of a row.` }),
})

const rowChange = z
  .strictObject({
    ...cells,
    removed: z.literal(true).meta({ description: 'Removes the row. Send no other field with it.' }),
  })
  .partial()

const actionBody = z.strictObject({}).prefault({})

const itemsAtOnce = 1_000

export async function payoutBatchRoutes(server: Http, deps: PayoutRouteDeps): Promise<void> {
  await server.register(async (scope) => {
    // The rows are read while the file arrives; nothing but them is kept.
    scope.addContentTypeParser(fileTypes, async (_request: FastifyRequest, body: Readable) => {
      try {
        return { items: await readCsv(body) }
      } catch (error) {
        // Its client reads the refusal after it has sent everything.
        body.resume()
        throw error
      }
    })
    const http = scope as unknown as Http
    for (const auth of ownerAuthMethods(deps)) {
      /** The batch that a path names; another owner's looks as if it did not exist. */
      async function nameOf(request: FastifyRequest): Promise<{ owner: Owner; id: string }> {
        const owner = auth.ownerOf(request)
        const id = orNotFound(fromWire('pb', (request.params as { id: string }).id))
        return { owner, id }
      }
      const confirmOf = (request: FastifyRequest, owner: Owner) => async (tx: Tx) =>
        requireGoodStanding(await auth.confirm(tx, request, owner), deps.config)
      const requireStanding = async (request: FastifyRequest): Promise<void> =>
        requireGoodStanding(auth.ownerOf(request), deps.config)
      ownerRoute(http, deps, auth, {
        route: 'POST /payout-batches',
        permission: 'payouts.write',
        operationId: `create${auth.name}PayoutBatch`,
        summary: 'Create a payout batch',
        description: `Creates a draft of up to ${batchRows} payouts, at most 8 MiB. Send JSON, or \`text/csv\` in UTF-8 (or UTF-16 with its mark) with a header line: amount, phone_number, recipient_name and, if you like, narration and reference, in any order, separated by comma, semicolon or tab. The names kiasi, simu, jina, maelezo and kumbukumbu work too, and so do Phone No., Amount (TZS) and Jina la mpokeaji. Up to 19 lines may stand above the header, and a column of line numbers beside. Our own result files and exports of payouts can be sent as they are: rows that were removed, paid already or are under way are left out, and those that failed are offered again. An amount is a whole number such as 10000, 10,000, 10 000 or TSh 10,000/=. A row with an error does not refuse the file: see \`GET …/items?status=invalid\`. No money moves until a person approves the batch. A repeat with the same key and rows answers 200 with the same batch.`,
        consumes: ['application/json', 'text/csv'],
        query: z.strictObject({
          ...auth.query,
          title: title.meta({ description: 'The title of a batch that is sent as CSV.' }),
        }),
        headers: idempotencyHeader(),
        body: batchBody,
        answers: { 200: dataOf(batchSchema), 201: dataOf(batchSchema) },
        refuses: [
          'idempotency_key_required',
          'batch_empty',
          'batch_too_large',
          'csv_header_invalid',
          'csv_invalid',
          'csv_line_too_long',
          'file_encoding_unsupported',
          'file_type_unsupported',
          ...standingRefusals,
          'idempotency_key_reused',
        ],
        bodyLimit: batchBytes,
        // Brackets, commas and colons of a row with all its fields, and room for a few that are unknown.
        jsonMarks: 16 * batchRows,
        before: requireStanding,
        handler: async (request, reply) => {
          const owner = auth.ownerOf(request)
          const { batch, isReplay } = await createBatch(
            deps,
            owner,
            {
              title: request.body.title ?? request.query.title ?? null,
              items: request.body.items,
              idempotencyKey: idempotencyKeyOf(request.headers['idempotency-key']),
            },
            requesterOf(request),
            {
              admit: () => deps.limits.payout.take(`${owner.merchant.id} ${owner.environment}`, reply),
              confirm: confirmOf(request, owner),
            },
          )
          if (isReplay) void reply.header('idempotency-replayed', 'true')
          else deps.inBackground(quoteFees(deps, 1, batch))
          return reply.code(isReplay ? 200 : 201).send({ data: batchToJson(batch) })
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'GET /payout-batches',
        permission: 'payouts.read',
        operationId: `list${auth.name}PayoutBatches`,
        summary: 'List payout batches',
        query: z.strictObject({ ...listQuery, ...auth.query, status: batchStatusSchema.optional() }),
        answers: { 200: listOf(batchSchema) },
        handler: async (request) => {
          const owner = auth.ownerOf(request)
          const scope = `payout batches ${owner.merchant.id} ${owner.environment}`
          const range = rangeOf(deps.cursors, scope, request.query)
          const rows = await listBatches(deps.db, owner, { status: request.query.status }, range)
          return answerPage(pageByTime(deps.cursors, scope, rows, range.limit), batchToJson)
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'GET /payout-batches/:id',
        permission: 'payouts.read',
        operationId: `get${auth.name}PayoutBatch`,
        summary: 'Get a payout batch',
        answers: { 200: dataOf(batchSchema) },
        handler: async (request) => {
          const { owner, id } = await nameOf(request)
          const batch = orNotFound(await findBatch(deps.db, owner, id))
          return { data: batchToJson(batch) }
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'GET /payout-batches/:id/items',
        permission: 'payouts.read',
        operationId: `list${auth.name}PayoutBatchItems`,
        summary: 'List the rows of a batch',
        description: `In the order of the file. With \`Accept: text/csv\` the answer is all of them as a file, with the end of each; \`limit\` is ignored. Its columns: ${resultColumns.join(', ')}. A text that a spreadsheet could read as a formula starts with an apostrophe. The file is complete only if the HTTP response ends normally.`,
        query: z.strictObject({
          limit: listQuery.limit,
          cursor: listQuery.cursor,
          ...auth.query,
          ...csvQuery,
          status: batchItemStatusSchema.optional(),
          with_warnings: trueOrFalse.optional().meta({ description: 'Only the rows that have warnings, or only the others.' }),
        }),
        answers: { 200: jsonOrCsv(listOf(itemSchema)) },
        handler: async (request, reply) => {
          const { owner, id } = await nameOf(request)
          const batch = orNotFound(await findBatch(deps.db, owner, id))
          const { status, with_warnings: warned, csv_language: language, limit, cursor } = request.query
          const filter = { status, isWarned: warned === undefined ? undefined : warned === 'true' }
          if (wantsCsv(request)) {
            const pages = mapPages(itemPages(deps, batch, filter), itemToCells)
            const mayStill = auth.mayStill(request)
            return sendCsv(deps, request, reply, {
              name: `${toWire('pb', id)}-${dayOf(batch.createdAt)}`,
              header: resultColumns,
              sheet: sheetOf(resultColumns, language),
              pages,
              mayStill,
            })
          }
          const scope = `payout batch ${id}`
          const [afterRow = 0] = deps.cursors.decode(scope, cursor)
          const rows = await listItems(deps.db, batch, filter, { afterRow: Number(afterRow), limit: limit + 1 })
          const page = toPage(rows, limit, (last) => deps.cursors.encode(scope, [last.rowNumber]))
          // Later the last payout may be the one of the row.
          const isOpen = batch.status === 'draft' || batch.status === 'waiting'
          const names = await differingNames(deps.db, owner, isOpen ? page.items : [])
          return answerPage(page, (item) => itemToJson(item, names))
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'PATCH /payout-batches/:id/items/:row',
        permission: 'payouts.write',
        operationId: `change${auth.name}PayoutBatchItem`,
        summary: 'Change a row of a draft',
        description:
          'Only the fields that are sent change. A row that still has an error stays `invalid`. After the batch was approved: 409 `invalid_state`.',
        body: rowChange,
        answers: { 200: dataOf(itemSchema) },
        refuses: [...standingRefusals, 'invalid_state'],
        handler: async (request) => {
          const { owner, id } = await nameOf(request)
          const { row } = request.params
          if (!/^[1-9]\d{0,4}$/.test(row)) throw notFound()
          const by = { requester: requesterOf(request), confirm: confirmOf(request, owner) }
          const { merchant_reference: _own, ...change } = request.body
          const reference = referenceNamed(request.body)
          if (reference !== undefined) change.reference = reference
          const item = await correctRow(deps, owner, { id, rowNumber: Number(row) }, change, by)
          deps.inBackground(quoteFees(deps, 1, { home: owner.merchant.home, id }))
          return { data: itemToJson(item, await differingNames(deps.db, owner, [item])) }
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'POST /payout-batches/:id/submit',
        permission: 'payouts.write',
        operationId: `submit${auth.name}PayoutBatch`,
        summary: 'Submit a payout batch for approval',
        description:
          'Sends a draft to the members who may approve it. Its rows do not change any more; `stop` makes it a draft again. Its maker and editors do not count: 409 `approvers_missing`. Not approved within 72 hours: it is stopped, and no row is paid.',
        body: actionBody,
        answers: { 200: dataOf(batchSchema) },
        refuses: [...standingRefusals, 'insufficient_role', 'invalid_state', 'approvers_missing'],
        before: requireStanding,
        handler: async (request) => {
          const { owner, id } = await nameOf(request)
          return { data: batchToJson(await submitBatch(deps, owner, id, requesterOf(request), confirmOf(request, owner))) }
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'POST /payout-batches/:id/stop',
        permission: 'payouts.write',
        operationId: `stop${auth.name}PayoutBatch`,
        summary: 'Stop a payout batch',
        description:
          'Cancels the rows that were not sent and returns their money. Rows that were sent end on their own. A batch that waits for approval becomes a draft again. Otherwise 409 `invalid_state`.',
        body: actionBody,
        answers: { 200: dataOf(batchSchema) },
        refuses: ['invalid_state'],
        handler: async (request) => {
          const { owner, id } = await nameOf(request)
          const confirm = (tx: Tx) => auth.confirm(tx, request, owner)
          return { data: batchToJson(await stopBatch(deps, owner, id, requesterOf(request), confirm)) }
        },
      })

      ownerRoute(http, deps, auth, {
        route: 'DELETE /payout-batches/:id',
        permission: 'payouts.write',
        operationId: `delete${auth.name}PayoutBatch`,
        summary: 'Delete a draft',
        description: 'Only before it is approved; then 409 `invalid_state`.',
        answers: { 200: dataOf(z.object({ id: z.string() })) },
        refuses: ['invalid_state'],
        handler: async (request) => {
          const { owner, id } = await nameOf(request)
          const confirm = (tx: Tx) => auth.confirm(tx, request, owner)
          await removeDraft(deps, owner, id, { requester: requesterOf(request), confirm })
          return { data: { id: toWire('pb', id) } }
        },
      })

      if (auth.callers === 'people') {
        const mayPay = requireMayPay(deps, auth)

        /** Whether it is the caller's, before the form of the body and before the caller may move money at all. */
        const mayDecide = async (request: FastifyRequest): Promise<void> => {
          const { owner, id } = await nameOf(request)
          if (!(await findBatch(deps.db, owner, id))) throw notFound()
          await mayPay(request)
        }

        for (const verdict of approvalVerdicts) {
          ownerRoute(http, deps, auth, {
            route: `POST /payout-batches/:id/${verdict}`,
            permission: 'payouts.approve',
            operationId: `${verdict}MerchantPayoutBatch`,
            summary: verdict === 'approve' ? 'Approve a payout batch' : 'Refuse a payout batch',
            description:
              verdict === 'approve'
                ? 'After the last approval that the rule of the wallet needs, makes a payout of every row and debits all amounts and fees at once, or nothing: 402. The rows leave in their order, at the pace of the provider. Rows with errors, or fees that are not known yet: 409 `invalid_state`. Under a rule, whoever made the batch: 403 `self_approval_forbidden`.'
                : 'Stops a batch that waits for approval: no row is paid.',
            body: z.strictObject({ version: seenVersion, ...(verdict === 'refuse' && { reason: lineOfText(500) }) }),
            answers: { 200: dataOf(batchSchema) },
            refuses: [
              ...standingRefusals,
              'email_not_verified',
              'self_approval_forbidden',
              'approval_changed',
              'invalid_state',
              ...(verdict === 'approve'
                ? ['insufficient_balance', 'payouts_on_hold', 'approvers_missing', 'provider_unavailable']
                : []),
              'payout_must_wait',
            ],
            before: mayDecide,
            handler: async (request) => {
              const { owner, id } = await nameOf(request)
              const who = request.signedIn
              const { version, reason } = request.body as { version: number; reason: string }
              await decideBatch(deps, owner, id, {
                decision: verdict === 'approve' ? { who, version, verdict } : { who, version, verdict, reason },
                origin: requesterOf(request),
                newRecipientWaitSeconds: await newRecipientWaitOf(deps, owner.environment, who),
                confirm: confirmOf(request, owner),
              })
              const batch = must(await findBatch(deps.db, owner, id), 'a batch does not vanish')
              return { data: batchToJson(batch) }
            },
          })
        }

        ownerRoute(http, deps, auth, {
          route: 'POST /payout-batches/:id/recipients',
          permission: 'payouts.write',
          operationId: `save${auth.name}PayoutBatchRecipients`,
          summary: 'Save the recipients of a batch',
          description:
            'Saves each number of the batch that the wallet has not saved yet, under its name in the batch. Rows with errors and removed rows are left out.',
          body: actionBody,
          answers: { 200: dataOf(z.object({ saved: z.int().meta({ description: 'How many recipients are new.' }) })) },
          handler: async (request) => {
            const { owner, id } = await nameOf(request)
            const confirm = (tx: Tx) => auth.confirm(tx, request, owner)
            return { data: { saved: await saveRecipients(deps, owner, id, { origin: requesterOf(request), confirm }) } }
          },
        })
      }
    }
  })
}

async function* itemPages(
  deps: Pick<PayoutRouteDeps, 'db'>,
  batch: { home: number; id: string },
  filter: Parameters<typeof listItems>[2],
): AsyncGenerator<BatchItem[]> {
  for (let afterRow = 0; ;) {
    const items = await listItems(deps.db, batch, filter, { afterRow, limit: itemsAtOnce })
    if (items.length === 0) return
    yield items
    afterRow = items.at(-1)!.rowNumber
  }
}
