/** Users over HTTP: registration, sign-in, sessions and their refresh, the profile. */
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { after, before, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { startPeopleApi, type Answer, type PeopleApi } from '../../../test/fixtures/people.ts'
import { stopDatabaseClock } from '../../../test/database-clock.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, homeOfMerchant, newId, toWire } from '../../platform/ids.ts'
import { merchantOfUser, setVerificationStatus } from './merchant.sql.ts'
import { createPasswords, type Passwords } from './password.ts'
import { createSandbox } from '../../collect/pages/create-sandbox.ts'
import { registerUser } from './register-user.ts'
import { checkPassword } from './sign-in.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const refresh = (token: string) => call('POST', '/v1/auth/refresh', { body: { refresh_token: token } })
const me = (token: string) => call('GET', '/v1/me', { token })

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

function problemsOf(answer: Answer): string[] {
  return answer.body.error.errors.map((error: { field: string; code: string }) => `${error.field}: ${error.code}`)
}

const signedInRoutes = [
  ['POST', '/v1/auth/logout'],
  ['GET', '/v1/auth/sessions'],
  ['DELETE', `/v1/auth/sessions/${toWire('ses', newId())}`],
  ['GET', '/v1/me'],
  ['PATCH', '/v1/me'],
] as const

test('without credentials every signed-in route answers 401, for any body', async () => {
  for (const [method, url] of signedInRoutes) {
    assertRefused(await call(method, url), 401, 'authentication_required')
    assertRefused(await call(method, url, { headers: { authorization: 'Basic YTpi' } }), 401, 'authentication_required')
    if (method !== 'GET') assertRefused(await call(method, url, { body: '{"not json' }), 401, 'authentication_required')
  }
})

test("a stranger's session answers exactly like one that does not exist", async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const { body } = await call('GET', '/v1/auth/sessions', { token: juma.access })
  const ids = [body.data[0].id, toWire('ses', newId()), 'ses_x', body.data[0].id.replace('ses_', 'usr_')]
  const answers = await Promise.all(ids.map((id) => call('DELETE', `/v1/auth/sessions/${id}`, { token: asha.access })))
  for (const answer of answers) {
    assertRefused(answer, 404, 'not_found')
    assert.equal(answer.body.error.message, answers[0]!.body.error.message)
  }
  assert.equal((await me(juma.access)).status, 200)
})

test('registration answers with the user, the sandbox and tokens only, and makes the personal merchant', async () => {
  const answer = await call('POST', '/v1/auth/register', {
    body: {
      full_name: '  Neema Kimaro ',
      email: ' Neema@UDSM.ac.tz',
      phone_number: '0712 345-678',
      password: 'twelve chars',
      student_id: ' T/UDSM/1 ',
      institution: 'Chuo Kikuu 🎓',
    },
  })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { user, sandbox, ...tokens } = answer.body.data
  assert.deepEqual(Object.keys(sandbox), ['app_id', 'key', 'page_slug', 'page_url'])
  assert.deepEqual(Object.keys(tokens), ['access_token', 'token_type', 'expires_in', 'refresh_token'])
  assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 900])
  const { id, created_at, updated_at, ...facts } = user
  assert.deepEqual(facts, {
    full_name: 'Neema Kimaro',
    email: 'neema@udsm.ac.tz',
    email_verified: false,
    phone_number: '+255712345678',
    student_id: 'T/UDSM/1',
    institution: 'Chuo Kikuu 🎓',
    role: 'student',
    two_factor: { enabled: false, recovery_codes_left: 0 },
    kyc_status: 'unsubmitted',
    contact_change: null,
  })
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(updated_at, created_at)
  assert.deepEqual((await me(tokens.access_token)).body.data, user)
  const userId = fromWire('usr', id)!
  assert.deepEqual(await merchantOfUser(app.db, userId), {
    id: userId,
    home: homeOfMerchant(userId),
    kind: 'personal',
    userId,
    displayName: 'Neema Kimaro',
    verificationStatus: 'unsubmitted',
    suspendedAt: null,
    suspensionReason: null,
  })
})

