/** HTTP routes for operators that belong to no other slice: reading the audit log, exporting it, checking its chain. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import { findFirstWithoutCode } from '../../base/audit/entry-codes.ts'
import { checkChain, listEntries, type AuditRow, type WantedEntries } from '../../base/audit/audit.sql.ts'
import { listOperators } from '../../accounts/identity/user.sql.ts'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { jsonOrCsv, mapPages, sendCsv, wantsCsv } from '../../platform/http/csv.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { moment } from '../../platform/http/text.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { toWire } from '../../platform/ids.ts'
import { nameObjects } from './name-objects.ts'

const word = z.string().regex(/^[\w.]{1,100}$/, 'Use letters, digits, points and underscores.')
const facts = z.record(z.string(), z.unknown()).nullable()

const auditEntrySchema = z
  .object({
    seq: z.int().meta({ description: 'Position in the chain, without gaps.' }),
    at: z.iso.datetime(),
    actor: z.string().meta({ description: 'A user, `ops` for the command line, or `system` for the service.' }),
    action: z.string().meta({ example: 'business.verified' }),
    actor_name: z.string().nullable().meta({
      description: 'Read now; the log has only ids. Null: not a person, erased, or in a file.',
    }),
    object: z.string(),
    object_name: z.string().nullable().meta({
      description:
        'The name of a person, business, page or recipient; the merchant, payer and page of a payment. As `actor_name`.',
    }),
    before: facts,
    after: facts,
    request_id: z.string(),
    ip: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })

function entryToJson(entry: AuditRow, nameOf: (id: string) => string | null = () => null): z.infer<typeof auditEntrySchema> {
  return answerOf(auditEntrySchema, entry, {
    actor_name: nameOf(entry.actor),
    object_name: nameOf(entry.object),
    before: entry.before,
    after: entry.after,
    request_id: entry.requestId,
  })
}

const operatorSchema = z.object({ id: z.string(), name: z.string(), is_disabled: z.boolean() }).meta({ id: 'Operator' })

const auditColumns = [
  'seq',
  'at',
  'actor',
  'action',
  'object',
  'before',
  'after',
  'request_id',
  'ip',
  'exported_by',
  'exported_at',
] as const

const exportPageRows = 500

/** All requested entries, newest first, page by page, without entries that were written after the export began. */
async function* pagesOf(db: Db, wanted: WantedEntries): AsyncGenerator<AuditRow[]> {
  for (let { beforeSeq } = wanted, isMore = true; isMore;) {
    const rows = await listEntries(db, { ...wanted, beforeSeq, limit: exportPageRows })
    isMore = rows.length > exportPageRows
    const page = rows.slice(0, exportPageRows)
    beforeSeq = page.at(-1)?.seq ?? beforeSeq
    yield page
  }
}

/** The number of chain entries that one answer recomputes; the check of the books recomputes all of them every five minutes. */
const checkedEntries = 50_000

const chainSchema = z
  .object({
    ok: z.boolean(),
    from_seq: z.int().meta({
      description: `The first checked entry. The newest ${checkedEntries.toLocaleString('en')} entries are checked.`,
    }),
    to_seq: z.int().meta({ description: 'The last checked entry, if the result is `ok`.' }),
    broken_at: z.int().nullable().meta({ description: 'The first entry that is missing or does not continue the previous one.' }),
    head: z
      .object({ seq: z.int(), hash: z.string() })
      .meta({ description: 'The newest entry of the chain. Compare it with a copy kept elsewhere.' }),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditChain' })

export async function adminRoutes(
  http: Http,
  deps: OperatorRouteDeps & { cursors: Cursors; recordMac: RecordMac },
): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/audit',
    operationId: 'listAuditEntries',
    summary: 'List audit log entries',
    description: `Newest first. With \`Accept: text/csv\` the answer is the whole filtered log as a file. Its columns: ${auditColumns.join(', ')}. Each line contains who exported it and when, and the export itself is recorded in the log (\`audit.exported\`).`,
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      object: word.optional().meta({ description: 'The id of the object that was changed.' }),
      actor: word.optional(),
      action: word.optional(),
      from: moment.optional(),
      to: moment.optional().meta({ description: 'Exclusive.' }),
    }),
    answers: { 200: jsonOrCsv(listOf(auditEntrySchema)) },
    handler: async (request, reply) => {
      const { limit, cursor, object = null, actor = null, action = null, from, to } = request.query
      const scope = `audit ${JSON.stringify([object, actor, action])}`
      const [beforeSeq = null] = deps.cursors.decode(scope, cursor)
      const wanted = { beforeSeq: beforeSeq === null ? null : Number(beforeSeq), object, actor, action, from, to, limit }
      if (wantsCsv(request)) {
        const origin = originOf(request)
        const { headSeq, checkedAt } = await checkChain(deps.db, 1)
        await appendAudit(deps.db, origin, {
          action: 'audit.exported',
          object: origin.actor,
          after: { object, actor, action, from: from ?? null, to: to ?? null, up_to_seq: headSeq },
        })
        const mark = [origin.actor, checkedAt.toISOString()]
        const first = wanted.beforeSeq ?? headSeq + 1
        return sendCsv(deps, request, reply, {
          name: `audit-${checkedAt.toISOString().slice(0, 10)}-${origin.actor}`,
          header: [...auditColumns],
          pages: mapPages(pagesOf(deps.db, { ...wanted, beforeSeq: first }), (entry) => {
            const { before, after, ...fields } = entryToJson(entry)
            const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
            return [
              fields.seq,
              fields.at,
              fields.actor,
              fields.action,
              fields.object,
              text(before),
              text(after),
              fields.request_id,
              fields.ip,
              ...mark,
            ]
          }),
          mayStill: () => deps.db.tx((tx) => confirmOperator(tx, request.signedIn)),
        })
      }
      void reply.header('vary', 'Accept')
      const page = toPage(await listEntries(deps.db, wanted), limit, (last) => deps.cursors.encode(scope, [last.seq]))
      const nameOf = await nameObjects(
        deps.db,
        page.items.flatMap(({ actor, object }) => [actor, object]),
      )
      return answerPage(page, (entry) => entryToJson(entry, nameOf))
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/operators',
    operationId: 'listOperators',
    summary: 'List operators',
    description: 'Their names, for the ids that other answers contain. An operator whose account is disabled stays in the list.',
    answers: { 200: z.object({ data: z.array(operatorSchema) }) },
    handler: async () => ({
      data: (await listOperators(deps.db)).map((one) => answerOf(operatorSchema, one, { id: toWire('usr', one.id) })),
    }),
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/audit/chain',
    operationId: 'checkAuditChain',
    summary: 'Verify the audit log',
    description: 'Recomputes the hashes of the newest entries up to the head, and checks the authentication code of each entry.',
    answers: { 200: dataOf(chainSchema) },
    handler: async () => {
      const check = await checkChain(deps.db, checkedEntries)
      const withoutCode = await findFirstWithoutCode(deps.db, deps.recordMac, check.fromSeq, checkedEntries)
      const broken = Math.min(check.brokenAt ?? Infinity, withoutCode ?? Infinity)
      const brokenAt = broken === Infinity ? null : broken
      return {
        data: {
          ok: brokenAt === null,
          from_seq: check.fromSeq,
          to_seq: brokenAt === null ? check.toSeq : brokenAt - 1,
          broken_at: brokenAt,
          head: { seq: check.headSeq, hash: check.headHash.toString('hex') },
          checked_at: check.checkedAt.toISOString(),
        },
      }
    },
  })
}
