/** The description of the API, OpenAPI 3.1 at /openapi.json, made from the schemas that validate it. */
import swagger from '@fastify/swagger'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { Config } from './config.ts'
import { z } from 'zod'
import { errorCodes } from './error-codes.ts'
import { errors, type Http } from './platform/http/http.ts'

const description = `Malipo accepts mobile money payments in Tanzania over M-Pesa, Airtel Money, Mixx by Yas and HaloPesa.

1. A merchant creates a payment page.
2. A payer opens the page, or your own checkout calls \`POST /v1/payments/checkout\`.
3. The payer enters a PIN on the phone.
4. The wallet is credited once, and your server receives a signed \`payment.completed\`.

Amounts are whole numbers of TZS. Times are UTC.

## Error codes

Every error has the shape of \`Error\`. Branch on its \`code\`, never on its message.

<details><summary>All codes</summary>

| code | meaning |
|---|---|
${Object.entries(errorCodes)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}

</details>
`

/** The webhook as OpenAPI 3.1 describes it: the request that our service sends to yours. */
const webhooks = {
  'payment.completed': {
    post: {
      operationId: 'paymentCompleted',
      tags: ['Webhooks'],
      // The signature proves that the request is genuine: there are no other credentials.
      security: [],
      summary: 'Receive a completed payment',
      description:
        'Sent to each app with a webhook when a payment is successful. Retried until you answer 2xx, at most 5 attempts. The same `id` may arrive more than once. `X-Service-Signature` is the hex HMAC-SHA256 of `{X-Service-Timestamp}.{raw body}` with the whole webhook secret as the key.',
      parameters: [
        { name: 'X-Service-Event', in: 'header', required: true, schema: { type: 'string', const: 'payment.completed' } },
        {
          name: 'X-Service-Timestamp',
          in: 'header',
          required: true,
          schema: { type: 'string' },
          description: 'Unix seconds, new for each attempt.',
        },
        { name: 'X-Service-Signature', in: 'header', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
        {
          name: 'X-Service-Signature-Previous',
          in: 'header',
          required: false,
          schema: { type: 'string' },
          description: 'Signature under the previous secret, for 24 hours after a rotation.',
        },
        { name: 'webhook-id', in: 'header', required: true, schema: { type: 'string' } },
        { name: 'webhook-timestamp', in: 'header', required: true, schema: { type: 'string' } },
        {
          name: 'webhook-signature',
          in: 'header',
          required: true,
          schema: { type: 'string' },
          description: 'Standard Webhooks: `v1,` and base64.',
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['id', 'type', 'created_at', 'data'],
              properties: {
                id: { type: 'string', examples: ['evt_06g2v1d1p5fz9b7q4w5w1y2k3m'] },
                type: { type: 'string', const: 'payment.completed' },
                created_at: { type: 'string', format: 'date-time' },
                data: {
                  type: 'object',
                  required: ['reference', 'payment_page_id', 'amount', 'currency', 'completed_at'],
                  properties: {
                    reference: { type: 'string' },
                    payment_page_id: { type: ['string', 'null'] },
                    amount: { type: 'integer', description: 'TZS.' },
                    currency: { type: 'string', const: 'TZS' },
                    completed_at: { type: 'string', format: 'date-time' },
                  },
                },
              },
            },
          },
        },
      },
      responses: { '2XX': { description: 'Received. Answer first, then do your work.' } },
    },
  },
}

const meanings: Record<string, string> = {
  200: 'OK.',
  201: 'Created.',
  400: 'The request is invalid: `code` and `errors` give the reason.',
  401: 'Credentials are missing or not valid.',
  403: 'The credentials do not permit this.',
  404: 'The object does not exist, or is not yours.',
  409: 'Not possible in the current state.',
  413: 'The body is larger than 256 KiB.',
  415: 'The body is not JSON.',
  422: 'The idempotency key was used for another request.',
  429: 'Too many requests or attempts: wait for `Retry-After` seconds.',
  500: 'Internal error. Quote the request id if you contact us.',
  503: 'Temporarily unavailable: try again after `Retry-After` seconds.',
}

type Header = { description: string; schema: { type: string } }
type OpenApiResponse = { description?: string; headers?: Record<string, Header> }
type Body = { required?: boolean; content?: Record<string, { schema?: { required?: string[] } }> }
type Operation = { operationId?: string; requestBody?: Body; responses?: Record<string, OpenApiResponse> }
type OpenApi = {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown> }
}

