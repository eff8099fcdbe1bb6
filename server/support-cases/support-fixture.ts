/** For tests of support cases: payments that the provider has and whose messages never came, and what a payer sees of a case. */
import assert from 'node:assert/strict'
import { eventually, type TestApp } from '../../test/app.ts'

export type CasePage = { status: number; location: string | undefined; text: string }

export async function getPage(app: TestApp, url: string): Promise<CasePage> {
  const answer = await app.api.checkout.inject({ method: 'GET', url })
  return { status: answer.statusCode, location: answer.headers.location as string | undefined, text: answer.payload }
}

export async function postForm(
  app: TestApp,
  url: string,
  fields: Record<string, string>,
  remoteAddress = '127.0.0.1',
): Promise<CasePage> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(fields).toString()
  const answer = await app.api.checkout.inject({ method: 'POST', url, headers, payload, remoteAddress })
  return { status: answer.statusCode, location: answer.headers.location as string | undefined, text: answer.payload }
}

/** Reports a number for a payment; returns the path of the case. */
export async function report(
  app: TestApp,
  reference: string,
  smsNumber: string,
  more: Record<string, string> = {},
): Promise<string> {
  const sent = await postForm(app, `/c/new/${reference}`, { lang: 'en', sms_number: smsNumber, ...more })
  assert.equal(sent.status, 303, sent.text)
  return sent.location!
}

/** A charge in the provider's books, in the names of the wire. */
type TrueCharge = { reference: string; external_reference: string; money_moved: boolean }

/** The charge of a payment in the provider's books. */
export async function chargeOf(app: TestApp, reference: string): Promise<TrueCharge> {
  const charge = (await app.truth(`?metadata.malipo_payment=${reference}`)).charges[0]
  assert.ok(charge, `the provider has a charge of ${reference}`)
  return charge
}

/** What happens to the charge at the provider. No message of it is sent. */
export async function answerCharge(
  app: TestApp,
  reference: string,
  action: 'complete' | 'fail' | 'void' | 'expire',
): Promise<TrueCharge> {
  const charge = await chargeOf(app, reference)
  const response = await fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action, copies: 0 }),
  })
  assert.equal(response.status, 200, await response.text())
  return chargeOf(app, reference)
}

/** A payment that waits for its payer, and the provider has it. `129`: nothing happens by itself. */
export async function openPayment(app: TestApp, slug: string, fields: Record<string, unknown> = {}): Promise<string> {
  const made = await app.checkout(slug, { phone_number: '+255754123129', ...fields })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { reference } = made.body.data
  await eventually('the provider has the charge', async () => {
    const { rows } = await app.owner.pool.query<{ isBound: boolean }>(
      `select provider_reference is not null as "isBound" from provider_charges c join payments p on p.home = c.home and p.id = c.payment_id
       where p.request_id is not null order by p.created_at desc limit 1`,
    )
    return rows[0]?.isBound === true
  })
  return reference
}
