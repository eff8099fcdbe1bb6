/** Payouts that an attacker may have requested after taking over an account: they wait, so that the owner can act first. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openContent } from '../../server/base/mail/mail.ts'
import { ask, balance, providersOf, read, short, type Fields } from '../fixtures/payouts.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { classOf, operationsOf } from '../../server/accounts/identity/operation-classes.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { mustMatch } from '../must-match.ts'
import { codeNow, eventually, share, startTestApp, type Answer, type Student, type TestApp } from '../app.ts'

const waitingApp = share((ending) => startTestApp(ending, { settings: { ACCOUNT_PAYOUT_WAIT_SECONDS: String(day) } }))

/** A student with live money. */
async function owner(app: TestApp): Promise<Student> {
  const student = await app.student()
  const page = await app.page(student, { amount: 200_000 }, 'live')
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  return student
}

const askSignedIn = (app: TestApp, token: string, fields: Fields = {}): Promise<Answer> =>
  app.call('POST', '/v1/merchant/payouts', {
    token,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi', ...fields },
  })

const refundSignedIn = (app: TestApp, token: string, reference: string): Promise<Answer> =>
  app.call('POST', `/v1/merchant/payments/${reference}/refunds?environment=live`, {
    token,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 6_000 },
  })

async function mustWait(answer: Answer, reason: string, seconds: number): Promise<void> {
  assert.equal(short(answer), '409 payout_must_wait')
  assert.equal(answer.body.error.details.reason, reason)
  const left = (Date.parse(answer.body.error.details.until) - Date.now()) / 1000
  assert.ok(Math.abs(left - seconds) < 120, `${left} s`)
}

const day = 86_400

test('after a reset, on a new device and with a new second factor a person’s payouts wait, and no new key avoids this [A81]', async () => {
  const app = await waitingApp()
  const asha = await owner(app)
  const userId = fromWire('usr', asha.userId)
  const aged = (table: string, column: string, id: string) =>
    app.owner.pool.query(`update ${table} set ${column} = ${column} - interval '25 hours' where ${id} = $1`, [userId])
  await aged('sessions', 'device_since', 'user_id')
  const oldKey = await app.key(asha, 'live')
  assert.equal(short(await askSignedIn(app, asha.token)), '201')

  const signIn = async (password: string): Promise<string> => {
    const { body } = await app.call('POST', '/v1/auth/login', { body: { identifier: asha.email, password } })
    return body.data.access_token
  }
  const elsewhere = await signIn(asha.password)
  await mustWait(await askSignedIn(app, elsewhere), 'new_device', day)
  assert.equal(short(await askSignedIn(app, asha.token)), '201', 'the earlier device')

  await app.call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  const mail = await eventually('a code is mailed', async () => {
    const { rows } = await app.owner.pool.query(
      `select id, sealed_content from mails where recipient = $1 and kind = 'password_reset'`,
      [asha.email],
    )
    return rows[0]
  })
  const code = /^\d{6}$/m.exec(openContent(app.deps.sealer, mail.id, mail.sealed_content).text)![0]
  const password = 'jua la asubuhi mapema'
  assert.equal(short(await app.call('POST', '/v1/auth/password/reset', { body: { email: asha.email, code, password } })), '200')
  const token = await signIn(password)
  await aged('sessions', 'device_since', 'user_id')
  await mustWait(await askSignedIn(app, token), 'password_reset', day)
  const young = await app.key({ ...asha, token }, 'live')
  await mustWait(await ask(app, young.key), 'new_key', day)
  const rolled = await app.call('POST', `/developers/keys/${oldKey.keyId}/roll`, { token })
  await mustWait(await ask(app, rolled.body.data.key), 'new_key', day)
  assert.equal(short(await ask(app, oldKey.key)), '201', 'a key from before pays on')

  // Anyone who knows the password can set up the first factor; it counts as the owner's only when it is as old as the wait.
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token })).body.data
  assert.equal(short(await app.call('POST', '/v1/auth/2fa/confirm', { token, body: { code: codeNow(secret) } })), '200')
  await mustWait(await askSignedIn(app, token), 'new_second_factor', day)
  await mustWait(await ask(app, (await app.key({ ...asha, token }, 'live')).key), 'new_key', day)
  await aged('second_factors', 'confirmed_at', 'user_id')
  assert.equal(short(await askSignedIn(app, token)), '201', 'a session with a second factor does not wait for the reset')
  assert.equal(short(await ask(app, (await app.key({ ...asha, token }, 'live')).key)), '201')
})

