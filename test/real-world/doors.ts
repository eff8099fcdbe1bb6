/** What the tests of the real world share: one service, its callers, and numbers that no one else has. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { share, startTestApp, type Answer, type CallOptions, type Student, type TestApp } from '../app.ts'
import { paidStudent } from '../fixtures/payouts.ts'

export type Shop = { app: TestApp; owner: Student & { key: string }; slug: string }

/** A service without limits, and a merchant with money and a page. */
export function shareShop(): () => Promise<Shop> {
  const started = share((ending) => startTestApp(ending, { settings: { RATE_LIMITS: 'off' } }))
  let shop: Promise<Shop> | undefined
  const open = async (): Promise<Shop> => {
    const app = await started()
    const owner = await paidStudent(app, 2_000_000)
    return { app, owner, slug: (await app.page(owner, { amount: 500 })).slug }
  }
  return () => (shop ??= open())
}

let given = 0

/** The nine digits of a number that no test of the file has used. At the simulator it pays, and is paid. */
export const freshNumber = (): string => `754${String((given += 1)).padStart(3, '0')}789`

/** A request of a program, with a key of its own. */
export const byKey = ({ app, owner }: Shop, path: string, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  app.call('POST', path, { key: owner.key, headers: { 'idempotency-key': randomUUID() }, body, ...options })

/** A request of a person for the test wallet. */
export const bySession = ({ app, owner }: Shop, method: string, path: string, body?: unknown): Promise<Answer> =>
  app.call(method, `${path}${path.includes('?') ? '&' : '?'}environment=test`, { token: owner.token, body })

/** What was read; null: the request was refused for what it holds. */
export function readOf({ status, body }: Answer, read: (data: any) => string | null): string | null {
  if (status >= 200 && status < 300) return read(body.data)
  assert.ok(status === 400 && /^(validation_error|phone_invalid)$/.test(body.error?.code), JSON.stringify(body))
  return null
}

export const registration = (fields: Record<string, unknown> = {}) => ({
  full_name: 'Asha Mwinyi',
  email: `${randomUUID()}@example.com`,
  phone_number: `0${freshNumber()}`,
  password: 'tembo anakunywa maji mengi',
  student_id: '2023-04-01234',
  institution: 'University of Dar es Salaam',
  ...fields,
})
