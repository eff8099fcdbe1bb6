/** HTTP routes that providers call: their webhooks, read as raw bytes because the signature covers exactly those bytes. */
import { environmentSchema } from '../../domain/environment.ts'
import { z } from 'zod'
import { Refusal } from '../../platform/refusal.ts'
import type { Http } from '../../platform/http/http.ts'
import { smallBodyBytes } from '../../platform/http/route.ts'
import { receiveMessage, type ReceiveDeps } from './receive-message.ts'

export async function providerRoutes(http: Http, deps: ReceiveDeps): Promise<void> {
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    const typed = scope as Http
    typed.post(
      '/v1/providers/:provider/:environment/webhook',
      {
        bodyLimit: smallBodyBytes,
        schema: {
          hide: true,
          params: z.object({ provider: z.string(), environment: environmentSchema }),
          response: { 200: z.object({ received: z.literal(true) }) },
        },
      },
      async (request) => {
        const { provider, environment } = request.params
        const named = deps.providers[environment].byName.get(provider)
        if (!named) throw new Refusal(404, 'not_found', 'There is no such provider.')
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
        await receiveMessage(deps, named, environment, request.headers, body, request.id)
        return { received: true as const }
      },
    )
  })
}