test('a request that was made before a wait began is found again during it, and a new one still waits [A81]', async (t) => {
  const app = await startTestApp(t, {
    settings: { ACCOUNT_PAYOUT_WAIT_SECONDS: String(day), LIVE_KEY_PAYOUT_WAIT_SECONDS: '3600' },
  })
  const asha = await owner(app)
  const { key, keyId } = await app.key(asha, 'live')
  await app.owner.pool.query(`update api_keys set payouts_from = null`)
  await app.owner.pool.query(`update sessions set device_since = device_since - interval '25 hours'`)
  const [{ reference }] = (await app.call('GET', '/v1/payments', { key })).body.data
  const repeated = randomUUID()
  const refund = (by: string, idempotencyKey: string): Promise<Answer> =>
    app.call('POST', `/v1/payments/${reference}/refunds`, {
      key: by,
      headers: { 'idempotency-key': idempotencyKey },
      body: { amount: 6_000 },
    })
  const inDashboard = (idempotencyKey: string): Promise<Answer> =>
    app.call('POST', '/v1/merchant/payouts', {
      token: asha.token,
      headers: { 'idempotency-key': idempotencyKey },
      body: { amount: 20_000, phone_number: '+255754000456', recipient_name: 'Asha Mushi' },
    })
  const made = [await ask(app, key, {}, repeated), await refund(key, repeated), await inDashboard(`${repeated}-person`)]
  assert.deepEqual(made.map(short), ['201', '201', '201'])

  const rolled = (await app.call('POST', `/developers/keys/${keyId}/roll`, { token: asha.token })).body.data.key
  await app.owner.pool.query(`update sessions set device_since = now()`)
  const again = [await ask(app, rolled, {}, repeated), await refund(rolled, repeated), await inDashboard(`${repeated}-person`)]
  for (const [place, answer] of again.entries()) {
    assert.equal(short(answer), '200', JSON.stringify(answer.body))
    assert.equal(answer.headers.get('idempotency-replayed'), 'true')
    assert.equal(answer.body.data.id, made[place]!.body.data.id)
  }
  await mustWait(await ask(app, rolled), 'new_key', 3_600)
  await mustWait(await refund(rolled, randomUUID()), 'new_key', 3_600)
  await mustWait(await inDashboard(randomUUID()), 'new_device', day)
  assert.equal(short(await ask(app, rolled, { amount: 20_001 }, repeated)), '422 idempotency_key_reused')
})

