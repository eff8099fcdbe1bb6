/** A person changes the e-mail address or the phone number of the account over HTTP, and others try to. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../../../test/app.ts'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'
import { sql } from '../../platform/db/db.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
type Session = Pick<Person, 'access'>
const change = ({ access: token }: Session, body: unknown) => call('POST', '/v1/auth/contact/change', { token, body })
const confirm = ({ access: token }: Session, code: string) => call('POST', '/v1/auth/contact/confirm', { token, body: { code } })
const me = async ({ access: token }: Session) => (await call('GET', '/v1/me', { token })).body.data
const signIn = (identifier: string, { password }: Pick<Person, 'password'>) =>
  call('POST', '/v1/auth/login', { body: { identifier, password } })

let names = 0
const newEmail = (): string => `new.${(names += 1)}@udsm.ac.tz`
const newPhone = (): string => `+2557130${String((names += 1)).padStart(5, '0')}`

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

const mailsOf = async (email: string, kind: string) => (await app.mailsTo(email)).filter((mail) => mail.kind === kind)
const codeIn = ({ text }: { text: string }): string => /^\d{6}$/m.exec(text)![0]
const lastCode = async (email: string, kind = 'email_change') => codeIn((await mailsOf(email, kind)).at(-1)!)
const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('without a token nothing changes, and one of the two values is required', async () => {
  for (const path of ['change', 'confirm']) {
    assertRefused(await call('POST', `/v1/auth/contact/${path}`, { body: {} }), 401, 'authentication_required')
  }
  const asha = await app.register()
  const [email, phone_number] = [newEmail(), newPhone()]
  for (const body of [{}, { email, phone_number }, { email: 'x' }, { phone_number: '123' }, { email, name: 'x' }]) {
    assertRefused(await change(asha, body), 400, 'validation_error')
  }
  assertRefused(await change(asha, { email: ` ${asha.email.toUpperCase()}` }), 409, 'invalid_state')
  assertRefused(await change(asha, { phone_number: asha.phone }), 409, 'invalid_state')
  assertRefused(await confirm(asha, '123456'), 400, 'token_invalid')
  assert.equal((await me(asha)).contact_change, null)
})

test('a new address is set by the code mailed to it; the old one is notified twice and signs in no more', async () => {
  const asha = await app.register()
  const email = newEmail()
  const elsewhere = (await app.signIn(asha)).body.data.access_token
  const asked = await change(asha, { email: email.toUpperCase() })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  assert.deepEqual([asked.body.data.email, asked.body.data.contact_change.email], [asha.email, email])
  assert.deepEqual((await me(asha)).contact_change, asked.body.data.contact_change)

  const [notice] = await mailsOf(asha.email, 'email_change_requested')
  const [swahili, english] = notice!.text.split('\n---\n')
  assert.match(swahili!, /Kama si wewe, badilisha nenosiri lako mara moja/)
  assert.match(english!, /If this was not you, change or reset your password immediately/)
  assert.ok(!notice!.text.includes(email) && !/\d{6}/.test(notice!.text))
  const code = await lastCode(email)

  const answer = await confirm(asha, code)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { email: now, email_verified, contact_change } = answer.body.data
  assert.deepEqual([now, email_verified, contact_change], [email, true, null])
  const [done] = await mailsOf(asha.email, 'email_changed')
  assert.match(done!.text, /If this was not you, contact us immediately/)
  assertRefused(await call('GET', '/v1/me', { token: elsewhere }), 401, 'session_inactive')
  assert.equal((await me(asha)).email, email)
  assertRefused(await signIn(asha.email, asha), 401, 'invalid_credentials')
  assert.equal((await signIn(email, asha)).status, 200)
  assertRefused(await confirm(asha, code), 400, 'token_invalid')
  assert.deepEqual(
    (await app.auditOf(asha.id)).map(({ action, actor }) => [action, actor]),
    [
      ['email.change_requested', asha.id],
      ['email.changed', asha.id],
    ],
  )
})

test('a new phone number is set by a code mailed to the address of the account, because nothing is sent to phones', async () => {
  const asha = await app.register()
  const phone = newPhone()
  const elsewhere = (await app.signIn(asha)).body.data.access_token
  assert.equal((await change(asha, { phone_number: phone.replace('+255', '0') })).status, 200)
  const [mail] = await mailsOf(asha.email, 'phone_number_change')
  assert.match(mail!.text, /Kama si wewe, badilisha nenosiri lako mara moja/)
  assert.match(mail!.text, /If this was not you, reset your password immediately/)
  const answer = await confirm(asha, codeIn(mail!))
  assert.deepEqual([answer.status, answer.body.data.phone_number, answer.body.data.email], [200, phone, asha.email])
  assert.equal((await mailsOf(asha.email, 'phone_number_changed')).length, 1)
  assertRefused(await call('GET', '/v1/me', { token: elsewhere }), 401, 'session_inactive')
  assert.equal((await signIn(phone, asha)).status, 200)
  assertRefused(await signIn(asha.phone, asha), 401, 'invalid_credentials')
})

test('a change needs a recent step-up, with the second factor where there is one', async () => {
  const asha = await app.register()
  const email = newEmail()
  await app.moveClock(301)
  assertRefused(await change(asha, { email }), 401, 'step_up_required')
  assertRefused(await change(asha, { phone_number: newPhone() }), 401, 'step_up_required')
  const { secret } = await (async () => {
    await call('POST', '/v1/auth/step-up', { token: asha.access, body: { password: asha.password } })
    return app.enroll(asha)
  })()
  await app.moveClock(301)
  const stepUp = (body: unknown) => call('POST', '/v1/auth/step-up', { token: asha.access, body })
  assert.equal((await stepUp({ password: asha.password })).status, 400)
  assertRefused(await change(asha, { email }), 401, 'step_up_required')
  assert.deepEqual([await app.mailsTo(email), await mailsOf(asha.email, 'email_change_requested')], [[], []])
  assert.equal((await stepUp({ code: await app.freshCode(secret) })).status, 200)
  assert.equal((await change(asha, { email })).status, 200)
})

test('five wrong tries end a code, also in parallel, and a code ends after half an hour', async () => {
  const asha = await app.register()
  const email = newEmail()
  await change(asha, { email })
  const code = await lastCode(email)
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(asha, otherThan(code))))
  for (const answer of answers) assertRefused(answer, 400, 'token_invalid')
  assertRefused(await confirm(asha, code), 400, 'token_invalid')
  await app.moveClock(61)
  await change(asha, { email })
  const second = await lastCode(email)
  await app.moveClock(1801)
  const session = { access: (await app.signIn(asha)).body.data.access_token }
  assert.equal((await me(session)).contact_change, null)
  assertRefused(await confirm(session, second), 400, 'token_invalid')
  assert.equal((await me(session)).email, asha.email)
})

test('a new request replaces the open one, at most one a minute and ten a day', async () => {
  const asha = await app.register()
  const [first, phone] = [newEmail(), newPhone()]
  await change(asha, { email: first })
  const early = await change(asha, { phone_number: phone })
  assertRefused(early, 429, 'rate_limited')
  assert.ok(Number(early.headers['retry-after']) <= 60)
  const code = await lastCode(first)
  await app.moveClock(61)
  assert.equal((await change(asha, { phone_number: phone })).body.data.contact_change.phone_number, phone)
  assertRefused(await confirm(asha, code), 400, 'token_invalid')
  const [open] = await app.owner.rows<{ count: string }>(sql`
    select count(*)::text from mailed_tokens t join users u on u.id = t.user_id
    where u.email = ${asha.email} and purpose = 'contact_change' and used_at is null`)
  assert.equal(open!.count, '1')
  const stepUp = () => call('POST', '/v1/auth/step-up', { token: asha.access, body: { password: asha.password } })
  for (let turn = 2; turn < 10; turn += 1) {
    await app.moveClock(61)
    assert.equal((await stepUp()).status, 200)
    assert.equal((await change(asha, { email: newEmail() })).status, 200)
  }
  await app.moveClock(61)
  await stepUp()
  const late = await change(asha, { email: newEmail() })
  assertRefused(late, 429, 'rate_limited')
  assert.ok(Number(late.headers['retry-after']) > 80_000)
  assert.equal(
    (await app.owner.rows(sql`select from mails where kind = 'phone_number_changed' and recipient = ${asha.email}`)).length,
    0,
  )
})

test('the code of another person, or of another purpose, changes nothing', async () => {
  const [asha, thief] = [await app.register(), await app.register()]
  const email = newEmail()
  await change(asha, { email })
  const code = await lastCode(email)
  assertRefused(await confirm(thief, code), 400, 'token_invalid')
  const verification = await lastCode(asha.email, 'email_verification')
  if (verification !== code) assertRefused(await confirm(asha, verification), 400, 'token_invalid')
  assertRefused(await call('POST', '/v1/auth/email/verify', { token: asha.access, body: { code } }), 400, 'token_invalid')
  assert.equal((await me(thief)).email, thief.email)
  assert.equal((await confirm(asha, code)).status, 200)
})

test('a session that is ended while its confirmation waits sets no address: the owner keeps the account', async () => {
  const asha = await app.register()
  const thief = { access: (await app.signIn(asha)).body.data.access_token }
  const email = newEmail()
  await change(thief, { email })
  const code = await lastCode(email)
  const { confirmed, ended } = await app.owner.tx(async (tx) => {
    await tx.rows(sql`select from users where email = ${asha.email} for update`)
    const waits = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const answer = confirm(thief, code)
    await eventually('the confirmation waits', async () => (await app.owner.rows(waits)).length > 0)
    return { confirmed: answer, ended: await call('POST', '/v1/auth/logout', { token: thief.access, body: {} }) }
  })
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  assertRefused(await confirmed, 401, 'session_inactive')
  assert.equal((await me(asha)).email, asha.email)
})

test('a changed or reset password cancels the open change', async () => {
  const asha = await app.register()
  const email = newEmail()
  await change(asha, { email })
  const body = { current_password: asha.password, password: 'jua la asubuhi mapema' }
  assert.equal((await call('POST', '/v1/auth/password/change', { token: asha.access, body })).status, 200)
  assert.equal((await me(asha)).contact_change, null)
  assertRefused(await confirm(asha, await lastCode(email)), 400, 'token_invalid')

  await app.moveClock(61)
  await change(asha, { email })
  await call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  await app.backgroundDone()
  const code = await lastCode(asha.email, 'password_reset')
  const password = 'mvua ya masika usiku'
  assert.equal((await call('POST', '/v1/auth/password/reset', { body: { email: asha.email, code, password } })).status, 200)
  const session = { access: (await app.signIn({ ...asha, password })).body.data.access_token }
  assertRefused(await confirm(session, await lastCode(email)), 400, 'token_invalid')
})

test('a reset code for the old address, and a sign-in that began, end with the change', async () => {
  const asha = await app.register()
  await call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  await app.backgroundDone()
  const code = await lastCode(asha.email, 'password_reset')
  const email = newEmail()
  await change(asha, { email })
  assert.equal((await confirm(asha, await lastCode(email))).status, 200)
  for (const address of [asha.email, email]) {
    const body = { email: address, code, password: 'mvua ya masika usiku' }
    assertRefused(await call('POST', '/v1/auth/password/reset', { body }), 400, 'token_invalid')
  }
})

test('no answer tells whether another account has an address: its owner is mailed, once a day, and no code works', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const free = await change(asha, { email: newEmail() })
  await app.moveClock(61)
  const taken = await change(asha, { email: juma.email })
  const shape = ({ status, body }: Answer) => [status, { ...body.data, contact_change: Object.keys(body.data.contact_change) }]
  assert.deepEqual(shape(taken), shape(free))
  assert.equal(taken.body.data.contact_change.email, juma.email)
  assert.deepEqual(await mailsOf(juma.email, 'email_change'), [])
  assert.equal((await mailsOf(juma.email, 'registration_tried')).length, 1)
  await app.moveClock(61)
  await change(asha, { email: juma.email })
  assert.equal((await mailsOf(juma.email, 'registration_tried')).length, 1)
  assert.equal((await mailsOf(asha.email, 'email_change_requested')).length, 3)
})

test('a phone number of another account is accepted as any other, its code does not work, and its owner is mailed', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  assert.equal((await change(asha, { phone_number: juma.phone })).status, 200)
  const code = await lastCode(asha.email, 'phone_number_change')
  const wrong = await confirm(asha, otherThan(code))
  const right = await confirm(asha, code)
  assert.deepEqual([right.status, right.body.error.message], [wrong.status, wrong.body.error.message])
  assertRefused(right, 400, 'token_invalid')
  assertRefused(await confirm(asha, code), 400, 'token_invalid')
  assert.deepEqual([(await me(asha)).phone_number, (await me(asha)).contact_change], [asha.phone, null])
  assert.equal((await mailsOf(juma.email, 'registration_tried')).length, 1)
  assert.deepEqual(await mailsOf(asha.email, 'phone_number_changed'), [])
})

test('of two accounts that confirm one address at the same moment, one gets it', async () => {
  const people = [await app.register(), await app.register()]
  const email = newEmail()
  for (const person of people) await change(person, { email })
  const codes = (await mailsOf(email, 'email_change')).map(codeIn)
  assert.equal(codes.length, 2)
  const answers = await Promise.all(people.map((person, place) => confirm(person, codes[place]!)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 400],
  )
  const loser = people[answers.findIndex(({ status }) => status === 400)]!
  assertRefused(
    answers.find(({ status }) => status === 400)!,
    400,
    'token_invalid',
  )
  assert.equal((await me(loser)).email, loser.email)
  assert.deepEqual(await mailsOf(loser.email, 'email_changed'), [])
  const taken = await call('POST', '/v1/auth/register', {
    body: {
      full_name: 'X Y',
      email,
      phone_number: newPhone(),
      password: 'correct horse battery',
      student_id: '1',
      institution: 'UDSM',
    },
  })
  assertRefused(taken, 409, 'already_registered')
})

test('two people who ask for each other’s address at once do not block each other', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const answers = await Promise.all([change(asha, { email: juma.email }), change(juma, { email: asha.email })])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
})

test('a code entered many times at once changes the account once', async () => {
  const asha = await app.register()
  const email = newEmail()
  await change(asha, { email })
  const code = await lastCode(email)
  const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(asha, code)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, ...Array.from({ length: 9 }, () => 400)],
  )
  assert.equal((await mailsOf(asha.email, 'email_changed')).length, 1)
})
