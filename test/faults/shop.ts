/**
 * Shared helpers of the fault cases: a merchant to pay, a payer who follows the client documentation, and the contents of our
 * books.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { TestApp } from '../app.ts'

/** A number that pays automatically, and one that waits for a person. */
export const paying = '0754123789'
export const waiting = '0754000111'

export type Asked = { status: number; reference: string | undefined; code: string | undefined; ms: number }

/** One request for one payment; status 0 means no answer. */
export async function askToPay(url: string, slug: string, name: string, phone = paying): Promise<Asked> {
  const startedAt = performance.now()
  try {
    const response = await fetch(`${url}/v1/payments/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        slug,
        phone_number: phone,
        customer_name: 'Juma',
        customer_email: 'juma@example.com',
        idempotency_key: name,
      }),
      signal: AbortSignal.timeout(40_000),
    })
    const body = (await response.json()) as { data?: { reference: string }; error?: { code: string } }
    return { status: response.status, reference: body.data?.reference, code: body.error?.code, ms: performance.now() - startedAt }
  } catch {
    return { status: 0, reference: undefined, code: undefined, ms: performance.now() - startedAt }
  }
}

/** Repeats the same request under the same name until it is accepted; returns all answers. */
export async function insistToPay(url: () => string, slug: string, name: string, phone = paying): Promise<Asked[]> {
  const answers: Asked[] = []
  const deadline = performance.now() + 90_000
  for (;;) {
    const answer = await askToPay(url(), slug, name, phone)
    answers.push(answer)
    if (answer.status === 200 || answer.status === 201) return answers
    assert.ok(
      answer.status === 503 || answer.status === 0 || answer.status === 409,
      `${name} was answered ${answer.status} ${answer.code}`,
    )
    assert.ok(performance.now() < deadline, `${name} was not taken in 90 seconds`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The person at the phone pays every waiting prompt. */
export async function payAll(app: TestApp): Promise<number> {
  const { charges } = await app.truth('?status=pending')
  for (const { reference } of charges) {
    await app.control('POST', `/charges/${reference}/answer`, { action: 'pin', pin: '1234' })
  }
  return charges.length
}

export type Books = { payments: number; completed: number; unfinished: number; failed: number; credited: number; events: number }

export async function readBooks(app: TestApp): Promise<Books> {
  const { rows } = await app.owner.pool.query<Books>(
    `select count(*)::integer as payments, (count(*) filter (where status = 'completed'))::integer as completed,
       (count(*) filter (where status in ('pending', 'processing')))::integer as unfinished,
       (count(*) filter (where status in ('failed', 'expired', 'voided')))::integer as failed,
       (select coalesce(sum(balance), 0) from ledger_accounts where kind = 'wallet')::integer as credited,
       (select count(*) from events where type = 'payment.completed')::integer as events
     from payments`,
  )
  return rows[0]!
}

/** The payments in the provider's books equal the money of the merchants, and no payer was charged twice. */
export async function assertPaidOnce(app: TestApp, payments: number): Promise<void> {
  const { charges } = await app.truth()
  assert.equal(charges.length, payments)
  const paid = charges.filter((charge: { money_moved: boolean }) => charge.money_moved)
  assert.equal(
    (await readBooks(app)).credited,
    paid.reduce((sum: number, charge: { amount: number }) => sum + charge.amount, 0),
  )
  for (const { prompts } of charges) assert.equal(prompts, 1)
}

/** A receiver of webhooks that answers 200 after a while, and remembers the event id of each payment. */
export async function startReceiver(
  t: TestContext,
  answerAfterMs = 0,
): Promise<{ url: string; received: Map<string, Set<string>> }> {
  const received = new Map<string, Set<string>>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, data } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; data: { reference: string } }
      received.set(data.reference, (received.get(data.reference) ?? new Set()).add(id))
      setTimeout(() => response.end(), answerAfterMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
}