test('an approver whose account waits decides on no money either [A81]', async () => {
  const app = await waitingApp()
  const asha = await app.student()
  const businessId = await verifiedBusiness(app, asha, await app.admin())
  const approver = await newMember(app, asha, businessId, 'approver')
  const as = ({ token }: { token: string }, path: string, body: Fields): Promise<Answer> =>
    app.call('POST', `/v1/merchant/${path}?environment=live&business_id=${businessId}`, {
      token,
      body,
      headers: { 'idempotency-key': randomUUID() },
    })
  const age = ({ userId }: { userId: string }) =>
    app.owner.pool.query(`update sessions set device_since = device_since - interval '25 hours' where user_id = $1`, [
      fromWire('usr', userId),
    ])
  await age(asha)
  const page = await as(asha, 'payment-pages', { type: 'payment', title: 'Duka', amount: 200_000 })
  await app.settled((await app.checkout(page.body.data.slug)).body.data.reference)
  assert.equal(short(await as(asha, 'approval-rule', { above: 10_000, approvers: 1 })), '200')
  const payout = { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  const { id } = (await as(asha, 'payouts', payout)).body.data
  const approve = () => as(approver, `approvals/${id}/approve`, { version: 1 })
  await mustWait(await approve(), 'new_device', day)
  await age(approver)
  assert.equal(short(await approve()), '200')
})

/** Why an account that waits may do the rest of what moves money, decides or gives power. */
const open: Record<string, string> = {
  'money comes in': 'createPayment',
  'the role that it gives waits as long': 'inviteMember changeMember acceptInvitation',
  'the key that it makes waits as long': 'createKey rollKey',
  'it takes power away': 'removeMember deleteApp revokeKey deleteWebhook removeRedirectHost deleteBrandLogo',
  'the key itself is needed, too, and a server that has moved must pay on': 'updateKey',
  'it decides on no money':
    'saveWebhook rotateWebhookSecret registerRedirectHost setSupportContact setBrandColor setBrandLogo' + ' setStatementMail',
  'it begins a wait, or proves the person':
    'enrollSecondFactor confirmSecondFactor disableSecondFactor changePassword resetPassword requestContactChange' +
    ' confirmContactChange',
  'for operators, who show a second factor':
    'approvePayout refusePayout decideKyc decideBusiness proposeResolution confirmResolution closeSupportCase' +
    ' removeMerchantLogo startReconciliationRun recordProviderMovement suspendMerchant unsuspendMerchant' +
    ' suspendPaymentPage unsuspendPaymentPage turnSwitch liftPayoutFreeze',
}

test('an account that waits ends no wait, grants no payouts and approves nothing; a known device does [A81]', async (t) => {
  const app = await startTestApp(t, {
    settings: { ACCOUNT_PAYOUT_WAIT_SECONDS: String(day), NEW_POWER_WAIT_HOURS: '24' },
  })
  const asha = await app.student()
  const businessId = await verifiedBusiness(app, asha, await app.admin())
  const query = `environment=live&business_id=${businessId}`
  const as = ({ token }: { token: string }, method: string, path: string, body?: Fields): Promise<Answer> =>
    app.call(method, path, { token, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) })
  const done = async (asked: Promise<Answer>): Promise<Answer['body']['data']> => {
    const answer = await asked
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body.data
  }
  const since = (moment: string, { userId }: { userId: string }) =>
    app.owner.pool.query(`update sessions set device_since = now() - $2::interval where user_id = $1`, [
      fromWire('usr', userId),
      moment,
    ])
  await since('25 hours', asha)
  const [partner, cashier, developer] = [
    await newMember(app, asha, businessId, 'admin'),
    await newMember(app, asha, businessId, 'cashier'),
    await newMember(app, asha, businessId, 'developer'),
  ]
  await app.owner.pool.query(`update members set power_from = now() where power_from is not null`)
  await since('25 hours', partner)
  const accountant = await newMember(app, asha, businessId, 'accountant')

  const page = await done(
    as(asha, 'POST', `/v1/merchant/payment-pages?${query}`, { type: 'payment', title: 'Duka', amount: 200_000 }),
  )
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const newApp = await done(as(asha, 'POST', '/developers/apps', { name: 'Duka', environment: 'live', business_id: businessId }))
  const keyOf = async (by: { token: string }) =>
    (await done(as(by, 'POST', '/developers/keys', { app_id: newApp.id, key_name: 'k', scopes: ['payouts:write'] }))).id
  const kept = await keyOf(partner)
  await app.owner.pool.query(`update api_keys set unkept_since = now() - interval '80 hours' where id = $1`, [
    fromWire('key', kept),
  ])
  await done(as(asha, 'POST', `/v1/merchant/approval-rule?${query}`, { above: 10_000, approvers: 1 }))
  const payout = (amount: number) => ({ amount, phone_number: '+255754000123', recipient_name: 'Asha Mushi' })
  const waiting = async (amount: number) => (await done(as(partner, 'POST', `/v1/merchant/payouts?${query}`, payout(amount)))).id
  await done(as(partner, 'DELETE', `/v1/merchant/approval-rule?${query}`))
  await done(as(partner, 'PATCH', `/v1/businesses/${businessId}/members/${cashier.memberId}`, { role: 'approver' }))
  const queue = await done(as(asha, 'GET', `/v1/merchant/approvals?${query}`))
  const idOf = (kind: string) => queue.find((one: Fields) => one.kind === kind).id
  const [paid, refused] = [await waiting(20_000), await waiting(30_000)]
  const decide = (id: string, verdict: string) => () =>
    as(asha, 'POST', `/v1/merchant/approvals/${id}/${verdict}?${query}`, {
      version: 1,
      ...(verdict === 'refuse' && { reason: 'No' }),
    })
  const batch = await app.call('POST', `/v1/merchant/payout-batches?${query}`, {
    token: partner.token,
    headers: { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' },
    rawBody: 'amount,phone_number,recipient_name\n5000,0754000123,Asha',
  })
  const decideBatch = (verdict: string) => () =>
    as(asha, 'POST', `/v1/merchant/payout-batches/${batch.body.data.id}/${verdict}?${query}`, {
      version: 1,
      ...(verdict === 'refuse' && { reason: 'No' }),
    })
  await eventually('its fees are known', async () => {
    const { fees } = await done(as(asha, 'GET', `/v1/merchant/payout-batches/${batch.body.data.id}?${query}`))
    return fees !== null
  })

  const acts: [operation: string, act: () => Promise<Answer>, onKnownDevice?: string][] = [
    ['createPayout', () => as(asha, 'POST', `/v1/merchant/payouts?${query}`, payout(5_000)), '201'],
    ['createRefund', () => as(asha, 'POST', `/v1/merchant/payments/${reference}/refunds?${query}`, { amount: 5_000 }), '201'],
    ['confirmMember', () => as(asha, 'POST', `/v1/businesses/${businessId}/members/${accountant.memberId}/confirm`, {})],
    ['grantKey', () => as(asha, 'POST', `/developers/keys/${kept}/grant`, {})],
    ['approveApproval', decide(paid, 'approve')],
    ['approveApproval', decide(idOf('member_role'), 'approve')],
    ['approveApproval', decide(idOf('rule_change'), 'approve')],
    ['setApprovalRule', () => as(asha, 'POST', `/v1/merchant/approval-rule?${query}`, { above: 20_000, approvers: 1 })],
    ['removeApprovalRule', () => as(asha, 'DELETE', `/v1/merchant/approval-rule?${query}`)],
    ['refuseApproval', decide(refused, 'refuse')],
    ['approvePayoutBatch', decideBatch('approve')],
    ['refusePayoutBatch', decideBatch('refuse'), '409 invalid_state'],
  ]
  const guarded = (['moves_money', 'makes_power', 'decides'] as const).flatMap(operationsOf)
  mustMatch(
    guarded,
    [...new Set(acts.map(([operation]) => operation)), ...Object.values(open).flatMap((names) => names.split(' '))],
    {
      add: (operation) => `${classOf(operation)}: add an act to this test, or a line to \`open\` that says why it need not wait`,
      remove: () => 'remove it from this test',
    },
  )
  await since('0 s', asha)
  for (const [operation, act] of acts) {
    const answer = await act()
    assert.equal(short(answer), '409 payout_must_wait', `${operation} ${JSON.stringify(answer.body)}`)
    await mustWait(answer, 'new_device', day)
  }
  assert.match(
    (await acts[2]![1]()).body.error.message,
    /You can confirm the role of another member from .+If there is another member/,
  )
  // What makes nothing possible that was not, goes on: the developer's session is new, too.
  assert.equal(short(await as(developer, 'GET', `/developers/keys?app_id=${newApp.id}`)), '200')
  await since('25 hours', asha)
  for (const [operation, act, expected = '200'] of acts) assert.equal(short(await act()), expected, operation)
  await since('0 s', asha)
  const stricter = { above: 5_000, approvers: 1 }
  assert.equal(
    short(await as(asha, 'POST', `/v1/merchant/approval-rule?${query}`, stricter)),
    '200',
    'a stricter rule stays open',
  )
})

test('a second factor that was connected and disconnected again ends no waiting period, and starts one [A81]', async (t) => {
  const app = await startTestApp(t, {
    settings: {
      ACCOUNT_PAYOUT_WAIT_SECONDS: String(day),
      NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: '3600',
      LIVE_KEY_PAYOUT_WAIT_SECONDS: '7200',
    },
  })
  const asha = await owner(app)
  const userId = fromWire('usr', asha.userId)
  const { body } = await app.call('POST', '/v1/auth/login', { body: { identifier: asha.email, password: asha.password } })
  const token = body.data.access_token
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token })).body.data
  const confirmed = await app.call('POST', '/v1/auth/2fa/confirm', { token, body: { code: codeNow(secret) } })
  const [code] = confirmed.body.data.recovery_codes
  assert.equal(short(await app.call('POST', '/v1/auth/2fa/disable', { token, body: { code } })), '200')
  const amr = async () =>
    (await app.call('GET', '/v1/auth/sessions', { token })).body.data.find(({ current }: Fields) => current).amr
  assert.deepEqual(await amr(), ['pwd'], 'the session shows no factor any more')
  const newKey = async () => (await app.key({ ...asha, token }, 'live')).key
  const aged = (table: string, column: string) =>
    app.owner.pool.query(`update ${table} set ${column} = ${column} - interval '25 hours' where user_id = $1`, [userId])

  await mustWait(await askSignedIn(app, token), 'new_second_factor', day)
  await mustWait(await ask(app, await newKey()), 'new_key', day)
  await aged('sessions', 'device_since')
  await mustWait(await askSignedIn(app, token), 'new_second_factor', day)
  await aged('second_factors', 'removed_at')
  assert.ok((await askSignedIn(app, token)).body.data.waits_until, 'a new recipient')
  await mustWait(await ask(app, await newKey()), 'new_key', 7200)

  // An older session still lists the factor in `amr`, although the factor is gone.
  await app.owner.pool.query(`update sessions set amr = '{pwd,otp,mfa}', device_since = now() where user_id = $1`, [userId])
  await mustWait(await askSignedIn(app, token), 'new_device', day)
  await aged('sessions', 'device_since')
  assert.ok((await askSignedIn(app, token, { phone_number: '+255754000789' })).body.data.waits_until, 'a new recipient')
  await mustWait(await ask(app, await newKey()), 'new_key', 7200)
})

