/** HTTP of the hosts that a merchant leads payers on to. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signedInDoor, type OwnerDoorDeps } from '../developers/owner-doors.ts'
import type { Config } from '../config.ts'
import { originOf, refuseWithoutStepUp } from '../identity/authenticate.ts'
import { dataOf, errors, listOf, type Http } from '../platform/http/http.ts'
import type { Limit } from '../platform/http/limits.ts'
import { invalidFields } from '../platform/refusal.ts'
import { displayed, needsProof, proofName, proofUrl, proofValue, type RedirectHost } from './redirect-host.ts'
import { listHosts } from './redirect-host.sql.ts'
import { registerHost, removeHost, type RegisterHostDeps } from './register-host.ts'
import { hostOfReturnUrl } from './return-url.ts'

export type RedirectHostRouteDeps = OwnerDoorDeps &
  RegisterHostDeps & {
    config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'mode' | 'pages'>
    limits: Record<'redirectHost', Limit>
  }

const hostField = z.string().min(1).max(260).meta({
  description: 'A name with its port where that is not 443; no scheme and no path.',
  example: 'duka.example.com',
})

const hostSchema = z
  .object({
    host: z.string().meta({ description: 'As browsers send it.' }),
    displayed: z.string().meta({ description: 'In the letters that a person reads.' }),
    status: z.enum(['pending', 'proved']).meta({ description: 'A live page may lead payers on to a proved host alone.' }),
    proved_by: z.enum(['dns', 'file', 'not_needed']).nullable(),
    proved_at: z.string().nullable(),
    proof: z
      .object({ dns_name: z.string(), file_url: z.string(), value: z.string() })
      .meta({ description: 'Either a TXT record `dns_name` or a file at `file_url` holds `value`.' }),
    created_at: z.string(),
  })
  .meta({ id: 'RedirectHost' })

function hostToJson({ host, token, provedBy, provedAt, createdAt }: RedirectHost): z.infer<typeof hostSchema> {
  return {
    host,
    displayed: displayed(host),
    status: provedAt === null ? 'pending' : 'proved',
    proved_by: provedBy,
    proved_at: provedAt?.toISOString() ?? null,
    proof: { dns_name: proofName(host), file_url: proofUrl(host), value: proofValue(token) },
    created_at: createdAt.toISOString(),
  }
}

export async function redirectHostRoutes(http: Http, deps: RedirectHostRouteDeps): Promise<void> {
  const door = signedInDoor(deps)
  const shared = door.describe('Payment pages')
  const onRequest = door.enter('pages:write')
  const querystring = z.strictObject(door.query)
  const url = '/v1/merchant/redirect-hosts'

  /** Visible, then the second look at who it is, then well formed. */
  async function mayChange(request: FastifyRequest): Promise<void> {
    const { environment } = await door.ownerOf(request)
    if (needsProof(deps.config.pages, environment)) await refuseWithoutStepUp(deps, request.signedIn)
  }

  function hostOf(field: string): string {
    const scheme = deps.config.mode === 'local' && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(field) ? 'http' : 'https'
    const host = /[/?#@\\]/.test(field) ? undefined : hostOfReturnUrl(`${scheme}://${field}`, deps.config.mode)
    if (host !== undefined) return host
    const message = 'A host name such as duka.example.com: no address in numbers, and no part in letters of several scripts.'
    throw invalidFields([{ field: 'host', code: 'invalid', message }])
  }

  http.get(
    url,
    {
      onRequest,
      schema: {
        ...shared,
        operationId: 'listRedirectHosts',
        summary: 'List redirect hosts',
        description:
          'Hosts that live pages may lead payers on to after completion (`redirect_url`), besides the website of a business.',
        querystring,
        response: { 200: listOf(hostSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const hosts = await listHosts(deps.db, await door.ownerOf(request))
      return { data: hosts.map(hostToJson), has_more: false, next_cursor: null }
    },
  )

  http.post(
    url,
    {
      onRequest,
      preValidation: (request) => mayChange(request),
      schema: {
        ...shared,
        operationId: 'registerRedirectHost',
        summary: 'Register a redirect host',
        description:
          'Answers with what proves the host to be yours; send it again when that is in place. In the live environment it wants a recent step-up. In the test environment nothing has to be proved.',
        querystring,
        body: z.strictObject({ host: hostField }),
        response: { 200: dataOf(hostSchema), ...errors(400, 401, 404, 409, 413, 415, 429, 503) },
      },
    },
    async (request, reply: FastifyReply) => {
      const owner = await door.ownerOf(request)
      const host = hostOf(request.body.host)
      await deps.limits.redirectHost.take(owner.merchant.id, reply)
      return { data: hostToJson(await registerHost(deps, owner, host, originOf(request))) }
    },
  )

  http.delete(
    url,
    {
      onRequest,
      preValidation: (request) => mayChange(request),
      schema: {
        ...shared,
        operationId: 'removeRedirectHost',
        summary: 'Remove a redirect host',
        description: 'Pages that lead there keep their address until it is changed.',
        querystring: z.strictObject({ ...door.query, host: hostField }),
        response: { 200: dataOf(z.object({ host: z.string(), removed: z.literal(true) })), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const owner = await door.ownerOf(request)
      const host = hostOf(request.query.host)
      await removeHost(deps, owner, host, originOf(request))
      return { data: { host, removed: true as const } }
    },
  )
}