test('each invalid, missing or unknown field of a registration is named', async () => {
  const good = {
    full_name: 'Asha Mwinyi',
    email: 'asha@udsm.ac.tz',
    phone_number: '+255754000001',
    password: 'correct horse battery',
    student_id: '1',
    institution: 'UDSM',
  }
  const cases: [Record<string, unknown>, string[]][] = [
    [{ full_name: '   ' }, ['full_name: invalid']],
    [{ full_name: 'a'.repeat(121) }, ['full_name: invalid']],
    [{ full_name: 'Asha\r\nBcc: x' }, ['full_name: invalid']],
    [{ full_name: '\u3164' }, ['full_name: invalid']],
    [{ full_name: `a${'\u0301'.repeat(119)}` }, ['full_name: invalid']],
    [{ full_name: undefined }, ['full_name: required']],
    [{ email: 'asha' }, ['email: invalid']],
    [{ email: 'a@b.tz\nx: y' }, ['email: invalid']],
    [{ email: `${'a'.repeat(250)}@b.tz` }, ['email: invalid']],
    [{ phone_number: '12345' }, ['phone_number: invalid']],
    [{ phone_number: 'call 0712345678' }, ['phone_number: invalid']],
    [{ phone_number: '0222111111' }, ['phone_number: invalid']],
    [{ phone_number: 255712345678 }, ['phone_number: invalid']],
    [{ password: 'elevenchars' }, ['password: invalid']],
    [{ password: 'x'.repeat(129) }, ['password: invalid']],
    [{ student_id: null }, ['student_id: invalid']],
    [{ student_id: undefined, institution: undefined }, ['student_id: required', 'institution: required']],
    [{ institution: undefined }, ['institution: required']],
    [{ invitation_token: 'none' }, ['invitation_token: invalid']],
    [{ role: 'admin', kyc_status: 'verified' }, ['role: unknown_field', 'kyc_status: unknown_field']],
  ]
  for (const [changes, expected] of cases) {
    const answer = await call('POST', '/v1/auth/register', { body: { ...good, ...changes } })
    assertRefused(answer, 400, 'validation_error')
    assert.deepEqual(problemsOf(answer), expected, JSON.stringify(changes))
  }
  const empty = await call('POST', '/v1/auth/register', { body: '' })
  assertRefused(empty, 400, 'validation_error')
  assert.equal(await count(sql`select count(*) from users where email = 'asha@udsm.ac.tz'`), 0)
})

async function count(query: ReturnType<typeof sql>): Promise<number> {
  const [row] = await app.owner.rows<{ count: number }>(query)
  return row!.count
}

test('names of any script, emoji and quotes are stored unchanged', async () => {
  for (const name of ["O'Brien; drop table users", 'عائشة', '李小龍', 'Zoé 🎓', '<script>alert(1)</script>', 'a'.repeat(120)]) {
    const person = await app.register({ full_name: name })
    assert.equal((await me(person.access)).body.data.full_name, name)
  }
})

test('an e-mail address or a phone number registers once, in any spelling', async () => {
  const asha = await app.register()
  const other = { full_name: 'X Y', password: 'correct horse battery', student_id: '1', institution: 'UDSM' }
  const byEmail = await call('POST', '/v1/auth/register', {
    body: { ...other, email: asha.email.toUpperCase(), phone_number: '+255754000002' },
  })
  assertRefused(byEmail, 409, 'already_registered')
  assert.equal(byEmail.body.error.param, 'email')
  const byPhone = await call('POST', '/v1/auth/register', {
    body: { ...other, email: 'fresh@udsm.ac.tz', phone_number: asha.phone.replace('+255', '0') },
  })
  assertRefused(byPhone, 409, 'already_registered')
  assert.equal(byPhone.body.error.param, 'phone_number')
})

test('ten equal parallel registrations make one account', async () => {
  const body = {
    full_name: 'Once Only',
    email: 'once@udsm.ac.tz',
    phone_number: '+255754000003',
    password: 'correct horse battery',
    student_id: '1',
    institution: 'UDSM',
  }
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', '/v1/auth/register', { body })))
  const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 9 }, () => 409)])
  assert.equal(await count(sql`select count(*) from merchants where display_name = 'Once Only'`), 1)
})

