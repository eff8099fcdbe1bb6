/** Cases of payers who say that money was taken: what the machine answers, with which proof, and what it gives to operators. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, constants } from 'node:zlib'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { openCaseOf } from '../../../test/attacks/objects.ts'
import { verifiedBusiness } from '../../../test/members.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { exportPhone } from '../../operations/data-lifecycle/export-person.ts'
import { settlementOf } from '../payments/settlement.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { contentSecurityPolicy, scripts, style } from '../../views/web/checkout/look.ts'
import { askProviders } from './ask-providers.ts'
import { disagree } from './open-case.ts'
import { pruneCases } from './support-case.sql.ts'
import { readSmsNumber } from './read-sms.ts'
import { caseMoves } from './support-case.ts'
import { answerCharge, chargeOf, getPage, openPayment, passMinute, postForm, report } from '../../../test/fixtures/support.ts'

const sharedApp = share((ending) =>
  startTestApp(ending, {
    worker: true,
    settings: {
      RATE_LIMITS: 'off',
      PAYMENT_CHECK_DELAYS_SECONDS: '600',
      SUPPORT_PHONE: '+255222123456',
      SUPPORT_EMAIL: 'msaada@malipo.example',
    },
  }),
)

async function shop(app: TestApp): Promise<{ slug: string; student: Awaited<ReturnType<TestApp['student']>> }> {
  const student = await app.student()
  return { slug: (await app.page(student)).slug, student }
}

/** The page of a case once it shows one of these titles. */
function shows(app: TestApp, path: string, pattern: RegExp): Promise<string> {
  return eventually(`the case shows ${pattern}`, async () => {
    const { text } = await getPage(app, path)
    return pattern.test(text) && text
  })
}

const statusOf = async (app: TestApp, reference: string): Promise<string> =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status

test('the moves of a case are those of the table', async () => {
  const app = await sharedApp()
  const { rows } = await app.owner.pool.query<{ move: string }>(
    `select from_state || ' ' || to_state as move from support_case_transitions order by 1`,
  )
  const moves = Object.entries(caseMoves).flatMap(([from, all]) => all.map((to) => `${from} ${to}`))
  assert.deepEqual(
    rows.map(({ move }) => move),
    moves.toSorted(),
  )
})

test('a payer whose money left without a message to us gets it credited, and the receipt', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  const charge = await answerCharge(app, reference, 'complete')
  assert.equal(await statusOf(app, reference), 'pending')
  const path = await report(app, reference, charge.external_reference, { email: 'asha@example.com' })
  const text = await shows(app, path, /Your payment was received/)
  assert.ok(text.includes(`/r/${reference}`))
  assert.equal(await statusOf(app, reference), 'completed')
  // A repeat leads to the same case.
  assert.equal(await report(app, reference, ` ${charge.external_reference.toLowerCase()} `), path)
})

test('a failure that the provider reports is answered as such, and a payer who disagrees reaches operators', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  await answerCharge(app, reference, 'fail')
  const path = await report(app, reference, 'S46121174212')
  const text = await shows(app, path, /The network says that no money was taken/)
  assert.equal(await statusOf(app, reference), 'failed')
  assert.equal((await chargeOf(app, reference)).money_moved, false)
  assert.match(text, /The money has left my phone/)
  const id = /case_[0-9a-z]{26}/.exec(path)![0]
  assert.equal((await postForm(app, `/c/${id}/disagree`, { lang: 'en' })).status, 303)
  await shows(app, path, /You told us otherwise/)

  // The money arrives after all.
  await answerCharge(app, reference, 'complete')
  await app.owner.pool.query(`update provider_charges set recheck_at = clock_now() where recheck_at is not null`)
  await shows(app, path, /Your payment was received/)
})

