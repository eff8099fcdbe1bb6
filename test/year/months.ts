/** Monthly events: statements, the replacement of keys and secrets, a new person with documents. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Dice } from '../faults/model-clients.ts'
import { submitKyc, upload } from '../onboarding.ts'
import type { ScheduledAction } from './late-payers.ts'
import { must, register, signInAgain, tokenOf, type YearMerchant } from './merchants.ts'
import { note, type Report } from './report.ts'
import type { Service } from './service.ts'

const hourMs = 3_600_000

/**
 * Runs the operator's command line with the year's settings and clock; a backup uses the machine's time, as the log of commits
 * does.
 */
export async function ops(service: Service, ...words: string[]): Promise<string> {
  const moved = words[0] === 'backup' ? [] : ['--import', join(import.meta.dirname, 'moved-time.ts')]
  const { stdout } = await promisify(execFile)('node', [...moved, 'server/start/ops.ts', ...words], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      PATH: process.env['PATH'],
      ...service.settings,
      YEAR_AHEAD_MS: String(service.clock.aheadMs()),
      NODE_COMPILE_CACHE: join(service.folder, 'compiled'),
    },
  })
  return stdout
}

type Statement = {
  opening_balance: number
  closing_balance: number
  total_credits: number
  total_debits: number
  is_final: boolean
}

/** Closing balances of the last statement, by merchant: the next one has to open with them. */
export type Statements = Map<YearMerchant, number>

/** The statement of the month before `day`: final, correct, and continuing from the previous one. */
export async function readStatements(service: Service, merchants: YearMerchant[], day: Date, closed: Statements): Promise<void> {
  const month = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
  for (const merchant of merchants) {
    const token = await tokenOf(service, merchant)
    const path = `/v1/merchant/statement?month=${month}&environment=${merchant.environment}${merchant.businessId ? `&business_id=${merchant.businessId}` : ''}`
    const statement = (await must(service, 200, 'GET', path, { token })) as Statement
    const { opening_balance: opening, closing_balance: closing, total_credits: credits, total_debits: debits } = statement
    assert.ok(statement.is_final, `the statement of ${month} is final`)
    assert.equal(opening + credits - debits, closing, `the statement of ${month} adds up`)
    assert.equal(opening, closed.get(merchant) ?? 0, `the statement of ${month} opens with what the one before closed with`)
    closed.set(merchant, closing)
  }
}

const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64url')}`

/**
 * Replaces the envelope key, the session signing key and the key of the order codes, by the steps of docs/operations/keys.md: add,
 * restart, move. The keys of the month before, which nothing uses since then, are removed with the same restart.
 */
export async function rotateKeys(service: Service, month: string): Promise<void> {
  for (const [ring, letter] of [
    ['ENVELOPE_KEYS', 'e'],
    ['JWT_SIGNING_KEYS', 'j'],
    ['INTEGRITY_KEYS', 'i'],
  ] as const) {
    const inUse = service.settings[ring]!.split(',')[0]
    service.settings[ring] = `${newKey(`${letter}-${month}`)},${inUse}`
  }
  await restart(service)
  await ops(service, 'keys', 'rewrap')
}

async function restart(service: Service): Promise<void> {
  const names = ['worker', 'api'] as const
  await Promise.all(names.map((name) => service.stop(name)))
  await Promise.all(names.map((name) => service.start(name)))
}

/** Gives a merchant another API key, with a day in which the old one also works, and another webhook secret. */
export async function replaceSecrets(service: Service, merchant: YearMerchant): Promise<ScheduledAction[]> {
  const token = await signInAgain(service, merchant)
  const before = merchant.key
  const rolled = await must(service, 200, 'POST', `/developers/keys/${merchant.keyId}/roll`, {
    token,
    body: { grace_seconds: 86_400 },
  })
  ;[merchant.keyId, merchant.key] = [rolled.id, rolled.key]
  const { secret } = await must(service, 200, 'POST', `/developers/apps/${merchant.appId}/webhook/rotate`, { token, body: {} })
  merchant.receiver.learn(secret)
  const look = async (status: number): Promise<void> =>
    assert.equal((await service.call('GET', '/v1/balance', { key: before })).status, status, 'a key that was replaced')
  const replacedAt = service.clock.now()
  return [
    { at: replacedAt + 20 * hourMs, what: `the old key of ${merchant.name} works for a day`, act: () => look(200) },
    { at: replacedAt + 25 * hourMs, what: `the old key of ${merchant.name} works for a day only`, act: () => look(401) },
  ]
}

/** Refusals of a document that the busy machine could not check in time. */
const notSeen = [400, 503]
const mostTries = 20

async function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (tries === mostTries || !notSeen.includes((error as { actual?: number }).actual ?? 0)) throw error
    }
  }
}

/** A new person, whose documents wait for an operator; and one upload that is never submitted. */
export async function addPerson(service: Service, name: string, dice: Dice, report: Report): Promise<void> {
  const { token } = await register(service, name, dice)
  // An upload that is never submitted is deleted in time.
  await patiently(() => upload(service, { token }, '/v1/kyc', 'selfie'))
  const submitted = await patiently(() => submitKyc(service, { token }))
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
  note(report, 'people who submitted documents')
}