test('a person signs in by e-mail address or phone number, in any spelling', async () => {
  const asha = await app.register()
  for (const identifier of [asha.email, ` ${asha.email.toUpperCase()} `, asha.phone, asha.phone.replace('+255', '0')]) {
    const answer = await call('POST', '/v1/auth/login', { body: { identifier, password: asha.password } })
    assert.equal(answer.status, 200, identifier)
    assert.deepEqual(Object.keys(answer.body.data), ['access_token', 'token_type', 'expires_in', 'refresh_token'])
    assert.equal((await me(answer.body.data.access_token)).body.data.id, asha.id)
  }
})

test('an unknown person and a wrong password get the same answer', async () => {
  const asha = await app.register()
  const attempts = [
    { identifier: asha.email, password: 'wrong horse battery' },
    { identifier: asha.email, password: 'short' },
    { identifier: 'unknown@udsm.ac.tz', password: asha.password },
    { identifier: '+255754999999', password: asha.password },
    { identifier: "' or 1=1 --", password: asha.password },
    { identifier: '%', password: asha.password },
  ]
  const answers = await Promise.all(attempts.map((body) => call('POST', '/v1/auth/login', { body })))
  for (const answer of answers) {
    assertRefused(answer, 401, 'invalid_credentials')
    assert.equal(answer.body.error.message, answers[0]!.body.error.message)
  }
  const tooLong = { identifier: asha.email, password: 'x'.repeat(60_000) }
  assertRefused(await call('POST', '/v1/auth/login', { body: tooLong }), 400, 'validation_error')
})

