/** Operators, stuck payments and breaks through HTTP: the permissions, the effect of a decision, and that it takes effect once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Admin, type Student, type TestApp } from '../../../test/app.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { assertClearingIsTrue, counting, drive, moveClock, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { createReconciler } from './reconcile.ts'

const sharedApp = share((ending) => startTestApp(ending))

/** A payment of 10,000 for which another amount arrived, with its break. */
async function differing(app: TestApp, merchant?: Pick<Student, 'token'>) {
  const owner = merchant ?? (await app.student())
  const page = await app.page(owner as Student, { type: 'event', max_payments: 3, amount: 10_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754123189' })).body.data
  await app.settled(reference, ['processing'])
  const admin = await app.admin()
  const found = await eventually('the break is open', async () => {
    const { body } = await app.call('GET', '/v1/admin/breaks?kind=amount_differs&status=open', { token: admin.token })
    return body.data.find((one: any) => one.payment_reference === reference)
  })
  return { owner, page, reference, found, admin }
}

const propose = (app: TestApp, admin: Admin, id: string, resolution: string, note = 'Letter of the provider of 12 May.') =>
  app.call('POST', `/v1/admin/breaks/${id}/propose`, { token: admin.token, body: { resolution, note } })

const confirm = (app: TestApp, admin: Admin, id: string, proposal: { resolution: string; proposed_at: string }) =>
  app.call('POST', `/v1/admin/breaks/${id}/confirm`, {
    token: admin.token,
    body: { resolution: proposal.resolution, proposed_at: proposal.proposed_at },
  })

const balances = async (app: TestApp) => {
  const { rows } = await app.owner.pool.query(
    `select kind, sum(balance)::integer as balance from ledger_accounts where environment = 'test' group by kind`,
  )
  return Object.fromEntries(rows.map(({ kind, balance }) => [kind, balance]))
}

test('operators read what each resolution would move, and why one is impossible, and nothing is booked by that', async (t) => {
  const app = await startTestApp(t)
  const { found, admin } = await differing(app)
  const { merchant, payer, page } = (
    await app.call('GET', `/v1/admin/payments/${found.payment_reference}`, { token: admin.token })
  ).body.data
  assert.deepEqual(found.payment, { merchant, payer, page }, 'a list names the payment as its own page does')
  const { amount } = found.evidence
  assert.deepEqual(found.amounts, {
    expected: 10_000,
    reported: amount,
    reported_by: 'provider',
    booked: amount,
    difference: amount - 10_000,
  })
  const before = await balances(app)
  const effects = async () => {
    const { status, body } = await app.call('GET', `/v1/admin/breaks/${found.id}/effects`, { token: admin.token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const expected = [
    { resolution: 'credit_payment', moves: [{ debit: 'suspense', credit: 'wallet', amount }], refused: null },
    {
      resolution: 'return_to_payer',
      moves: [
        { debit: 'suspense', credit: 'returns_reserved', amount },
        { debit: 'returns_reserved', credit: 'provider_clearing', amount },
      ],
      refused: null,
    },
  ]
  assert.deepEqual(await effects(), expected)
  assert.deepEqual(await effects(), expected, 'the same again')
  assert.deepEqual(await balances(app), before)
  const { body } = await app.call('GET', `/v1/admin/breaks/${found.id}`, { token: admin.token })
  assert.equal(body.data.status, 'open')
  const proposed = await propose(app, admin, found.id, 'credit_payment')
  await confirm(app, await app.admin(), found.id, proposed.body.data.proposal)
  assert.deepEqual(await effects(), [], 'a resolved break has no effects')
})

test('a payment with a different amount is completed with the received amount, once, when a second operator confirms the proposal of the first [P18, F38]', async () => {
  const app = await sharedApp()
  const { owner, reference, found, admin, page } = await differing(app)
  const other = await app.admin()
  const differs = found.evidence.amount
  assert.deepEqual([found.status, found.resolutions], ['open', ['credit_payment', 'return_to_payer']])
  assert.equal((await balances(app)).suspense, differs)

  assert.equal(
    (await confirm(app, other, found.id, { resolution: 'credit_payment', proposed_at: new Date().toISOString() })).status,
    409,
  )
  const wrong = await propose(app, admin, found.id, 'not_charged')
  assert.deepEqual([wrong.status, wrong.body.error.errors[0].field], [400, 'resolution'])
  assert.equal((await propose(app, admin, found.id, 'credit_payment', ' ')).status, 400)
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour'`)
  const stale = await propose(app, admin, found.id, 'credit_payment')
  assert.deepEqual([stale.status, stale.body.error.code], [401, 'step_up_required'])
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at + interval '1 hour'`)

  const first = (await propose(app, admin, found.id, 'return_to_payer')).body.data.proposal
  const proposed = await propose(app, admin, found.id, 'credit_payment')
  assert.deepEqual([proposed.status, proposed.body.data.status], [200, 'proposed'])
  const { proposal } = proposed.body.data
  assert.equal(proposal.proposed_by, admin.userId)
  const self = await confirm(app, admin, found.id, proposal)
  assert.deepEqual([self.status, self.body.error.code], [403, 'self_approval_forbidden'])
  const changed = await confirm(app, other, found.id, first)
  assert.deepEqual([changed.status, changed.body.error.code], [409, 'proposal_changed'])
  assert.equal((await balances(app)).suspense, differs, 'nothing has moved yet')

  const answers = await Promise.all([1, 2, 3].map(() => confirm(app, other, found.id, proposal)))
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 409, 409],
  )
  const { data } = answers.find(({ status }) => status === 200)!.body
  assert.deepEqual([data.status, data.resolution, data.resolved_by], ['resolved', 'credit_payment', other.userId])
  const after = await balances(app)
  assert.deepEqual([after.suspense, after.wallet], [0, differs])

  const { key } = await app.key(owner as Student)
  const list = await app.call('GET', '/v1/transactions?type=payment', { key })
  assert.deepEqual(
    list.body.data.map((line: any) => [line.type, line.direction, line.amount, line.reference]),
    [['payment', 'credit', differs, reference]],
  )
  const summary = (await app.call('GET', '/v1/merchant/summary?environment=test', owner)).body.data
  assert.deepEqual(summary.today, { volume: differs, count: 1 }, 'Home counts it like the list of transactions')
  // A payment that was paid never shows as voided, and each reader sees both amounts.
  assert.equal((await app.settled(reference)).status, 'completed')
  const paid = (await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, owner)).body.data
  assert.deepEqual(
    [paid.status, paid.amount, paid.amount_received, paid.net, paid.fee],
    ['completed', 10_000, differs, differs, 0],
  )
  const [event, ...more] = (await app.call('GET', '/v1/events?type=payment.completed', { key })).body.data
  assert.deepEqual([event.data.reference, event.data.amount, event.data.amount_received, more], [reference, 10_000, differs, []])
  const receipt = await app.api.checkout.inject({ url: `/r/${reference}?lang=en` })
  assert.match(receipt.body, /TSh 9,900[^]*Requested amount[^]*TSh 10,000/)
  const { rows } = await app.owner.pool.query(
    'select held_count, paid_count, paid_total::integer from payment_pages where slug = $1',
    [page.slug],
  )
  assert.deepEqual(rows[0], { held_count: 0, paid_count: 1, paid_total: differs })
  // Later answers of the provider credit nothing more, and make no difference.
  await app.call('POST', `/v1/admin/payments/${reference}/query`, { token: admin.token })
  const { by_network: sums, breaks } = await reconcileToday(app)
  assert.deepEqual(
    [sums['mpesa'], breaks],
    [{ records: 1, provider: differs, credited: differs, suspended: 0, in_breaks: 0, decided: 0 }, 0],
  )
  // Only the list names the fee.
  const fee = -(await balances(app))['provider_fees']!
  assert.ok(fee > 0)
  const { provider_clearing: clearing } = after
  assert.deepEqual(await balances(app), { ...after, provider_fees: -fee, provider_clearing: clearing! + fee })
  await assertClearingIsTrue(app)
  const audit = await app.call('GET', `/v1/admin/audit?object=${found.id}`, { token: admin.token })
  assert.deepEqual(
    audit.body.data.map(({ action, actor }: any) => [action, actor]),
    [
      ['break.resolved', other.userId],
      ['break.resolution_proposed', admin.userId],
      ['break.resolution_proposed', admin.userId],
    ],
  )
})

test('money of another currency is never credited: it can only be returned', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const paymentId = fromWire('pay', reference)!
  const [charge] = (await app.truth()).charges
  const source = {
    home: homeOfId(paymentId),
    paymentId,
    environment: 'test',
    provider: 'snippe',
    actor: 'test',
    requestId: 'r',
  } as const
  const said = {
    reference: charge.reference,
    ourReference: reference,
    status: 'completed',
    amount: 1_500,
    currency: 'USD',
  } as const
  const settlement = settlementOf(source, { ...said, fee: null, network: null, failure: null, expiresAt: null }, 60)
  assert.equal((await app.deps.settle(settlement)).verdict, 'amount_differs')
  const [admin, other] = [await app.admin(), await app.admin()]
  const [found] = (await app.call('GET', '/v1/admin/breaks?kind=amount_differs', { token: admin.token })).body.data
  const { proposal } = (await propose(app, admin, found.id, 'credit_payment')).body.data
  const refused = await confirm(app, other, found.id, proposal)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'invalid_state'])
  assert.equal(
    (await confirm(app, other, found.id, (await propose(app, admin, found.id, 'return_to_payer')).body.data.proposal)).status,
    200,
  )
  assert.deepEqual([(await app.settled(reference)).status, (await balances(app)).wallet], ['voided', 0])
})

test('no operator decides on their own money, not even as the second one', async () => {
  const app = await sharedApp()
  const behind = await app.admin()
  await setKycStatus(app.deps, behind.email, 'verified')
  const { found, admin } = await differing(app, behind)
  const own = await propose(app, behind, found.id, 'credit_payment')
  assert.deepEqual([own.status, own.body.error.code], [403, 'self_approval_forbidden'])
  const { proposal } = (await propose(app, admin, found.id, 'credit_payment')).body.data
  const second = await confirm(app, behind, found.id, proposal)
  assert.deepEqual([second.status, second.body.error.code], [403, 'self_approval_forbidden'])
})

test('a stuck payment is found by its age and network, its provider is queried at once, and the answer counts [P16]', async (t) => {
  let isSilent = true
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(
        { lists: 0, fetches: 0 },
        { fetchCharge: async (key) => (isSilent ? { kind: 'indeterminate', reason: 'http_502' } : provider.fetchCharge(key)) },
      )(deps)
    },
  })
  await app.control('POST', '/hold', { webhooks: true })
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const [charge] = (await app.truth()).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
  const admin = await app.admin()
  const stuck = async (query: string) =>
    (await app.call('GET', `/v1/admin/payments/stuck?${query}`, { token: admin.token })).body.data
  assert.deepEqual(await stuck('older_than_seconds=300'), [])
  assert.deepEqual(await stuck('older_than_seconds=0&network=airtel'), [])
  const [found] = await stuck('older_than_seconds=0&network=mpesa')
  assert.deepEqual(
    [found.reference, found.charge.state, found.charge.provider_reference],
    [reference, 'accepted', charge.reference],
  )
  assert.ok(found.charge.next_check_at && found.age_seconds >= 0)

  const ask = () => app.call('POST', `/v1/admin/payments/${reference}/query`, { token: admin.token })
  const silent = await ask()
  assert.deepEqual(
    [silent.body.data.answer, silent.body.data.reason, silent.body.data.status],
    ['indeterminate', 'http_502', 'pending'],
  )
  isSilent = false
  const answers = await Promise.all([ask(), ask()])
  assert.deepEqual(
    answers.map(({ body }) => [body.data.answer, body.data.provider_status, body.data.status]),
    [
      ['found', 'completed', 'completed'],
      ['found', 'completed', 'completed'],
    ],
  )
  const { body } = await app.call('GET', `/v1/admin/payments/${reference}`, { token: admin.token })
  assert.deepEqual(
    body.data.transfers.map(({ kind, actor }: any) => [kind, actor]),
    [['payment', admin.userId]],
  )
  assert.ok(!/juma@|754000111/.test(JSON.stringify(body)), 'no e-mail address and no whole number')
  for (const { payer, page: of, merchant } of [found, body.data]) {
    assert.match(payer.name, /^Juma/)
    assert.equal(payer.phone_masked, '0754 ••• 111')
    assert.equal(of.slug, page.slug)
    assert.match(merchant.id, /^usr_/)
  }
  assert.deepEqual(await stuck('older_than_seconds=0'), [])
  const audit = await app.call('GET', `/v1/admin/audit?object=${reference}`, { token: admin.token })
  assert.equal(audit.body.data.length, 3)
})

test('a charge whose outcome cannot be learned is failed by two operators with the provider’s evidence, or settled by the list [F12, P12]', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const [lost, charged] = [
    (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data.reference,
    (await app.checkout(page.slug, { phone_number: '0754000112' })).body.data.reference,
  ]
  await app.control('POST', '/hold', { webhooks: true })
  const [charge] = (await app.truth(`?our_reference=${charged}`)).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
  // Neither create request was answered, and the time in which it can be sent again is over.
  await app.owner.pool.query(`delete from provider_references`)
  await app.owner.pool.query(`update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = null`)
  for (const reference of [lost, charged]) {
    const paymentId = fromWire('pay', reference)!
    const home = homeOfId(paymentId)
    const finding = { home, paymentId, environment: 'test', kind: 'charge_unknown', provider: 'snippe' } as const
    await openBreak(app.db, { ...finding, details: { state: 'unknown' } }, newMoneyId(home))
  }
  const [admin, other] = [await app.admin(), await app.admin()]
  const open = async (): Promise<any[]> =>
    (await app.call('GET', '/v1/admin/breaks?kind=charge_unknown&status=open', { token: admin.token })).body.data
  const breakOf = async (reference: string) => (await open()).find((one) => one.payment_reference === reference)
  const cannot = await app.call('POST', `/v1/admin/payments/${lost}/query`, { token: admin.token })
  assert.deepEqual([cannot.status, cannot.body.error.code], [409, 'invalid_state'])

  const { id } = await breakOf(lost)
  for (const resolution of ['already_settled', 'ask_again']) {
    const { proposal } = (await propose(app, admin, id, resolution)).body.data
    const early = await confirm(app, other, id, proposal)
    assert.deepEqual([early.status, early.body.error.code], [409, 'invalid_state'], resolution)
  }
  const { proposal } = (await propose(app, admin, id, 'not_charged')).body.data
  assert.equal((await confirm(app, other, id, proposal)).status, 200)
  assert.equal((await app.settled(lost)).failure.code, 'provider_error')

  await reconcileToday(app)
  assert.equal((await app.settled(charged)).status, 'completed')
  assert.deepEqual(await open(), [])
  const { rows } = await app.owner.pool.query(`select resolution, resolved_by from breaks where resolved_by = 'system'`)
  assert.deepEqual(rows, [{ resolution: 'already_settled', resolved_by: 'system' }])
})

test('an operator starts a comparison and reads its result; a day that a provider cannot show is refused', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  const page = await app.page(await app.student())
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const start = (fields: Record<string, unknown>) =>
    app.call('POST', '/v1/admin/reconciliation/runs', {
      token: admin.token,
      body: { kind: 'daily', environment: 'test', provider: 'snippe', ...fields },
    })
  const today = new Date().toISOString().slice(0, 10)
  assert.equal((await start({})).status, 400)
  assert.equal((await start({ day: today, provider: 'mpesa' })).status, 400)
  const begun = await start({ day: today })
  assert.deepEqual([begun.status, begun.body.data.status, begun.body.data.requested_by], [200, 'planned', admin.userId])
  await moveClock(app, '1 second')
  await drive(createReconciler(app.deps), 'daily')
  const { body } = await app.call('GET', '/v1/admin/reconciliation/runs?kind=daily', { token: admin.token })
  assert.deepEqual(
    body.data.map((run: any) => [run.id, run.status, run.seen, run.matched, run.by_network.mpesa.credited]),
    [[begun.body.data.id, 'ended', 1, 1, 1_500]],
  )
})

test('the totals of a day are shown beside the provider’s, network by network, and breaks are found by provider, time and proposal', async (t) => {
  const app = await startTestApp(t)
  const [admin, second] = [await app.admin(), await app.admin()]
  const page = await app.page(await app.student(), { amount: 2000 })
  for (const phone of ['+255754123789', '+255784123789']) {
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  }
  // Pays 100 shillings too little: the money lies in suspense, with a break.
  const short = (await app.checkout(page.slug, { phone_number: '+255754123189' })).body.data.reference
  await app.settled(short, ['processing'])
  const run = await reconcileToday(app)
  assert.equal(run.phase, 'ended')
  const read = async (path: string) => {
    const { status, body } = await app.call('GET', path, { token: admin.token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const today = new Date().toISOString().slice(0, 10)
  const [day, ...others] = await read(`/v1/admin/reconciliation/days?from=${today}&to=${today}`)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [day.day, day.environment, day.subject, day.provider, day.provider_total, day.ledger_total, day.difference],
    [today, 'test', 'charges', 'snippe', 5900, 4000, 0],
  )
  const [airtel, mpesa] = day.networks
  assert.deepEqual(airtel, {
    network: 'airtel',
    records: 1,
    provider: 2000,
    ledger: 2000,
    suspended: 0,
    in_breaks: 0,
    difference: 0,
  })
  assert.deepEqual([mpesa.network, mpesa.provider, mpesa.ledger, mpesa.suspended], ['mpesa', 3900, 2000, 1900])
  // After a second comparison, the later one counts.
  await moveClock(app, '2 seconds')
  const again = await reconcileToday(app)
  assert.equal(again.phase, 'ended')
  const days = await read(`/v1/admin/reconciliation/days?from=${today}&to=${today}&environment=test&subject=charges`)
  assert.equal(days.length, 1)
  assert.notEqual(days[0].run_id, day.run_id)
  assert.deepEqual(await read(`/v1/admin/reconciliation/days?from=${today}&to=${today}&environment=live`), [])
  for (const range of [`from=${today}&to=2020-01-01`, `from=2020-01-01&to=${today}`, `from=${today}`]) {
    const { status } = await app.call('GET', `/v1/admin/reconciliation/days?${range}`, { token: admin.token })
    assert.equal(status, 400, range)
  }

  const breaks = async (query: string) => (await read(`/v1/admin/breaks?${query}`)).map(({ kind }: { kind: string }) => kind)
  const [found] = await read('/v1/admin/breaks?provider=snippe&status=open')
  assert.deepEqual([found.payment_reference, found.kind], [short, 'amount_differs'])
  assert.deepEqual(await breaks('provider=clickpesa'), [])
  assert.deepEqual(await breaks('status=proposed'), [])
  const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)].map((at) => at.toISOString())
  assert.deepEqual(await breaks(`opened_from=${past}&opened_to=${future}`), ['amount_differs'])
  assert.deepEqual(await breaks(`opened_from=${future}`), [])
  assert.deepEqual(await breaks(`opened_to=${past}`), [])
  const proposed = await app.call('POST', `/v1/admin/breaks/${found.id}/propose`, {
    token: second.token,
    body: { resolution: 'credit_payment', note: 'The merchant takes it.' },
  })
  assert.equal(proposed.status, 200)
  assert.deepEqual([await breaks('status=proposed'), await breaks('status=open')], [['amount_differs'], ['amount_differs']])
})

test('an operator who was shut out meanwhile resolves nothing [A77]', async (t) => {
  const app = await startTestApp(t)
  const { found, admin } = await differing(app)
  const other = await app.admin()
  const { proposal } = (await propose(app, admin, found.id, 'credit_payment')).body.data
  const before = await balances(app)
  const { confirming } = await app.owner.tx(async (tx) => {
    await tx.rows(sql`update users set disabled_at = now() where id = ${fromWire('usr', other.userId)!}`)
    const answer = confirm(app, other, found.id, proposal)
    await eventually('the confirmation waits', async () => {
      const { rows } = await app.owner.pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length > 0
    })
    return { confirming: answer }
  })
  const { status, body } = await confirming
  assert.deepEqual([status, body.error.code], [401, 'session_inactive'])
  assert.deepEqual(await balances(app), before)
})
