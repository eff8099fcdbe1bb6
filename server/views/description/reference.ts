/**
 * The description of the API in OpenAPI 3.1, made from the schemas that validate it: all of it at /openapi.json, and the part
 * without operators' routes at /openapi-merchants.json.
 */
import swagger from '@fastify/swagger'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { errorCodes } from './error-codes.ts'
import { eventTypes } from '../../domain/webhook.ts'
import { freshKey } from '../../platform/http/idempotency-key.ts'
import type { Http } from '../../platform/http/http.ts'
import { limitNameOf } from '../../platform/http/limits.ts'
import { publicFile, sendPublicFile, type PublicFile } from '../../platform/http/public-file.ts'
import { compact } from './compact.ts'
import { uploadPaths } from './document-upload.ts'
import { groupOf, groups } from './groups.ts'
import { limitsTable } from './limits-table.ts'
import { forMerchants, tidy, type OpenApi } from './document.ts'
import { limitsOf } from '../../config/limits.ts'
import { describeEvent } from '../../merchants/webhooks/event.ts'

const description = `Malipo accepts mobile money payments in Tanzania over M-Pesa, Airtel Money, Mixx by Yas and HaloPesa.

1. A merchant creates a payment page.
2. A payer opens the page, or your own checkout calls \`POST /v1/payments/checkout\`.
3. The payer enters a PIN on the phone.
4. The wallet is credited once, and your server receives a signed \`payment.completed\`.

Amounts are whole numbers of TZS. Times are UTC.

## Limits

Each operation names its limits as \`x-limits\`. Above one, wait for \`Retry-After\`.

<details><summary>All limits</summary>

${limitsTable()}

</details>

## Error codes

Every error has the shape of \`ErrorAnswer\`. Branch on its \`code\`, never on its message.

<details><summary>All codes</summary>

| code | meaning |
|---|---|
${Object.entries(errorCodes)
  .map(([code, [en]]) => `| \`${code}\` | ${en} |`)
  .join('\n')}

</details>
`

const header = (name: string, schema: object, description?: string, required = true) => ({
  name,
  in: 'header',
  required,
  schema: { type: 'string', ...schema },
  ...(description && { description }),
})

/** The webhooks as OpenAPI 3.1 describes them: the requests that our service sends to yours. */
const webhooks = Object.fromEntries(
  eventTypes.map((type) => {
    const { name, sent, isDefault } = describeEvent(type)
    const post = {
      operationId: name[0]!.toLowerCase() + name.slice(1, -'Event'.length),
      // Not the tag of the operations about webhooks: generators write one class for each tag, and one would replace the other.
      tags: ['Webhook events'],
      // The signature proves that the request is genuine: there are no other credentials.
      security: [],
      summary: `Receive ${type}`,
      description: `${sent} ${isDefault ? 'Sent to every webhook.' : 'Sent to webhooks whose `events` name it.'} Retried until you answer 2xx, at most 5 attempts. The same \`id\` may arrive more than once, and the order of events is not promised. \`X-Service-Signature\` is the hex HMAC-SHA256 of \`{X-Service-Timestamp}.{raw body}\` with the whole webhook secret as the key.`,
      parameters: [
        header('X-Service-Event', { const: type }),
        header('X-Service-Timestamp', {}, 'Unix seconds, new for each attempt.'),
        header('X-Service-Signature', { pattern: '^[0-9a-f]{64}$' }),
        header('X-Service-Signature-Previous', {}, 'Signature under the previous secret, for 24 hours after a rotation.', false),
        header('webhook-id', {}),
        header('webhook-timestamp', {}),
        header('webhook-signature', {}, 'Standard Webhooks: `v1,` and base64.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
      responses: { '2XX': { description: 'Received. Answer first, then do your work.' } },
    }
    return [type, { post }]
  }),
)

/** Who may call an operation, in words: many readers, and some generators, show no `security`. */
function callersInWords(security: readonly Record<string, readonly string[]>[], group: string): string {
  const key = security.find((scheme) => 'apiKey' in scheme)
  if (key) return `Requires an API key with the scope \`${key['apiKey']![0]}\`.`
  if (group === 'Operators') return 'Requires the access token of an operator with a second factor.'
  return security.length > 0 ? 'Requires the access token of a signed-in user.' : 'Requires no credentials.'
}

const repeatHeader = (repeat: string): z.ZodType =>
  z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .optional()
      .meta({
        example: freshKey,
        description: `Your own key, so that a repeated request makes only one object. ${repeat} Another body: 422 \`idempotency_key_reused\`. Kept for at least 24 hours.`,
      }),
  })

/** The header of routes with `idempotencyKey`. */
const repeatHeaders = {
  replay_answer: repeatHeader('A repeat gets the first answer again, with `Idempotency-Replayed: true`.'),
  name_object: repeatHeader('A repeat gets 409 `already_created` with `details.id`, because the first answer shows a secret.'),
}

type Route = Parameters<typeof jsonSchemaTransform>[0]

/** Adds what every route has: its callers in words, and the facts from which its limits and refusals follow. */
function describeRoute(route: Route): ReturnType<typeof jsonSchemaTransform> {
  const { schema } = route
  if (!schema || schema.hide) return jsonSchemaTransform(route)
  const { operationId = '', security = [] } = schema
  const group = groupOf(route.url)
  const { idempotencyKey: kind, permission, operationClass, refuses } = route.route.config ?? {}
  const description = [schema.description, callersInWords(security, group)].filter(Boolean).join('\n\n')
  const limits = limitsOf(operationId).map(({ name }) => limitNameOf(name))
  const facts = {
    ...(permission && { 'x-permission': permission }),
    ...(operationClass && { 'x-class': operationClass }),
    ...(limits.length > 0 && { 'x-limits': limits }),
    ...(refuses && { 'x-refuses': refuses }),
    'x-reads': route.route.method === 'GET',
    'x-once': kind !== undefined,
  }
  const described = { ...schema, ...(kind && { headers: repeatHeaders[kind] }), description, tags: [group], security, ...facts }
  return jsonSchemaTransform({ ...route, schema: described })
}

export type DescribedService = {
  urls: Pick<Config['urls'], 'api' | 'storage'>
  privacy: Pick<Config['privacy'], 'controller' | 'contact'>
}

export async function describeApi(http: Http, options: DescribedService & { version: string }): Promise<void> {
  const { version, urls, privacy } = options
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Malipo',
        version,
        description,
        contact: { name: privacy.controller, email: privacy.contact },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: urls.api }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of one of your apps.' },
          jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a signed-in user.' },
        },
      },
      tags: groups.map(({ name, description: about }) => ({ name, description: about })),
      webhooks: webhooks as never,
    },
    transform: describeRoute,
    transformObject(document) {
      const described = jsonSchemaTransformObject(document) as OpenApi
      return tidy({ ...described, paths: { ...described.paths, ...uploadPaths(urls.storage) } }) as never
    },
  })
  const written = new Map<string, PublicFile>()
  const serve = (path: string, write: () => OpenApi): void => {
    http.get(path, { schema: { hide: true } }, (request, reply) => {
      // Written on the first request, when all routes are known.
      const file = written.get(path) ?? publicFile('application/json; charset=utf-8', JSON.stringify(write()))
      written.set(path, file)
      return sendPublicFile(file, request, reply, 'public, max-age=300')
    })
  }
  const whole = (): OpenApi => http.swagger() as OpenApi
  serve('/openapi.json', whole)
  serve('/openapi-merchants.json', () => compact(forMerchants(whole())))
}
