/** The two operators of the year: each night they decide on every break by the provider's truth, and on every waiting review. */
import assert from 'node:assert/strict'
import { createAdmin } from '../../server/accounts/identity/create-admin.ts'
import { createPasswords } from '../../server/accounts/identity/password.ts'
import type { Db } from '../../server/platform/db/db.ts'
import { createSealer } from '../../server/platform/crypto/secrets.ts'
import { codeNow } from '../app.ts'
import { must, type YearMerchant } from './merchants.ts'
import type { Asked } from './payers.ts'
import { note, type Report } from './report.ts'
import type { Service } from './service.ts'
import type { Truth } from './wallets.ts'

export type Operator = { email: string; password: string; secret: string }

export async function createOperator(service: Service, db: Db, name: string): Promise<Operator> {
  const { config } = service
  const deps = { db, config, sealer: createSealer(config.keys.envelope), passwords: createPasswords() }
  const email = `${name}@operators.example.com`
  const { password, secret } = await createAdmin(deps, { email, fullName: name })
  assert.ok(password)
  return { email, password, secret }
}

/** An operator's session lasts for eight hours: each night begins with a sign-in. */
export async function signIn(service: Service, { email, password, secret }: Operator): Promise<string> {
  // A code works once: the next one comes with the next half minute.
  await service.clock.forward(30_000)
  const { challenge_token } = await must(service, 200, 'POST', '/v1/auth/login', { body: { identifier: email, password } })
  const { access_token } = await must(service, 200, 'POST', '/v1/auth/2fa/verify', {
    body: { challenge_token, code: codeNow(secret) },
  })
  return access_token
}

type OpenBreak = {
  id: string
  kind: string
  environment: string
  payment_reference: string | null
  payout_id: string | null
  provider_reference: string | null
  resolutions: string[]
  evidence: Record<string, unknown>
}

/** What the operators know beside the service: who asked for what, and which payments of a merchant ended without money. */
export type Desk = { truth: Truth; asked: Asked[]; report: Report }

/** The provider's record of the subject of a break. */
async function readSubject(service: Service, one: OpenBreak): Promise<{ charge: any; payout: any }> {
  const query =
    one.payment_reference !== null
      ? `metadata.malipo_payment=${one.payment_reference}`
      : one.payout_id !== null
        ? `metadata.malipo_payout=${one.payout_id}`
        : `reference=${one.provider_reference}`
  const { charges, payouts } = (await (await fetch(`${service.simulatorUrl}/__truth?${query}`)).json()) as {
    charges: any[]
    payouts: any[]
  }
  const its = (records: any[]): any => records.find(({ reference }) => reference === one.provider_reference) ?? records[0]
  return { charge: its(charges), payout: its(payouts) }
}

/** Where several decisions are right, operators take them in turn. */
const turns = new Map<string, number>()
function inTurn(kind: string, ways: string[]): string[] {
  const turn = turns.get(kind) ?? 0
  turns.set(kind, turn + 1)
  return [...ways.slice(turn % ways.length), ...ways.slice(0, turn % ways.length)]
}

/** A decision on the provider's record has booked its money, before the payout came back with the same key. */
const isBookedElsewhere = ({ evidence }: OpenBreak): boolean =>
  evidence['reason'] === 'lost_record_decided' || ['debit_wallet', 'write_off'].includes(String(evidence['decided_before']))

/** They decide about our payout; whose money the provider's record is stays as it was. */
const leavesRecord = new Set(['payout_not_paid', 'provider_was_wrong', 'ask_again'])

/** In order of preference: the first one that a break of its kind offers is proposed. */
function preferred(one: OpenBreak, { charge, payout }: { charge: any; payout: any }): string[] {
  const isPaid = payout?.status === 'completed' && !isBookedElsewhere(one)
  switch (one.kind) {
    case 'amount_differs':
      return inTurn(one.kind, ['credit_payment', 'return_to_payer'])
    case 'charge_unknown':
      return charge ? ['ask_again', 'already_settled'] : ['not_charged']
    case 'payout_unknown':
    case 'payout_amount_differs':
    case 'payout_reference_conflict':
      if (payout?.status === 'pending') return ['ask_again']
      return isPaid ? ['payout_paid', 'already_settled'] : ['payout_not_paid', 'already_settled']
    case 'payout_contradicts':
      return isPaid
        ? [...inTurn(one.kind, ['payout_paid_after_all', 'write_off']), 'already_settled']
        : ['payout_returned', 'already_settled']
    case 'unknown_at_provider':
      return payout
        ? [...inTurn('unknown order', ['debit_wallet', 'write_off']), 'already_settled']
        : [...inTurn('unknown money', ['credit_to_payment', 'return_to_payer', 'keep_unallocated']), 'already_settled']
    case 'reference_conflict':
      return [...inTurn(one.kind, ['refund_second_charge', 'keep_unallocated']), 'already_settled']
    case 'fee_differs':
      // A fee that differs from the provider's is left to its list, which contains the right one.
      return one.evidence['fee'] === (charge ?? payout)?.fees ? ['book_fee'] : ['provider_was_wrong']
    case 'missing_at_provider':
    case 'settled_differs':
      return ['follow_provider', 'already_settled']
    default:
      return []
  }
}

type Named = { parameters?: Record<string, string>; owner: YearMerchant | null | undefined }

