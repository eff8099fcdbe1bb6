/** HTTP of the hosts to which a merchant sends payers. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { Tx } from '../../platform/db/db.ts'
import { hostProofSchema, redirectHostStatusSchema } from '../../domain/redirect-host.ts'
import { answerAll } from '../../platform/http/page.ts'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Config } from '../../config/config.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { dataOf, listOf, type Http } from '../../platform/http/http.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { displayed, proofName, proofUrl, proofValue, type RedirectHost } from './redirect-host.ts'
import { listHosts } from './redirect-host.sql.ts'
import { registerHost, removeHost, type RegisterHostDeps } from './register-host.ts'
import { hostOfReturnUrl } from './return-url.ts'
import { link } from '../../platform/http/text.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type RedirectHostRouteDeps = OwnerAuthDeps &
  RegisterHostDeps & {
    config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'mode' | 'pages'>
    limits: Record<'redirectHost', Limit>
  }

const hostField = link.min(1).max(260).meta({
  description: 'A host name, with the port if it is not 443. No scheme and no path.',
  example: 'duka.example.com',
})

const hostSchema = z
  .object({
    host: z.string().meta({ description: 'The name as browsers send it (ASCII).' }),
    displayed: z.string().meta({ description: 'The name as people read it (Unicode).' }),
    status: redirectHostStatusSchema.meta({ description: 'A live page may redirect payers only to a `proved` host.' }),
    proved_by: hostProofSchema.nullable(),
    proved_at: z.iso.datetime().nullable(),
    proof: z
      .object({ dns_name: z.string(), file_url: z.string(), value: z.string() })
      .meta({ description: 'To prove the host, put `value` into a TXT record at `dns_name` or into a file at `file_url`.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'RedirectHost' })

function hostToJson(host: RedirectHost): z.infer<typeof hostSchema> {
  return answerOf(hostSchema, host, {
    displayed: displayed(host.host),
    status: host.provedAt === null ? 'pending' : 'proved',
    proof: { dns_name: proofName(host.host), file_url: proofUrl(host.host), value: proofValue(host.token) },
  })
}

export async function redirectHostRoutes(http: Http, deps: RedirectHostRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  function hostOf(field: string): string {
    const scheme = deps.config.mode === 'local' && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(field) ? 'http' : 'https'
    const host = /[/?#@\\]/.test(field) ? undefined : hostOfReturnUrl(`${scheme}://${field}`, deps.config.mode)
    if (host !== undefined) return host
    const message =
      'Use a host name such as duka.example.com, not an IP address. No part of the name may mix letters of several scripts.'
    throw invalidFields([{ field: 'host', code: 'invalid', message }])
  }

  ownerRoute(http, deps, auth, {
    route: 'GET /redirect-hosts',
    permission: 'pages.write',
    operationId: 'listRedirectHosts',
    summary: 'List redirect hosts',
    description:
      'Hosts to which live pages may redirect payers after completion (`redirect_url`), in addition to the website of a business.',
    answers: { 200: listOf(hostSchema) },
    handler: async (request) => {
      const hosts = await listHosts(deps.db, auth.ownerOf(request))
      return answerAll(hosts.map(hostToJson))
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'POST /redirect-hosts',
    permission: 'pages.write',
    operationId: 'registerRedirectHost',
    summary: 'Register a redirect host',
    description:
      'The answer says how to prove that the host is yours. Send the request again when the proof is in place. The live environment requires a recent sign-in or step-up. The test environment requires no proof.',
    body: z.strictObject({ host: hostField }),
    answers: { 200: dataOf(hostSchema) },
    refuses: ['too_many_hosts'],
    handler: async (request, reply) => {
      const owner = auth.ownerOf(request)
      const host = hostOf(request.body.host)
      await deps.limits.redirectHost.take(owner.merchant.id, reply)
      const confirm = (tx: Tx) => auth.confirm(tx, request, owner)
      return { data: hostToJson(await registerHost(deps, owner, host, originOf(request), confirm)) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'DELETE /redirect-hosts',
    permission: 'pages.write',
    operationId: 'removeRedirectHost',
    summary: 'Remove a redirect host',
    description: 'Pages that redirect to this host keep their `redirect_url` until it is changed.',
    query: z.strictObject({ ...auth.query, host: hostField }),
    answers: { 200: dataOf(z.object({ host: z.string(), removed: z.literal(true) })) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const host = hostOf(request.query.host)
      await removeHost(deps, owner, host, originOf(request), (tx) => auth.confirm(tx, request, owner))
      return { data: { host, removed: true as const } }
    },
  })
}
