/** One question to the provider about a case: what its answer changes, and what it leaves alone when others were quicker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeOf, openPayment, report } from '../../../test/fixtures/support.ts'
import { share, startTestApp, type TestApp } from '../../../test/app.ts'
import { wrapProviders, type ChargeAnswer } from '../../money/providers/provider.ts'
import { fromWire } from '../../platform/ids.ts'
import { askProviders } from './ask-providers.ts'

type Answering = () => Promise<ChargeAnswer>

let answering: Answering
let logged: string[] = []

const sharedApp = share((ending) =>
  startTestApp(ending, {
    settings: { RATE_LIMITS: 'off' },
    logLevel: 'info',
    logTo: (line) => logged.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({ ...provider, fetchCharge: () => answering() })),
    }),
  }),
)

/** What the log says of cases since it was last read. */
const casesLogged = (): string[] => {
  const lines = logged.map((line) => JSON.parse(line) as { event?: string; finding?: string; reason?: string })
  logged = []
  return lines
    .filter(({ event }) => event?.startsWith('case.'))
    .map(({ event, finding, reason }) => `${event} ${finding ?? reason}`)
}

type Reported = { path: string; id: string; reference: string }

async function reported(app: TestApp, slug: string, smsNumber: string, more: Record<string, string> = {}): Promise<Reported> {
  const reference = await openPayment(app, slug)
  const path = await report(app, reference, smsNumber, more)
  return { path, reference, id: fromWire('case', /case_\w+/.exec(path)![0])! }
}

/** The case as an operator reads it, and when it is asked about next. */
async function read(app: TestApp, token: string, { id, path }: Reported) {
  const { body } = await app.call('GET', `/v1/admin/support-cases/${/case_\w+/.exec(path)![0]}`, { token })
  const { rows } = await app.owner.pool.query<{ questions: number; inSeconds: number | null }>(
    `select questions, round(extract(epoch from next_attempt_at - clock_now()))::integer as "inSeconds" from support_cases where id = $1`,
    [id],
  )
  const { state, finding, escalated_because: because, number_owner: owner, answers } = body.data
  return {
    state,
    finding,
    because,
    owner,
    ...rows[0]!,
    answers: answers.map(({ answer, reason }: Record<string, unknown>) => [answer, reason]),
  }
}

const age = (app: TestApp, { id }: Reported, seconds: number) =>
  app.owner.pool.query(
    `update support_cases set created_at = created_at - make_interval(secs => $2), next_attempt_at = clock_now() where id = $1`,
    [id, seconds],
  )

const mailsTo = async (app: TestApp, recipient: string): Promise<number> =>
  (await app.owner.pool.query(`select from mails where kind = 'support_case' and recipient = $1`, [recipient])).rowCount!

const later = (app: TestApp) =>
  app.owner.pool.query(
    `update support_cases set next_attempt_at = clock_now() + interval '1 hour' where next_attempt_at is not null`,
  )

test('a question that the budget has no place for does not count, and other cases keep their turn', async () => {
  const app = await sharedApp()
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  const waits = await reported(app, slug, 'S10000000001')
  await later(app)
  const asked = await reported(app, slug, 'S10000000002')
  casesLogged()
  answering = async () => ({ kind: 'indeterminate', reason: 'no budget', afterMs: 3_000 })
  assert.equal(await askProviders(app.deps, 10), 1)
  const held = await read(app, admin.token, asked)
  assert.deepEqual([held.state, held.questions, held.answers], ['asking', 0, []])
  assert.ok(held.inSeconds! <= 3)
  assert.ok((await read(app, admin.token, waits)).inSeconds! > 3_000)
  assert.equal(await askProviders(app.deps, 10), 0, 'it is not due yet')

  answering = async () => ({ kind: 'indeterminate', reason: 'timeout' })
  await age(app, asked, 10)
  assert.equal(await askProviders(app.deps, 10), 1)
  const again = await read(app, admin.token, asked)
  assert.deepEqual([again.state, again.questions, again.answers], ['asking', 1, [['indeterminate', 'timeout']]])
  assert.deepEqual(casesLogged(), [])
  await age(app, asked, 60)
  assert.equal(await askProviders(app.deps, 10), 1)
  const given = await read(app, admin.token, asked)
  assert.deepEqual([given.state, given.because, given.questions], ['with_operators', 'no_answer', 2])
  assert.deepEqual(casesLogged(), ['case.escalated no_answer'])
  const untouched = await read(app, admin.token, waits)
  assert.deepEqual([untouched.state, untouched.questions, untouched.answers], ['open', 0, []])
})