test('a charge that is still open or expired at the provider goes to operators and is never called a failure', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const open = await openPayment(app, slug)
  const expired = await openPayment(app, slug)
  await answerCharge(app, expired, 'expire')
  const paths = [await report(app, open, 'S11111111111'), await report(app, expired, 'S22222222222')]
  await passMinute(app, paths[0]!)
  for (const path of paths) {
    const text = await shows(app, path, /Our team has your case/)
    assert.doesNotMatch(text, /no money was taken/)
  }
  const { rows } = await app.owner.pool.query<{ because: string; isAskedAgain: boolean }>(
    `select escalated_because as because, next_attempt_at is not null as "isAskedAgain" from support_cases
     where sms_number in ('S11111111111', 'S22222222222') order by sms_number`,
  )
  assert.deepEqual(rows, [
    { because: 'still_open', isAskedAgain: true },
    { because: 'not_proven', isAskedAgain: true },
  ])
  // A proof that comes later answers the case by itself.
  await answerCharge(app, open, 'complete')
  await app.owner.pool.query(`update support_cases set next_attempt_at = clock_now() where sms_number = 'S11111111111'`)
  await shows(app, paths[0]!, /Your payment was received/)
})

test('a charge that the provider does not know goes to operators, who see this answer', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({ ...provider, fetchCharge: async () => ({ kind: 'not_found' }) })),
    }),
  })
  const [admin, { slug }] = [await app.admin(), await shop(app)]
  const path = await report(app, await openPayment(app, slug), 'S33333333333')
  await app.owner.pool.query(
    `update support_cases set created_at = created_at - interval '50 seconds', next_attempt_at = clock_now()`,
  )
  assert.equal(await askProviders(app.deps, 10), 1)
  assert.match((await getPage(app, path)).text, /Our team has your case/)
  const { body } = await app.call('GET', `/v1/admin/support-cases/${/case_\w+/.exec(path)![0]}`, { token: admin.token })
  assert.equal(body.data.escalated_because, 'not_found')
  assert.deepEqual(
    body.data.answers.map(({ answer }: { answer: string }) => answer),
    ['not_found'],
  )
})

