/** For tests of payout batches: merchants with money, uploads, and batches that have come to a state. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually, type Answer, type Student, type TestApp } from '../../test/app.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

export type Payer = Student & { key: string }

/** A student with this much in the test wallet, and a key with all permissions. */
export async function richStudent(app: TestApp, amount = 5_000_000): Promise<Payer> {
  const student = await app.student()
  const { key } = await app.key(student)
  await addMoney(app, student, amount)
  return { ...student, key }
}

/** A payment to the student's test wallet. */
export async function addMoney(app: TestApp, student: Student, amount: number): Promise<void> {
  const page = await app.page(student, { amount })
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
}

export type Upload = { key?: string; query?: string; headers?: Record<string, string> }

export function uploadCsv(app: TestApp, key: string, file: string | Uint8Array, upload: Upload = {}): Promise<Answer> {
  return app.call('POST', `/v1/payout-batches${upload.query ?? ''}`, {
    key,
    headers: { 'content-type': 'text/csv', 'idempotency-key': upload.key ?? randomUUID(), ...upload.headers },
    rawBody: file,
  })
}

export function uploadItems(
  app: TestApp,
  key: string,
  items: unknown[],
  fields: Json = {},
  idempotencyKey: string = randomUUID(),
) {
  return app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { items, ...fields },
  })
}

/** A valid row; the last three digits of the number select the outcome at the simulator. */
export const rowOf = (place: number, digits = '789', amount = 10_000): string =>
  `${amount},+255754${String(place).padStart(3, '0')}${digits},Asha ${place}`

export const header = 'amount,phone_number,recipient_name'

export const fileOf = (rows: number, digits = '789', amount = 10_000): string =>
  [header, ...Array.from({ length: rows }, (_, index) => rowOf(index + 1, digits, amount))].join('\n')

export async function readBatch(app: TestApp, key: string, id: string): Promise<Json> {
  const { status, body } = await app.call('GET', `/v1/payout-batches/${id}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

export async function itemsOf(app: TestApp, key: string, id: string, query = ''): Promise<Json[]> {
  const { status, body } = await app.call('GET', `/v1/payout-batches/${id}/items?limit=100${query}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

export const withFees = (app: TestApp, key: string, id: string): Promise<Json> =>
  eventually('the fees are known', async () => {
    const batch = await readBatch(app, key, id)
    return batch.fees !== null && batch
  })

/** Approves the version that is there now. */
export async function approve(app: TestApp, token: string, id: string): Promise<Answer> {
  const path = `/v1/merchant/payout-batches/${id}`
  const { body } = await app.call('GET', `${path}?environment=test`, { token })
  return app.call('POST', `${path}/approve?environment=test`, { token, body: { version: body.data?.version ?? 1 } })
}

/** Uploads a file, waits for its fees and approves it. */
export async function running(app: TestApp, { key, token }: Pick<Payer, 'key' | 'token'>, file: string): Promise<Json> {
  const made = await uploadCsv(app, key, file)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = await withFees(app, key, made.body.data.id)
  const approved = await approve(app, token, id)
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  return approved.body.data
}

export const ended = (app: TestApp, key: string, id: string, status = 'done', withinMs = 30_000): Promise<Json> =>
  eventually(
    `the batch is ${status}`,
    async () => {
      const batch = await readBatch(app, key, id)
      return batch.status === status && batch.finished_at !== null && batch
    },
    withinMs,
  )
