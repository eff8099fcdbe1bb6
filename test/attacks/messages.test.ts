/** Attacks in the name of a provider: messages that are forged, changed in transit, or sent twice with different content. */
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { attackAll, startAttackedApp } from './attacked-app.ts'

test('a message is verified by its exact bytes, and an event has one content [A49]', async (t) => {
  const app = await startAttackedApp(t)
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000000' })).body.data
  const [charge] = (await app.truth(`?our_reference=${reference}`)).charges
  await app.deps.backgroundDone()
  const secret = app.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  const event = {
    id: `evt_${randomUUID()}`,
    type: 'payment.completed',
    data: {
      reference: charge.reference,
      status: 'completed',
      amount: { value: 1500, currency: 'TZS' },
      metadata: { malipo_payment: reference },
    },
  }
  const body = JSON.stringify(event)
  const now = String(Math.floor(Date.now() / 1000))
  const sign = (text: string, key = secret, at = now) => createHmac('sha256', key).update(`${at}.${text}`).digest('hex')
  const reports =
    (rawBody: string, signature: string, timestamp = now, environment = 'test') =>
    () =>
      app.call('POST', `/v1/providers/snippe/${environment}/webhook`, {
        rawBody,
        headers: { 'content-type': 'application/json', 'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp },
      })
  const forged = '401 invalid_signature'
  const pretty = JSON.stringify(event, null, 2)
  await attackAll(app, [
    { name: 'no signature', send: reports(body, ''), expects: forged },
    { name: 'another secret', send: reports(body, sign(body, 'x'.repeat(44))), expects: forged },
    { name: 'the same content in another format', send: reports(pretty, sign(body)), expects: forged },
    { name: 'a larger amount', send: reports(body.replace('1500', '9500'), sign(body)), expects: forged },
    { name: 'another time', send: reports(body, sign(body), String(Number(now) + 1)), expects: forged },
    { name: 'half a signature', send: reports(body, sign(body).slice(0, 32)), expects: forged },
    { name: 'a signature that is no hexadecimal', send: reports(body, 'z'.repeat(64)), expects: forged },
    { name: 'the other environment', send: reports(body, sign(body), now, 'live'), expects: forged },
    { name: 'signed nonsense', send: reports('{"id":', sign('{"id":')), expects: '400 invalid_json' },
  ])
  // A version that settles nothing: its amount differs from the charge's.
  const other = JSON.stringify({ ...event, data: { ...event.data, reference: 'SN-unknown', metadata: {} } })
  await reports(other, sign(other))()
  await app.attack({ name: 'the same event with other content', send: reports(body, sign(body)), expects: '409 event_changed' })
})
