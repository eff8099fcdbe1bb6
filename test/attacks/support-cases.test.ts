/** Attacks on support cases: a flood of reports, guesses of cases and payments, and reports about the payments of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeOf, getPage, openPayment, postForm, report } from '../fixtures/support.ts'
import { share, startTestApp } from '../app.ts'

const sharedApp = share((ending) => startTestApp(ending))

test('a flood of reports about one payment, one phone, one address or one mailbox ends at its limit', async () => {
  const app = await sharedApp()
  const { slug } = await app.page(await app.student())
  const [one, other, third] = [
    await openPayment(app, slug, { phone_number: '+255754100129' }),
    await openPayment(app, slug, { phone_number: '+255754101129' }),
    await openPayment(app, slug, { phone_number: '+255754102129' }),
  ]
  const send = (reference: string, number: number, more: Record<string, string> = {}, address = '10.0.0.1') =>
    postForm(app, `/c/new/${reference}`, { lang: 'en', sms_number: `S4612117${number}`, ...more }, address)
  for (let number = 1000; number < 1005; number += 1) assert.equal((await send(one, number)).status, 303)
  assert.equal((await send(one, 1005)).status, 429)
  // The same number again is the same case: it does not count.
  assert.equal((await send(one, 1000)).status, 303)
  // One mailbox, over several payments.
  for (let number = 1000; number < 1004; number += 1)
    assert.equal((await send(other, number, { email: 'asha@example.com' })).status, 303)
  assert.equal((await send(third, 1000, { email: 'ASHA@example.com' })).status, 303)
  assert.equal((await send(third, 1001, { email: 'asha@example.com' })).status, 429)
  const { rows } = await app.owner.pool.query<{ count: number }>('select count(*)::integer as count from support_cases')
  assert.equal(rows[0]!.count, 10)
  // One network.
  let refused = 0
  for (let place = 0; place < 7; place += 1) {
    const next = await openPayment(app, slug, { phone_number: `+25575420${place}129` })
    for (let number = 2000; number < 2050; number += 1) refused += (await send(next, number)).status === 429 ? 1 : 0
  }
  assert.ok(refused > 300)
  // The next network may still report.
  assert.equal((await send(one, 1000)).status, 429)
  assert.equal((await send(one, 1000, {}, '10.9.0.1')).status, 303)
})

test('a stranger who guesses numbers of a paid payment uses up nothing of its payer', async () => {
  const app = await sharedApp()
  const { slug } = await app.page(await app.student())
  const { reference } = (await app.checkout(slug, { phone_number: '+255754103789' })).body.data
  await app.settled(reference)
  const send = async (number: string, address: string) =>
    (await postForm(app, `/c/new/${reference}`, { lang: 'en', sms_number: number }, address)).status
  for (let guess = 3000; guess < 3005; guess += 1) assert.equal(await send(`S4612117${guess}`, '10.1.0.1'), 303)
  assert.equal(await send('S46121173005', '10.1.0.1'), 429)
  assert.equal(await send((await chargeOf(app, reference)).external_reference, '10.2.0.1'), 303)
})

test('cases and payments cannot be guessed, and guesses are limited', async () => {
  const app = await sharedApp()
  const { slug } = await app.page(await app.student())
  const reference = await openPayment(app, slug)
  const path = await report(app, reference, 'S46121174212')
  const id = /case_[0-9a-z]{26}/.exec(path)![0]
  const guess = `${id.slice(0, -4)}0000`
  const statuses: number[] = []
  for (let tries = 0; tries < 32; tries += 1) statuses.push((await getPage(app, `/c/${guess}`)).status)
  assert.equal(statuses[0], 404)
  assert.equal(statuses.at(-1), 429)
  // A real case is still shown, without the whole number.
  const { status, text } = await getPage(app, path)
  assert.equal(status, 200)
  assert.ok(!text.includes('S46121174212') && text.includes('ending in 4212'))
  const admin = await app.call('GET', `/v1/admin/support-cases/${id}`, {})
  assert.equal(admin.status, 401)
})