test('a number that is the receipt of the payment itself answers its case, and operators do not get it', async () => {
  const app = await sharedApp()
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  await later(app)
  const { reference } = (await app.checkout(slug)).body.data
  await app.settled(reference)
  const path = await report(app, reference, (await chargeOf(app, reference)).external_reference)
  casesLogged()
  assert.equal(await askProviders(app.deps, 10), 1)
  const own = { path, reference, id: fromWire('case', /case_\w+/.exec(path)![0])! }
  const { state, finding, owner, answers } = await read(app, admin.token, own)
  assert.deepEqual([state, finding, owner, answers], ['answered', 'received', null, [['not_asked', null]]])
  assert.deepEqual(casesLogged(), ['case.answered received'])
})

test('reports with the number of the receipt are proven, and others about the same payment are one row', async () => {
  const app = await sharedApp()
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  await later(app)
  const { reference } = (await app.checkout(slug)).body.data
  await report(app, reference, 'S20000000001')
  await report(app, reference, 'S20000000002')
  await app.settled(reference)
  const receipt = (await chargeOf(app, reference)).external_reference
  await report(app, reference, receipt)
  const takenBack = 'update payments set credit_reversed_at = clock_now() where id = $1'
  await app.owner.pool.query(takenBack, [fromWire('pay', reference)])
  assert.equal(await askProviders(app.deps, 10), 3)
  const { body } = await app.call('GET', '/v1/admin/support-cases?state=with_operators&reason=not_proven', { token: admin.token })
  assert.deepEqual(
    body.data.map((one: Record<string, unknown>) => [one['sms_number'], one['alike']]),
    [
      [receipt, 1],
      ['S20000000001', 2],
    ],
  )
  await app.owner.pool.query('update payments set credit_reversed_at = null where id = $1', [fromWire('pay', reference)])
})

test('an error leaves a case with operators as it was, and gives them one whose payer has waited for a minute', async () => {
  const app = await sharedApp()
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  await later(app)
  const one = await reported(app, slug, 'S30000000001', { email: 'kosa@example.com' })
  await age(app, one, 60)
  answering = () => Promise.reject(new Error('a bug'))
  casesLogged()
  await askProviders(app.deps, 10)
  const given = await read(app, admin.token, one)
  assert.deepEqual([given.state, given.because, await mailsTo(app, 'kosa@example.com')], ['with_operators', 'no_answer', 1])
  assert.deepEqual(casesLogged(), ['case.question_failed undefined', 'case.escalated no_answer'])
  await app.owner.pool.query(`update support_cases set escalated_because = 'still_open' where id = $1`, [one.id])
  await age(app, one, 300)
  await askProviders(app.deps, 10)
  assert.equal((await read(app, admin.token, one)).because, 'still_open')
  assert.deepEqual(casesLogged(), ['case.question_failed undefined'])
})

test('an answer that comes after a person or another process has moved the case changes nothing, and mails nothing', async () => {
  const app = await sharedApp()
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  await later(app)
  // An operator decides while the question is under way.
  const decided = await reported(app, slug, 'S40000000001', { email: 'amua@example.com' })
  await age(app, decided, 60)
  answering = async () => ({ kind: 'not_found' })
  await askProviders(app.deps, 10)
  await age(app, decided, 300)
  answering = async () => {
    const path = `/v1/admin/support-cases/${/case_\w+/.exec(decided.path)![0]}/close`
    const closed = await app.call('POST', path, {
      token: admin.token,
      body: { decision: 'other', note: 'x', message: 'Imekwisha.' },
    })
    assert.equal(closed.status, 200, JSON.stringify(closed.body))
    return { kind: 'not_found' }
  }
  casesLogged()
  await askProviders(app.deps, 10)
  const closed = await read(app, admin.token, decided)
  assert.deepEqual([closed.state, closed.inSeconds, closed.answers], ['closed', null, [['not_found', null]]])
  assert.equal(await mailsTo(app, 'amua@example.com'), 2, 'that operators have it, and that they have decided')
  assert.deepEqual(casesLogged(), [])

  // A second process asks after the lease of the first, which then fails.
  const twice = await reported(app, slug, 'S40000000002', { email: 'mbili@example.com' })
  await age(app, twice, 60)
  answering = async () => {
    await age(app, twice, 0)
    answering = async () => ({ kind: 'not_found' })
    await askProviders(app.deps, 10)
    throw new Error('too late')
  }
  casesLogged()
  await askProviders(app.deps, 10)
  const asked = await read(app, admin.token, twice)
  assert.deepEqual(
    [asked.because, asked.answers, await mailsTo(app, 'mbili@example.com')],
    ['not_found', [['not_found', null]], 1],
  )
  assert.deepEqual(casesLogged(), ['case.escalated not_found', 'case.question_failed undefined'])
})
