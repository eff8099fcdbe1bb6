/** Operators: made on the command line, and signed in only with a second factor. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startPeopleApi, type Answer, type PeopleApi } from '../../../test/fixtures/people.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { createAdmin } from './create-admin.ts'
import { requireAdmin } from './authenticate.ts'
import { merchantOfUser } from './merchant.sql.ts'
import { createPasswords } from './password.ts'
import { userToJson } from './user.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi((http, deps) => {
    http.get('/operators-only', { onRequest: requireAdmin(deps) }, async () => ({ data: 'shown' }))
  })
})
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const me = (token: string) => call('GET', '/v1/me', { token })
const operatorsOnly = (token: string) => call('GET', '/operators-only', { token })
const create = (email: string, fullName = 'Neema Operator') =>
  createAdmin({ ...app, passwords: createPasswords() }, { email, fullName })

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

async function signIn(email: string, password: string, secret: string): Promise<Answer> {
  const login = await app.signIn({ email, password })
  assert.deepEqual([login.status, login.body.data.two_factor_required], [200, true], JSON.stringify(login.body))
  const body = { challenge_token: login.body.data.challenge_token, code: await app.freshCode(secret) }
  return call('POST', '/v1/auth/2fa/verify', { body })
}

test('a new operator signs in with the given password and app, and only then is accepted as an operator', async () => {
  const made = await create(' Neema@malipo.example ')
  const { user, password, secret, recoveryCodes } = made
  assert.deepEqual(
    [user.email, user.fullName, user.role, made.wasPromoted],
    ['neema@malipo.example', 'Neema Operator', 'admin', false],
  )
  assert.match(password!, /^[\w-]{24}$/)
  assert.match(made.otpauthUrl, new RegExp(`^otpauth://totp/.*secret=${secret}`))
  assert.equal(recoveryCodes.length, 10)

  const answer = await signIn(user.email, password!, secret)
  const { access_token: token, refresh_token } = answer.body.data
  assert.equal((await operatorsOnly(token)).status, 200)
  const shown = (await me(token)).body.data
  assert.deepEqual(shown, userToJson(user))
  assert.deepEqual(
    [shown.phone_number, shown.student_id, shown.institution, shown.email_verified, shown.two_factor],
    [null, null, null, false, { enabled: true, recovery_codes_left: 10 }],
  )
  assert.equal((await merchantOfUser(app.db, user.id))!.displayName, 'Neema Operator')
  const [entry] = await app.auditOf(shown.id)
  assert.deepEqual([entry!.action, entry!.actor, entry!.after], ['admin.created', 'ops', { promoted: false, sessions_ended: 0 }])
  const [session] = (await call('GET', '/v1/auth/sessions', { token })).body.data
  const [signedIn] = await app.auditOf(session.id)
  assert.deepEqual(
    [signedIn!.action, signedIn!.actor, signedIn!.after],
    ['admin.signed_in', shown.id, { amr: ['pwd', 'otp', 'mfa'] }],
  )

  const disabled = await call('POST', '/v1/auth/2fa/disable', { token, body: { code: await app.freshCode(secret) } })
  assertRefused(disabled, 403, 'two_factor_required')
  const renamed = await call('PATCH', '/v1/me', { token, body: { full_name: 'Neema O.' } })
  assert.deepEqual([renamed.status, renamed.body.data.institution], [200, null])
  await app.moveClock(30 * 60 + 1)
  const refreshed = await call('POST', '/v1/auth/refresh', { body: { refresh_token } })
  assertRefused(refreshed, 401, 'session_inactive')
})

test('a student who becomes an operator keeps the password, gets a new factor, and is signed out of all sessions', async () => {
  const asha = await app.register()
  const old = await app.enroll(asha)
  assertRefused(await operatorsOnly(asha.access), 403, 'admin_required')
  const challenge = (await app.signIn(asha)).body.data.challenge_token
  const pending = (await call('POST', '/v1/auth/2fa/enroll', { token: asha.access })).body.data.secret

  const made = await create(asha.email.toUpperCase(), 'Not Used')
  assert.deepEqual(
    [made.wasPromoted, made.password, made.user.fullName, made.user.phoneNumber],
    [true, null, 'Asha Mwinyi', asha.phone],
  )
  assertRefused(await me(asha.access), 401, 'session_inactive')
  const verify = (code: string) => call('POST', '/v1/auth/2fa/verify', { body: { challenge_token: challenge, code } })
  assertRefused(await verify(await app.freshCode(made.secret)), 401, 'invalid_challenge')
  for (const gone of [old.secret, pending]) assertRefused(await signIn(asha.email, asha.password, gone), 401, 'invalid_code')

  const answer = await signIn(asha.email, asha.password, made.secret)
  const token = answer.body.data.access_token
  assert.equal((await operatorsOnly(token)).status, 200)
  const confirmed = await call('POST', '/v1/auth/2fa/confirm', { token, body: { code: await app.freshCode(pending) } })
  assertRefused(confirmed, 409, 'invalid_state')
  assert.equal((await app.mailsTo(asha.email)).at(-1)!.kind, 'admin_created')
  const entry = (await app.auditOf(asha.id)).at(-1)!
  assert.deepEqual([entry.action, entry.actor, entry.after], ['admin.created', 'ops', { promoted: true, sessions_ended: 1 }])
})

test('an existing operator, a disabled account and an invalid address are refused', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const answers = await Promise.allSettled([create(asha.email), create(asha.email)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await assert.rejects(create(asha.email), { httpStatus: 409, code: 'invalid_state' })
  const fresh = await Promise.allSettled([create('twice@malipo.example'), create('twice@malipo.example')])
  const refused = fresh.find((answer) => answer.status === 'rejected')
  assert.deepEqual([refused?.reason.httpStatus, fresh.length], [409, 2])
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email = ${juma.email}`)
  await assert.rejects(create(juma.email), { httpStatus: 409 })
  await assert.rejects(create('not an address'), { httpStatus: 400, code: 'validation_error' })
  await assert.rejects(create('fine@malipo.example', '  '), { httpStatus: 400, code: 'validation_error' })
})

test('a sign-in during a promotion needs the second factor', async () => {
  const asha = await app.register()
  const change = sql`
    with promoted as (update users set role = 'admin' where email = ${asha.email} returning id)
    insert into second_factors (user_id, sealed_secret, confirmed_at) select id, 'x', clock_now() from promoted`
  const login = await app.during(change, () => app.signIn(asha))
  assert.deepEqual([login.status, login.body.data.two_factor_required], [200, true])
})

test('a promotion waits until the session of a parallel registration exists and can be ended', async () => {
  const email = 'early@udsm.ac.tz'
  const isWaiting = async () =>
    (await app.owner.rows(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length > 0
  const registering = await app.owner.tx(async (tx) => {
    // This lock blocks the session insert, and with it the answer.
    await tx.rows(sql`lock table sessions in share mode`)
    const registered = app.register({ email })
    while (!(await isWaiting()));
    assert.deepEqual(await app.owner.rows(sql`select role from users where email = ${email}`), [])
    return { registered }
  })
  const { access } = await registering.registered
  assert.equal((await create(email)).wasPromoted, true)
  assertRefused(await me(access), 401, 'session_inactive')
})

test('an operator whose factor was deleted in the database is refused', async () => {
  const { user, password } = await create('lost@malipo.example')
  await app.owner.rows(sql`
    update second_factors set sealed_secret = null, confirmed_at = null where user_id = ${user.id}`)
  const login = await app.signIn({ email: user.email, password: password! })
  assertRefused(await operatorsOnly(login.body.data.access_token), 403, 'two_factor_required')
})

test('the database refuses a student without a phone, student id or institution', async () => {
  const asha = await app.register()
  for (const column of ['phone_number', 'student_id', 'institution']) {
    const broken = app.owner.script(`update users set ${column} = null where id = '${fromWire('usr', asha.id)}'`)
    await assert.rejects(broken, { constraint: 'users_students_complete' })
  }
})

test('the command line makes an operator and shows the credentials once; HTTP cannot make one', async () => {
  const ops = (...words: string[]) =>
    promisify(execFile)('node', [join(import.meta.dirname, '../../start/ops.ts'), ...words], {
      env: { PATH: process.env['PATH'], ...app.settings },
    })
  const { stdout } = await ops('admin', 'create', '--email', 'zawadi@malipo.example', '--name', 'Zawadi Mushi')
  const after = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(stdout)![1]!
  assert.match(stdout, /Zawadi Mushi is an operator now/)
  assert.equal(stdout.match(/\b([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/gm)!.length, 10)
  const answer = await signIn(after('Sign-in'), after('Password'), after('Secret'))
  assert.equal((await operatorsOnly(answer.body.data.access_token)).status, 200)
  assert.ok(stdout.includes(`secret=${after('Secret')}`))

  const asha = await app.register()
  const promoted = await ops('admin', 'create', '--email', asha.email)
  assert.match(promoted.stdout, /the one that the account had[^]*was never verified: have its owner reset the password/)
  assert.doesNotMatch(stdout, /never verified/)

  await assert.rejects(ops('admin', 'create', '--email', 'zawadi@malipo.example'), /is already an operator/)
  await assert.rejects(ops('admin', 'create'), /Usage/)
  await assert.rejects(ops('admin', 'create', '--mail', 'x'), /Usage/)
  const role = { full_name: 'X Y', email: 'x@malipo.example', password: 'correct horse battery', student_id: '1' }
  const registered = await call('POST', '/v1/auth/register', {
    body: { ...role, phone_number: '+255754000004', institution: 'UDSM', role: 'admin' },
  })
  assertRefused(registered, 400, 'validation_error')
})