test('an unknown person, a disabled one and a wrong password each cost one password check', async () => {
  const real = createPasswords()
  const checked: (string | undefined)[] = []
  const passwords: Passwords = {
    ...real,
    matches: (passwordHash, password, caller) => {
      checked.push(passwordHash)
      return real.matches(passwordHash, password, caller)
    },
  }
  const deps = {
    db: app.db,
    passwords,
    tries: { from: '41.59.1.1', begin: async () => true, refund: async () => {}, remember: async () => {} },
  }
  const [asha, juma] = [await app.register(), await app.register()]
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email = ${juma.email}`)
  const refusal = { httpStatus: 401, code: 'invalid_credentials' }
  await assert.rejects(checkPassword(deps, asha.email, 'wrong horse battery'), refusal)
  await assert.rejects(checkPassword(deps, 'unknown@udsm.ac.tz', asha.password), refusal)
  await assert.rejects(checkPassword(deps, 'not even a phone', asha.password), refusal)
  await assert.rejects(checkPassword(deps, juma.email, juma.password), refusal)
  assert.equal(checked.length, 4)
})

test('a password hash with weaker parameters is replaced at the next sign-in', async () => {
  const asha = await app.register()
  const weak = await hash(asha.password, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
  const readHash = async () =>
    (await app.owner.rows<{ passwordHash: string }>(sql`select password_hash from users where email = ${asha.email}`))[0]!
      .passwordHash
  await app.owner.rows(sql`update users set password_hash = ${weak} where email = ${asha.email}`)
  const login = () => call('POST', '/v1/auth/login', { body: { identifier: asha.email, password: asha.password } })
  assert.equal((await login()).status, 200)
  const renewed = await readHash()
  assert.match(renewed, /m=19456,t=2,p=1/)
  assert.equal((await login()).status, 200)
  assert.equal(await readHash(), renewed)
})

test('the database contains no password and no refresh token', async () => {
  const asha = await app.register({ password: 'a very visible password' })
  const [dump] = await app.owner.rows<{ text: string }>(sql`
    select string_agg(t::text, '') as text from (select u::text from users u union all select s::text from sessions s) t`)
  assert.ok(!dump!.text.includes('a very visible password'))
  assert.ok(!dump!.text.includes(asha.refresh))
})

test('each refresh returns the next token, and reuse of the first one after two refreshes ends the session', async () => {
  const asha = await app.register()
  const second = await refresh(asha.refresh)
  assert.equal(second.status, 200)
  assert.deepEqual(Object.keys(second.body.data), ['access_token', 'token_type', 'expires_in', 'refresh_token'])
  const third = await refresh(second.body.data.refresh_token)
  assert.equal(third.status, 200)
  assert.notEqual(third.body.data.refresh_token, second.body.data.refresh_token)

  const warnings = app.warnings.length
  assertRefused(await refresh(asha.refresh), 401, 'invalid_token')
  assert.equal(app.warnings.length, warnings + 1)
  assertRefused(await refresh(third.body.data.refresh_token), 401, 'session_inactive')
  assertRefused(await me(third.body.data.access_token), 401, 'session_inactive')
  assert.equal(
    await count(sql`select count(*) from sessions where revoked_reason = 'refresh_reuse' and user_id = ${uuidOf(asha.id)}`),
    1,
  )
})

function uuidOf(wireId: string): string {
  return fromWire('usr', wireId)!
}

test('a lost answer is repeated: the immediate predecessor gets the same token for ten seconds', async () => {
  const asha = await app.register()
  const second = await refresh(asha.refresh)
  const again = await refresh(asha.refresh)
  assert.equal(again.status, 200)
  assert.equal(again.body.data.refresh_token, second.body.data.refresh_token)
  assert.equal((await me(again.body.data.access_token)).status, 200)
  await app.moveClock(11)
  assertRefused(await refresh(asha.refresh), 401, 'invalid_token')
  assertRefused(await refresh(second.body.data.refresh_token), 401, 'session_inactive')
})

test('twenty parallel refreshes of one token all succeed with the same token', async () => {
  const asha = await app.register()
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(asha.refresh)))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    Array.from({ length: 20 }, () => 200),
  )
  assert.equal(new Set(answers.map((answer) => answer.body.data.refresh_token)).size, 1)
  assert.equal((await refresh(answers[0]!.body.data.refresh_token)).status, 200)
})

test('a refresh that waited for other refreshes sees their result and does not reset the session', async () => {
  const asha = await app.register()
  const ahead = sql`update sessions set generation = 2, rotated_at = clock_now() where user_id = ${uuidOf(asha.id)}`
  assertRefused(await app.during(ahead, () => refresh(asha.refresh)), 401, 'invalid_token')
  assert.equal(await count(sql`select generation as count from sessions where user_id = ${uuidOf(asha.id)}`), 2)
})

test('an access token, a changed token and any text are no refresh tokens, and a refresh token is no access token', async () => {
  const asha = await app.register()
  const changed = asha.refresh.slice(0, -1) + (asha.refresh.endsWith('A') ? 'B' : 'A')
  for (const text of [asha.access, changed, asha.refresh.slice(0, -1), '', 'mrt_', `mrt_${'A'.repeat(70)}`, 'x'.repeat(10_000)]) {
    assertRefused(await refresh(text), 401, 'invalid_token')
  }
  assertRefused(await me(asha.refresh), 401, 'invalid_token')
  assert.equal((await refresh(asha.refresh)).status, 200)
  const unknown = await call('POST', '/v1/auth/refresh', { body: { refresh_token: asha.refresh, sid: 'x' } })
  assertRefused(unknown, 400, 'validation_error')
})

test('a session ends after thirty idle days, and after ninety days in any case', async () => {
  const [idle, busy] = [await app.register(), await app.register()]
  const days = (count: number) => app.moveClock(count * 86_400)
  await days(29)
  let current = (await refresh(busy.refresh)).body.data
  await days(2)
  assertRefused(await refresh(idle.refresh), 401, 'session_inactive')
  for (let round = 0; round < 2; round += 1) {
    current = (await refresh(current.refresh_token)).body.data
    await days(29)
  }
  // Day 89.
  current = (await refresh(current.refresh_token)).body.data
  assert.equal((await me(current.access_token)).status, 200)
  await days(2)
  assertRefused(await refresh(current.refresh_token), 401, 'session_inactive')
})

test('a session is refreshed in its last second, and not one second after its end [T13]', async () => {
  const people = [await app.register(), await app.register(), await app.register(), await app.register()]
  for (const [place, column, seconds] of [
    [0, 'idle_expires_at', -1],
    [1, 'idle_expires_at', 1],
    [2, 'expires_at', -1],
    [3, 'expires_at', 1],
  ] as const) {
    const { id: wireId, refresh: token } = people[place]!
    const id = fromWire('usr', wireId)!
    if (column === 'expires_at') await app.owner.rows(sql`update sessions set idle_expires_at = expires_at where user_id = ${id}`)
    const [session] = await app.owner.rows<{ idleExpiresAt: Date; expiresAt: Date }>(
      sql`select idle_expires_at, expires_at from sessions where user_id = ${id}`,
    )
    await stopDatabaseClock(app.owner, column === 'expires_at' ? session!.expiresAt : session!.idleExpiresAt, seconds)
    const answer = await refresh(token)
    if (seconds < 0) assert.equal(answer.status, 200, column)
    else assertRefused(answer, 401, 'session_inactive')
  }
  await app.moveClock(0)
})

test('an access token is valid for fifteen minutes and half a minute of leeway', async () => {
  const asha = await app.register()
  await app.moveClock(15 * 60 + 20)
  assert.equal((await me(asha.access)).status, 200)
  await app.moveClock(20)
  assertRefused(await me(asha.access), 401, 'invalid_token')
})

test('signing out ends the session at once', async () => {
  const asha = await app.register()
  assertRefused(await call('POST', '/v1/auth/logout', { token: asha.access, body: { all: true } }), 400, 'validation_error')
  const answer = await call('POST', '/v1/auth/logout', { token: asha.access })
  assert.deepEqual([answer.status, answer.body.data.status, answer.body.data.current], [200, 'revoked', true])
  assertRefused(await me(asha.access), 401, 'session_inactive')
  assertRefused(await refresh(asha.refresh), 401, 'session_inactive')
})

test('a person lists their live sessions in pages and ends one of them at once', async () => {
  const asha = await app.register()
  const login = { identifier: asha.email, password: asha.password }
  const headers = { 'user-agent': `phone ${'x'.repeat(500)}` }
  const phone = (await call('POST', '/v1/auth/login', { body: login, headers })).body.data.access_token
  await call('POST', '/v1/auth/login', { body: login })

  const first = await call('GET', '/v1/auth/sessions?limit=2', { token: phone })
  assert.deepEqual([first.body.data.length, first.body.has_more], [2, true])
  const rest = await call('GET', `/v1/auth/sessions?limit=2&cursor=${first.body.next_cursor}`, { token: phone })
  assert.deepEqual([rest.body.data.length, rest.body.has_more, rest.body.next_cursor], [1, false, null])
  const sessions = [...first.body.data, ...rest.body.data]
  assert.equal(new Set(sessions.map((session) => session.id)).size, 3)
  assert.deepEqual(
    sessions.map((session) => session.current),
    [false, true, false],
  )
  assert.equal(sessions[1].user_agent.length, 300)

  const stranger = await app.register()
  const foreign = await call('GET', `/v1/auth/sessions?cursor=${first.body.next_cursor}`, { token: stranger.access })
  assertRefused(foreign, 400, 'cursor_invalid')

  const mine = sessions[2].id
  const ended = await call('DELETE', `/v1/auth/sessions/${mine}`, { token: phone })
  assert.deepEqual([ended.status, ended.body.data.status], [200, 'revoked'])
  assertRefused(await me(asha.access), 401, 'session_inactive')
  assertRefused(await call('DELETE', `/v1/auth/sessions/${mine}`, { token: phone }), 404, 'not_found')
  assert.equal((await call('GET', '/v1/auth/sessions', { token: phone })).body.data.length, 2)
})

test('a person ends all their sessions except the current one, and no other person’s', async () => {
  const [asha, stranger] = [await app.register(), await app.register()]
  const login = { identifier: asha.email, password: asha.password }
  const phone = (await call('POST', '/v1/auth/login', { body: login })).body.data.access_token
  await call('POST', '/v1/auth/login', { body: login })
  const ended = await call('DELETE', '/v1/auth/sessions', { token: phone })
  assert.deepEqual([ended.status, ended.body], [200, { data: { ended: 2 } }])
  assertRefused(await me(asha.access), 401, 'session_inactive')
  assert.equal((await me(phone)).status, 200)
  assert.equal((await me(stranger.access)).status, 200)
  assert.deepEqual((await call('DELETE', '/v1/auth/sessions', { token: phone })).body, { data: { ended: 0 } })
})

test('a disabled or missing user is signed out within one request', async () => {
  const asha = await app.register()
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email = ${asha.email}`)
  assertRefused(await me(asha.access), 401, 'session_inactive')
  assertRefused(await refresh(asha.refresh), 401, 'session_inactive')
})