test('a number of another payment is never told apart from an unknown one, in the page, in its case, in its mail', async () => {
  const app = await sharedApp()
  const [mine, theirs] = [await shop(app), await shop(app)]
  // A payment of someone else, with its receipt.
  const paid = await app.checkout(theirs.slug)
  await app.settled(paid.body.data.reference)
  const { rows: receipts } = await app.owner.pool.query<{ receipt: string }>(
    `select network_receipt as receipt from payments where network_receipt is not null order by created_at desc limit 1`,
  )
  const known = receipts[0]!.receipt
  const failed = await openPayment(app, mine.slug)
  await answerCharge(app, failed, 'fail')
  const ofAnother = await report(app, failed, known, { email: 'one@example.com' })
  const ofNoOne = await report(app, failed, 'S77777777777', { email: 'two@example.com' })
  // The same number again leads to its own case.
  assert.deepEqual([await report(app, failed, known), await report(app, failed, 'S77777777777')], [ofAnother, ofNoOne])
  const [shownOfAnother, shownOfNoOne] = await Promise.all(
    [ofAnother, ofNoOne].map((path) => shows(app, path, /The network says that no money was taken/)),
  )
  const comparable = (text: string): string =>
    text
      .replaceAll(/case_[0-9a-z]{26}/g, 'case')
      .replaceAll(/ending in \w+/g, 'ending')
      .replaceAll(/\d\d:\d\d(:\d\d)?/g, 'time')
  assert.equal(comparable(shownOfAnother!), comparable(shownOfNoOne!))
  const { rows: cases } = await app.owner.pool.query<{ state: string; because: string | null; isOwned: boolean }>(
    `select state, escalated_because as because, number_owner_id is not null as "isOwned" from support_cases where sms_number in ($1, 'S77777777777') order by sms_number = 'S77777777777'`,
    [known],
  )
  assert.deepEqual(cases, [
    { state: 'with_operators', because: 'number_of_another', isOwned: true },
    { state: 'answered', because: null, isOwned: false },
  ])
  const countMails = async () =>
    (
      await app.owner.pool.query<{ recipient: string; count: number }>(
        `select recipient, count(*)::integer as count from mails where kind = 'support_case' and recipient in ('one@example.com', 'two@example.com')
         group by recipient order by recipient`,
      )
    ).rows.map(({ recipient, count }) => `${recipient} ${count}`)
  assert.deepEqual(await countMails(), ['one@example.com 1', 'two@example.com 1'])

  // The money of this payment arrives after all, under a number that is neither of the two.
  const charge = await answerCharge(app, failed, 'complete')
  const id = fromWire('pay', failed)!
  const source = {
    home: homeOfId(id),
    paymentId: id,
    environment: 'test',
    provider: 'snippe',
    actor: 'test',
    requestId: 'req_test',
  } as const
  const learned = {
    reference: charge.reference,
    ourReference: null,
    status: 'completed',
    amount: 1500,
    currency: 'TZS',
    fee: 29,
    network: 'mpesa',
    networkReceipt: charge.external_reference,
    failure: null,
    expiresAt: null,
  } as const
  // The provider's own message may be quicker.
  const { verdict } = await app.deps.settle(settlementOf(source, learned, 20))
  assert.ok(verdict === 'applied' || verdict === 'unchanged', verdict)
  await eventually('both cases know of it', async () => {
    const { rows } = await app.owner.pool.query<{ count: number }>(
      `select count(*)::integer as count from support_cases where payment_id = $1 and finding = 'received'`,
      [id],
    )
    return rows[0]!.count === 2
  })
  const [lateOfAnother, lateOfNoOne] = await Promise.all(
    [ofAnother, ofNoOne].map((path) => shows(app, path, /Your payment was received/)),
  )
  assert.equal(comparable(lateOfAnother!), comparable(lateOfNoOne!))
  assert.match(lateOfNoOne!, /The number that you gave is not the one of this payment/)
  assert.deepEqual(await countMails(), ['one@example.com 2', 'two@example.com 2'])
  // The merchant sees the same of both, too.
  const shown = await app.call('GET', `/v1/merchant/payments/${failed}/support-cases?environment=test`, {
    token: mine.student.token,
  })
  assert.deepEqual(
    shown.body.data.map(({ state, finding }: Record<string, string>) => `${state} ${finding}`),
    ['with_operators received', 'with_operators received'],
  )
  // Of its other payments it sees no case, and of another merchant's payments not even that they exist.
  const casesOf = async (payment: string, token: string) => {
    const { status, body } = await app.call('GET', `/v1/merchant/payments/${payment}/support-cases?environment=test`, { token })
    return [status, body.data ?? body.error.code]
  }
  assert.deepEqual(await casesOf(await openPayment(app, mine.slug), mine.student.token), [200, []])
  assert.deepEqual(await casesOf(failed, theirs.student.token), [404, 'not_found'])
})

