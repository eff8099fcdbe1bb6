/**
 * The operators' view of a merchant and their actions: all known data at once, and stopping the merchant or one page without
 * affecting payments that have begun.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBreak } from '../server/money/breaks/break.sql.ts'
import { openContent } from '../server/base/mail/mail.ts'
import { fromWire, homeOfId, newMoneyId, toWire } from '../server/platform/ids.ts'
import { registerBusiness } from './onboarding.ts'
import { eventually, share, startTestApp, type Admin, type Answer, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

const operate = (app: TestApp, admin: Admin, path: string, body: unknown) =>
  app.call('POST', `/v1/admin/${path}`, { token: admin.token, body })

const payout = (app: TestApp, key: string, idempotencyKey: string) =>
  app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { amount: 5000, phone_number: '+255754000129', recipient_name: 'Asha Mushi' },
  })

/** The text of a waiting mail. */
async function mailText(app: TestApp, to: string, kind: string): Promise<string> {
  const { rows } = await app.owner.pool.query('select id, sealed_content from mails where recipient = $1 and kind = $2', [
    to,
    kind,
  ])
  assert.equal(rows.length, 1, kind)
  return openContent(app.deps.sealer, rows[0].id, rows[0].sealed_content).text
}

test('all data of a merchant is read at once: person, money of both environments, keys masked, webhooks, breaks', async () => {
  const app = await sharedApp()
  const [admin, student] = [await app.admin(), await app.student({ home: 7 })]
  const { key, keyId, appId } = await app.key(student)
  await app.key(student, 'live')
  const business = await registerBusiness(app, student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student, { amount: 20_000 })
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const failed = (await app.checkout(page.slug, { phone_number: '+255754123049' })).body.data.reference
  await app.settled(failed)
  const paid = await payout(app, key, 'one')
  assert.equal(paid.status, 201)
  const paymentId = fromWire('pay', reference)!
  const breakId = newMoneyId(homeOfId(paymentId))
  const finding = {
    home: homeOfId(paymentId),
    paymentId,
    environment: 'test',
    kind: 'reference_conflict',
    provider: 'snippe',
  } as const
  await openBreak(app.db, { ...finding, reference: 'r', details: {} }, breakId)

  const read = (id: string) => app.call('GET', `/v1/admin/merchants/${id}`, { token: admin.token })
  const { status, body } = await read(student.userId)
  assert.equal(status, 200, JSON.stringify(body))
  const { data } = body
  assert.deepEqual(
    [data.id, data.type, data.status, data.suspension, data.business],
    [student.userId, 'personal', 'verified', null, null],
  )
  assert.deepEqual(
    [data.person.email, data.person.phone_number, data.person.live_sessions, data.person.disabled],
    [student.email, student.phoneNumber, 1, false],
  )
  assert.deepEqual(data.represents, [{ id: business.id, display_name: 'Mwenge Duka', status: 'pending' }])
  const [live, side] = data.environments
  assert.deepEqual([live.environment, live.balance.total, live.volume.count, live.latest_payments.length], ['live', 0, 0, 0])
  const balance = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.deepEqual(side.balance, { available: balance.available, reserved: balance.reserved, total: balance.total })
  assert.deepEqual(
    [side.volume, side.pages],
    [
      { days: 30, count: 1, amount: 20_000 },
      { total: 1, active: 1, suspended: 0 },
    ],
  )
  assert.deepEqual(
    side.latest_payments.map((one: any) => one.reference),
    [failed, reference],
  )
  assert.deepEqual(
    side.latest_payouts.map((one: any) => one.id),
    [paid.body.data.id],
  )
  assert.deepEqual(side.capabilities, { live_keys: true, page_writes: true, payouts: true })
  const shown = data.keys.find(({ id }: { id: string }) => id === keyId)
  assert.deepEqual([shown.key_prefix, shown.last4, shown.app.id], ['svc_test_', key.slice(-4), appId])
  assert.ok(!JSON.stringify(body).includes(key.slice(9, 30)) && !JSON.stringify(body).includes('whsec_'))
  assert.deepEqual([data.webhooks[0].enabled, data.webhooks[0].waiting], [true, 1])
  assert.deepEqual(
    data.open_breaks.map(({ id, payment_reference }: any) => [id, payment_reference]),
    [[toWire('brk', breakId), reference]],
  )

  const company = (await read(business.id)).body.data
  assert.deepEqual(
    [company.type, company.business.legal_name, company.person.user_id],
    ['business', 'Mwenge Traders Limited', student.userId],
  )
  assert.deepEqual([company.represents, company.environments[1].balance.total], [[], 0])
  assert.deepEqual(
    company.keys.map(({ key_name }: any) => key_name),
    ['Test key'],
    'only that of its sandbox',
  )
  for (const id of [fromWire('usr', student.userId)!, toWire('biz', fromWire('usr', student.userId)!), appId]) {
    assert.equal(codeOf(await read(id)), '404 not_found', id)
  }
})

