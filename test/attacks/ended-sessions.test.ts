/**
 * A session that ends while a request of it waits: once the end was answered, the request makes no power and decides nothing. These operations
 * come from the description of the API, so a new one is tried at once; those of a merchant are in operations.test.ts. Some that make no power
 * are named here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classOf } from '../../server/accounts/identity/operation-classes.ts'
import { sql } from '../../server/platform/db/db.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { short } from '../fixtures/payouts.ts'
import { eventually, startTestApp, type Answer, type Student, type TestApp } from '../app.ts'
import { invitationToken, lastMail, verifyEmail } from '../members.ts'
import { kycBody } from '../onboarding.ts'
import { addressOf, makeOwners, openBreakOf, openCaseOf, placesOf, type Places } from './objects.ts'
import { readRoutes, type Route } from './routes.ts'

const idOf = ({ operation }: Route): string => operation.operationId

/** They make no power, but change what a reviewer is shown of a person, who works on a case, or which sessions live. */
const alsoConfirmed = ['updateMe', 'submitKyc', 'claimReview', 'releaseReview', 'endSession', 'endOtherSessions']

const isConfirmed = (route: Route): boolean =>
  route.method !== 'GET' &&
  (['makes_power', 'decides'].includes(classOf(idOf(route)) ?? '') || alsoConfirmed.includes(idOf(route))) &&
  (route.operation.security?.some((scheme) => 'jwt' in scheme) ?? false) &&
  route.operation['x-permission'] === undefined

type Bodies = Record<string, Record<string, unknown>>

const decision = { status: 'rejected', reason: 'The picture cannot be read.' }
const [reason, note] = [{ reason: 'Asked by the bank.' }, { note: 'Asked by the bank.' }]
const movement = { provider: 'snippe', environment: 'test', kind: 'withdrawal', amount: 1000, reference: 'b-1', ...note }

const decisions: Bodies = {
  decideKyc: decision,
  decideBusiness: decision,
  proposeResolution: { resolution: 'write_off', ...note },
  confirmResolution: { resolution: 'write_off', proposed_at: '2026-01-01T00:00:00.000Z' },
  closeSupportCase: { decision: 'received', ...note },
  removeMerchantLogo: reason,
  startReconciliationRun: { kind: 'recent', environment: 'test', provider: 'snippe' },
  recordProviderMovement: movement,
  suspendMerchant: reason,
  unsuspendMerchant: note,
  suspendPaymentPage: reason,
  unsuspendPaymentPage: note,
  turnSwitch: { state: 'off', ...reason },
  liftPayoutFreeze: { environment: 'test', ...reason },
}

/** Bodies with which a person would change their own account. */
async function changesOf(app: TestApp, person: Student, invitation: string): Promise<Bodies> {
  const email = `new-${person.email}`
  const asked = await app.call('POST', '/v1/auth/contact/change', { token: person.token, body: { email } })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const code = /^\d{6}$/m.exec(await lastMail(app, email, 'email_change'))![0]
  return {
    acceptInvitation: { token: invitation },
    confirmSecondFactor: { code: '123456' },
    disableSecondFactor: { code: '123456' },
    changePassword: { current_password: person.password, password: 'jua la asubuhi mapema' },
    requestContactChange: { phone_number: '+255713000001' },
    confirmContactChange: { code },
    updateMe: { institution: 'SUA' },
    submitKyc: await kycBody(app, person),
  }
}

/** The answer of a request whose session is ended by another transaction while the request is under way. */
async function askWhileEnding(app: TestApp, userId: string, ask: () => Promise<Answer>): Promise<Answer> {
  const of = sql`where user_id = ${fromWire('usr', userId)!}`
  let isAnswered = false
  const { answer } = await app.owner.tx(async (tx) => {
    await tx.rows(sql`update sessions set revoked_at = clock_now(), revoked_reason = 'signed_out' ${of}`)
    const asked = ask().finally(() => void (isAnswered = true))
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually('it waits, or is answered', async () => isAnswered || (await app.owner.rows(waiting)).length > 0)
    return { answer: asked }
  })
  const given = await answer
  await app.owner.rows(sql`update sessions set revoked_at = null, revoked_reason = null ${of}`)
  return given
}

test('a session whose end is answered first makes no power, decides nothing and changes nothing that a reviewer is shown', async (t) => {
  const app = await startTestApp(t)
  const [owner] = await makeOwners(t, app, 1)
  const [admin, person] = [await app.admin(), await app.student({ verified: false })]
  await verifyEmail(app, person.email)
  const invited = await app.call('POST', `/v1/businesses/${owner!.businessId}/members`, {
    token: owner!.token,
    body: { email: person.email, role: 'cashier' },
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const { ofBusiness } = owner!
  const caseId = await openCaseOf(app, ofBusiness.reference)
  const places: Places = {
    ...placesOf(owner!, ofBusiness, await openBreakOf(app, ofBusiness.reference)),
    case_id: { id: caseId, prefix: 'case' },
  }
  const changes = await changesOf(app, person, await invitationToken(app, person.email))
  const entries = async () => (await app.owner.rows(sql`select from audit_log`)).length
  const before = await entries()
  const routes = (await readRoutes(app)).filter(isConfirmed)
  const answers: Record<string, string> = {}
  for (const route of routes) {
    const isOfOperators = route.path.startsWith('/v1/admin/')
    const { token, userId } = isOfOperators ? admin : person
    const body = (isOfOperators ? decisions : changes)[idOf(route)] ?? {}
    const ask = () => app.call(route.method, addressOf(route.path, places), { token, body })
    answers[idOf(route)] = short(await askWhileEnding(app, userId, ask))
  }
  assert.deepEqual(answers, Object.fromEntries(routes.map((route) => [idOf(route), '401 session_inactive'])))
  assert.ok(routes.length > 20, `${routes.length} operations were tried`)
  assert.equal(await entries(), before, 'nothing is done')
})