/** Adds the meaning and headers of each answer, and drops schemas that nothing refers to. */
function tidy(document: OpenApi): OpenApi {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    const bodies = Object.values(operation.requestBody?.content ?? {})
    // If no field is required, the body may be empty.
    if (operation.requestBody) operation.requestBody.required = bodies.some(({ schema }) => (schema?.required?.length ?? 0) > 0)
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      response.description = meanings[status] ?? ''
      response.headers = {
        'X-Request-Id': {
          description: 'Identifies this request in our logs. If you send one, it is used.',
          schema: { type: 'string' },
        },
      }
      if (status === '429' || status === '503') {
        response.headers['Retry-After'] = { description: 'Seconds.', schema: { type: 'integer' } }
      }
      if (operation.responses && '429' in operation.responses && status !== '503') {
        response.headers['RateLimit'] = { description: 'The remaining requests of each limit.', schema: { type: 'string' } }
        response.headers['RateLimit-Policy'] = { description: 'The limits of this route.', schema: { type: 'string' } }
      }
      if (status === '200' && operation.operationId === 'startCheckout') {
        response.headers['Idempotency-Replayed'] = {
          description: '`true`: this key already created the payment.',
          schema: { type: 'string' },
        }
      }
    }
  }
  const schemas = document.components?.schemas ?? {}
  const text = JSON.stringify(document.paths)
  const kept = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(kept) } }
}

const repeatHeader = (repeat: string): z.ZodType =>
  z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .optional()
      .meta({
        description: `Your own key, so that a repeated request makes only one object. ${repeat} Another body: 422 \`idempotency_key_reused\`. Kept for at least 24 hours.`,
      }),
  })

/** The header of routes with `config.idempotencyKey`. */
const repeatHeaders = {
  replay_answer: repeatHeader('A repeat gets the first answer again, with `Idempotency-Replayed: true`.'),
  name_object: repeatHeader('A repeat gets 409 `already_created` with `details.id`, because the first answer shows a secret.'),
}

export async function describeApi(http: Http, options: { version: string; urls: Config['urls'] }): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Malipo', version: options.version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: options.urls.api }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of one of your apps.' },
          jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a signed-in user.' },
        },
      },
      tags: [
        { name: 'Payments', description: 'The public payment flow. No API key needed.' },
        { name: 'Payment pages', description: 'Pages and links on which payers pay you.' },
        { name: 'Wallet', description: 'Balance and transactions.' },
        { name: 'Payouts', description: 'Payments from your wallet to a mobile money number.' },
        { name: 'People', description: 'Accounts, sessions and second factors.' },
        { name: 'Verification', description: 'Verification of a person’s identity (KYC).' },
        { name: 'Businesses', description: 'Registration of a business and its documents (KYB).' },
        { name: 'Apps and keys', description: 'Developer apps and the API keys of your programs.' },
        { name: 'Webhooks', description: 'Events sent to your server.' },
        { name: 'Dashboard', description: 'What a signed-in owner sees in the dashboard.' },
        { name: 'Operators', description: 'For operators of the service, with a second factor.' },
        { name: 'Operations', description: 'Health checks.' },
      ],
      webhooks: webhooks as never,
    },
    // Answers that any request can get are added here, not in each route.
    transform: (route) => {
      const { method } = route.route
      // An unreadable body is refused before the route sees it, even where no body is required.
      const bodyRefusals = method === 'GET' || method === 'HEAD' ? {} : errors(400, 413, 415)
      // An address that cannot be decoded is refused in the same way.
      const addressRefusals = route.url.includes(':') ? errors(400) : {}
      // A route that names no credentials needs none, and the document says so.
      const { security = [] } = route.schema ?? {}
      // Each key has one request limit over all routes.
      const keyRefusals = security.some((scheme) => 'apiKey' in scheme) ? errors(429) : {}
      const kind = route.route.config?.idempotencyKey
      const repeats = kind ? { headers: repeatHeaders[kind] } : {}
      const response = {
        ...bodyRefusals,
        ...(kind && errors(409, 422)),
        ...addressRefusals,
        ...keyRefusals,
        ...errors(500, 503),
        ...(route.schema?.response as object),
      }
      return jsonSchemaTransform({ ...route, schema: { ...route.schema, ...repeats, security, response } })
    },
    transformObject: (document) => tidy(jsonSchemaTransformObject(document) as OpenApi) as never,
  })
  http.get('/openapi.json', { schema: { hide: true } }, () => http.swagger())
}