test('after a change of the e-mail address or phone number a person’s payouts wait, also with a second factor [A81]', async () => {
  const app = await waitingApp()
  const asha = await owner(app)
  const { token } = asha
  const userId = fromWire('usr', asha.userId)
  const aged = (table: string, column: string, id: string) =>
    app.owner.pool.query(`update ${table} set ${column} = ${column} - interval '25 hours' where ${id} = $1`, [userId])
  await aged('sessions', 'device_since', 'user_id')
  const oldKey = await app.key(asha, 'live')
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token })).body.data
  await app.call('POST', '/v1/auth/2fa/confirm', { token, body: { code: codeNow(secret) } })
  await aged('second_factors', 'confirmed_at', 'user_id')
  assert.equal(short(await askSignedIn(app, token)), '201')

  const confirmed = async (body: Fields, to: string): Promise<void> => {
    await app.owner.pool.query(`delete from mailed_tokens where user_id = $1`, [userId])
    assert.equal(short(await app.call('POST', '/v1/auth/contact/change', { token, body })), '200')
    assert.equal(short(await askSignedIn(app, token)), '201', 'a request alone changes nothing')
    const { rows } = await app.owner.pool.query(
      `select id, sealed_content from mails where recipient = $1 and kind in ('email_change', 'phone_number_change')`,
      [to],
    )
    const code = /^\d{6}$/m.exec(openContent(app.deps.sealer, rows[0].id, rows[0].sealed_content).text)![0]
    assert.equal(short(await app.call('POST', '/v1/auth/contact/confirm', { token, body: { code } })), '200')
    await mustWait(await askSignedIn(app, token), 'contact_changed', day)
    await mustWait(await ask(app, (await app.key(asha, 'live')).key), 'new_key', day)
    assert.equal(short(await ask(app, oldKey.key)), '201', 'a key from before pays on')
    await aged('users', 'contact_changed_at', 'id')
    assert.equal(short(await askSignedIn(app, token)), '201')
  }
  await confirmed({ phone_number: '+255713999001' }, asha.email)
  await confirmed({ email: 'asha.mpya@example.com' }, 'asha.mpya@example.com')
})

