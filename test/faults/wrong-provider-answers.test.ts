/** A provider that answers a query with 200 and something other than the state of the charge. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { startProviderProxy, type ProviderAnswer } from './provider-proxy.ts'

const sums = async (app: TestApp) => {
  const { rows } = await app.owner.pool.query(
    `select (select count(*) from payments)::integer as payments,
       (select count(*) from ledger_transfers where kind = 'payment')::integer as credits,
       (select count(*) from ledger_transfers where kind = 'suspense')::integer as suspended,
       (select coalesce(array_agg(kind order by kind), '{}') from breaks where resolved_at is null) as breaks`,
  )
  return rows[0] as { payments: number; credits: number; suspended: number; breaks: string[] }
}

const statusOf = async (app: TestApp): Promise<string> =>
  (await app.owner.pool.query('select status from payments')).rows[0].status

type WrongAnswer = {
  name: string
  answerWith(answer: ProviderAnswer): ProviderAnswer
  /** The breaks that operators must decide, and the quarantined messages. */
  breaks: string[]
  suspended: number
}

const changed = (answer: ProviderAnswer, change: (data: any) => void): ProviderAnswer => {
  const body = JSON.parse(answer.body)
  change(body.data)
  return { ...answer, body: JSON.stringify(body) }
}

/** Answers with 200 that a provider may send instead of the state of a charge. */
const wrongAnswers: WrongAnswer[] = [
  { name: 'garbage', answerWith: () => ({ status: 200, body: '<html>Welcome</html>' }), breaks: [], suspended: 0 },
  { name: 'nothing', answerWith: () => ({ status: 200, body: '' }), breaks: [], suspended: 0 },
  {
    name: 'half a document',
    answerWith: ({ status, body }) => ({ status, body: body.slice(0, body.length / 2) }),
    breaks: [],
    suspended: 0,
  },
  { name: 'another document', answerWith: () => ({ status: 200, body: '{"data":{"reference":7}}' }), breaks: [], suspended: 0 },
  {
    name: 'another reference',
    answerWith: (answer) => changed(answer, (data) => (data.reference = `x${data.reference}`)),
    breaks: [],
    suspended: 0,
  },
  {
    name: 'no amount',
    answerWith: (answer) => changed(answer, (data) => delete data.amount),
    breaks: [],
    suspended: 0,
  },
  {
    name: 'another currency',
    answerWith: (answer) => changed(answer, (data) => (data.amount = { value: 1500, currency: 'KES' })),
    breaks: ['amount_differs'],
    suspended: 0,
  },
  {
    name: 'another amount',
    answerWith: (answer) => changed(answer, (data) => (data.amount = { value: 1400, currency: 'TZS' })),
    breaks: ['amount_differs'],
    suspended: 1,
  },
  {
    name: 'a payment of another merchant',
    answerWith: (answer) => changed(answer, (data) => (data.metadata = { malipo_payment: 'pay_01kc3v5r2hf0m8e5w9x2y3z4a5' })),
    breaks: ['reference_conflict'],
    suspended: 0,
  },
]

for (const { name, answerWith, breaks, suspended } of wrongAnswers) {
  test(`asked for the state of a charge, a provider answers 200 with ${name}: nothing is credited, and an operator is alerted [F13]`, async (t) => {
    const lines: string[] = []
    let upstream = ''
    const proxy = await startProviderProxy(t, () => upstream)
    const app = await startTestApp(t, {
      worker: true,
      settings: {
        PAYMENT_CHECK_DELAYS_SECONDS: '0.2',
        SNIPPE_TEST_BASE_URL: proxy.url,
        PROVIDER_CIRCUIT_OPEN_SECONDS: '1',
        PROVIDER_CIRCUIT_FAILURES: '3',
      },
      logLevel: 'warn',
      logTo: (line) => lines.push(line),
    })
    upstream = app.simulatorUrl
    await app.control('PATCH', '/faults', { rates: { webhookLost: 1 } })
    const page = await app.page(await app.student())
    let answered = 0
    proxy.change((method, path, answer) => {
      if (method !== 'GET' || !path.startsWith('/v1/payments/') || JSON.parse(answer.body).data?.status !== 'completed')
        return answer
      answered += 1
      return answerWith(answer)
    })
    await app.checkout(page.slug, { phone_number: '0754123789' })
    const isHeld = breaks.length > 0
    await eventually('the provider has answered often enough', async () => {
      // An answer that proves nothing is followed by another query in a minute; here at once.
      await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null`)
      return answered >= (isHeld ? 1 : 3)
    })
    if (isHeld) await eventually('a break is escalated to operators', async () => (await sums(app)).breaks.length > 0)
    await app.deps.backgroundDone()
    assert.deepEqual(await sums(app), { payments: 1, credits: 0, suspended, breaks })
    assert.ok(['pending', 'processing'].includes(await statusOf(app)))
    await eventually('operators are alerted', () => lines.some((line) => /"level":"?(error|warn|40|50)/.test(line)))
    // Once the provider answers correctly, the service believes it, unless operators already decide the case.
    proxy.change(undefined)
    if (isHeld) return
    // An earlier answer may still be in flight, and delays the next query by a minute.
    await eventually('it is believed', async () => {
      await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null`)
      return (await statusOf(app)) === 'completed'
    })
    assert.deepEqual(await sums(app), { payments: 1, credits: 1, suspended: 0, breaks: [] })
  })
}
