/**
 * The mails that owners choose: their content, recipients and times, and that no mail is sent twice or to an owner who wants none.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openContent } from '../server/base/mail/mail.ts'
import { applySettlements } from '../server/collect/payments/settle.sql.ts'
import { settlementOf } from '../server/collect/payments/settlement.ts'
import { setKycStatus } from '../server/merchants/onboarding/decide-by-operator.ts'
import { fromWire, homeOfId } from '../server/platform/ids.ts'
import { notifyOfPayments, notifyOfPayouts } from '../server/views/notifications/notify-owners.ts'
import { eventually, share, startTestApp, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

type Mail = { kind: string; subject: string; text: string }

async function mailsOf(app: TestApp, { email }: Pick<Student, 'email'>, kinds: RegExp): Promise<Mail[]> {
  const { rows } = await app.owner.pool.query(
    'select id, kind, sealed_content from mails where recipient = $1 order by created_at, id',
    [email],
  )
  return rows
    .filter(({ kind }) => kinds.test(kind))
    .map(({ id, kind, sealed_content }) => ({ kind, ...openContent(app.deps.sealer, id, sealed_content) }))
}

const choose = async (app: TestApp, { token }: Student, body: Record<string, unknown>) => {
  const answer = await app.call('PATCH', '/v1/me/notifications', { token, body })
  return answer.body.data ?? answer.body.error.code
}

const moveClock = (app: TestApp, seconds: number) =>
  app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${seconds} seconds' $$`,
  )

test('an owner who never chose has the defaults; a choice is stored for that owner only', async () => {
  const app = await sharedApp()
  const [student, other] = [await app.student(), await app.student()]
  const read = async ({ token }: Student) => (await app.call('GET', '/v1/me/notifications', { token })).body.data
  const defaults = { payment_received: false, payout_finished: true, webhook_disabled: true, new_device: true }
  assert.deepEqual(await read(student), defaults)
  assert.deepEqual(await choose(app, student, { new_device: false }), { ...defaults, new_device: false })
  await choose(app, student, { payment_received: true })
  assert.deepEqual(await read(student), { ...defaults, new_device: false, payment_received: true })
  assert.deepEqual(await read(other), defaults)
  assert.equal(await choose(app, student, { newsletter: true }), 'validation_error')
  assert.equal(await choose(app, student, { new_device: 'no' }), 'validation_error')
})

test('two switches that are turned at the same moment are both turned', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const defaults = await choose(app, student, {})
  const lock = await app.owner.pool.connect()
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await lock.query('begin')
  await lock.query('select from notification_preferences where user_id = $1 for update', [fromWire('usr', student.userId)])
  const both = [choose(app, student, { new_device: false }), choose(app, student, { payment_received: true })]
  await eventually('both wait', async () => (await app.owner.pool.query(waiting)).rows.length === 2)
  await lock.query('commit')
  lock.release()
  await Promise.all(both)
  const { body } = await app.call('GET', '/v1/me/notifications', { token: student.token })
  assert.deepEqual(body.data, { ...defaults, new_device: false, payment_received: true })
})

test('live payments are reported once, together, to owners who want it, from the moment of their choice', async (t) => {
  const app = await startTestApp(t)
  const [student, other] = [await app.student(), await app.student()]
  const [page, theirs, trial] = [await app.page(student, {}, 'live'), await app.page(other, {}, 'live'), await app.page(student)]
  const pay = async (slug: string, name: string) => {
    const { reference } = (await app.checkout(slug, { customer_name: name })).body.data
    await app.settled(reference)
    return reference as string
  }
  await pay(page.slug, 'Before')
  await new Promise((resolve) => setTimeout(resolve, 5))
  await choose(app, student, { payment_received: true })
  const [first, second] = [await pay(page.slug, 'Neema'), await pay(page.slug, 'Baraka')]
  await pay(trial.slug, 'Trial')
  await pay(theirs.slug, 'Theirs')
  assert.equal(await notifyOfPayments(app.deps), false, 'a current payment waits')
  await moveClock(app, 160)
  assert.equal(await notifyOfPayments(app.deps), true)
  assert.equal(await notifyOfPayments(app.deps), false)
  const [mail, ...more] = await mailsOf(app, student, /payment/)
  assert.deepEqual(more, [])
  assert.match(mail!.subject, /TSh 3,000/)
  for (const part of [first, second, 'Neema', 'Baraka', 'TSh 1,500']) assert.ok(mail!.text.includes(part), part)
  assert.doesNotMatch(mail!.text, /Before|Trial|Theirs/)
  assert.deepEqual(await mailsOf(app, other, /payment/), [])
  // Nothing new: no mail. And two processes at once send one.
  await moveClock(app, 320)
  assert.deepEqual([await notifyOfPayments(app.deps), (await mailsOf(app, student, /payment/)).length], [true, 1])
  await pay(page.slug, 'Zawadi')
  await moveClock(app, 480)
  await Promise.all([notifyOfPayments(app.deps), notifyOfPayments(app.deps), notifyOfPayments(app.deps)])
  const mails = await mailsOf(app, student, /payment/)
  assert.deepEqual([mails.length, mails[1]!.text.includes('Zawadi'), mails[1]!.text.includes('Neema')], [2, true, false])
  await moveClock(app, 0)
})

test('a payment whose commit waited for 70 seconds is in the next mail', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, {}, 'live')
  await choose(app, student, { payment_received: true })
  await app.owner.pool.query(
    `update notification_preferences set payments_told_until = payments_told_until - interval '10 minutes'`,
  )
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111', customer_name: 'Neema' })).body.data
  const paymentId = fromWire('pay', reference)!
  const { rows } = await app.owner.pool.query('select provider, provider_reference from provider_charges')
  const { provider, provider_reference: charge } = rows[0]
  const source = { home: homeOfId(paymentId), paymentId, environment: 'live', provider, actor: 'test', requestId: 'r' } as const
  const paid = { reference: charge, ourReference: reference, status: 'completed', amount: 1_500, currency: 'TZS' } as const
  const rest = { fee: null, network: null, failure: null, expiresAt: null }
  await app.owner.tx(async (tx) => {
    const [settled] = await applySettlements(tx, [settlementOf(source, { ...paid, ...rest }, 60)], null)
    assert.equal(settled!.verdict, 'applied')
    await moveClock(app, 70)
    assert.equal(await notifyOfPayments(app.deps), true)
  })
  await moveClock(app, 300)
  assert.equal(await notifyOfPayments(app.deps), true)
  const mails = await mailsOf(app, student, /payment/)
  assert.deepEqual(
    mails.map(({ text }) => text.includes('Neema')),
    [true],
  )
  await moveClock(app, 0)
})

test('a mail with the longest names is sent, and one that cannot be written stops no mail to others', async (t) => {
  const lines: string[] = []
  const app = await startTestApp(t, { logLevel: 'error', logTo: (line) => lines.push(line) })
  const name = '😀'.repeat(120)
  const owner = async (): Promise<Student> => {
    const student = await app.student({ verified: false })
    const named = await app.call('PATCH', '/v1/me', { token: student.token, body: { full_name: name } })
    assert.equal(named.status, 200, JSON.stringify(named.body))
    await setKycStatus(app.deps, student.email, 'verified')
    return student
  }
  const [broken, busy, other] = [await owner(), await owner(), await owner()]
  for (const [place, reader] of [broken, busy, other].entries()) {
    await choose(app, reader, { payment_received: true })
    // The first has waited for the longest time.
    await app.owner.pool.query(
      `update notification_preferences set payments_told_until = payments_told_until - make_interval(mins => $2) where user_id = $1`,
      [fromWire('usr', reader.userId), 3 - place],
    )
    const page = await app.page(reader, { title: name }, 'live')
    for (let count = 0; count < (reader === busy ? 31 : 1); count += 1) {
      const phone_number = `0754${place}${String(count).padStart(2, '0')}789`
      await app.settled((await app.checkout(page.slug, { customer_name: name, phone_number })).body.data.reference)
    }
  }
  await app.owner.pool.query(
    `create function refuse_mail() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse_mail before insert on mails for each row when (new.recipient = '${broken.email}') execute function refuse_mail()`,
  )
  await moveClock(app, 160)
  for (let round = 0; round < 3; round += 1) await notifyOfPayments(app.deps)
  assert.equal((await mailsOf(app, other, /payment/)).length, 1)
  const [mail] = await mailsOf(app, busy, /payment/)
  assert.equal(mail!.text.match(/TSh 1,500 · 😀+… · 😀+… \(😀+…\) · /gu)?.length, 30, mail!.text)
  const alerts = lines.map((line) => JSON.parse(line)).filter(({ alert }) => alert)
  assert.deepEqual(
    alerts.map(({ event, user_id }) => [event, user_id]),
    [['notification.mail_failed', broken.userId]],
  )
  await moveClock(app, 0)
})

test('the end of a live payout is reported once, unless its owner wants no such mail', async () => {
  const app = await sharedApp()
  const [student, silent] = [await app.student(), await app.student()]
  await choose(app, silent, { payout_finished: false })
  const payOut = async (of: Student, environment: 'test' | 'live', phone: string, until: string) => {
    const page = await app.page(of, { amount: 20_000 }, environment)
    await app.settled((await app.checkout(page.slug)).body.data.reference)
    const { key } = await app.key(of, environment)
    const { id } = (
      await app.call('POST', '/v1/payouts', {
        key,
        headers: { 'idempotency-key': phone },
        body: { amount: 5000, phone_number: phone, recipient_name: 'Asha Mushi' },
      })
    ).body.data
    await eventually(
      `${phone} is ${until}`,
      async () => (await app.call('GET', `/v1/payouts/${id}`, { key })).body.data.status === until,
    )
    return id as string
  }
  const arrived = await payOut(student, 'live', '+255754000123', 'completed')
  const failed = await payOut(student, 'live', '+255754000089', 'failed')
  await payOut(student, 'test', '+255754000124', 'completed')
  await payOut(silent, 'live', '+255754000125', 'completed')
  assert.equal(await notifyOfPayouts(app.deps, 50), 4)
  assert.equal(await notifyOfPayouts(app.deps, 50), 0)
  const mails = await mailsOf(app, student, /payout/)
  assert.deepEqual(
    mails.map(({ kind, text }) => [kind, text.includes(arrived), text.includes(failed)]),
    [
      ['payout_completed', true, false],
      ['payout_failed', false, true],
    ],
  )
  assert.ok(mails[0]!.text.includes('0754 ••• 123') && !mails[0]!.text.includes('754000123'))
  assert.deepEqual(await mailsOf(app, silent, /payout/), [])
})

test('the end of a live refund is reported as a refund of its payment, not as a payout', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student, 'live')
  const page = await app.page(student, { amount: 20_000 }, 'live')
  const refund = async (phone: string, until: string): Promise<{ id: string; reference: string }> => {
    const { reference } = (await app.checkout(page.slug, { phone_number: phone })).body.data
    assert.equal((await app.settled(reference)).status, 'completed')
    const headers = { 'idempotency-key': phone }
    const { body } = await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 5_000 } })
    await eventually(
      `the refund is ${until}`,
      async () => (await app.call('GET', `/v1/refunds/${body.data.id}`, { key })).body.data.status === until,
    )
    return { id: body.data.id, reference }
  }
  const done = await refund('+255754000789', 'completed')
  const failed = await refund('+255754000419', 'failed')
  const outside = await app.call('POST', `/v1/merchant/payments/${failed.reference}/refunds?environment=live`, {
    token: student.token,
    headers: { 'idempotency-key': 'outside' },
    body: { amount: 300, method: 'outside', reason: 'Cash' },
  })
  assert.equal(outside.status, 201, JSON.stringify(outside.body))
  assert.equal(await notifyOfPayouts(app.deps, 50), 3)
  assert.equal(await notifyOfPayouts(app.deps, 50), 0)
  const [completion, failure, recorded, ...more] = await mailsOf(app, student, /payout|refund/)
  assert.deepEqual(more, [])
  assert.deepEqual([completion!.kind, failure!.kind], ['refund_completed', 'refund_failed'])
  assert.equal(completion!.subject, 'Mlipaji amerudishiwa TSh 5,000 · TSh 5,000 refunded')
  assert.equal(failure!.subject, 'Kumrudishia mlipaji TSh 5,000 kumeshindikana · Your refund of TSh 5,000 failed')
  assert.ok(completion!.text.includes(`${done.id} · ${done.reference}`), completion!.text)
  assert.ok(failure!.text.includes(`${failed.id} · ${failed.reference}`), failure!.text)
  assert.equal(recorded!.subject, 'Marejesho ya TSh 300 yamerekodiwa · A return of TSh 300 was recorded')
  assert.match(recorded!.text, /Salio lako halikubadilika.*returned by the merchant\. Your balance did not change/s)
  assert.match(failure!.text, /pochi yako pamoja na makato.*back in your wallet together with the fee/s)
  assert.doesNotMatch(completion!.text + failure!.text, /po_|recipient|mpokeaji/)
})

test('a sign-in from a new device is reported, and no other', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const signIn = async (agent: string) => {
    const { status } = await app.call('POST', '/v1/auth/login', {
      body: { identifier: student.email, password: student.password },
      headers: { 'user-agent': agent },
    })
    assert.equal(status, 200)
  }
  const count = async () => (await mailsOf(app, student, /new_device/)).length
  // The sign-in at registration was the first one.
  assert.equal(await count(), 0)
  await signIn('Mozilla/5.0 (Linux; Android 14) Chrome/141.0.1')
  assert.equal(await count(), 1)
  await signIn('Mozilla/5.0 (Linux; Android 15) Chrome/142.3')
  assert.equal(await count(), 1, 'a new version is no new device')
  await signIn('Mozilla/5.0 (iPhone) Safari/605')
  assert.equal(await count(), 2)
  await choose(app, student, { new_device: false })
  await signIn('curl/8')
  assert.equal(await count(), 2)
  const [mail] = await mailsOf(app, student, /new_device/)
  assert.doesNotMatch(mail!.text, /Mozilla|Android/)
})