test('operators who close a case about a number of another payment without a message change nothing that its payer sees', async () => {
  const app = await sharedApp()
  const [mine, theirs] = [await shop(app), await shop(app)]
  const paid = (await app.checkout(theirs.slug)).body.data.reference
  await app.settled(paid)
  const failed = await openPayment(app, mine.slug)
  await answerCharge(app, failed, 'fail')
  const path = await report(app, failed, (await chargeOf(app, paid)).external_reference, { email: 'quiet@example.com' })
  const before = await shows(app, path, /The network says that no money was taken/)
  const operator = await app.admin()
  const url = `/v1/admin/support-cases/${/case_[0-9a-z]+/.exec(path)![0]}/close`
  const closed = await app.call('POST', url, { token: operator.token, body: { decision: 'no_money', note: 'a guess' } })
  assert.equal(closed.status, 200, JSON.stringify(closed.body))
  const untimed = (text: string): string => text.replaceAll(/\d\d:\d\d(:\d\d)?/g, 'time')
  assert.equal(untimed((await getPage(app, path)).text), untimed(before))
  const mails = async () =>
    (await app.owner.pool.query(`select from mails where kind = 'support_case' and recipient = 'quiet@example.com'`)).rowCount
  assert.equal(await mails(), 1)
  const whole = async () => (await app.call('GET', url.replace('/close', ''), { token: operator.token })).body.data
  const decided = await whole()
  assert.deepEqual([decided.state, decided.number_owner, decided.decision_note], ['closed', paid, 'a guess'])

  // Their answer is one like any other: its payer can disagree with it, and operators get the case once more.
  const say = () => postForm(app, url.replace('/v1/admin/support-cases', '/c').replace('/close', '/disagree'), { lang: 'en' })
  assert.equal((await say()).status, 303)
  assert.match((await getPage(app, path)).text, /You told us otherwise/)
  const reopened = await whole()
  assert.deepEqual(
    [reopened.state, reopened.escalated_because, reopened.decision, reopened.decision_note, await mails()],
    ['with_operators', 'payer_disagrees', null, null, 2],
  )
  assert.ok(Date.parse(reopened.escalated_at) >= Date.parse(decided.decided_at), 'it waits since then')
  // Pressed again, nothing is new.
  assert.equal((await say()).status, 303)
  assert.deepEqual([(await whole()).escalated_at, await mails()], [reopened.escalated_at, 2])
})

test('no one disagrees with a case that is still asked about, or that was removed', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  const path = await report(app, reference, 'S46121174301')
  await postForm(app, `/c/${/case_[0-9a-z]{26}/.exec(path)![0]}/disagree`, { lang: 'en' })
  assert.doesNotMatch((await getPage(app, path)).text, /Our team|told us/)
  await assert.rejects(disagree(app.deps, newMoneyId(1)), { code: 'not_found' })
})

test('a payer disagrees with "no money was taken" also where the credit was taken back', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  await answerCharge(app, reference, 'fail')
  const path = await report(app, reference, 'S46121174302')
  await shows(app, path, /The network says that no money was taken/)
  // As if it was credited late, and the network then showed that it was not paid.
  const id = fromWire('pay', reference)
  await app.owner.pool.query(
    `update payments set status = 'completed', completed_at = clock_now(), failure_code = null, late = true, credit_reversed_at = clock_now() where id = $1`,
    [id],
  )
  await postForm(app, `/c/${/case_[0-9a-z]{26}/.exec(path)![0]}/disagree`, { lang: 'en' })
  assert.match((await getPage(app, path)).text, /You told us otherwise/)
  await app.owner.pool.query(
    `update payments set status = 'failed', completed_at = null, failure_code = 'provider_error', late = false, credit_reversed_at = null where id = $1`,
    [id],
  )
})