/** What a resolution names, and whose money the provider's record then is; undefined if there is nothing to name. */
async function nameFor(service: Service, resolution: string, one: OpenBreak, { asked, truth }: Desk): Promise<Named | undefined> {
  if (['keep_unallocated', 'return_to_payer', 'refund_second_charge', 'write_off'].includes(resolution)) return { owner: null }
  const ofEnvironment = asked.filter(({ merchant }) => merchant.environment === one.environment)
  if (resolution === 'debit_wallet') {
    const { payout } = await readSubject(service, one)
    const owner = truth.askedBy.get(payout?.metadata.malipo_payout) ?? ofEnvironment.at(-1)?.merchant
    return owner && { owner, parameters: { merchant_id: owner.wireId } }
  }
  if (resolution !== 'credit_to_payment') return { owner: undefined }
  // First those whose own payer pays later: that is a second charge then.
  const isFirst = ({ reference }: Asked): number => (truth.paysLater.has(reference) ? 0 : 1)
  for (const { reference, merchant } of ofEnvironment.toReversed().toSorted((one, other) => isFirst(one) - isFirst(other))) {
    const { body } = await service.call('GET', `/v1/payments/${reference}/status`)
    if (['failed', 'voided', 'expired'].includes(body.data?.status))
      return { owner: merchant, parameters: { payment_reference: reference } }
  }
  return undefined
}

/**
 * Proposes the decision that the provider's truth requires. One that is impossible in the current state is refused with 409, and
 * the next one is tried.
 */
async function decideBreak(service: Service, tokens: [string, string], one: OpenBreak, desk: Desk): Promise<void> {
  const subject = await readSubject(service, one)
  // They call the provider about an order that it does not carry out, and it does.
  const isStuck = one.kind === 'payout_unknown' && subject.payout?.status === 'pending'
  if (isStuck) await service.control('POST', `/payouts/${subject.payout.reference}/answer`, { action: 'complete' })
  const ways = [...new Set([...preferred(one, subject), ...one.resolutions])].filter((way) => one.resolutions.includes(way))
  const path = `/v1/admin/breaks/${one.id}`
  const note = `The provider says ${subject.charge?.status ?? subject.payout?.status ?? 'nothing'}.`
  const [first, second] = tokens
  for (const resolution of ways) {
    const named = await nameFor(service, resolution, one, desk)
    if (!named) continue
    const { owner, ...parameters } = named
    const proposed = await service.call('POST', `${path}/propose`, { token: first, body: { resolution, note, ...parameters } })
    // It needs parameters, or is impossible now.
    if ([400, 409].includes(proposed.status)) continue
    assert.equal(proposed.status, 200, `${one.kind}: ${resolution} is proposed: ${JSON.stringify(proposed.body)}`)
    const body = { resolution, proposed_at: proposed.body.data.proposal.proposed_at }
    const confirmed = await service.call('POST', `${path}/confirm`, { token: second, body })
    if (confirmed.status === 200) {
      const reference = one.provider_reference ?? (subject.charge ?? subject.payout)?.reference
      const isTheSame = isBookedElsewhere(one) || leavesRecord.has(resolution)
      if (reference && !isTheSame) desk.truth.decided.push({ reference, owner, at: service.clock.now() })
      return
    }
    assert.ok([409, 503].includes(confirmed.status), `${one.kind}: ${resolution} is confirmed: ${JSON.stringify(confirmed.body)}`)
  }
  // A break that is still open two nights later fails the day.
}

async function decideReviews(service: Service, token: string, report: Report): Promise<void> {
  const waiting = await must(service, 200, 'GET', '/v1/admin/kyc?status=pending&stage=submitted', { token })
  for (const { user_id: userId } of waiting) {
    const { review } = await must(service, 200, 'GET', `/v1/admin/kyc/${userId}`, { token })
    for (const purpose of ['national_id', 'selfie']) {
      const view = await must(service, 200, 'POST', `/v1/admin/kyc/${userId}/documents/${purpose}/view`, { token })
      const picture = await fetch(view.view_url, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(picture.status, 200, 'a document of a review is shown')
      await picture.arrayBuffer()
    }
    const isGood = report.counts.get('people verified') !== undefined
    const body = isGood
      ? { status: 'rejected', reason: 'The photo cannot be read.', version: review?.version ?? 1 }
      : { status: 'verified', version: review?.version ?? 1 }
    await must(service, 200, 'POST', `/v1/admin/kyc/${userId}/verify`, { token, body })
    note(report, isGood ? 'people rejected' : 'people verified')
  }
}

/** One night's work. Signs in only if something waits. */
export async function runNightShift(service: Service, operators: [Operator, Operator], desk: Desk): Promise<void> {
  const { rows } = await service.owner.query<{ breaks: number; reviews: number }>(
    `select (select count(*) from breaks where resolved_at is null)::integer as breaks,
       (select count(*) from verifications where stage = 'submitted')::integer as reviews`,
  )
  const { breaks, reviews } = rows[0]!
  if (breaks + reviews === 0) return
  const tokens: [string, string] = [await signIn(service, operators[0]), await signIn(service, operators[1])]
  if (reviews > 0) await decideReviews(service, tokens[0], desk.report)
  const open = await must(service, 200, 'GET', '/v1/admin/breaks?status=open&limit=100', { token: tokens[0] })
  for (const one of open as OpenBreak[]) await decideBreak(service, tokens, one, desk)
}
