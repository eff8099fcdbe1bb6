/**
 * The base of the tests: a running simulator, a client of its API and a real server that receives its webhooks. Invariant:
 * everything started here is closed when the test ends.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { z } from 'zod'
import { defaults, type SimulatorConfig } from './config.ts'
import { startSimulator } from './start.ts'

export type Received = { headers: IncomingHttpHeaders; body: string; at: number }
type Receiver = {
  url: string
  received: Received[]
  answerWith: (status: (received: Received) => number | Promise<number>) => void
}

/** Polls until `look` finds something, for at most five seconds. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false | null> | T | undefined | false | null,
): Promise<T> {
  const deadline = Date.now() + 5_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    assert.ok(Date.now() < deadline, `waited in vain for ${what}`)
    await pause(5)
  }
}

export async function startReceiver(t: TestContext): Promise<Receiver> {
  const received: Received[] = []
  let status: (received: Received) => number | Promise<number> = () => 200
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const one = { headers: incoming.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
      received.push(one)
      void Promise.resolve(status(one)).then((code) => outgoing.writeHead(code).end('ok'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { url: `http://127.0.0.1:${address.port}/hook`, received, answerWith: (answer) => (status = answer) }
}

const wireAnswer = z.looseObject({
  error_code: z.string().optional(),
  message: z.string().optional(),
  data: z.looseObject({}).optional(),
})

/** The numbers whose create itself fails, for charges and payouts alike. */
export const faultyCreates = ['199', '209', '219', '229', '239', '289', '299']

const truthCharge = z.looseObject({
  reference: z.string(),
  status: z.string(),
  money_moved: z.boolean(),
  failure_reason: z.string().nullable(),
  prompts: z.number(),
  prompt_open: z.boolean(),
  create_calls: z.number(),
  fees: z.number(),
  faults: z.array(z.looseObject({ kind: z.string(), cause: z.string() })),
  webhooks: z.array(
    z.looseObject({
      event_id: z.string(),
      type: z.string(),
      state: z.string(),
      attempts: z.array(z.looseObject({ status: z.number().nullable(), error: z.string().nullable() })),
    }),
  ),
})
const account = z.looseObject({ balance: z.number(), expected_balance: z.number() })
const truthAnswer = z.looseObject({
  accounts: z.object({ test: account, live: account }),
  charges: z.array(truthCharge),
  payouts: z.array(truthCharge.omit({ prompts: true, prompt_open: true })),
  totals: z.record(z.string(), z.number()),
})

export type TruthCharge = z.infer<typeof truthCharge>

export type Call = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: z.infer<typeof wireAnswer>
  text: string
}

export type Client = ReturnType<typeof clientOf>

export function clientOf(url: string, config: SimulatorConfig) {
  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    options: { body?: unknown; raw?: string; headers?: Record<string, string> } = {},
  ): Promise<Call> => {
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const answer = await request(url + path, {
      method,
      headers: {
        authorization: `Bearer ${config.accounts.test.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body,
    })
    const text = await answer.body.text()
    const json = String(answer.headers['content-type']).startsWith('application/json')
    return { status: answer.statusCode, headers: answer.headers, text, body: json ? wireAnswer.parse(JSON.parse(text)) : {} }
  }
  const truth = async (query = '') => truthAnswer.parse((await call('GET', `/__truth${query}`)).body)
  const charge = async (reference: string): Promise<TruthCharge> => {
    const [found] = (await truth(`?reference=${reference}`)).charges
    assert.ok(found, `no charge ${reference}`)
    return found
  }
  return {
    url,
    call,
    truth,
    charge,
    /** The charge once `ready` holds. */
    chargeWhen: async (reference: string, what: string, ready: (charge: TruthCharge) => boolean): Promise<TruthCharge> =>
      await until(what, async () => {
        const found = await charge(reference)
        return ready(found) && found
      }),
    control: async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Call> => {
      const answer = await call(method, `/__control${path}`, { body })
      return answer
    },
    create: async (
      order: Record<string, unknown>,
      headers: Record<string, string> = {},
    ): Promise<{ answer: Call; reference: string }> => {
      const answer = await call('POST', '/v1/payments', { body: order, headers })
      return { answer, reference: String(answer.body.data?.reference) }
    },
  }
}

export type TestSimulator = Client & {
  config: SimulatorConfig
  receiver: Receiver
  order: (more?: Record<string, unknown>) => Record<string, unknown>
}

export const testConfig = (more: Partial<SimulatorConfig> = {}): SimulatorConfig => ({
  ...defaults,
  port: 0,
  dataDir: null,
  seed: 'tests',
  allowHttpWebhooks: true,
  delayMs: 5,
  webhookDelaysMs: [0, 5, 5, 5, 5],
  ...more,
})

/** A create for `phone`, with a webhook to `url`. */
export const orderFor = (url: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  payment_type: 'mobile',
  details: { amount: 5_000, currency: 'TZS' },
  phone_number: '255712345678',
  customer: { firstname: 'Asha', lastname: 'Juma', email: 'asha@example.com' },
  webhook_url: url,
  metadata: { attempt: 'att_1' },
  ...more,
})

export async function startTestSimulator(t: TestContext, more: Partial<SimulatorConfig> = {}): Promise<TestSimulator> {
  const config = testConfig(more)
  const receiver = await startReceiver(t)
  const bugs: unknown[] = []
  const simulator = await startSimulator(config, { report: (error) => bugs.push(error) })
  t.after(async () => {
    await simulator.close()
    assert.deepEqual(bugs, [], 'the simulator reported a bug')
  })
  return { ...clientOf(simulator.url, config), config, receiver, order: (wished) => orderFor(receiver.url, wished) }
}

/** The events of one charge in the order they arrived. */
export const eventsIn = (receiver: Receiver): { id: string; type: string; data: Record<string, unknown> }[] =>
  receiver.received.map(({ body }) => JSON.parse(body) as { id: string; type: string; data: Record<string, unknown> })
