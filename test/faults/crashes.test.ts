/** Processes that die at each step between a payer's tap and the merchant's money: nothing is lost, doubled or guessed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Step } from './start-with-faults.ts'
import { startFleet, type Fleet } from '../fleet.ts'
import { eventually } from '../app.ts'

const order = (slug: string, phone = '0754123789') => ({
  slug,
  phone_number: phone,
  customer_name: 'Juma',
  customer_email: 'juma@example.com',
  idempotency_key: 'order-1',
})

async function post(url: string, body: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/v1/payments/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  })
  return { status: response.status, body: await response.json() }
}

/** Compares the payments in the simulator's books with the merchants' money in the ledger. */
async function booksAgree({ app }: Fleet, paid: { payments: number; total: number }): Promise<void> {
  const { charges } = await app.truth()
  const moved = charges.filter((charge: any) => charge.money_moved)
  assert.equal(moved.length, paid.payments)
  assert.equal(
    moved.reduce((sum: number, charge: any) => sum + charge.amount, 0),
    paid.total,
  )
  const { rows } = await app.owner.pool.query(
    `select coalesce(sum(balance), 0)::integer as total from ledger_accounts where kind = 'wallet'`,
  )
  assert.equal(rows[0].total, paid.total)
}

async function completed({ app }: Fleet): Promise<{ reference: string }> {
  return eventually('the payment is completed', async () => {
    const { rows } = await app.owner.pool.query(`select count(*)::integer as count from payments where status = 'completed'`)
    return rows[0].count === 1 && { reference: '' }
  })
}

const checkoutSteps: [Step, string][] = [
  ['before S1', 'before anything is stored: no payment, and the same request makes one'],
  ['after S1', 'after storing, before calling: the charge is sent once, by another process'],
  ['after S2', 'after calling, before recording: the provider has one charge, and it is found again'],
  ['after S3', 'after recording, before answering: the same request gets the same payment'],
]

for (const [step, sentence] of checkoutSteps) {
  test(`kill -9 ${sentence} [F01, F02, F03, F04]`, async (t) => {
    const fleet = await startFleet(t)
    const student = await fleet.app.student()
    const page = await fleet.app.page(student)
    const first = await fleet.api(step)
    const request = post(first.url, order(page.slug)).catch(() => undefined)
    await first.reached
    await first.kill()
    assert.equal(await request, undefined)
    const stored = (await fleet.app.owner.pool.query('select id from payments')).rows
    assert.equal(stored.length, step === 'before S1' ? 0 : 1)

    const second = await fleet.api()
    await fleet.worker()
    const retried = await post(second.url, order(page.slug))
    assert.equal(retried.status, step === 'before S1' ? 201 : 200)
    await completed(fleet)
    const { charges } = await fleet.app.truth()
    assert.equal(charges.length, 1, 'one charge at the provider')
    assert.equal(charges[0].prompts, 1, 'one prompt on the payer’s phone')
    await booksAgree(fleet, { payments: 1, total: 1500 })
  })
}

const messageSteps: [Step, string][] = [
  ['before C2', 'after receiving the provider’s success and before storing it: the provider sends it again'],
  ['after C2', 'between the provider’s success and our commit, with its message stored'],
  ['before C4', 'just before the credit is committed'],
  ['after C4', 'just after the credit is committed'],
]

for (const [step, sentence] of messageSteps) {
  test(`kill -9 ${sentence}: credited once [F23, F24, P25]`, async (t) => {
    // The poll is far away: the credit comes from the stored message, or from the provider’s own retry of it.
    const simulator = { webhookDelaysMs: [0, 1_000, 1_000, 2_000, 4_000, 8_000] }
    const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '300' }, { simulator })
    const page = await fleet.app.page(await fleet.app.student())
    const first = await fleet.api(step)
    const answer = await post(first.url, order(page.slug))
    assert.equal(answer.status, 201)
    await first.reached
    await first.kill()
    const credits = async () =>
      Number((await fleet.app.owner.pool.query(`select count(*) from ledger_transfers where kind = 'payment'`)).rows[0].count)
    assert.equal(await credits(), step === 'after C4' ? 1 : 0)
    await fleet.api()
    await fleet.worker()
    // Rows that the sweep would find ten seconds later become due now.
    await fleet.app.owner.pool.query(
      `update provider_inbox set next_attempt_at = clock_now() - interval '1 second' where state = 'received'`,
    )
    await completed(fleet)
    assert.equal(await credits(), 1)
    await booksAgree(fleet, { payments: 1, total: 1500 })
  })
}

test('kill -9 of the API while the credit waits for a lock in the database: credited once, whichever process commits', async (t) => {
  const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '300' })
  const page = await fleet.app.page(await fleet.app.student())
  const first = await fleet.api()
  const { body } = await post(first.url, order(page.slug, '0754000111'))
  assert.equal(body.data.status, 'pending')
  const charge = (await fleet.app.truth()).charges[0]
  const lock = await fleet.app.owner.pool.connect()
  await lock.query('begin; select 1 from payments for update')
  await fleet.app.control('POST', `/charges/${charge.reference}/answer`, { action: 'pin', pin: '1234' })
  await eventually('the settling statement waits', async () => {
    const { rows } = await fleet.app.owner.pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  })
  await first.kill()
  await lock.query('rollback')
  lock.release()
  await fleet.api()
  await fleet.worker()
  await fleet.app.owner.pool.query(
    `update provider_inbox set next_attempt_at = clock_now() - interval '1 second' where state = 'received'`,
  )
  await completed(fleet)
  await booksAgree(fleet, { payments: 1, total: 1500 })
})

test('kill -9 of a worker that has sent a charge marked as never sent: no process treats the charge as one that never left', async (t) => {
  const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '300' })
  const page = await fleet.app.page(await fleet.app.student())
  const api = await fleet.api()
  const { body } = await post(api.url, order(page.slug, '0754000111'))
  assert.equal(body.data.status, 'pending')
  // As if the provider could not be reached at first: the provider knows no charge, and the charge certainly never left us.
  const sql = (text: string) => fleet.app.owner.pool.query(text)
  await sql('delete from provider_references')
  await sql(
    `update provider_charges set state = 'unsent', provider_reference = null, next_attempt_at = clock_now() - interval '1 second'`,
  )
  const first = await fleet.worker('after S2')
  await first.reached
  await first.kill()
  // The minute in which such a charge is retried is over when the next worker checks.
  await sql(`update payments set created_at = created_at - interval '2 minutes', expires_at = expires_at - interval '2 minutes'`)
  await sql(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
  await fleet.worker()
  await eventually(
    'it is known at the provider again',
    async () => (await sql(`select 1 from provider_charges where provider_reference is not null`)).rows.length === 1,
  )
  assert.equal((await sql('select status from payments')).rows[0].status, 'pending')
  assert.equal((await fleet.app.truth()).charges.length, 1)
})
