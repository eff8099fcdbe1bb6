/** The API described by the schemas that validate it: OpenAPI 3.1 at /openapi.json, a page to read at /reference, nothing from other hosts. */
import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { Config } from './config.ts'
import type { Http } from './platform/http.ts'

const description = `Malipo takes mobile money payments in Tanzania over M-Pesa, Airtel Money, Mixx by Yas and HaloPesa.

A merchant makes a payment page; a payer opens it, or your own checkout calls \`POST /v1/payments/checkout\`; the payer enters a PIN on the phone; the wallet is
credited once; your server gets a signed \`payment.completed\`. Money is a whole number of TZS. Times are UTC. Clients branch on \`error.code\`.`

/** The webhook as OpenAPI 3.1 describes it: what our service sends to yours. */
const webhooks = {
  'payment.completed': {
    post: {
      operationId: 'paymentCompleted',
      tags: ['Webhooks'],
      summary: 'A payment was successful',
      description:
        'Sent once for each app with a webhook, again until you answer 2xx (5 attempts). The same `id` may come more than once. `X-Service-Signature` is the hex HMAC-SHA256 of `{X-Service-Timestamp}.{raw body}` under the whole webhook secret.',
      parameters: [
        { name: 'X-Service-Event', in: 'header', required: true, schema: { type: 'string', const: 'payment.completed' } },
        {
          name: 'X-Service-Timestamp',
          in: 'header',
          required: true,
          schema: { type: 'string' },
          description: 'Unix seconds, fresh at each attempt.',
        },
        { name: 'X-Service-Signature', in: 'header', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
        {
          name: 'X-Service-Signature-Previous',
          in: 'header',
          required: false,
          schema: { type: 'string' },
          description: 'Under the secret before, for 24 hours after a rotation.',
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
                    payment_page_id: { type: 'string' },
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
      responses: { '2XX': { description: 'Taken. Answer first, work afterwards.' } },
    },
  },
}

export async function describeApi(http: Http, options: { version: string; urls: Config['urls'] }): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Malipo', version: options.version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: options.urls.api }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of one of your apps.' },
          jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of a signed-in person.' },
        },
      },
      tags: [
        { name: 'Payments', description: 'The public payment flow: no key.' },
        { name: 'Payment pages', description: 'What you ask money for.' },
        { name: 'Wallet', description: 'Your money.' },
        { name: 'People', description: 'Accounts and sessions.' },
        { name: 'Developers', description: 'Apps, keys and webhooks.' },
        { name: 'Webhooks', description: 'What your server hears.' },
        { name: 'Dashboard', description: 'The same for the signed-in owner.' },
        { name: 'Operations', description: 'Is it up?' },
      ],
      webhooks: webhooks as never,
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  })
  http.get('/openapi.json', { schema: { hide: true } }, () => http.swagger())
  // The page brings its own script and styles: this one route admits them, and still nothing from another host.
  await http.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header(
        'content-security-policy',
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
      )
    })
    await scope.register(scalar, {
      routePrefix: '/reference',
      configuration: { url: '/openapi.json', withDefaultFonts: false, telemetry: false, hideClientButton: true } as never,
    })
  })
}