test('a suspended merchant starts nothing live, its keys can read, earlier payments settle, and it sees why', async () => {
  const app = await sharedApp()
  const [admin, student] = [await app.admin(), await app.student()]
  const { key } = await app.key(student, 'live')
  const page = await app.page(student, { amount: 20_000, inactive_message: 'Tutarudi!' }, 'live')
  const trial = await app.page(student)
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  // A prompt without an answer so far.
  const begun = (await app.checkout(page.slug, { phone_number: '+255754123456' })).body.data.reference

  for (const reason of ['', '   ', undefined]) {
    const refused = await operate(app, admin, `merchants/${student.userId}/suspend`, { reason })
    assert.equal(codeOf(refused), '400 validation_error', String(reason))
  }
  const reason = 'Tumepata malalamiko. · We received complaints.'
  const suspended = await operate(app, admin, `merchants/${student.userId}/suspend`, { reason })
  assert.equal(suspended.status, 200, JSON.stringify(suspended.body))
  assert.equal(suspended.body.data.suspension.reason, reason)

  const checkout = await app.checkout(page.slug)
  assert.equal(codeOf(checkout), '409 page_inactive')
  const open = (await app.call('GET', `/v1/pay/${page.slug}`)).body.data
  assert.deepEqual([open.state, open.inactive_message], ['inactive', null])
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.available, 20_000)
  assert.equal((await app.call('GET', '/v1/transactions', { key })).status, 200)
  const write = (token: Student['token'], environment: string) =>
    app.call('POST', `/v1/merchant/payment-pages?environment=${environment}`, {
      token,
      body: { type: 'payment', title: 'Chai', amount: 1500 },
    })
  assert.equal(codeOf(await payout(app, key, 'one')), '403 merchant_suspended')
  assert.equal(codeOf(await write(student.token, 'live')), '403 merchant_suspended')
  assert.equal(
    codeOf(await app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { title: 'Kahawa' } })),
    '403 merchant_suspended',
  )
  const shopApp = await app.call('POST', '/developers/apps', { token: student.token, body: { name: 'New', environment: 'live' } })
  const made = await app.call('POST', '/developers/keys', {
    token: student.token,
    body: { app_id: shopApp.body.data.id, key_name: 'k', scopes: ['balance:read'] },
  })
  assert.equal(codeOf(made), '403 merchant_suspended')
  // The test environment continues to work, without what payers can open.
  assert.equal((await write(student.token, 'test')).status, 201)
  assert.equal(codeOf(await app.checkout(trial.slug)), '409 page_inactive')

  const profile = (await app.call('GET', '/v1/profile', { key })).body.data
  assert.deepEqual(
    [profile.suspension.reason, profile.capabilities.payouts, profile.capabilities.live_keys],
    [reason, false, false],
  )
  assert.ok((await mailText(app, student.email, 'merchant_suspended')).includes(reason))

  // The payer enters the PIN now: the money still belongs to the merchant.
  const charge = await eventually('the provider has the charge', async () => {
    const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [
      fromWire('pay', begun),
    ])
    return rows[0].provider_reference as string | undefined
  })
  await fetch(`${app.simulatorUrl}/phone/255754123456`, {
    method: 'POST',
    body: new URLSearchParams({ reference: charge, action: 'pin', pin: '1234' }),
    redirect: 'manual',
  })
  assert.equal((await app.settled(begun)).status, 'completed')
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.available, 40_000)

  const lifted = await operate(app, admin, `merchants/${student.userId}/unsuspend`, { note: 'Cleared up by phone.' })
  assert.deepEqual([lifted.status, lifted.body.data.suspension], [200, null])
  assert.equal(
    codeOf(await operate(app, admin, `merchants/${student.userId}/unsuspend`, { note: 'Again.' })),
    '409 invalid_state',
  )
  assert.equal((await app.checkout(page.slug)).status, 201)
  const { body } = await app.call('GET', `/v1/admin/audit?object=${student.userId}`, { token: admin.token })
  assert.deepEqual(
    body.data
      .filter(({ action }: any) => /suspended/.test(action))
      .map(({ action, actor, after }: any) => [action, actor, after.reason ?? after.note]),
    [
      ['merchant.unsuspended', admin.userId, 'Cleared up by phone.'],
      ['merchant.suspended', admin.userId, reason],
    ],
  )
})

