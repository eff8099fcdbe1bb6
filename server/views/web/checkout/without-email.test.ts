/** A payer who gives no e-mail address pays on our own form: none is invented, and everything that reads it copes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp, type TestApp } from '../../../../test/app.ts'
import { erasePayer } from '../../../operations/data-lifecycle/erase-payer.ts'
import { exportPhone } from '../../../operations/data-lifecycle/export-person.ts'
import { openProviders } from '../../../start/dependencies.ts'
import { sweepReceipts } from '../../notifications/sweep-receipts.ts'
import { checkCharges } from '../../../collect/payments/check-charges.ts'
import { fromWire } from '../../../platform/ids.ts'
import { wrapProviders } from '../../../money/providers/provider.ts'

const sharedApp = share((ending) => startTestApp(ending))

const form = { phone_number: '0754 123 789', customer_name: 'Neema Kisusange', idempotency_key: 'k'.repeat(24), lang: 'en' }

/** Sends the hosted form and returns the payment's reference. */
async function payByForm(app: TestApp, slug: string, fields: Record<string, string> = {}): Promise<string> {
  const sent = await app.api.checkout.inject({
    method: 'POST',
    url: `/pay/${slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ ...form, ...fields }).toString(),
  })
  assert.equal(sent.statusCode, 303, sent.payload)
  return /pay_[0-9a-z]{26}/.exec(String(sent.headers['location']))![0]
}

test('a payment without an e-mail address is stored without one, and its merchant reads null everywhere', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 1500 })
  const reference = await payByForm(app, page.slug)
  await app.settled(reference)
  const { rows } = await app.owner.pool.query(
    `select p.customer_name, p.customer_email, c.request_body::json -> 'customer' as sent
     from payments p join provider_charges c on c.home = p.home and c.payment_id = p.id where p.id = $1`,
    [fromWire('pay', reference)],
  )
  // The provider demands an address and gets the operator's; the payer's stays absent.
  assert.deepEqual(rows, [
    {
      customer_name: 'Neema Kisusange',
      customer_email: null,
      sent: { firstname: 'Neema', lastname: 'Kisusange', email: app.config.providerContactEmail },
    },
  ])

  const read = await app.call('GET', `/v1/payments/${reference}`, { key })
  assert.deepEqual(read.body.data.customer, { name: 'Neema Kisusange', email: null, phone_masked: '0754 ••• 789' })
  const { token } = student
  const found = await app.call('GET', '/v1/merchant/payments?environment=test&q=kisusange', { token })
  assert.deepEqual(
    found.body.data.map((one: any) => [one.reference, one.customer.email]),
    [[reference, null]],
  )
  const csv = await app.call('GET', '/v1/merchant/payments?environment=test', { token, headers: { accept: 'text/csv' } })
  assert.match(csv.body, new RegExp(`${reference},.*,Neema Kisusange,,0754 ••• 789,`))
  assert.ok(!csv.body.includes(app.config.providerContactEmail))
  const status = await app.call('GET', `/v1/payments/${reference}/status`)
  assert.ok(!JSON.stringify(status.body).includes('@'))
  const { rows: events } = await app.owner.pool.query(`select data from events where type = 'payment.completed'`)
  assert.equal(events.length, 1)
  assert.ok(!JSON.stringify(events).includes('@'), 'the webhook has no address')

  await eventually('its receipt is decided', async () => {
    await sweepReceipts(app.deps, 100)
    return (await app.owner.pool.query('select from receipts')).rows.length === 1
  })
  assert.deepEqual((await app.owner.pool.query(`select recipient from mails where kind = 'test_receipt'`)).rows, [])

  const exported = await exportPhone({ db: app.db, nowMs: 0 }, '+255754123789')
  assert.deepEqual(
    exported.data['payments']!.map((one) => one['customer_email']),
    [null],
  )
  await erasePayer(app.deps, '+255754123789')
  const erased = await app.call('GET', `/v1/payments/${reference}`, { key })
  assert.equal(erased.body.data.customer.email, null, 'what was absent is not replaced')
})

test('an address is kept and used when it is given, and refused in the form when it is none', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student(), { amount: 1500 })
  const reference = await payByForm(app, page.slug, { customer_email: ' neema@example.com ' })
  const { rows } = await app.owner.pool.query(
    `select p.customer_email, c.request_body::json #>> '{customer,email}' as sent
     from payments p join provider_charges c on c.home = p.home and c.payment_id = p.id where p.id = $1`,
    [fromWire('pay', reference)],
  )
  assert.deepEqual(rows, [{ customer_email: 'neema@example.com', sent: 'neema@example.com' }])
  const wrong = await app.api.checkout.inject({
    method: 'POST',
    url: `/pay/${page.slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ ...form, customer_email: 'neema@' }).toString(),
  })
  assert.equal(wrong.statusCode, 422)
  assert.match(wrong.payload, /<details +open/)
  assert.match(wrong.payload, /id="customer_email-error">[^<]*leave it empty/)
})

test('the public endpoint requires an e-mail address: no field, header or value waives it', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { amount: 1500 })
  const body = { slug: page.slug, phone_number: '0754123789', customer_name: 'Neema', idempotency_key: 'k' }
  const attempts: [fields: Record<string, unknown>, headers?: Record<string, string>][] = [
    [{}],
    [{ customer_email: null }],
    [{ customer_email: '' }],
    [{ customer_email: ' ' }],
    [{ email_optional: true }],
    [{ hosted: true }],
    [{}, { origin: app.config.urls.checkout, referer: `${app.config.urls.checkout}/pay/${page.slug}` }],
    [{}, { 'sec-fetch-site': 'same-origin', cookie: `form=${'k'.repeat(24)}` }],
  ]
  for (const [fields, headers] of attempts) {
    const { status, body: answer } = await app.call('POST', '/v1/payments/checkout', { body: { ...body, ...fields }, headers })
    const what = JSON.stringify([fields, headers])
    assert.deepEqual([status, answer.error.code], [400, 'validation_error'], what)
    assert.ok(
      answer.error.errors.some(({ field }: { field: string }) => field === 'customer_email'),
      what,
    )
  }
  // The form's own type of body is not read by the API.
  const asForm = await fetch(`${app.config.urls.api}/v1/payments/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
  assert.equal(asForm.status, 415)
  assert.deepEqual((await app.truth()).charges, [])
})

test('a charge that is sent again has the bytes of its first time, although the operator’s address has changed', async (t) => {
  let isAway = true
  const sent: string[] = []
  const app = await startTestApp(t, {
    wrap: (deps) => {
      // As if the process had started again with another setting.
      const changed = openProviders({ ...deps.config, providerContactEmail: 'new-address@malipo.example' })
      t.after(async () => {
        for (const { byName } of Object.values(changed)) for (const provider of byName.values()) await provider.close()
      })
      return {
        ...deps,
        providers: wrapProviders(deps.providers, (provider) => ({
          ...provider,
          charge: async (request) => {
            sent.push(request.body)
            if (isAway) return { kind: 'not_sent', reason: 'ECONNREFUSED' }
            return changed.test.byName.get(provider.name)!.charge(request)
          },
        })),
      }
    },
  })
  const page = await app.page(await app.student(), { amount: 1500 })
  const reference = await payByForm(app, page.slug)
  await app.deps.backgroundDone()
  isAway = false
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
  await checkCharges(app.deps, 10)
  await app.settled(reference)
  assert.equal(sent.length, 2)
  assert.equal(sent[1], sent[0])
  assert.ok(sent[0]!.includes(app.config.providerContactEmail))
})