test('no operator decides a case of a merchant that they are a member of', async () => {
  const app = await sharedApp()
  const [owner, operator] = [await app.student(), await app.admin()]
  const businessId = await verifiedBusiness(app, owner, operator)
  const page = await app.call('POST', `/v1/merchant/payment-pages?environment=test&business_id=${businessId}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Chai', amount: 1500 },
  })
  const { reference } = (await app.checkout(page.body.data.slug)).body.data
  await app.settled(reference)
  const caseId = await openCaseOf(app, reference)
  const own = [fromWire('usr', operator.userId), fromWire('pay', reference)]
  await app.owner.pool.query(
    `insert into members (id, merchant_id, user_id, role, joined_at)
     select $2, merchant_id, $1, 'approver', clock_now() from payments where id = $2`,
    own,
  )
  const close = () =>
    app.call('POST', `/v1/admin/support-cases/${caseId}/close`, {
      token: operator.token,
      body: { decision: 'received', note: 'ticket' },
    })
  const refused = await close()
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'self_approval_forbidden'])
  await app.owner.pool.query('delete from members where user_id = $1 and id = $2', own)
  assert.equal((await close()).status, 200)
})

test('a page that still shows "no money was taken" opens no case with operators once the payment is paid', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  await answerCharge(app, reference, 'fail')
  const path = await report(app, reference, 'S46121174299')
  await shows(app, path, /The network says that no money was taken/)
  // The next look at the case is a while away.
  await app.owner.pool.query(
    `update support_cases set next_look_at = clock_now() + interval '1 hour' where sms_number = 'S46121174299'`,
  )
  await answerCharge(app, reference, 'complete')
  await app.owner.pool.query(`update provider_charges set recheck_at = clock_now() where recheck_at is not null`)
  await app.settled(reference, ['completed'])
  const id = /case_[0-9a-z]{26}/.exec(path)![0]
  assert.equal((await postForm(app, `/c/${id}/disagree`, { lang: 'en' })).status, 303)
  assert.match((await getPage(app, path)).text, /Your payment was received/)
  const { rows } = await app.owner.pool.query(`select state from support_cases where sms_number = 'S46121174299'`)
  assert.deepEqual(rows, [{ state: 'answered' }])
})

test('a paid payment with another number says what was received, and operators look at the number', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const { body } = await app.checkout(slug)
  const { reference } = body.data
  await app.settled(reference)
  const path = await report(app, reference, 'S99999999991')
  const text = await shows(app, path, /The number that you gave is not the one of this payment/)
  assert.match(text, /Your payment was received/)
})

test('a payment whose credit was taken back is neither received nor failed: a person decides', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const { reference } = (await app.checkout(slug)).body.data
  await app.settled(reference)
  const takenBack = 'update payments set credit_reversed_at = clock_now() where id = $1'
  await app.owner.pool.query(takenBack, [fromWire('pay', reference)])
  const path = await report(app, reference, (await chargeOf(app, reference)).external_reference)
  const text = await shows(app, path, /Our team has your case/)
  assert.doesNotMatch(text, /was received|no money was taken/)
  const operator = await app.admin()
  const url = `/v1/admin/support-cases/${/case_[0-9a-z]+/.exec(path)![0]}`
  const close = (decision: string) =>
    app.call('POST', `${url}/close`, { token: operator.token, body: { decision, note: 'asked the network' } })
  assert.equal((await close('received')).status, 409)
  const closed = await close('no_money')
  assert.equal(closed.status, 200, JSON.stringify(closed.body))
  assert.doesNotMatch(await shows(app, path, /closed|answered/i), /Your payment was received/)
  await app.owner.pool.query('update payments set credit_reversed_at = null where id = $1', [fromWire('pay', reference)])
})

test('an answer that money was received ends when the credit is taken back, and the payer reaches operators', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const { reference } = (await app.checkout(slug)).body.data
  await app.settled(reference)
  const path = await report(app, reference, (await chargeOf(app, reference)).external_reference)
  await shows(app, path, /Your payment was received/)
  const id = [fromWire('pay', reference)]
  await app.owner.pool.query('update payments set credit_reversed_at = clock_now() where id = $1', id)
  const { text } = await getPage(app, path)
  assert.match(text, /This payment is under review[\s\S]*The money has left my phone/)
  assert.doesNotMatch(text, /was received|no money was taken|our team has your case/i)
  await postForm(app, `/c/${/case_[0-9a-z]{26}/.exec(path)![0]}/disagree`, { lang: 'en' })
  await shows(app, path, /Our team has your case/)
  const { rows } = await app.owner.pool.query(
    `select c.state, c.escalated_because, c.finding from support_cases c where c.payment_id = $1`,
    id,
  )
  assert.deepEqual(rows, [{ state: 'with_operators', escalated_because: 'payer_disagrees', finding: null }])
  // The credit comes back: the case finds it by itself.
  await app.owner.pool.query('update payments set credit_reversed_at = null where id = $1', id)
  await app.owner.pool.query('update support_cases set next_look_at = clock_now() where payment_id = $1', id)
  await shows(app, path, /Your payment was received/)
})

test('operators close a case with a note, an entry in the audit log and only against no proof in the books', async () => {
  const app = await sharedApp()
  const { slug, student } = await shop(app)
  const operator = await app.admin()
  const open = await openPayment(app, slug)
  const path = await report(app, open, 'S33333333333', { amount: '1,500', phone: '0754 123 129', words: 'Pesa imetoka' })
  const id = /case_[0-9a-z]{26}/.exec(path)![0]
  const url = `/v1/admin/support-cases/${id}`
  const close = (token: string, body: Record<string, unknown>) => app.call('POST', `${url}/close`, { token, body })
  const unknown = await app.call('GET', `/v1/admin/support-cases/case_${'0'.repeat(26)}`, { token: operator.token })
  assert.equal(unknown.status, 404)
  assert.equal((await close(operator.token, { decision: 'other', note: 'too early' })).status, 409)
  await passMinute(app, path)
  await shows(app, path, /Our team has your case/)
  const whole = (await app.call('GET', url, { token: operator.token })).body.data
  assert.deepEqual(
    [whole.state, whole.escalated_because, whole.claim.amount, whole.claim.phone, whole.claim.words, whole.claim.has_email],
    ['with_operators', 'still_open', 1500, '0754 ••• 129', 'Pesa imetoka', false],
  )
  const listed = await app.call('GET', '/v1/admin/support-cases?state=with_operators&limit=100', { token: operator.token })
  const { payment: names } = listed.body.data.find((one: { id: string }) => one.id === id)
  const { merchant, payer, page } = (await app.call('GET', `/v1/admin/payments/${open}`, { token: operator.token })).body.data
  assert.deepEqual(names, { merchant, payer, page })

  const found = await app.call('POST', '/v1/admin/search', { token: operator.token, body: { q: id } })
  assert.deepEqual(
    found.body.data.map((one: { id: string }) => one.id),
    [id, open],
  )

  // The books say: not completed, and not ended.
  assert.equal((await close(operator.token, { decision: 'received', note: 'letter 7' })).status, 409)
  assert.equal((await close(operator.token, { decision: 'no_money', note: 'letter 7' })).status, 409)
  assert.equal((await close(student.token, { decision: 'other', note: 'mine' })).status, 403)
  const closed = await close(operator.token, { decision: 'other', note: 'letter 7', message: 'Mtandao umerudisha pesa yako.' })
  assert.equal(closed.status, 200, JSON.stringify(closed.body))
  const text = (await getPage(app, path)).text
  assert.match(text, /Our team has answered[\s\S]*Mtandao umerudisha pesa yako\./)
  assert.doesNotMatch(text, /letter 7/)
  const { rows } = await app.owner.pool.query<{ actor: string }>(
    `select actor from audit_log where action = 'support_case.closed' and object = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ actor: operator.userId }])
  assert.equal((await close(operator.token, { decision: 'other', note: 'again' })).status, 409)
})

