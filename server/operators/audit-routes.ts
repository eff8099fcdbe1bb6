/** HTTP for operators that belongs to no slice below: reading the audit log, taking it away as a file, checking its chain. */
import { z } from 'zod'
import { appendAudit } from '../audit/audit.ts'
import { findFirstWithoutCode } from '../audit/entry-codes.ts'
import { checkChain, listEntries, type AuditRow, type WantedEntries } from '../audit/audit.sql.ts'
import { originOf, requireAdmin, type AuthenticateDeps } from '../identity/authenticate.ts'
import { jsonOrCsv, mapPages, sendCsv, wantsCsv } from '../platform/http/csv.ts'
import type { Db } from '../platform/db/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../platform/http/http.ts'
import { toPage, type Cursors } from '../platform/http/page.ts'
import type { RecordMac } from '../platform/crypto/record-mac.ts'
import { moment } from '../platform/http/text.ts'

const word = z.string().regex(/^[\w.]{1,100}$/, 'Letters, digits, points and underscores.')
const facts = z.record(z.string(), z.unknown()).nullable()

const auditEntrySchema = z
  .object({
    seq: z.int().meta({ description: 'Its place in the chain, without gaps.' }),
    at: z.iso.datetime(),
    actor: z.string().meta({ description: 'A user, `ops` for the command line, `system` for the service.' }),
    action: z.string().meta({ example: 'business.verified' }),
    object: z.string(),
    before: facts,
    after: facts,
    request_id: z.string(),
    ip: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })

function entryToJson(entry: AuditRow): z.infer<typeof auditEntrySchema> {
  return {
    seq: entry.seq,
    at: entry.at.toISOString(),
    actor: entry.actor,
    action: entry.action,
    object: entry.object,
    before: entry.before,
    after: entry.after,
    request_id: entry.requestId,
    ip: entry.ip,
  }
}

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

/** All entries that are wanted, newest first, page by page, none that was written after the export began. */
async function* pagesOf(db: Db, wanted: WantedEntries): AsyncGenerator<AuditRow[]> {
  for (let { beforeSeq } = wanted, isMore = true; isMore;) {
    const rows = await listEntries(db, { ...wanted, beforeSeq, limit: exportPageRows })
    isMore = rows.length > exportPageRows
    const page = rows.slice(0, exportPageRows)
    beforeSeq = page.at(-1)?.seq ?? beforeSeq
    yield page
  }
}

/** So many entries of the chain are computed again for one answer; all of them, every five minutes, by the check of the books. */
const checkedEntries = 50_000

const chainSchema = z
  .object({
    ok: z.boolean(),
    from_seq: z.int().meta({
      description: `The first of the newest ${checkedEntries.toLocaleString('en')} entries: those were computed again.`,
    }),
    to_seq: z.int().meta({ description: 'The chain holds up to here, where it is `ok`.' }),
    broken_at: z.int().nullable().meta({ description: 'The first entry that does not continue the one before, or is missing.' }),
    head: z
      .object({ seq: z.int(), hash: z.string() })
      .meta({ description: 'Where it must end; compare with what was kept elsewhere.' }),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditChain' })

export async function adminRoutes(
  http: Http,
  deps: AuthenticateDeps & { cursors: Cursors; recordMac: RecordMac },
): Promise<void> {
  const shared = { tags: ['Operators'], security: [{ jwt: [] }] }
  const onRequest = requireAdmin(deps)

  http.get(
    '/v1/admin/audit',
    {
      onRequest,
      schema: {
        ...shared,
        operationId: 'listAuditEntries',
        summary: 'Read the audit log, newest entry first',
        description: `With \`Accept: text/csv\` the whole filtered log comes as a file; its columns: ${auditColumns.join(', ')}. Each line says who took it away and when, and the export is an entry of the log itself (\`audit.exported\`).`,
        querystring: z.strictObject({
          limit: listQuery.limit,
          cursor: listQuery.cursor,
          object: word.optional().meta({ description: 'The id of what it was done to.' }),
          actor: word.optional(),
          action: word.optional(),
          from: moment.optional(),
          to: moment.optional().meta({ description: 'This moment itself is outside.' }),
        }),
        response: { 200: jsonOrCsv(listOf(auditEntrySchema)), ...errors(400, 401, 403, 503) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, object = null, actor = null, action = null, from, to } = request.query
      const scope = `audit ${JSON.stringify([object, actor, action])}`
      const [beforeSeq = null] = cursor === undefined ? [] : deps.cursors.decode(scope, cursor)
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
        })
      }
      void reply.header('vary', 'Accept')
      const page = toPage(await listEntries(deps.db, wanted), limit, (last) => deps.cursors.encode(scope, [last.seq]))
      return { data: page.items.map(entryToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
    },
  )

  http.get(
    '/v1/admin/audit/chain',
    {
      onRequest,
      schema: {
        ...shared,
        operationId: 'checkAuditChain',
        summary: 'Check that the audit log is whole',
        description: 'Computes the hashes of its newest entries again, up to the head, and checks the code of each.',
        response: { 200: dataOf(chainSchema), ...errors(401, 403, 503) },
      },
    },
    async () => {
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
  )
}