test('the last use of a session is recorded at most once a minute', async () => {
  const asha = await app.register()
  const lastUsed = async (): Promise<string> =>
    (await call('GET', '/v1/auth/sessions', { token: asha.access })).body.data[0].last_used_at
  const first = await lastUsed()
  assert.equal(await lastUsed(), first)
  await app.moveClock(61)
  await lastUsed()
  // The request does not wait for the note.
  const deadline = Date.now() + 5000
  while ((await lastUsed()) === first && Date.now() < deadline);
  assert.notEqual(await lastUsed(), first)
})

test('a person changes their institution at any time and their name until its verification begins', async () => {
  const asha = await app.register()
  const patch = (body: unknown) => call('PATCH', '/v1/me', { token: asha.access, body })
  const renamed = await patch({ full_name: ' Asha J. Mwinyi ' })
  assert.deepEqual([renamed.status, renamed.body.data.full_name], [200, 'Asha J. Mwinyi'])
  assert.equal((await merchantOfUser(app.db, uuidOf(asha.id)))!.displayName, 'Asha J. Mwinyi')

  for (const status of ['pending', 'verified'] as const) {
    await setVerificationStatus(app.db, uuidOf(asha.id), status)
    assert.equal((await me(asha.access)).body.data.kyc_status, status)
    const refused = await patch({ full_name: 'Someone Else', institution: 'Ardhi' })
    assertRefused(refused, 409, 'invalid_state')
    assert.equal((await me(asha.access)).body.data.institution, 'University of Dar es Salaam')
    assert.equal((await patch({ full_name: 'Asha J. Mwinyi' })).status, 200)
  }
  assert.equal((await patch({ institution: 'Ardhi University' })).body.data.institution, 'Ardhi University')
  await setVerificationStatus(app.db, uuidOf(asha.id), 'rejected')
  assert.equal((await patch({ full_name: 'Asha Juma' })).status, 200)
  assert.equal((await call('PATCH', '/v1/me', { token: asha.access })).status, 200)
})