test('payers see the contact that the merchant chose, and without one only the name and the operators', async () => {
  const app = await sharedApp()
  const { slug, student } = await shop(app)
  const set = (body: unknown) => app.call('PUT', '/v1/merchant/support-contact?environment=test', { token: student.token, body })
  const before = await getPage(app, `/pay/${slug}?lang=en`)
  assert.match(before.text, /About what you pay for: Student/)
  assert.match(before.text, /tel:\+255222123456/)
  assert.match(before.text, /mailto:msaada@malipo\.example/)
  assert.ok(!before.text.includes(student.phoneNumber) && !before.text.includes(student.email))
  for (const phone of ['12', '+0712345678', 'call me', '0754']) {
    assert.equal((await set({ phone, email: null, whatsapp: null })).status, 400, phone)
  }
  const saved = await set({ phone: '0754 111 222', email: 'duka@example.com', whatsapp: '+255 754 111 333' })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  assert.deepEqual([saved.body.data.phone, saved.body.data.whatsapp], ['+255754111222', '+255754111333'])
  const stranger = (await shop(app)).student
  const contact = '/v1/merchant/support-contact?environment=test'
  const ofStranger = async () => (await app.call('GET', contact, { token: stranger.token })).body.data
  const { is_set: isSet, phone: shownPhone } = await ofStranger()
  assert.deepEqual([isSet, shownPhone], [false, null])
  // One of the three is enough.
  for (const one of [{ phone: '0754111444' }, { email: 'pekee@example.com' }, { whatsapp: '0754111444' }]) {
    const body = { phone: null, email: null, whatsapp: null, ...one }
    const { data } = (await app.call('PUT', contact, { token: stranger.token, body })).body
    assert.deepEqual([data.is_set, Object.values(data).includes(null)], [true, true], JSON.stringify(one))
  }
  const { reference } = (await app.checkout(slug)).body.data
  await app.settled(reference)
  for (const path of [
    `/pay/${slug}?lang=en`,
    `/pay/${slug}/${reference}?lang=en`,
    `/r/${reference}?lang=en`,
    `/c/new/${reference}?lang=en`,
  ]) {
    const { text } = await getPage(app, path)
    assert.match(text, /tel:\+255754111222[\s\S]*https:\/\/wa\.me\/255754111333[\s\S]*mailto:duka@example\.com/, path)
  }
  assert.match((await getPage(app, `/r/${reference}?lang=en`)).text, new RegExp(`/c/new/${reference}`))
  assert.equal((await set({ phone: null, email: null, whatsapp: null })).body.data.is_set, false)
  assert.equal((await ofStranger()).whatsapp, '+255754111444', 'that of another merchant stays')
  assert.doesNotMatch((await getPage(app, `/pay/${slug}`)).text, /255754111222/)
  // A page that does not exist still says where to ask.
  assert.match((await getPage(app, '/pay/nothing-here')).text, /msaada@malipo\.example/)
})

