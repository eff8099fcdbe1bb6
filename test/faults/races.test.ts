/** Many requests at once, over several processes: one payment for one key, one credit for one success, one delivery for one event. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually, startTestApp } from '../app.ts'

test('fifty identical checkouts at once through two APIs, twenty times: one payment, one charge, one prompt each time [F06, P32]', async (t) => {
  const fleet = await startFleet(t)
  const apis = [await fleet.api(), await fleet.api()]
  const page = await fleet.app.page(await fleet.app.student())
  for (let round = 0; round < 20; round += 1) {
    const body = JSON.stringify({
      slug: page.slug,
      phone_number: '0754123789',
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: `round-${round}`,
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await fetch(`${apis[index % 2]!.url}/v1/payments/checkout`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        return { status: response.status, body: (await response.json()) as any }
      }),
    )
    const references = new Set(answers.flatMap(({ body }) => body.data?.reference ?? []))
    assert.equal(references.size, 1)
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const { status, body } of answers) {
      assert.ok(
        status === 201 || status === 200 || (status === 409 && body.error.code === 'idempotency_in_progress'),
        JSON.stringify(body),
      )
    }
  }
  await eventually('all are completed', async () => {
    const { rows } = await fleet.app.owner.pool.query(
      `select count(*)::integer as count from payments where status = 'completed'`,
    )
    return rows[0].count === 20
  })
  const { charges } = await fleet.app.truth()
  assert.deepEqual(
    [charges.length, charges.every((charge: any) => charge.prompts === 1 && charge.create_calls === 1)],
    [20, true],
  )
})

test('a provider’s success delivered twenty times at once is one credit and one event [F15, P02]', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  const { body } = await app.checkout(page.slug)
  await app.settled(body.data.reference)
  const { charges } = await app.truth()
  // Once under the same event id, and once under a new id each time.
  for (const new_id of [false, true]) {
    const again = await fetch(`${app.simulatorUrl}/__control/charges/${charges[0].reference}/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ times: 20, concurrently: true, new_id }),
    })
    const body = (await again.json()) as any
    assert.equal(again.status, 200, JSON.stringify(body))
    assert.ok(!/"status":[345]/.test(JSON.stringify(body)), JSON.stringify(body))
  }
  await app.deps.backgroundDone()
  const { rows } = await app.owner.pool.query(
    `select (select count(*) from events where type = 'payment.completed')::integer as events, (select count(*) from ledger_transfers where kind = 'payment')::integer as credits`,
  )
  assert.deepEqual(rows[0], { events: 1, credits: 1 })
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.total, 1500)
})

test('two APIs and two workers share the work: every payment credited once, every event delivered once', async (t) => {
  const received: string[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()).data.reference)
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const fleet = await startFleet(t)
  const apis = [await fleet.api(), await fleet.api()]
  await fleet.worker()
  await fleet.worker()
  const student = await fleet.app.student()
  const { appId } = await fleet.app.key(student)
  const port = (receiver.address() as { port: number }).port
  await fleet.app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: `http://127.0.0.1:${port}/` },
  })
  const page = await fleet.app.page(student)
  const references = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const response = await fetch(`${apis[index % 2]!.url}/v1/payments/checkout`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          slug: page.slug,
          phone_number: '0754123789',
          customer_name: 'Juma',
          customer_email: 'juma@example.com',
          idempotency_key: `k-${index}`,
        }),
      })
      assert.equal(response.status, 201)
      return ((await response.json()) as any).data.reference as string
    }),
  )
  await eventually('every event is received', () => new Set(received).size === 100)
  assert.deepEqual([...received].sort(), [...references].sort())
  const { rows } = await fleet.app.owner.pool.query(
    `select balance::integer from ledger_accounts where kind = 'wallet' and environment = 'test'`,
  )
  assert.equal(rows[0].balance, 100 * 1500)
})

test('a limited page never sells a place twice, and returns a place when a payment fails', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student, { type: 'event', max_payments: 3 })
  // The number waits for a person, so that no place returns while they are being taken.
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.checkout(page.slug, { phone_number: '0754000111' })))
  const taken = answers.filter(({ status }) => status === 201)
  assert.equal(taken.length, 3)
  assert.ok(
    answers
      .filter(({ status }) => status !== 201)
      .every(({ status, body }) => status === 409 && body.error.code === 'page_sold_out'),
  )
  for (const { reference } of (await app.truth()).charges) {
    await app.control('POST', `/charges/${reference}/answer`, { action: 'cancel' })
  }
  for (const { body } of taken) assert.equal((await app.settled(body.data.reference)).status, 'failed')
  assert.equal((await app.checkout(page.slug)).status, 201)
})