test('a representative of a business registers without a student number, and adds it once', async () => {
  const joseph = await app.register({ registers_as: 'representative', student_id: undefined, institution: undefined })
  const { body } = await me(joseph.access)
  assert.deepEqual([body.data.student_id, body.data.institution], [null, null])
  const patch = (changes: unknown) => call('PATCH', '/v1/me', { token: joseph.access, body: changes })
  assertRefused(await patch({ student_id: ' ' }), 400, 'validation_error')
  // It is kept with what is verified: not added beside a review, or after its decision.
  for (const status of ['pending', 'verified'] as const) {
    await setVerificationStatus(app.db, uuidOf(joseph.id), status)
    const refused = await patch({ student_id: '2024-07-00311' })
    assertRefused(refused, 409, 'invalid_state')
    assert.equal(refused.body.error.param, 'student_id')
  }
  await setVerificationStatus(app.db, uuidOf(joseph.id), 'rejected')
  const added = await patch({ student_id: '2024-07-00311', institution: 'SUA' })
  assert.deepEqual([added.body.data.student_id, added.body.data.institution], ['2024-07-00311', 'SUA'])
  assertRefused(await patch({ student_id: '2024-07-00312' }), 409, 'invalid_state')
  assert.equal((await patch({ student_id: '2024-07-00311' })).status, 200)
  assert.equal((await me(joseph.access)).body.data.student_id, '2024-07-00311')
  const { rows } = await app.owner.pool.query(`select actor, object from audit_log where action = 'student_number.added'`)
  assert.deepEqual(rows, [{ actor: joseph.id, object: joseph.id }])
})

