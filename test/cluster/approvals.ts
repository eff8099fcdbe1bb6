/**
 * A business whose payouts a second member must approve, used during all faults: an approved payout is sent once, a refused one never, and
 * no answered decision is lost.
 */
import assert from 'node:assert/strict'
import { setEmailVerified } from '../../server/accounts/identity/user.sql.ts'
import { fromWire } from '../../server/platform/ids.ts'
import type { Student } from '../app.ts'
import { isOk, oneOf, ask, type Notes } from '../faults/model-clients.ts'
import { isLost, Merchant, PayoutOrder, type Answer } from '../faults/model.ts'
import { addMember, verifiedBusiness } from '../members.ts'
import { settleMs, sleep, type Clients, type Surroundings } from './clients.ts'
import { WalletHistory, type Begun } from './wallet-history.ts'

type Decision = 'approve' | 'refuse'

/** One payout, and what its approver was told. */
type Waiting = { order: PayoutOrder; decision: Decision; wasAsked: boolean; isAnswered: boolean; taken: Begun; left: Begun }

export type Approvals = Clients & {
  /** The answered decisions. */
  counts(): { approved: number; refused: number }
}

const amount = 5_000
/** More than a hundred schedules take, in payments of the largest amount. */
const paid = 9_000_000
const payments = 3
const funds = payments * paid
/** A decision needs a recent sign-in. */
const signInEveryMs = 120_000

type Session = { token(): Promise<string>; end(): void }

/** Signs in again when needed, through either api. */
function session(scene: Notes, someUrl: () => string, { email, password, token }: Student): Session {
  let now = { token, at: performance.now() }
  return {
    async token() {
      if (performance.now() - now.at < signInEveryMs) return now.token
      const body = { identifier: email, password }
      const answer = await ask(scene, someUrl(), { method: 'POST', path: '/v1/auth/login', body })
      if (isOk(answer)) now = { token: answer.data.access_token, at: performance.now() }
      return now.token
    },
    end: () => void (now.at = Number.NEGATIVE_INFINITY),
  }
}