test('a person’s first payout to a recipient is sent after an hour, and the owner can cancel it until then; a key’s is sent at once [A81]', async (t) => {
  const app = await startTestApp(t, { settings: { NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: '3600' } })
  const asha = await owner(app)
  const { key } = await app.key(asha, 'live')
  const first = await askSignedIn(app, asha.token)
  assert.equal(short(first), '201')
  const { id, waits_until: until, created_at: since, hold } = first.body.data
  assert.deepEqual(hold, { reason: 'new_recipient', since, until, who_can_act: 'you' })
  assert.ok(Math.abs(Date.parse(until) - Date.now() - 3_600_000) < 120_000, until)
  const { rows } = await app.owner.pool.query(`select recipient from mails where kind = 'payout_waits'`)
  assert.deepEqual(rows, [{ recipient: asha.email }])
  await checkPayouts(app.deps, 10)
  // An operator's approval has the same effect: it makes an order due at once.
  await app.owner.pool.query('update provider_payouts set next_attempt_at = now()')
  await checkPayouts(app.deps, 10)
  assert.deepEqual(await providersOf(app), [])
  assert.equal((await read(app, key, id)).status, 'pending')

  const [available] = await balance(app, key)
  const second = await askSignedIn(app, asha.token, { phone_number: '+255754000789' })
  const cancelled = await app.call('POST', `/v1/merchant/payouts/${second.body.data.id}/cancel`, {
    token: asha.token,
    body: {},
  })
  assert.equal(cancelled.body.data.status, 'cancelled')
  assert.equal((await balance(app, key))[0], available)

  await app.owner.pool.query(`update payouts set waits_until = now()`)
  await app.owner.pool.query(`update provider_payouts set next_attempt_at = now() where next_attempt_at is not null`)
  await checkPayouts(app.deps, 10)
  await eventually('it is paid', async () => {
    await app.owner.pool.query(`update provider_payouts set next_attempt_at = now() where next_attempt_at is not null`)
    await checkPayouts(app.deps, 10)
    return (await read(app, key, id)).status === 'completed'
  })
  assert.equal((await askSignedIn(app, asha.token)).body.data.waits_until, null, 'a recipient who was paid')

  const byKey = await ask(app, key, { phone_number: '+255754000456' })
  assert.equal(byKey.body.data.waits_until, null)
  await app.owner.pool.query(`update sessions set amr = '{pwd,otp,mfa}'`)
  await app.owner.pool.query(
    `insert into second_factors (user_id, sealed_secret, confirmed_at) values ($1, 'x', now())
     on conflict (user_id) do update set sealed_secret = 'x', confirmed_at = now()`,
    [fromWire('usr', asha.userId)],
  )
  const proven = await askSignedIn(app, asha.token, { phone_number: '+255754000457' })
  assert.equal(proven.body.data.waits_until, null, 'a session with a second factor')
})

