/**
 * A business of the year, with members who come, change and go, a rule for money that leaves, and batches. What its people do next follows
 * from what the service shows them, so it goes on after a restore.
 */
import assert from 'node:assert/strict'
import { createSealer } from '../../server/platform/crypto/secrets.ts'
import { loadConfig } from '../../server/config/config.ts'
import type { Db } from '../../server/platform/db/db.ts'
import type { Answer, Student, TestApp } from '../app.ts'
import type { Dice } from '../faults/model-clients.ts'
import { addMember, verifyEmail } from '../members.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from '../onboarding.ts'
import { makeShop, must, register, signInAgain, tokenOf, verifyPerson, type YearMerchant } from './merchants.ts'
import { signIn, type Operator } from './operators.ts'
import { note, type Report } from './report.ts'
import type { Service } from './service.ts'
import type { Truth } from './wallets.ts'

type Person = { email: string; password: string; refreshToken: string }

export type Business = { shop: YearMerchant; id: string; owner: Person; approver: Person }

/** TZS above which a payout waits for another member; about half of them do. */
const rule = { above: 7_000, approvers: 1 }

/** What the helpers of the members' tests need of an app. */
function asApp(service: Service): TestApp {
  const config = loadConfig(service.settings, {})
  const deps = { sealer: createSealer(config.keys.envelope) }
  return { call: service.call, owner: { pool: service.owner }, config, deps } as unknown as TestApp
}

export async function openBusiness(service: Service, db: Db, dice: Dice, operator: Operator): Promise<Business> {
  const owner = await register(service, 'bibi', dice)
  await verifyPerson(service, db, owner.email)
  await verifyEmail(asApp(service), owner.email)
  const { id } = await registerBusiness(service, owner as unknown as Student)
  const papers = await uploadFour(service, owner as unknown as Student, id)
  assert.equal((await submitBusiness(service, owner as unknown as Student, id, papers)).status, 200)
  const decided = await decideBusiness(service, { token: await signIn(service, operator) }, id, { status: 'verified' })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  const shop = await makeShop(service, { name: 'duka', environment: 'test', businessId: id, wireId: id, ...owner })
  const approver = await register(service, 'neema', dice)
  await addMember(asApp(service), owner, id, approver as unknown as Student, 'approver')
  const business = { shop, id, owner, approver }
  const set = await act(service, business, await tokenOf(service, owner), 'POST', '/approval-rule', { body: rule })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  return business
}

type Acted = { body?: unknown; headers?: Record<string, string> }

const act = (
  service: Service,
  { id }: Business,
  token: string,
  method: string,
  path: string,
  more: Acted = {},
): Promise<Answer> =>
  service.call(method, `/v1/merchant${path}${path.includes('?') ? '&' : '?'}environment=test&business_id=${id}`, {
    token,
    ...more,
  })

/** The approver approves most of what waits, refuses some, and forgets the rest, which ends after 72 hours. */
export async function decideApprovals(service: Service, business: Business, dice: Dice, report: Report): Promise<void> {
  const seen = await tokenOf(service, business.approver)
  const { body } = await act(service, business, seen, 'GET', '/approvals?limit=100')
  const waiting = (body.data as { id: string; version: number; may_decide: boolean }[]).filter((one) => one.may_decide)
  if (waiting.length === 0) return
  const token = await signInAgain(service, business.approver)
  for (const { id, version } of waiting) {
    const drawn = dice.next()
    if (drawn > 0.6) continue
    const verdict = drawn < 0.45 ? 'approve' : 'refuse'
    const sent = { version, ...(verdict === 'refuse' && { reason: 'Not this one.' }) }
    const answer = await act(service, business, token, 'POST', `/approvals/${id}/${verdict}`, { body: sent })
    assert.ok([200, 409].includes(answer.status), `${verdict} ${id}: ${JSON.stringify(answer.body)}`)
    if (answer.status === 200) note(report, `approvals: members ${verdict}`)
  }
}

/** The owner makes batches, submits drafts, and stops some that wait or run. */
export async function workOnBatches(
  service: Service,
  business: Business,
  { dice, report, name }: { dice: Dice; report: Report; name: string },
): Promise<void> {
  const seen = await tokenOf(service, business.owner)
  const { body } = await act(service, business, seen, 'GET', '/payout-batches?limit=20')
  const open = (body.data as { id: string; status: string }[]).filter(({ status }) =>
    ['draft', 'waiting', 'running'].includes(status),
  )
  const makesOne = dice.next() < 0.25
  if (open.length === 0 && !makesOne) return
  const token = await signInAgain(service, business.owner)
  for (const { id, status } of open) {
    if (status === 'draft') {
      const sent = await act(service, business, token, 'POST', `/payout-batches/${id}/submit`, { body: {} })
      note(
        report,
        sent.status === 200 ? 'batches: submitted' : `batches: not submitted: ${sent.status} ${sent.body.error?.message}`,
      )
    } else if (dice.next() < 0.15) {
      const stopped = await act(service, business, token, 'POST', `/payout-batches/${id}/stop`, { body: {} })
      if (stopped.status === 200) note(report, `batches: stopped while ${status}`)
    }
  }
  if (!makesOne) return
  const items = Array.from({ length: 2 + dice.below(3) }, (_, row) => ({
    amount: 5_000 + 100 * dice.below(20),
    phone_number: `+255754${String(dice.below(1000)).padStart(3, '0')}${dice.one(['123', '123', '089', '139', '309'])}`,
    recipient_name: `Mfanyakazi ${row}`,
  }))
  const made = await act(service, business, token, 'POST', '/payout-batches', {
    body: { items },
    headers: { 'idempotency-key': name },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  note(report, 'batches: made')
}

/** Learns which payouts the rows of its batches have become. */
export async function readBatches(service: Service, business: Business, truth: Truth): Promise<void> {
  const { rows } = await service.owner.query<{ id: string }>(
    `select wire_id('po', p.id) as id from payouts p where p.batch_id is not null`,
  )
  for (const { id } of rows) truth.askedBy.set(id, business.shop)
}

type Listed = { id: string; email: string; role: string; status: string }

/** In turn: a person is invited and accepts as an approver, is made an accountant, and is removed. */
export async function changeMembers(
  service: Service,
  business: Business,
  name: string,
  dice: Dice,
  report: Report,
): Promise<void> {
  const token = await signInAgain(service, business.owner)
  const path = `/v1/businesses/${business.id}/members`
  const members = (await must(service, 200, 'GET', path, { token })) as Listed[]
  const guest = members.find(({ email, status }) => email.startsWith('guest-') && status === 'active')
  if (!guest) {
    const person = await register(service, name, dice)
    await addMember(asApp(service), { token }, business.id, person as unknown as Student, 'approver')
    note(report, 'members: invited')
  } else if (guest.role === 'approver') {
    await must(service, 200, 'PATCH', `${path}/${guest.id}`, { token, body: { role: 'accountant' } })
    note(report, 'members: made an accountant')
  } else {
    await must(service, 200, 'DELETE', `${path}/${guest.id}`, { token })
    note(report, 'members: removed')
  }
}
