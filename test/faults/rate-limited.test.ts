/** A provider that answers "too many requests" for minutes: stored payments wait, no new ones begin, and nothing is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { askToPay, assertPaidOnce, readBooks, type Asked } from './shop.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('429 for a while: at first payments are stored and wait, then payers are asked to come later, and in the end all is paid once [F49]', async (t) => {
  const app = await startTestApp(t, {
    worker: true,
    settings: { RATE_LIMITS: 'off', CHARGE_CLAIM_LEASE_SECONDS: '2' },
    // A quarter of the real times.
    fixed: { providerBudget: { windowSeconds: 15, patienceMs: 7_500 } },
  })
  const page = await app.page(await app.student())
  const url = app.config.urls.api
  await app.control('PATCH', '/faults', { rates: { createRateLimited: 1 } })
  await app.control('PATCH', '/switches', { rateLimitReset: 'missing' })
  const answers: (Asked & { askedMs: number; answeredMs: number })[] = []
  const startedAt = performance.now()
  const now = (): number => performance.now() - startedAt
  // Until some were asked long after the patience with the first refusal was over, however long each takes.
  while (now() < (answers[0]?.answeredMs ?? 0) + 11_000) {
    const askedMs = now()
    const asked = await askToPay(url, page.slug, `payer-${answers.length}`)
    answers.push({ ...asked, askedMs, answeredMs: now() })
    await sleep(250)
  }
  const early = answers.filter(({ answeredMs }) => answeredMs < 7_000)
  assert.ok(early.length >= 3)
  assert.deepEqual([...new Set(early.map(({ status }) => status))], [201])
  const late = answers.filter(({ askedMs }) => askedMs > answers[0]!.answeredMs + 8_250)
  const refused = late.filter(({ status, code }) => status === 503 && code === 'provider_unavailable')
  assert.ok(late.length >= 3 && refused.length >= (late.length * 2) / 3, JSON.stringify(late))
  const stored = answers.filter(({ status }) => status === 201).length
  assert.deepEqual(await readBooks(app), {
    payments: stored,
    completed: 0,
    unfinished: stored,
    failed: 0,
    credited: 0,
    events: 0,
  })
  const { rows } = await app.owner.pool.query('select distinct status from payments')
  assert.deepEqual(rows, [{ status: 'pending' }])
  assert.deepEqual((await app.truth()).charges, [])

  await app.control('PATCH', '/faults', { rates: { createRateLimited: 0 } })
  await eventually('all that was stored is paid', async () => (await readBooks(app)).completed === stored, 60_000)
  await eventually('new payers are accepted', async () => (await askToPay(url, page.slug, 'later')).status === 201)
  await eventually('and pay', async () => (await readBooks(app)).completed === stored + 1)
  await assertPaidOnce(app, stored + 1)
})