test('a student gives a student number, also where another kind of person is unknown', async () => {
  const person = {
    full_name: 'Asha Mwinyi',
    email: 'asha.without@udsm.ac.tz',
    phone_number: '+255713000777',
    password: 'correct horse battery',
  }
  const register = (fields: object) => call('POST', '/v1/auth/register', { body: { ...person, ...fields } })
  const problems = ['student_id: required', 'institution: required']
  assert.deepEqual(problemsOf(await register({})), problems)
  assert.deepEqual(problemsOf(await register({ registers_as: 'student' })), problems)
  assert.deepEqual(problemsOf(await register({ registers_as: 'admin' })), ['registers_as: invalid'])
})

test('a name does not change while its verification is decided', async () => {
  const asha = await app.register()
  const verified = sql`update merchants set verification_status = 'verified' where id = ${uuidOf(asha.id)}`
  const rename = () => call('PATCH', '/v1/me', { token: asha.access, body: { full_name: 'Someone Else' } })
  assertRefused(await app.during(verified, rename), 409, 'invalid_state')
  assert.equal((await me(asha.access)).body.data.full_name, 'Asha Mwinyi')
})

test('no other field of the own profile can be changed', async () => {
  const asha = await app.register()
  for (const field of ['email', 'phone_number', 'kyc_status', 'role', 'id', 'password']) {
    const answer = await call('PATCH', '/v1/me', { token: asha.access, body: { institution: 'Ardhi', [field]: 'admin' } })
    assertRefused(answer, 400, 'validation_error')
    assert.deepEqual(problemsOf(answer), [`${field}: unknown_field`])
  }
  assert.equal((await me(asha.access)).body.data.institution, 'University of Dar es Salaam')
})

test('a user can be registered without HTTP, for the operator and the demo', async () => {
  const { user, sandbox } = await registerUser(
    { ...app, passwords: createPasswords(), createSandbox: createSandbox.bind(null, app) },
    {
      fullName: 'Demo Student',
      email: 'demo@malipo.example',
      phoneNumber: '+255754000009',
      password: 'correct horse battery',
      studentId: '1',
      institution: 'UDSM',
      registersAs: 'student',
    },
  )
  assert.equal(user.kycStatus, 'unsubmitted')
  assert.match(sandbox.key, /^svc_test_/)
})

type Parts = { header?: Record<string, unknown>; claims?: Record<string, unknown> }

/** A copy of our token with `changes`; undefined removes a claim. */
function forge(access: string, changes: Parts, signer = app.config.keys.signing[0]!.privateKey): string {
  const [header, payload] = access.split('.').slice(0, 2) as [string, string]
  const change = (part: string, by: Record<string, unknown> = {}) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(part, 'base64url').toString()), ...by })).toString('base64url')
  const text = `${change(header, changes.header)}.${change(payload, changes.claims)}`
  return `${text}.${sign(null, Buffer.from(text), signer).toString('base64url')}`
}

