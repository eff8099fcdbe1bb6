/** HTTP for operators that belongs to no slice below: reading the audit log. */
import { z } from 'zod'
import { listEntries } from '../audit/audit.sql.ts'
import { requireAdmin, type AuthenticateDeps } from '../identity/authenticate.ts'
import { errors, listOf, listQuery, type Http } from '../platform/http.ts'
import { toPage, type Cursors } from '../platform/page.ts'

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

export async function adminRoutes(http: Http, deps: AuthenticateDeps & { cursors: Cursors }): Promise<void> {
  http.get(
    '/v1/admin/audit',
    {
      onRequest: requireAdmin(deps),
      schema: {
        operationId: 'listAuditEntries',
        tags: ['Operators'],
        summary: 'Read the audit log, newest entry first',
        security: [{ jwt: [] }],
        querystring: z.strictObject({
          limit: listQuery.limit,
          cursor: listQuery.cursor,
          object: word.optional().meta({ description: 'The id of what it was done to.' }),
          actor: word.optional(),
          action: word.optional(),
        }),
        response: { 200: listOf(auditEntrySchema), ...errors(400, 401, 403, 503) },
      },
    },
    async (request) => {
      const { limit, cursor, object = null, actor = null, action = null } = request.query
      const scope = `audit ${JSON.stringify([object, actor, action])}`
      const [beforeSeq = null] = cursor === undefined ? [] : deps.cursors.decode(scope, cursor)
      const position = beforeSeq === null ? null : Number(beforeSeq)
      const rows = await listEntries(deps.db, { beforeSeq: position, object, actor, action, limit })
      const page = toPage(rows, limit, (last) => deps.cursors.encode(scope, [last.seq]))
      return {
        data: page.items.map((entry) => ({
          seq: entry.seq,
          at: entry.at.toISOString(),
          actor: entry.actor,
          action: entry.action,
          object: entry.object,
          before: entry.before,
          after: entry.after,
          request_id: entry.requestId,
          ip: entry.ip,
        })),
        has_more: page.hasMore,
        next_cursor: page.nextCursor,
      }
    },
  )
}
