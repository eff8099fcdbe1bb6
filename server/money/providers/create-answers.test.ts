/** What each answer to a create proves, in both adapters, for charges and payouts: everything that is not listed as a proof is unknown. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createClickPesa } from './clickpesa.ts'
import { provesRefusal } from './failure-words.ts'
import { createSnippe } from './snippe.ts'

type Given = { status: number; body: unknown }
type Proof = 'rejected' | 'retry_later' | 'unknown'

const key = 'c-01h455vb4pex5vsknk084sn02q'

/** Texts about an order that may exist: they prove nothing, with any status and any code. */
const ofAnOrder = [
  'Transaction is being processed',
  'transaction is still being processed',
  'validation failed: Transaction is being processed',
  'duplicate request in progress',
  'Duplicate transaction in progress, invalid request',
  'A payment for this order already exists',
  'invalid state: payment is pending',
  'request is in flight',
  'Order reference already used',
  'idempotency key already used with different request body',
]
/** Texts about the request: nothing was started. */
const ofTheRequest = [
  'amount is required',
  'Invalid / unsupported phone number',
  'amount 100 is below minimum of 500',
  'amount must be an integer',
]
/** Texts that we do not know prove nothing. */
const unknownTexts = ['failed to initiate payment', 'Something went wrong', '']

const snippeError = (status: number, code: string, message?: string): Given => ({
  status,
  body: { status: 'error', code: status, error_code: code, message },
})
const clickPesaError = (status: number, message?: unknown): Given => ({ status, body: { message } })

type Row = [given: Given, charge: Proof, payout?: Proof]

const rowsOf = (errorOf: (status: number, text: string) => Given[]): Row[] => [
  ...ofTheRequest.flatMap((text) => errorOf(400, text).map((given): Row => [given, 'rejected'])),
  ...[...ofAnOrder, ...unknownTexts].flatMap((text) => errorOf(400, text).map((given): Row => [given, 'unknown'])),
  ...[...ofAnOrder, ...ofTheRequest].flatMap((text) =>
    [200, 202, 302, 401, 403, 404, 408, 409, 422, 500, 502, 503, 504].flatMap((status) =>
      errorOf(status, text).map((given): Row => [given, 'unknown']),
    ),
  ),
  ...ofAnOrder.flatMap((text) => errorOf(429, text).map((given): Row => [given, 'unknown'])),
  ...errorOf(429, 'Too many requests, try again later').map((given): Row => [given, 'retry_later']),
]

const tables: Record<'snippe' | 'clickpesa', Row[]> = {
  snippe: [
    ...rowsOf((status, text) => ['validation_error', 'VAL_001'].map((code) => snippeError(status, code, text))),
    // A code alone, and every other code of its documentation.
    [snippeError(400, 'validation_error'), 'unknown'],
    ...[
      'invalid_request',
      'unauthorized',
      'insufficient_scope',
      'forbidden',
      'AUTH_007',
      'not_found',
      'conflict',
      'PAY_001',
      'INT_003',
      'VALIDATION',
    ].map((code): Row => [snippeError(400, code, 'amount is required'), 'unknown']),
    [snippeError(500, 'rate_limit_exceeded', 'Too many requests'), 'unknown'],
    // Our own account is empty: only a payout says so, and only in the documented way.
    [snippeError(500, 'payment_failed', 'insufficient balance: available 5000, required 6500'), 'unknown', 'rejected'],
    [snippeError(500, 'payment_failed', 'insufficient balance: transaction is being processed'), 'unknown'],
    [snippeError(200, 'payment_failed', 'insufficient balance: available 5000, required 6500'), 'unknown'],
    [snippeError(500, 'payment_failed', 'failed'), 'unknown'],
    // A success of HTTP around an error.
    [{ status: 200, body: { status: 400, data: { reference: 'r-1', status: 'failed' } } }, 'unknown'],
    [{ status: 200, body: { status: 'error', data: { reference: 'r-1', status: 'failed' } } }, 'unknown'],
  ],
  clickpesa: [
    ...rowsOf((status, text) => [clickPesaError(status, text), clickPesaError(status, [text])]),
    [{ status: 400, body: { message: 'amount is required', orderReference: key } }, 'unknown'],
    [{ status: 429, body: { message: 'Too many requests', orderReference: key } }, 'unknown'],
    [clickPesaError(400, 'Insufficient balance'), 'rejected'],
    [clickPesaError(500, 'Insufficient balance'), 'unknown'],
    [clickPesaError(400), 'unknown'],
  ],
}

for (const name of ['snippe', 'clickpesa'] as const) {
  test(`${name}: each answer to a create proves what the table says, and no more [P08, P12, P13, P40]`, async (t) => {
    let given: Given = { status: 200, body: '' }
    const server = createServer((request, response) => {
      const { status, body } = request.url === '/generate-token' ? { status: 200, body: { token: 'Bearer t' } } : given
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const shared = { baseUrl, timeoutMs: 5_000, maxResponseBytes: 64 * 1024, connections: 4 }
    const provider =
      name === 'snippe'
        ? createSnippe({
            ...shared,
            apiKey: 'k',
            webhookSecrets: ['s'],
            webhookSignature: 'timestamp.body',
            webhookToleranceSeconds: 300,
            contactEmail: 'a@example.com',
          })
        : createClickPesa({ ...shared, clientId: 'c', apiKey: 'k', checksumKeys: ['s'] })
    t.after(async () => {
      await provider.close()
      server.closeAllConnections()
      server.close()
    })
    for (const [answer, charge, payout = charge] of tables[name]) {
      given = answer
      const order = { idempotencyKey: key, body: '{}' }
      const found = [(await provider.charge(order)).kind, (await provider.sendPayout(order)).kind]
      assert.deepEqual(found, [charge, payout], `${answer.status} ${JSON.stringify(answer.body)}`)
    }
  })
}

test('a text proves a refusal only if it is about the request and about no order', () => {
  for (const text of ofTheRequest) assert.equal(provesRefusal(text), true, text)
  for (const text of [...ofAnOrder, ...unknownTexts, null]) assert.equal(provesRefusal(text), false, text ?? 'no text')
})