test('a token that is unsigned, signed otherwise, of an unknown key or that contains a key is refused', async () => {
  const asha = await app.register()
  const [header, payload, signature] = asha.access.split('.') as [string, string, string]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signing = app.config.keys.signing[0]!
  const stranger = generateKeyPairSync('ed25519')
  const strangersJwk = stranger.publicKey.export({ format: 'jwk' })
  const publicPem = createPublicKey(signing.privateKey).export({ format: 'pem', type: 'spki' })
  const publicRaw = Buffer.from(createPublicKey(signing.privateKey).export({ format: 'jwk' }).x!, 'base64url')
  const hs256 = (key: string | Buffer) => {
    const text = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: signing.id })}.${payload}`
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  assert.equal((await me(forge(asha.access, {}))).status, 200)
  const forged: Record<string, string> = {
    'alg none, no signature': `${encode({ alg: 'none', typ: 'at+jwt', kid: signing.id })}.${payload}.`,
    'alg None': `${encode({ alg: 'None', typ: 'at+jwt', kid: signing.id })}.${payload}.${signature}`,
    'empty signature': `${header}.${payload}.`,
    'no signature part': `${header}.${payload}`,
    'HS256 with the public key as PEM': hs256(publicPem),
    'HS256 with the public key as bytes': hs256(publicRaw),
    'a stranger signs': forge(asha.access, {}, stranger.privateKey),
    'a stranger signs and brings a jwk': forge(asha.access, { header: { jwk: strangersJwk } }, stranger.privateKey),
    'ours, with a jwk': forge(asha.access, { header: { jwk: strangersJwk } }),
    'ours, with jku': forge(asha.access, { header: { jku: 'http://127.0.0.1:9/keys' } }),
    'ours, with x5u': forge(asha.access, { header: { x5u: 'http://127.0.0.1:9/keys' } }),
    'kid is a path': forge(asha.access, { header: { kid: '../../etc/passwd' } }),
    'kid is SQL': forge(asha.access, { header: { kid: "' or 1=1 --" } }),
    'kid is not known': forge(asha.access, { header: { kid: 'retired' } }),
    'kid is a prototype name': forge(asha.access, { header: { kid: '__proto__' } }),
    'kid is missing': forge(asha.access, { header: { kid: undefined } }),
    'critical extension': forge(asha.access, { header: { crit: ['x'], x: true } }),
    'claims changed, signature kept': `${header}.${encode({ sub: toWire('usr', newId()) })}.${signature}`,
    'not a token': 'abc',
    'five parts': 'a.b.c.d.e',
    'very long': 'x'.repeat(10_000),
  }
  for (const [name, token] of Object.entries(forged)) {
    const answer = await me(token)
    assert.deepEqual([answer.status, answer.body.error?.code], [401, 'invalid_token'], name)
    assert.equal(app.warnings.at(-1)!.fields['code'], 'invalid_token', name)
    assert.ok(!JSON.stringify(answer.body).includes('JOSE'), name)
  }
})

test('a token for another audience, of another issuer, of another type or without a claim is refused', async () => {
  const asha = await app.register()
  const now = Math.floor(app.clock.now() / 1000)
  const wrong: Parts[] = [
    { claims: { aud: 'malipo-admin' } },
    { claims: { iss: 'https://evil.example' } },
    { claims: { aud: undefined } },
    { claims: { iss: undefined } },
    { claims: { sub: undefined } },
    { claims: { sub: "usr_' or 1=1" } },
    { claims: { sid: undefined } },
    { claims: { sid: 5 } },
    { claims: { jti: undefined } },
    { claims: { amr: undefined } },
    { claims: { exp: undefined } },
    { claims: { exp: now - 31 } },
    { claims: { nbf: now + 3600 } },
    { header: { typ: undefined } },
    { header: { typ: 'JWT' } },
  ]
  for (const changes of wrong) assertRefused(await me(forge(asha.access, changes)), 401, 'invalid_token')
})

test("a valid signature for another person's session, or for none, signs no one in", async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  assertRefused(await me(forge(asha.access, { claims: { sub: juma.id } })), 401, 'session_inactive')
  assertRefused(await me(forge(asha.access, { claims: { sid: toWire('ses', newId()) } })), 401, 'session_inactive')
})

test('tokens of an older key of the keyring are still valid, and the public keys are published', async () => {
  const asha = await app.register()
  const older = app.config.keys.signing[1]!
  const token = forge(asha.access, { header: { kid: older.id }, claims: { jti: randomUUID() } }, older.privateKey)
  assert.equal((await me(token)).status, 200)
  const jwks = await call('GET', '/.well-known/jwks.json')
  assert.deepEqual(
    jwks.body.keys,
    app.config.keys.signing.map(({ id, privateKey }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: createPublicKey(privateKey).export({ format: 'jwk' }).x,
      kid: id,
      use: 'sig',
      alg: 'EdDSA',
    })),
  )
})