test('a payout that was not sent when its merchant was suspended returns its money', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { PAYOUT_APPROVAL_ABOVE: '1' } })
  const [admin, student] = [await app.admin(), await app.student()]
  const { key } = await app.key(student, 'live')
  const page = await app.page(student, { amount: 50_000 }, 'live')
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const { id } = (await payout(app, key, 'one')).body.data
  await operate(app, admin, `merchants/${student.userId}/suspend`, { reason: 'Under review.' })
  await operate(app, admin, `payouts/${id}/approve`, {})
  await eventually(
    'it is cancelled',
    async () => (await app.call('GET', `/v1/payouts/${id}`, { key })).body.data.status === 'cancelled',
  )
  const { available, reserved } = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.deepEqual([available, reserved], [50_000, 0])
  const { body } = await app.call('GET', `/v1/admin/audit?object=${id}&action=payout.cancelled`, { token: admin.token })
  assert.equal(body.data[0].after.reason, 'account_suspended')
})

test('one page is suspended and unsuspended, the others continue; operators cannot suspend their own', async () => {
  const app = await sharedApp()
  const [admin, student] = [await app.admin(), await app.student()]
  const [page, other] = [await app.page(student), await app.page(student)]
  const suspended = await operate(app, admin, `payment-pages/${page.id}/suspend`, { reason: 'Copies another shop.' })
  assert.deepEqual([suspended.status, suspended.body.data.suspension.reason], [200, 'Copies another shop.'])
  assert.equal(codeOf(await app.checkout(page.slug)), '409 page_inactive')
  assert.equal((await app.checkout(other.slug)).status, 201)
  const seen = (await app.call('GET', `/v1/merchant/payment-pages/${page.id}?environment=test`, { token: student.token })).body
    .data
  assert.deepEqual([seen.active, seen.suspension.reason], [true, 'Copies another shop.'])
  // The owner cannot lift it by switching the page off and on.
  for (const active of [false, true]) {
    await app.call('PATCH', `/v1/merchant/payment-pages/${page.id}?environment=test`, {
      token: student.token,
      body: { active },
    })
  }
  assert.equal(codeOf(await app.checkout(page.slug)), '409 page_inactive')
  assert.ok((await mailText(app, student.email, 'page_suspended')).includes('Copies another shop.'))
  assert.equal(codeOf(await operate(app, admin, `payment-pages/${other.id}/unsuspend`, { note: 'x' })), '409 invalid_state')
  assert.equal((await operate(app, admin, `payment-pages/${page.id}/unsuspend`, { note: 'Settled.' })).status, 200)
  assert.equal((await app.checkout(page.slug)).status, 201)

  await app.owner.pool.query(`update users set role = 'admin' where email = $1`, [student.email])
  await app.owner.pool.query(`update sessions set amr = '{pwd,mfa}' where user_id = (select id from users where email = $1)`, [
    student.email,
  ])
  const { body: refreshed } = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
  const token = refreshed.data.access_token
  for (const [path, body] of [
    [`merchants/${student.userId}/suspend`, { reason: 'Mine.' }],
    [`payment-pages/${page.id}/suspend`, { reason: 'Mine.' }],
  ] as const) {
    assert.equal(codeOf(await app.call('POST', `/v1/admin/${path}`, { token, body })), '403 self_review_forbidden')
  }
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour'`)
  assert.equal(
    codeOf(await operate(app, admin, `merchants/${student.userId}/suspend`, { reason: 'Late.' })),
    '401 step_up_required',
  )
})