test('a payment that a thief refunds outside does not make their phone a known recipient [A81]', async (t) => {
  const app = await startTestApp(t, { settings: { NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: '3600' } })
  const asha = await owner(app)
  const { data } = (await app.call('GET', '/v1/merchant/payments?environment=live', { token: asha.token })).body
  const recorded = await app.call('POST', `/v1/merchant/payments/${data[0].reference}/refunds?environment=live`, {
    token: asha.token,
    headers: { 'idempotency-key': randomUUID() },
    body: { method: 'outside', amount: 500, reason: 'Cash' },
  })
  assert.equal(recorded.body.data.status, 'completed', JSON.stringify(recorded.body))
  const { rows } = await app.owner.pool.query('select phone_number from payments')
  const first = await askSignedIn(app, asha.token, { phone_number: rows[0].phone_number })
  assert.ok(first.body.data.waits_until, JSON.stringify(first.body))
  const refund = await refundSignedIn(app, asha.token, data[0].reference)
  assert.ok(refund.body.data.waits_until, 'a refund through the provider waits, too')
})

test('a payment that a key refunds does not make the phone of a thief a known recipient, and its next refund does not wait [A81]', async (t) => {
  const app = await startTestApp(t, { settings: { NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: '3600' } })
  const asha = await owner(app)
  const { key } = await app.key(asha, 'live')
  const { data } = (await app.call('GET', '/v1/merchant/payments?environment=live', { token: asha.token })).body
  const [{ reference }] = data
  const refunded = await app.call('POST', `/v1/payments/${reference}/refunds`, {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 5_000 },
  })
  assert.equal(refunded.body.data.waits_until, null, JSON.stringify(refunded.body))
  await eventually('the refund is completed', async () => {
    await app.owner.pool.query(`update provider_payouts set next_attempt_at = now() where next_attempt_at is not null`)
    await checkPayouts(app.deps, 10)
    const { body } = await app.call('GET', `/v1/refunds/${refunded.body.data.id}`, { key })
    return body.data.status === 'completed'
  })
  const { rows } = await app.owner.pool.query('select phone_number from payments')
  const first = await askSignedIn(app, asha.token, { phone_number: rows[0].phone_number })
  assert.ok(first.body.data.waits_until, JSON.stringify(first.body))
  const mails = await app.owner.pool.query(`select recipient from mails where kind = 'payout_waits'`)
  assert.deepEqual(mails.rows, [{ recipient: asha.email }])
  const refund = await refundSignedIn(app, asha.token, reference)
  assert.equal(refund.body.data.waits_until, null, 'a refund to a phone that was refunded before')
})