export async function startApprovals({ app, scene, someUrl, surprise, isOver }: Surroundings): Promise<Approvals> {
  const people = [await app.student(), await app.student(), await app.student()] as const
  const [owner, accountant, approver] = people
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  // By the service itself: the workers of the cluster have sealed these rows.
  for (const { userId } of [accountant, approver]) await app.db.tx((tx) => setEmailVerified(tx, fromWire('usr', userId)!))
  await addMember(app, owner, businessId, accountant, 'accountant')
  await addMember(app, owner, businessId, approver, 'approver')
  const path = (rest: string): string => `/v1/merchant${rest}?environment=test&business_id=${businessId}`
  const page = await app.call('POST', path('/payment-pages'), {
    token: owner.token,
    body: { type: 'payment', title: 'Duka', amount: paid },
  })
  assert.equal(page.status, 201, JSON.stringify(page.body))
  for (let count = 0; count < payments; count += 1) {
    const { body } = await app.checkout(page.body.data.slug)
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
  }
  const rule = await app.call('POST', path('/approval-rule'), { token: owner.token, body: { above: 0, approvers: 1 } })
  assert.equal(rule.status, 200, JSON.stringify(rule.body))

  const merchant = new Merchant('business')
  const all: Waiting[] = []
  const wallet = new WalletHistory('the wallet of the business', { available: funds, reserved: 0 })
  const [asOwner, asAccountant, asApprover] = people.map((person) => session(scene, someUrl, person))

  /** An api whose clock is wrong refuses the tokens of the other one, and has done nothing: a client signs in again. */
  async function call(as: Session, method: string, rest: string, more: object = {}): Promise<Answer> {
    const answer = await ask(scene, someUrl(), { method, path: path(rest), token: await as.token(), ...more })
    if (answer.status !== 401) return answer
    as.end()
    return { ...answer, status: 503 }
  }

  /** Asks for the payout; whether it is known to exist. */
  async function request(one: Waiting): Promise<boolean> {
    const { order } = one
    const wasStored = order.isStored()
    const look = order.look()
    order.unanswered += 1
    const answer = await call(asAccountant!, 'POST', '/payouts', {
      body: order.body,
      headers: { 'idempotency-key': order.name },
    })
    if (isLost(answer)) return false
    order.unanswered -= 1
    const repeated = order.isPossible() ? ['200'] : []
    const inProgress = order.unanswered > 0 ? ['409 idempotency_in_progress'] : []
    oneOf(answer, [...(wasStored ? [] : ['201']), ...repeated, ...inProgress], `${order.name} of the business`)
    if (!isOk(answer)) return false
    order.named(answer.data.id, answer.status, wasStored)
    look(answer.data)
    wallet.seen(one.taken)
    assert.equal(answer.data.approval_by, 'members')
    return true
  }

  /** Decides; whether the decision is known to be stored. */
  async function decide(one: Waiting): Promise<boolean> {
    const { order, decision, wasAsked } = one
    one.wasAsked = true
    const reason = decision === 'refuse' ? { reason: 'Not ours' } : {}
    const answer = await call(asApprover!, 'POST', `/approvals/${order.id}/${decision}`, {
      body: { version: 1, ...reason },
    })
    // An earlier request without an answer may have decided.
    oneOf(answer, ['200', ...(wasAsked ? ['409 invalid_state'] : [])], `${decision} ${order.name}`)
    if (isOk(answer)) assert.equal(answer.data.outcome, decision === 'approve' ? 'approved' : 'refused')
    one.isAnswered ||= isOk(answer) || answer.code === 'invalid_state'
    return one.isAnswered
  }

  async function look(one: Waiting): Promise<boolean> {
    const saw = one.order.look()
    const answer = await call(asOwner!, 'GET', `/payouts/${one.order.id}`)
    oneOf(answer, ['200'], one.order.name)
    if (!isOk(answer)) return false
    saw(answer.data)
    const { status, approval } = answer.data
    const decided = one.decision === 'approve' ? 'approved' : 'refused'
    if (one.isAnswered) assert.equal(approval, decided, `the answered decision on ${one.order.name} is lost: it is ${approval}`)
    if (status === 'completed') wallet.seen(one.left)
    if (status === 'cancelled' || status === 'failed') wallet.seenReturned(one.left)
    return status === 'completed' || status === 'cancelled'
  }

  async function carryOut(one: Waiting, mayStop = isOver): Promise<void> {
    const until = async (step: () => Promise<boolean>): Promise<void> => {
      while (!mayStop() && !(await step())) await sleep(200)
    }
    await until(() => request(one))
    await until(() => decide(one))
    await until(() => look(one))
  }

  return {
    wallet,
    async live(round) {
      const open: Promise<void>[] = []
      for (let count = 0; !isOver(); count += 1) {
        const name = `approval-${round}-${count}`
        const body = { amount, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
        const order = new PayoutOrder(merchant, name, amount, body)
        const one: Waiting = {
          order,
          decision: count % 3 === 2 ? 'refuse' : 'approve',
          wasAsked: false,
          isAnswered: false,
          taken: wallet.begin('reserve', name, order.total),
          left: wallet.begin('leave', name, order.total),
        }
        merchant.payouts.push(order)
        all.push(one)
        open.push(carryOut(one).catch(surprise))
        await sleep(2_000)
      }
      await Promise.all(open)
    },
    async settle() {
      const deadline = performance.now() + settleMs
      for (const one of all.filter(({ left }) => left.returned === Number.POSITIVE_INFINITY)) {
        await carryOut(one, () => performance.now() > deadline).catch(surprise)
      }
    },
    async readBalance() {
      const answer = await call(asOwner!, 'GET', '/balance')
      oneOf(answer, ['200'], 'the balance of the business')
      return isOk(answer) ? { available: answer.data.available, reserved: answer.data.reserved } : undefined
    },
    counts: () => ({
      approved: all.filter(({ decision, isAnswered }) => isAnswered && decision === 'approve').length,
      refused: all.filter(({ decision, isAnswered }) => isAnswered && decision === 'refuse').length,
    }),
    async findings() {
      const { payouts } = (await app.truth()) as { payouts: { money_moved: boolean; metadata: { malipo_payout: string } }[] }
      const sent = Map.groupBy(payouts, ({ metadata }) => metadata.malipo_payout)
      return all.flatMap(({ order, decision, isAnswered }) => {
        const there = sent.get(order.id!) ?? []
        const moved = there.filter((one) => one.money_moved).length
        const wanted = decision === 'approve' ? 1 : 0
        const ended = decision === 'approve' ? 'completed' : 'cancelled'
        return [
          ...(isAnswered ? [] : [`${order.name} was never decided`]),
          ...(there.length === wanted && moved === wanted
            ? []
            : [`${order.name}, ${decision}d, was sent ${there.length} times and paid ${moved} times`]),
          ...(order.progress.has(ended) ? [] : [`${order.name} (${order.id}), ${decision}d, was never seen ${ended}`]),
        ]
      })
    },
  }
}