test('the number is read from a whole message, and a wrong form keeps what was typed', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const reference = await openPayment(app, slug)
  const url = `/c/new/${reference}`
  const wrong = await postForm(app, url, { lang: 'sw', sms_number: 'sijui', email: 'asha', amount: 'elfu', words: '<b>' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /Weka namba iliyo kwenye ujumbe/)
  assert.match(wrong.text, /value="asha"/)
  assert.match(wrong.text, /value="&lt;b&gt;"/)
  const path = await report(app, reference, 'BCD7A1B2C3 Imethibitishwa. Umelipa TSh 1,500.00 kwa MALIPO tarehe 24/11/26')
  assert.match((await getPage(app, path)).text, /ending in B2C3/)
  // Four words are a message, too, if they are longer than any number.
  assert.equal(readSmsNumber('Malipo BCD7A1B2C3 yamethibitishwaleo kwaMalipoTanzania'), 'BCD7A1B2C3')
})

test('each page of a case is small, loads nothing and runs only the checkout’s own script [C10]', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const [failed, open, paid] = [await openPayment(app, slug), await openPayment(app, slug), await openPayment(app, slug)]
  await answerCharge(app, failed, 'fail')
  await answerCharge(app, paid, 'complete')
  const answered = await report(app, failed, 'S46121174215')
  await shows(app, answered, /no money was taken/)
  const received = await report(app, paid, 'S46121174217')
  await shows(app, received, /Your payment was received/)
  const asked = await report(app, open, 'S46121174216')
  const pages = {
    form: await getPage(app, `/c/new/${open}`),
    mistakes: await postForm(app, `/c/new/${open}`, {
      lang: 'sw',
      sms_number: 'sijui',
      email: 'x',
      amount: 'y',
      phone: 'z',
      time: 'w',
    }),
    asked: await getPage(app, asked),
    answered: await getPage(app, answered),
    received: await getPage(app, received),
  }
  await passMinute(app, asked)
  const withOperators = await shows(app, asked, /Our team has your case/)
  const known = [style.text, scripts.page.text]
  for (const [name, text] of [
    ...Object.entries(pages).map(([key, page]) => [key, page.text]),
    ['operators', withOperators],
  ] as const) {
    const bytes = brotliCompressSync(text!, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length
    assert.ok(bytes <= 6 * 1024, `${name}: ${bytes} bytes`)
    assert.doesNotMatch(text!, /(?:src|href)="(?:https?:)?\/\//, name)
    const elements = text!.match(/<(style|script)\b.*?<\/\1>/gs) ?? []
    assert.ok(elements.length > 0 && elements.every((element) => known.includes(element)), name)
  }
  const answer = await app.api.checkout.inject({ method: 'GET', url: answered, headers: { 'accept-encoding': 'br' } })
  assert.equal(answer.headers['content-encoding'], 'br')
  assert.equal(answer.headers['content-security-policy'], contentSecurityPolicy(app.config.urls.api))
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['referrer-policy'], 'no-referrer')
})

