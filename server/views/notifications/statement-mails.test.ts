/** Statements by mail: each ended period once, to people who may read it when it is sent, with lines that add up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { setDatabaseClock } from '../../../test/database-clock.ts'
import { lastMail, newMember, removeMember, verifiedBusiness, verifyEmail } from '../../../test/members.ts'
import { followClock } from '../../operations/clock/follow-clock.ts'
import { eraseAccount } from '../../operations/data-lifecycle/erase-account.ts'
import { openContent, type MailContent } from '../../base/mail/mail.ts'
import { mailStatements } from './mail-statements.ts'
import { pruneMailedStatements } from './statement-schedule.sql.ts'

/** Stops the database's clock. Days and hours are those of East Africa. */
async function stopAt(app: TestApp, moment: string): Promise<void> {
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select timestamptz '${moment}+03:00' $$`,
  )
}

type Sent = MailContent & { id: string; to: string }

async function sentMails(app: TestApp): Promise<Sent[]> {
  const { rows } = await app.owner.pool.query<{ id: string; recipient: string; sealed_content: string }>(
    `select id, recipient, sealed_content from mails where kind = 'statement' order by created_at, next_attempt_at, recipient`,
  )
  return rows.map(({ id, recipient, sealed_content }) => ({
    id,
    to: recipient,
    ...openContent(app.deps.sealer, id, sealed_content),
  }))
}

/** The interval after which it is this hour of tomorrow in East Africa. */
function hoursUntilTomorrow(hour: number): string {
  const now = new Date(Date.now() + 3 * 3_600_000)
  const then = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, hour)
  return `${Math.round((then - now.getTime()) / 1000)} seconds`
}

const subjects = async (app: TestApp): Promise<string[]> => (await sentMails(app)).map(({ subject }) => subject)

/** All that is due, as a worker does it. */
async function work(app: TestApp): Promise<void> {
  while ((await mailStatements(app.deps, 20)) > 0);
}

async function signIn(app: TestApp, person: Student): Promise<string> {
  const { body } = await app.call('POST', '/v1/auth/login', { body: { identifier: person.email, password: person.password } })
  return body.data.access_token
}

type Wanted = { frequency: string; language?: string; wallet?: string }

async function ask(
  app: TestApp,
  token: string,
  { frequency, language = 'en', wallet = 'environment=test' }: Wanted,
): Promise<Answer> {
  return app.call('PUT', `/v1/merchant/statement-mail?${wallet}`, { token, body: { frequency, language } })
}

/** A person who asked at this time, with a page that takes any amount. */
async function startWith(
  t: Parameters<typeof startTestApp>[0],
  moment: string,
  wanted: Wanted,
): Promise<{ app: TestApp; student: Student; token: string; pay(at: string, amount: number): Promise<void> }> {
  const app = await startTestApp(t)
  await stopAt(app, moment)
  const student = await app.student()
  const page = await app.page(student, { amount: undefined, allow_custom_amount: true })
  const answer = await ask(app, student.token, wanted)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return {
    app,
    student,
    token: student.token,
    async pay(at, amount) {
      await stopAt(app, at)
      const { body } = await app.checkout(page.slug, { amount, customer_name: 'Neema Kimaro' })
      assert.equal((await app.settled(body.data.reference)).status, 'completed')
    },
  }
}

test('a day is mailed in the next morning, once, with lines that add up and nothing of a payer', async (t) => {
  const { app, student, pay } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  await pay('2027-03-01 11:00', 10_000)
  await pay('2027-03-01 23:59:59', 5_000)
  await pay('2027-03-02 00:00', 700)
  await stopAt(app, '2027-03-02 06:59:59')
  await work(app)
  assert.deepEqual(await subjects(app), [])
  await stopAt(app, '2027-03-02 07:00')
  await Promise.all([work(app), work(app), work(app)])
  await work(app)
  const [mail, ...more] = await sentMails(app)
  assert.deepEqual([mail!.to, more], [student.email, []])
  assert.match(mail!.subject, /^TEST\. Statement of Student \w+: 1 March 2027$/)
  assert.ok(
    mail!.text.includes(
      [
        'Opening balance: TSh 0',
        'Payments received (2): +TSh 15,000',
        'Refunds (0): TSh 0',
        'Payouts (0): TSh 0',
        'Fees (0): TSh 0',
        'Closing balance: TSh 15,000',
      ].join('\n'),
    ),
    mail!.text,
  )
  assert.match(mail!.text, /\/dashboard\/me\/test\/statement\?month=2027-03\n/)
  assert.doesNotMatch(mail!.text, /Neema|0754|255754|juma@/)

  await stopAt(app, '2027-03-03 08:00')
  await work(app)
  const [, second] = await sentMails(app)
  assert.match(second!.text, /Opening balance: TSh 15,000\nPayments received \(1\): \+TSh 700\n.*Closing balance: TSh 15,700/s)
  assert.doesNotMatch(second!.text, /No mail was sent/)
})

test('payouts, refunds, fees and what came back stand in the mail and add up to the shilling', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const { reference } = (await app.checkout((await app.page(student, { amount: 80_000 })).slug)).body.data
  await app.settled(reference)
  const finished = (path: string, body: Record<string, unknown>, read: string) =>
    app.call('POST', path, { key, headers: { 'idempotency-key': JSON.stringify(body) }, body }).then(async (made) => {
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return eventually('it has ended', async () => {
        const { status } = (await app.call('GET', `${read}/${made.body.data.id}`, { key })).body.data
        return status === 'completed' || status === 'failed' ? status : undefined
      })
    })
  const payout = { amount: 5_000, recipient_name: 'Asha Mushi' }
  assert.equal(await finished('/v1/payouts', { ...payout, phone_number: '+255754000123' }, '/v1/payouts'), 'completed')
  assert.equal(await finished('/v1/payouts', { ...payout, phone_number: '+255754000419' }, '/v1/payouts'), 'failed')
  assert.equal(await finished(`/v1/payments/${reference}/refunds`, { amount: 6_000 }, '/v1/refunds'), 'completed')
  assert.equal((await ask(app, student.token, { frequency: 'daily' })).status, 200)
  const { available } = (await app.call('GET', '/v1/merchant/balance?environment=test', student)).body.data
  await setDatabaseClock(app, hoursUntilTomorrow(8))
  const text = await lastMail(app, student.email, 'statement')
  const signed = [...text.matchAll(/^.+\(\d+\): ([+−]?)TSh ([\d,]+)$/gm)].map(
    ([, sign, digits]) => (sign === '−' ? -1 : 1) * Number(digits!.replaceAll(',', '')),
  )
  const balance = (name: string): number =>
    Number(new RegExp(`^${name}: TSh ([\\d,]+)$`, 'm').exec(text)![1]!.replaceAll(',', ''))
  assert.equal(
    signed.reduce((sum, one) => sum + one, balance('Opening balance')),
    balance('Closing balance'),
    text,
  )
  assert.equal(balance('Closing balance'), available)
  assert.match(text, /^Payouts \(2\): −TSh 10,000$/m)
  assert.match(text, /^Refunds \(1\): −TSh 6,000$/m)
  assert.match(text, /^Fees \(\d\): −TSh /m)
  assert.match(text, /^Payouts that came back \(\d\): \+TSh /m)
  assert.doesNotMatch(text, /Asha|Mushi|0754|255754/)
})

test('a week is mailed on Monday and a month on the 1st, in the language that was chosen; without movement one line says so', async (t) => {
  const { app, student, pay } = await startWith(t, '2027-02-24 10:00', { frequency: 'weekly', language: 'sw' })
  await pay('2027-02-25 09:00', 10_000)
  await stopAt(app, '2027-02-28 23:00')
  await work(app)
  assert.deepEqual(await subjects(app), [])
  await stopAt(app, '2027-03-01 07:00')
  await work(app)
  const [week] = await sentMails(app)
  assert.match(week!.subject, /^MAJARIBIO\. Taarifa ya akaunti ya Student \w+: 22 Februari 2027 – 28 Februari 2027$/)
  assert.match(week!.text, /Salio la mwanzo: TSh 0\nMalipo yaliyopokelewa \(1\): \+TSh 10,000\n.*Salio la mwisho: TSh 10,000/s)
  assert.match(week!.text, /Uliomba barua pepe hii kila wiki/)

  const changed = await ask(app, await signIn(app, student), { frequency: 'monthly', language: 'sw' })
  assert.deepEqual(changed.body.data, { frequency: 'monthly', language: 'sw', next_on: '2027-04-01' })
  await stopAt(app, '2027-04-01 06:59')
  await work(app)
  assert.equal((await subjects(app)).length, 1)
  await stopAt(app, '2027-04-01 12:00')
  await work(app)
  const [, month] = await sentMails(app)
  assert.match(month!.subject, /: Machi 2027$/)
  assert.match(month!.text, /\nHakuna fedha iliyoingia wala kutoka\. Salio bado ni TSh 10,000\.\n/)
  assert.doesNotMatch(month!.text, /Salio la mwanzo/)
  assert.match(month!.text, /statement\?month=2027-03\n/)
})

test('after days without a worker only the last period is mailed, and the mail names the days before it', async (t) => {
  const { app, pay } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  await pay('2027-03-01 11:00', 1_000)
  await stopAt(app, '2027-03-02 09:00')
  await work(app)
  await pay('2027-03-03 11:00', 2_000)
  await stopAt(app, '2027-03-06 15:00')
  await Promise.all([work(app), work(app)])
  const [, late, ...more] = await sentMails(app)
  assert.deepEqual(more, [])
  assert.match(late!.subject, /: 5 March 2027$/)
  assert.match(late!.text, /No mail was sent for 2 March 2027 – 4 March 2027\./)
  assert.match(late!.text, /No money moved\. The balance is still TSh 3,000\./)
})

test('a period is mailed once, also when a clock was set back, and when the person stops and asks again', async (t) => {
  const { app, student } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  await followClock(app.deps)
  // A server whose clock is a year ahead.
  await stopAt(app, '2028-03-02 09:00')
  await followClock(app.deps)
  await work(app)
  await stopAt(app, '2027-03-02 09:00')
  await followClock(app.deps)
  await work(app)
  assert.deepEqual((await subjects(app)).map((subject) => subject.replace(/^.*: /, '')).toSorted(), [
    '1 March 2027',
    '1 March 2028',
  ])
  await stopAt(app, '2027-03-02 06:00')
  await followClock(app.deps)
  const token = await signIn(app, student)
  const { body } = await app.call('DELETE', '/v1/merchant/statement-mail?environment=test', { token })
  assert.deepEqual(body.data, { frequency: null, language: null, next_on: null })
  await stopAt(app, '2027-03-02 06:30')
  assert.equal((await ask(app, token, { frequency: 'daily' })).body.data.next_on, '2027-03-02')
  await stopAt(app, '2027-03-02 09:30')
  await followClock(app.deps)
  await work(app)
  assert.equal((await sentMails(app)).length, 2)
  await stopAt(app, '2027-03-03 09:30')
  await work(app)
  const mails = await sentMails(app)
  assert.equal(mails.length, 3)
  assert.ok(
    mails.some(({ subject }) => subject.endsWith(': 2 March 2027')),
    JSON.stringify(mails),
  )
})

test('a database that was restored to before a mail writes the same mail again, with the same Message-ID', async (t) => {
  const { app } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  const { rows: before } = await app.owner.pool.query('select * from statement_schedules')
  await stopAt(app, '2027-03-02 07:00')
  await work(app)
  const [first] = await sentMails(app)
  // What a restore loses.
  await app.owner.pool.query(`delete from mails where kind = 'statement'`)
  await app.owner.pool.query('delete from mailed_statements')
  await app.owner.pool.query('update statement_schedules set next_on = $1, mailed_until = null', [before[0].next_on])
  await work(app)
  const again = await sentMails(app)
  assert.deepEqual(again, [first])
})

test('a member gets the statement of a business as long as their role allows it on the day of the mail', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const [owner, admin] = [await app.student(), await app.admin()]
  const business = await verifiedBusiness(app, owner, admin)
  const wallet = `environment=test&business_id=${business}`
  const [stays, leaves, demoted, cashier] = [
    await newMember(app, owner, business, 'accountant'),
    await newMember(app, owner, business, 'accountant'),
    await newMember(app, owner, business, 'accountant'),
    await newMember(app, owner, business, 'cashier'),
  ]
  for (const { token } of [stays, leaves, demoted]) {
    assert.equal((await ask(app, token, { frequency: 'daily', wallet })).status, 200)
  }
  const refused = await ask(app, cashier.token, { frequency: 'daily', wallet })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_role'])
  assert.equal((await ask(app, (await app.student()).token, { frequency: 'daily', wallet })).status, 404)
  await removeMember(app, owner, business, leaves.memberId)
  const changed = await app.call('PATCH', `/v1/businesses/${business}/members/${demoted.memberId}`, {
    token: owner.token,
    body: { role: 'developer' },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await setDatabaseClock(app, hoursUntilTomorrow(8))
  const text = await lastMail(app, stays.email, 'statement')
  assert.match(text, new RegExp(`/dashboard/${business}/test/statement`))
  await eventually('no one else waits', async () => {
    const { rows } = await app.owner.pool.query('select next_on from statement_schedules')
    return rows.length === 1
  })
  const { rows } = await app.owner.pool.query(`select recipient from mails where kind = 'statement'`)
  assert.deepEqual(rows, [{ recipient: stays.email }])
})

test('a disabled person gets no mail; one statement that fails does not hold up the others', async (t) => {
  const { app, student } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  const [broken, disabled] = [await app.student(), await app.student()]
  for (const { token } of [broken, disabled]) assert.equal((await ask(app, token, { frequency: 'daily' })).status, 200)
  await app.owner.pool.query('update users set disabled_at = clock_now() where email = $1', [disabled.email])
  await app.owner.pool.query(`update users set email = 'not an address' where email = $1`, [broken.email])
  await stopAt(app, '2027-03-02 07:00')
  await work(app)
  assert.deepEqual(
    (await sentMails(app)).map(({ to }) => to),
    [student.email],
  )
  await app.owner.pool.query(`update users set email = $1 where email = 'not an address'`, [broken.email])
  await work(app)
  assert.equal((await sentMails(app)).length, 1, 'tried again later')
  await stopAt(app, '2027-03-02 07:11')
  await work(app)
  assert.deepEqual((await sentMails(app)).map(({ to }) => to).toSorted(), [student.email, broken.email].toSorted())
})

test('live statements need a verified address where the service demands it', async (t) => {
  const app = await startTestApp(t, { settings: { LIVE_NEEDS_VERIFIED_EMAIL: 'true' } })
  const student = await app.student()
  const live = { frequency: 'weekly', wallet: 'environment=live' }
  assert.deepEqual((await ask(app, student.token, live)).body.error.code, 'email_not_verified')
  await verifyEmail(app, student.email)
  assert.equal((await ask(app, student.token, live)).status, 200)
})

test('an erased person leaves no schedule, and the record of old mails is removed', async (t) => {
  const { app, student } = await startWith(t, '2027-03-01 10:00', { frequency: 'daily' })
  const other = await app.student()
  assert.equal((await ask(app, other.token, { frequency: 'daily' })).status, 200)
  await stopAt(app, '2027-03-02 07:00')
  await work(app)
  await eraseAccount(app.deps, { email: student.email, heldYears: 10, keepsHeldRecords: true })
  const count = async (table: string): Promise<number> =>
    (await app.owner.pool.query(`select count(*)::int as count from ${table}`)).rows[0].count
  assert.deepEqual([await count('statement_schedules'), await count('mailed_statements')], [1, 1])
  await stopAt(app, '2028-04-05 07:00')
  assert.deepEqual([await pruneMailedStatements(app.db, 400, 10), await count('mailed_statements')], [0, 1])
  await stopAt(app, '2028-04-06 07:00:01')
  assert.deepEqual([await pruneMailedStatements(app.db, 400, 10), await count('mailed_statements')], [1, 0])
})