test('a person reads what is kept of their cases, has it erased, and old cases are removed', async () => {
  const app = await sharedApp()
  const { slug } = await shop(app)
  const phone = '+255784321789'
  const { reference } = (await app.checkout(slug, { phone_number: phone })).body.data
  await app.settled(reference)
  const path = await report(app, reference, 'S55555555551', { email: 'mlipaji@example.com', words: 'Nimelipa' })
  await shows(app, path, /Your payment was received/)
  const kept = await exportPhone({ db: app.db, nowMs: Date.now() }, phone)
  assert.deepEqual(
    kept.data['support_cases']!.map((row) => [row['sms_number'], row['email'], row['words']]),
    [['S55555555551', 'mlipaji@example.com', 'Nimelipa']],
  )
  await erasePayer(app.deps, phone)
  const id = fromWire('case', /case_[0-9a-z]{26}/.exec(path)![0])!
  const read = async () =>
    (
      await app.owner.pool.query(
        `select sms_number, email, words, (select count(*)::integer from mails where recipient = 'mlipaji@example.com') as mails
       from support_cases where id = $1`,
        [id],
      )
    ).rows
  assert.deepEqual(await read(), [{ sms_number: null, email: null, words: null, mails: 0 }])
  assert.match((await getPage(app, path)).text, /Your payment was received/)

  const old = `updated_at = clock_now() - interval '366 days'`
  const waiting = { state: 'with_operators', escalated_because: 'still_open' }
  const answered = { ...waiting, state: 'answered' }
  for (const { state } of [waiting, answered]) {
    assert.equal((await read()).length, 1, 'a case that waits for operators stays')
    await app.owner.pool.query(
      `update support_cases set ${old}, state = $2, next_attempt_at = null, escalated_because = 'still_open', escalated_at = clock_now() where id = $1`,
      [id, state],
    )
    await pruneCases(app.db, 365, 100)
  }
  assert.deepEqual(await read(), [])
  assert.equal((await getPage(app, path)).status, 404)
})

test('a mailbox gets mail of five reports a day, whatever follows a plus in its address', async (t) => {
  const app = await startTestApp(t, { settings: { SNIPPE_TEST_REQUESTS_PER_MINUTE: '6000' } })
  const { slug } = await shop(app)
  const references = [await openPayment(app, slug), await openPayment(app, slug)]
  const send = (turn: number, email: string) =>
    postForm(app, `/c/new/${references[turn % 2]}`, { lang: 'en', sms_number: `S4612117420${turn}`, email })
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await send(turn, `asha+${turn}@example.com`)).status, 303)
  assert.equal((await send(5, 'Asha+5@example.com')).status, 429)
  assert.equal((await send(5, 'juma@example.com')).status, 303)
})
