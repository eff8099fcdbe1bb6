/** The second factor over HTTP: enrolment, sign-in, guessing, step-up, replacement, removal. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuseWithoutStepUp, requireUser } from './authenticate.ts'
import { hashOfToken, newToken } from './one-use-token.ts'
import { createPasswords } from './password.ts'
import { openFactor, sealFactor } from './prove-second-factor.ts'
import type { SignedIn } from './session.ts'
import { stepUpByPassword } from './step-up.ts'
import { stepOfCode } from './totp.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi((http, deps) => {
    const isFresh = (request: { signedIn: SignedIn }) => refuseWithoutStepUp(deps, request.signedIn)
    const onRequest = [requireUser(deps), isFresh]
    http.get('/sensitive', { onRequest }, async () => ({ data: 'shown' }))
  })
})
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const verify = (challenge: string, code: string) =>
  call('POST', '/v1/auth/2fa/verify', { body: { challenge_token: challenge, code } })
const enroll = (token: string) => call('POST', '/v1/auth/2fa/enroll', { token })
const confirm = (token: string, code: string) => call('POST', '/v1/auth/2fa/confirm', { token, body: { code } })
const stepUp = (token: string, body: unknown) => call('POST', '/v1/auth/step-up', { token, body })
const disable = (token: string, code: string) => call('POST', '/v1/auth/2fa/disable', { token, body: { code } })
const sensitive = (token: string) => call('GET', '/sensitive', { token })

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

function countOf(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = `${status} ${body.error?.code ?? ''}`.trim()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const wrong = (secret: string): string => {
  const near = [-1, 0, 1, 2].map((steps) => app.codeOf(secret, steps))
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !near.includes(code))!
}

async function challengeOf(person: Person): Promise<string> {
  const { status, body } = await app.signIn(person)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.challenge_token
}

/** Makes challenges without the cost of as many password checks. */
async function manyChallenges(person: Person, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, newToken)
  await app.owner.rows(sql`
    insert into sign_in_challenges (token_hash, user_id, expires_at)
    select hash, ${fromWire('usr', person.id)}, clock_now() + interval '5 minutes'
    from unnest(${tokens.map(hashOfToken)}::bytea[]) as t (hash)`)
  return tokens
}

async function personWithFactor() {
  const person = await app.register()
  return { person, ...(await app.enroll(person)) }
}

async function sessionsOf(token: string): Promise<{ current: boolean; amr: string[]; authenticated_at: string }[]> {
  return (await call('GET', '/v1/auth/sessions', { token })).body.data
}

const currentSession = async (token: string) => (await sessionsOf(token)).find((session) => session.current)!
const actionsOf = async (wireId: string) => (await app.auditOf(wireId)).map((entry) => entry.action)
const kindsTo = async (email: string) => (await app.mailsTo(email)).map((mail) => mail.kind)

test('the codes are those of RFC 6238, in their own step and the ones beside it', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const vectors = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ] as const
  for (const [seconds, code] of vectors) {
    const step = Math.floor(seconds / 30)
    const at = (steps: number, lastStep: number | null = null) =>
      stepOfCode(secret, code, new Date((step + steps) * 30_000), lastStep)
    assert.deepEqual([at(-2), at(-1), at(0), at(1), at(2)], [undefined, step, step, step, undefined])
    assert.deepEqual([at(0, step - 1), at(0, step), at(1, step + 1)], [step, undefined, undefined])
  }
})

test('without credentials the signed-in routes answer 401', async () => {
  for (const route of ['2fa/enroll', '2fa/confirm', '2fa/disable', 'step-up']) {
    assertRefused(await call('POST', `/v1/auth/${route}`, { body: { code: '123456' } }), 401, 'authentication_required')
  }
})

test('an app is connected by its secret and one code, and the session then counts as signed in with both', async () => {
  const asha = await app.register()
  const begun = await enroll(asha.access)
  const { secret, otpauth_url } = begun.body.data
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const url = new URL(otpauth_url)
  assert.deepEqual(
    [url.protocol, url.host, decodeURIComponent(url.pathname), url.searchParams.get('secret'), url.searchParams.get('issuer')],
    ['otpauth:', 'totp', `/Malipo:${asha.email}`, secret, 'Malipo'],
  )
  const me = async () => (await call('GET', '/v1/me', { token: asha.access })).body.data.two_factor
  assert.deepEqual(await me(), { enabled: false, recovery_codes_left: 0 })
  assert.ok('access_token' in (await app.signIn(asha)).body.data, 'an enrolment alone changes nothing')

  const confirmed = await confirm(asha.access, await app.freshCode(secret))
  const codes: string[] = confirmed.body.data.recovery_codes
  assert.deepEqual([confirmed.status, codes.length, new Set(codes).size], [200, 10, 10])
  // 24 characters of 5 bits.
  for (const code of codes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
  assert.deepEqual(await me(), { enabled: true, recovery_codes_left: 10 })
  assert.deepEqual((await currentSession(asha.access)).amr, ['pwd', 'otp', 'mfa'])
  assert.deepEqual(await kindsTo(asha.email), ['email_verification', 'second_factor_enabled'])
  const [entry] = await app.auditOf(asha.id)
  assert.deepEqual(
    [entry!.action, entry!.actor, entry!.after],
    ['second_factor.confirmed', asha.id, { replaced: false, recovery_codes: 10, sessions_ended: 0 }],
  )
})

test('the database and the audit log contain neither the secret nor a recovery code', async () => {
  const { secret, recoveryCodes, person } = await personWithFactor()
  const challenge = await challengeOf(person)
  const [dump] = await app.owner.rows<{ text: string }>(sql`
    select string_agg(t::text, '') as text from (
      select f::text from second_factors f union all select r::text from recovery_codes r
      union all select c::text from sign_in_challenges c union all select a::text from audit_log a) t`)
  for (const value of [secret, challenge, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
    assert.ok(!dump!.text.includes(value))
  }
})

test('a sealed secret opens only for its own person and column', async () => {
  const sealed = sealFactor(app.sealer, 'a', 'pending_sealed_secret', 'JBSWY3DP')
  assert.equal(openFactor(app.sealer, 'a', 'pending_sealed_secret', sealed), 'JBSWY3DP')
  assert.throws(() => openFactor(app.sealer, 'b', 'pending_sealed_secret', sealed))
  assert.throws(() => openFactor(app.sealer, 'a', 'sealed_secret', sealed))
})

test('confirmation fails without an enrolment, after confirmation, and with a wrong code', async () => {
  const asha = await app.register()
  assertRefused(await confirm(asha.access, '123456'), 409, 'invalid_state')
  const { secret } = (await enroll(asha.access)).body.data
  assertRefused(await confirm(asha.access, wrong(secret)), 401, 'invalid_code')
  assertRefused(await confirm(asha.access, 'not six digits'), 401, 'invalid_code')
  assert.deepEqual((await currentSession(asha.access)).amr, ['pwd'])
  assert.equal((await confirm(asha.access, await app.freshCode(secret))).status, 200)
  assertRefused(await confirm(asha.access, await app.freshCode(secret)), 409, 'invalid_state')
})

test('an enrolment ends fifteen minutes after it began, also one that would replace a factor', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const [early, late] = [await enroll(asha.access), await enroll(juma.access)]
  await app.moveClock(860)
  const access = async (person: Person) => (await app.signIn(person)).body.data.access_token
  assert.equal((await confirm(await access(asha), await app.freshCode(early.body.data.secret))).status, 200)
  await app.moveClock(41)
  assertRefused(await confirm(await access(juma), await app.freshCode(late.body.data.secret)), 409, 'invalid_state')

  const { person, secret } = await personWithFactor()
  const replacement = (await enroll(person.access)).body.data.secret
  await app.moveClock(880)
  const { access: token } = await signInWith(person, secret)
  await app.moveClock(21)
  assertRefused(await confirm(token, await app.freshCode(replacement)), 409, 'invalid_state')
  const again = (await enroll(token)).body.data.secret
  assert.equal((await confirm(token, await app.freshCode(again))).status, 200)
})

test('an enrolment ends when the factor is removed', async () => {
  const { person, secret } = await personWithFactor()
  const pending = (await enroll(person.access)).body.data.secret
  assert.equal((await disable(person.access, await app.freshCode(secret))).status, 200)
  assertRefused(await confirm(person.access, await app.freshCode(pending)), 409, 'invalid_state')
})

test('a session that is being ended cannot begin an enrolment', async () => {
  const asha = await app.register()
  const change = sql`
    with held as (update users set updated_at = clock_now() where email = ${asha.email} returning id)
    update sessions set revoked_at = clock_now(), revoked_reason = 'password_reset' where user_id in (select id from held)`
  assertRefused(await app.during(change, () => enroll(asha.access)), 401, 'session_inactive')
})

test('with a second factor a password gets a challenge, and the challenge with a code gets tokens, once', async () => {
  const { person, secret } = await personWithFactor()
  const login = await call('POST', '/v1/auth/login', {
    body: { identifier: person.phone, password: person.password },
    headers: { 'user-agent': 'a phone' },
  })
  const { challenge_token: challenge, ...rest } = login.body.data
  assert.deepEqual([login.status, rest], [200, { two_factor_required: true, expires_in: 300 }])
  assert.match(challenge, /^[0-9a-f]{64}$/)
  assert.equal(login.headers['cache-control'], 'no-store')

  assertRefused(await verify(challenge, wrong(secret)), 401, 'invalid_code')
  const answer = await verify(challenge, await app.freshCode(secret))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(Object.keys(answer.body.data), ['access_token', 'token_type', 'expires_in', 'refresh_token'])
  const token = answer.body.data.access_token
  const session = (await sessionsOf(token)).find(({ current }) => current) as any
  assert.deepEqual([session.amr, session.user_agent], [['pwd', 'otp', 'mfa'], 'a phone'])
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  assert.deepEqual(claims.amr, ['pwd', 'otp', 'mfa'])
  const refreshed = await call('POST', '/v1/auth/refresh', { body: { refresh_token: answer.body.data.refresh_token } })
  assert.equal(refreshed.status, 200)

  assertRefused(await verify(challenge, await app.freshCode(secret)), 401, 'invalid_challenge')
  const unknown = await verify(newToken(), await app.freshCode(secret))
  assertRefused(unknown, 401, 'invalid_challenge')
  assertRefused(await verify(token, app.codeOf(secret)), 400, 'validation_error')
})

test('a challenge ends after five minutes', async () => {
  const { person, secret } = await personWithFactor()
  const [early, late] = [await challengeOf(person), await challengeOf(person)]
  await app.freshCode(secret)
  await app.moveClock(240)
  assert.equal((await verify(early, app.codeOf(secret))).status, 200)
  await app.moveClock(60)
  assertRefused(await verify(late, app.codeOf(secret)), 401, 'invalid_challenge')
})

test('a challenge of a person who was disabled meanwhile opens nothing', async () => {
  const { person, secret } = await personWithFactor()
  const challenge = await challengeOf(person)
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email = ${person.email}`)
  assertRefused(await verify(challenge, await app.freshCode(secret)), 401, 'invalid_challenge')
})

test('the code of this step, of the one before and of the next one is taken, and each once', async () => {
  const { person, secret } = await personWithFactor()
  const challenges = await manyChallenges(person, 8)
  const next = async (code: string) => verify(challenges.pop()!, code)
  await app.freshCode(secret)
  await app.moveClock(30)
  assertRefused(await next(app.codeOf(secret, 2)), 401, 'invalid_code')
  const [previous, current] = [app.codeOf(secret, -1), app.codeOf(secret)]
  assert.equal((await next(previous)).status, 200)
  assertRefused(await next(previous), 401, 'invalid_code')
  assert.equal((await next(current)).status, 200)
  assertRefused(await next(current), 401, 'invalid_code')
  await app.moveClock(60)
  assertRefused(await next(app.codeOf(secret, -2)), 401, 'invalid_code')
  await app.moveClock(900)
  const newest = await app.freshCode(secret)
  assert.equal((await verify((await manyChallenges(person, 1))[0]!, newest)).status, 200)
  const older = await verify((await manyChallenges(person, 1))[0]!, app.codeOf(secret, -1))
  assertRefused(older, 401, 'invalid_code')
})

test('a phone whose clock is 40 seconds fast signs in, once with each code, and a wrong code is answered with a text about the clock [A54, R05]', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  await app.moveClock(900)
  await app.freshCode(secret)
  const ofPhone = () => app.codeOf(secret, 40 / 30)
  const code = ofPhone()
  assert.equal((await verify(await challengeOf(person), ` ${code.slice(0, 3)} ${code.slice(3)} `)).status, 200)
  // A thief who saw the code, in its own step and in the one after it, or who has the code that a correct clock shows now.
  for (const [seconds, stolen] of [
    [0, code],
    [0, app.codeOf(secret)],
    [30, code],
    [30, code],
  ] as const) {
    await app.moveClock(seconds)
    const again = await verify(await challengeOf(person), stolen)
    assertRefused(again, 401, 'invalid_code')
    assert.match(again.body.error.message, /check that the phone's clock is set automatically/)
  }
  assert.equal((await verify(await challengeOf(person), ofPhone())).status, 200)
  // Another two minutes fast: no code fits, until the tries are locked. A recovery code still opens the account.
  for (let round = 0; round < 6; round += 1) await verify((await manyChallenges(person, 1))[0]!, app.codeOf(secret, 4 + round))
  assertRefused(await verify(await challengeOf(person), ofPhone()), 429, 'rate_limited')
  assert.equal((await verify(await challengeOf(person), recoveryCodes[0]!)).status, 200)
})

test('a clock of a process that differs from the one of the database accepts no other codes', async (t) => {
  const { person, secret } = await personWithFactor()
  await app.freshCode(secret)
  const later = Date.now() + 30_000
  const codes = [app.codeOf(secret, 2), app.codeOf(secret, 1)]
  t.mock.method(Date, 'now', () => later)
  const [challenge] = await manyChallenges(person, 1)
  assertRefused(await verify(challenge!, codes[0]!), 401, 'invalid_code')
  assert.equal((await verify(challenge!, codes[1]!)).status, 200)
})

test('wrong recovery codes have their own five tries, and lock neither the app nor more than a quarter of an hour', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  const challenges = await manyChallenges(person, 50)
  const counts = countOf(await Promise.all(challenges.map((challenge) => verify(challenge, 'aaaa-bbbb-cccc-dddd-eeee-ffff'))))
  assert.deepEqual(counts, { '401 invalid_code': 5, '429 rate_limited': 45 })
  const locked = await verify(challenges[0]!, recoveryCodes[0]!)
  assertRefused(locked, 429, 'rate_limited')
  const wait = Number(locked.headers['retry-after'])
  assert.ok(wait > 800 && wait <= 900, String(wait))
  assert.equal((await kindsTo(person.email)).filter((kind) => kind === 'second_factor_locked').length, 1)
  assert.equal((await verify(challenges[0]!, await app.freshCode(secret))).status, 200)
  // The right code of the app does not give guesses at recovery codes a new count.
  assertRefused(await verify(challenges[1]!, recoveryCodes[0]!), 429, 'rate_limited')
  await app.moveClock(901)
  assert.equal((await verify((await manyChallenges(person, 1))[0]!, recoveryCodes[0]!)).status, 200)
})

test('one code sent a hundred times in parallel, each for a separate sign-in, opens one session', async () => {
  const { person, secret } = await personWithFactor()
  const challenges = await manyChallenges(person, 100)
  const code = await app.freshCode(secret)
  const counts = countOf(await Promise.all(challenges.map((challenge) => verify(challenge, code))))
  assert.deepEqual(counts, { '200': 1, '401 invalid_code': 5, '429 rate_limited': 94 })
})

test('one challenge sent many times in parallel with different right codes opens one session', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  const challenge = await challengeOf(person)
  const codes = [await app.freshCode(secret), ...recoveryCodes]
  const counts = countOf(await Promise.all(codes.map((code) => verify(challenge, code))))
  assert.deepEqual(counts, { '200': 1, '401 invalid_challenge': 10 })
})

test('of a hundred guesses at once five are looked at, and then not even the right code passes for fifteen minutes', async () => {
  const { person, secret } = await personWithFactor()
  const challenges = await manyChallenges(person, 100)
  const guess = wrong(secret)
  const counts = countOf(await Promise.all(challenges.map((challenge) => verify(challenge, guess))))
  assert.deepEqual(counts, { '401 invalid_code': 5, '429 rate_limited': 95 })
  const warnings = app.warnings.slice(-100)
  assert.ok(warnings.every(({ fields }) => fields['user_id'] === person.id && typeof fields['request_id'] === 'string'))
  assert.ok(!JSON.stringify(warnings).includes(guess))

  await app.freshCode(secret)
  const locked = await verify(challenges[0]!, app.codeOf(secret))
  assertRefused(locked, 429, 'rate_limited')
  const wait = Number(locked.headers['retry-after'])
  assert.ok(wait > 800 && wait <= 900, String(wait))
  assert.equal((await kindsTo(person.email)).filter((kind) => kind === 'second_factor_locked').length, 1)

  await app.moveClock(wait - 31)
  assertRefused(await verify((await manyChallenges(person, 1))[0]!, await app.freshCode(secret)), 429, 'rate_limited')
  await app.moveClock(31)
  assert.equal((await verify((await manyChallenges(person, 1))[0]!, await app.freshCode(secret))).status, 200)
})

/** Tries until the lock, and returns its duration. */
async function lockedFor(guess: () => Promise<Answer>): Promise<number> {
  for (let round = 0; round < 5; round += 1) assert.equal((await guess()).status, 401)
  const locked = await guess()
  assertRefused(locked, 429, 'rate_limited')
  // Ignore the seconds that have passed meanwhile.
  return Math.ceil(Number(locked.headers['retry-after']) / 60)
}

test('each lock without a right code in between is twice as long, up to a day, and a right code makes it short again', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  const guess = async () => verify((await manyChallenges(person, 1))[0]!, wrong(secret))
  const right = async (code: string) => assert.equal((await verify((await manyChallenges(person, 1))[0]!, code)).status, 200)
  const minutes: number[] = []
  for (let round = 0; round < 9; round += 1) {
    minutes.push(await lockedFor(guess))
    await app.moveClock(minutes.at(-1)! * 60 + 1)
  }
  assert.deepEqual(minutes, [15, 30, 60, 120, 240, 480, 960, 1440, 1440])
  for (const code of [await app.freshCode(secret), recoveryCodes[0]!]) {
    await right(code)
    assert.equal(await lockedFor(guess), 15)
    await app.moveClock(901)
    assert.equal(await lockedFor(guess), 30)
    await app.moveClock(1801)
  }
})

test('locks of step-up by password grow in the same way, and the right password makes them short again', async () => {
  const asha = await app.register()
  const tryPassword = async (password: string) => stepUp((await app.signIn(asha)).body.data.access_token, { password })
  const guess = () => tryPassword('wrong horse battery')
  assert.equal(await lockedFor(guess), 15)
  await app.moveClock(901)
  assert.equal(await lockedFor(guess), 30)
  await app.moveClock(1801)
  assert.equal((await tryPassword(asha.password)).status, 200)
  await app.moveClock(901)
  assert.equal(await lockedFor(guess), 15)
})

test('an attacker who always pauses before the lock is locked at the tenth wrong try since a right one', async () => {
  const { person, secret } = await personWithFactor()
  const attempt = async (code: string) => verify((await manyChallenges(person, 1))[0]!, code)
  const guesses = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      if (round % 3 === 0) await app.moveClock(901)
      assertRefused(await attempt(wrong(secret)), 401, 'invalid_code')
    }
  }
  await guesses(9)
  assert.equal((await attempt(await app.freshCode(secret))).status, 200)
  await app.moveClock(901)
  await guesses(10)
  assertRefused(await attempt(await app.freshCode(secret)), 429, 'rate_limited')
})

test('the owner gets at most one mail a day about locked tries', async () => {
  const [{ person, secret }, asha] = [await personWithFactor(), await app.register()]
  const lock = async () => {
    for (const challenge of await manyChallenges(person, 5)) await verify(challenge, wrong(secret))
    const access = (await app.signIn(asha)).body.data.access_token
    for (let round = 0; round < 5; round += 1) await stepUp(access, { password: 'wrong horse battery' })
    assertRefused(await stepUp(access, { password: asha.password }), 429, 'rate_limited')
  }
  const mailsTo = async (email: string) => (await kindsTo(email)).filter((kind) => kind === 'second_factor_locked').length
  const counts = []
  for (const seconds of [0, 6 * 3600, 86_400]) {
    await app.moveClock(seconds)
    await lock()
    counts.push([await mailsTo(person.email), await mailsTo(asha.email)])
  }
  assert.deepEqual(counts, [
    [1, 1],
    [1, 1],
    [2, 2],
  ])
})

test('wrong codes of the app count together wherever they are sent, and a right code in between does not reset them', async () => {
  const { person, secret } = await personWithFactor()
  const tries = [wrong(secret), wrong(secret), wrong(secret)]
  for (const code of tries) assertRefused(await verify(await challengeOf(person), code), 401, 'invalid_code')
  const opened = await verify(await challengeOf(person), await app.freshCode(secret))
  assert.equal(opened.status, 200)
  const token = opened.body.data.access_token
  assertRefused(await stepUp(token, { code: wrong(secret) }), 401, 'invalid_code')
  assertRefused(await disable(token, wrong(secret)), 401, 'invalid_code')
  const code = await app.freshCode(secret)
  assertRefused(await stepUp(token, { code }), 429, 'rate_limited')
  assertRefused(await disable(token, code), 429, 'rate_limited')
  assertRefused(await verify(await challengeOf(person), code), 429, 'rate_limited')
})

test('wrong codes for a new enrolment count too', async () => {
  const asha = await app.register()
  const { secret } = (await enroll(asha.access)).body.data
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(asha.access, wrong(secret))))
  assert.deepEqual(countOf(answers), { '401 invalid_code': 5, '429 rate_limited': 15 })
  assertRefused(await confirm(asha.access, await app.freshCode(secret)), 429, 'rate_limited')
})

test('wrong tries older than fifteen minutes are not counted', async () => {
  const { person, secret } = await personWithFactor()
  const challenges = await manyChallenges(person, 4)
  for (const challenge of challenges) assertRefused(await verify(challenge, wrong(secret)), 401, 'invalid_code')
  await app.moveClock(901)
  assertRefused(await verify(await challengeOf(person), wrong(secret)), 401, 'invalid_code')
  assert.equal((await verify(await challengeOf(person), await app.freshCode(secret))).status, 200)
})

test('a recovery code signs in once, in any notation, and its owner is notified', async () => {
  const { person, recoveryCodes } = await personWithFactor()
  const [first, second] = recoveryCodes as [string, string]
  const answer = await verify(await challengeOf(person), ` ${first.toUpperCase().replaceAll('-', ' ')} `)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const token = answer.body.data.access_token
  assert.deepEqual((await currentSession(token)).amr, ['pwd', 'mfa'])
  assertRefused(await verify(await challengeOf(person), first), 401, 'invalid_code')
  assert.equal((await call('GET', '/v1/me', { token })).body.data.two_factor.recovery_codes_left, 9)
  assert.equal((await kindsTo(person.email)).at(-1), 'recovery_code_used')
  const entry = (await app.auditOf(person.id)).at(-1)!
  assert.deepEqual([entry.action, entry.after], ['recovery_code.used', { left: 9 }])

  const challenges = await manyChallenges(person, 20)
  const counts = countOf(await Promise.all(challenges.map((challenge) => verify(challenge, second))))
  assert.equal(counts['200'], 1)
})

test("another person's recovery code and code are wrong", async () => {
  const [asha, juma] = [await personWithFactor(), await personWithFactor()]
  assertRefused(await verify(await challengeOf(asha.person), juma.recoveryCodes[0]!), 401, 'invalid_code')
  assertRefused(await verify(await challengeOf(asha.person), await app.freshCode(juma.secret)), 401, 'invalid_code')
})

test('a factor is replaced only just after it was shown, and works until the new one is confirmed', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  await app.moveClock(301)
  assertRefused(await enroll(person.access), 401, 'step_up_required')
  assert.equal((await stepUp(person.access, { code: await app.freshCode(secret) })).status, 200)
  const replacement = (await enroll(person.access)).body.data.secret
  assert.notEqual(replacement, secret)
  assertRefused(await stepUp(person.access, { code: app.codeOf(replacement) }), 401, 'invalid_code')
  await app.moveClock(240)
  assert.equal((await verify(await challengeOf(person), await app.freshCode(secret))).status, 200)

  await app.moveClock(60)
  assertRefused(await confirm(person.access, await app.freshCode(replacement)), 401, 'step_up_required')
  assert.equal((await stepUp(person.access, { code: app.codeOf(secret) })).status, 200)
  assert.equal((await confirm(person.access, await app.freshCode(replacement))).status, 200)
  assertRefused(await verify(await challengeOf(person), await app.freshCode(secret)), 401, 'invalid_code')
  assertRefused(await verify(await challengeOf(person), recoveryCodes[0]!), 401, 'invalid_code')
  assert.equal((await verify(await challengeOf(person), await app.freshCode(replacement))).status, 200)
  assert.deepEqual((await app.auditOf(person.id)).at(-1)!.after, { replaced: true, recovery_codes: 10, sessions_ended: 1 })
})

test('a fresh session without the factor cannot replace it: it proves a password only', async () => {
  const asha = await app.register()
  const other = (await app.signIn(asha)).body.data.access_token
  const { secret } = await app.enroll(asha)
  assertRefused(await enroll(other), 401, 'step_up_required')
  assertRefused(await sensitive(other), 401, 'step_up_required')
  assertRefused(await stepUp(other, { password: asha.password }), 400, 'validation_error')
  assert.equal((await stepUp(other, { code: await app.freshCode(secret) })).status, 200)
  assert.equal((await sensitive(other)).status, 200)
  assert.equal((await enroll(other)).status, 200)
})

/** Signs in with the factor; returns the access and the refresh token. */
async function signInWith(person: Person, secret: string): Promise<{ access: string; refresh: string }> {
  const { status, body } = await verify(await challengeOf(person), await app.freshCode(secret))
  assert.equal(status, 200, JSON.stringify(body))
  return { access: body.data.access_token, refresh: body.data.refresh_token }
}

async function assertEnded({ access, refresh }: { access: string; refresh: string }): Promise<void> {
  assertRefused(await call('GET', '/v1/me', { token: access }), 401, 'session_inactive')
  assertRefused(await call('POST', '/v1/auth/refresh', { body: { refresh_token: refresh } }), 401, 'session_inactive')
}

test('a first factor keeps the other sessions; replacing it ends them and open challenges', async () => {
  const asha = await app.register()
  const before = (await app.signIn(asha)).body.data.access_token
  const { secret } = await app.enroll(asha)
  assert.equal((await call('GET', '/v1/me', { token: before })).status, 200)

  const other = await signInWith(asha, secret)
  const stranger = await app.register()
  const challenge = await challengeOf(asha)
  const { secret: replacement } = await app.enroll(asha)
  await assertEnded(other)
  assertRefused(await call('GET', '/v1/me', { token: before }), 401, 'session_inactive')
  assertRefused(await verify(challenge, await app.freshCode(replacement)), 401, 'invalid_challenge')
  for (const token of [asha.access, stranger.access]) assert.equal((await call('GET', '/v1/me', { token })).status, 200)
  const mail = (await app.mailsTo(asha.email)).at(-1)!
  assert.equal(mail.kind, 'second_factor_replaced')
  assert.match(mail.text, /vifaa vingine vyote[^]*signed out on all other devices/)
  assert.equal((await app.auditOf(asha.id)).at(-1)!.after!['sessions_ended'], 2)
})

test('removing a factor ends all other sessions', async () => {
  const { person, secret } = await personWithFactor()
  const other = await signInWith(person, secret)
  assert.equal((await disable(person.access, await app.freshCode(secret))).status, 200)
  await assertEnded(other)
  assert.equal((await call('GET', '/v1/me', { token: person.access })).status, 200)
  assert.match((await app.mailsTo(person.email)).at(-1)!.text, /vifaa vingine vyote[^]*signed out on all other devices/)
  const { after: written } = (await app.auditOf(person.id)).at(-1)!
  assert.deepEqual(written, { by_recovery_code: false, sessions_ended: 1 })
})

test('signing in opens sensitive routes for five minutes, and step-up by code opens them again', async () => {
  const { person, secret } = await personWithFactor()
  assert.equal((await sensitive(person.access)).status, 200)
  await app.moveClock(301)
  assertRefused(await sensitive(person.access), 401, 'step_up_required')
  const before = await currentSession(person.access)
  const answer = await stepUp(person.access, { code: await app.freshCode(secret) })
  assert.deepEqual([answer.status, answer.body.data.current, answer.body.data.amr], [200, true, ['pwd', 'otp', 'mfa']])
  assert.ok(answer.body.data.authenticated_at > before.authenticated_at)
  assert.equal((await sensitive(person.access)).status, 200)
  assertRefused(await stepUp(person.access, { code: app.codeOf(secret) }), 401, 'invalid_code')
  assert.deepEqual(await actionsOf(answer.body.data.id), ['session.stepped_up'])
  await app.moveClock(301)
  assertRefused(await sensitive(person.access), 401, 'step_up_required')
})

test('a person without a factor steps up with the password, and a refresh is no step-up', async () => {
  const asha = await app.register()
  await app.moveClock(301)
  assertRefused(await sensitive(asha.access), 401, 'step_up_required')
  const refreshed = await call('POST', '/v1/auth/refresh', { body: { refresh_token: asha.refresh } })
  const token = refreshed.body.data.access_token
  assertRefused(await sensitive(token), 401, 'step_up_required')
  const missing = await stepUp(token, {})
  assertRefused(missing, 400, 'validation_error')
  assertRefused(await stepUp(token, { code: '123456', password: asha.password }), 400, 'validation_error')
  const byCode = await stepUp(token, { code: '123456' })
  assertRefused(byCode, 400, 'validation_error')
  assert.equal(byCode.body.error.param, 'password')
  assertRefused(await stepUp(token, { password: 'wrong horse battery' }), 401, 'invalid_credentials')
  assertRefused(await sensitive(token), 401, 'step_up_required')
  const answer = await stepUp(token, { password: asha.password })
  assert.deepEqual([answer.status, answer.body.data.amr], [200, ['pwd']])
  assert.equal((await sensitive(token)).status, 200)
})

test('of twenty parallel wrong passwords five are checked, and right ones never count', async () => {
  const asha = await app.register()
  for (let round = 0; round < 7; round += 1) {
    assert.equal((await stepUp(asha.access, { password: asha.password })).status, 200)
  }
  const guesses = Array.from({ length: 20 }, (_, index) => stepUp(asha.access, { password: `wrong horse ${index}` }))
  assert.deepEqual(countOf(await Promise.all(guesses)), { '401 invalid_credentials': 5, '429 rate_limited': 15 })
  assertRefused(await stepUp(asha.access, { password: asha.password }), 429, 'rate_limited')
  assert.equal((await kindsTo(asha.email)).filter((kind) => kind === 'second_factor_locked').length, 1)
  await app.moveClock(890)
  assertRefused(await stepUp(asha.access, { password: asha.password }), 429, 'rate_limited')
  await app.moveClock(15)
  assert.equal((await stepUp(asha.access, { password: asha.password })).status, 200)
})

test('a password that was never checked does not count as wrong', async () => {
  const asha = await app.register()
  const overloaded = new Refusal(503, 'overloaded', 'Not now.')
  const passwords = { ...createPasswords(), matches: () => Promise.reject(overloaded) }
  const signedIn: SignedIn = {
    userId: fromWire('usr', asha.id)!,
    sessionId: fromWire('ses', ((await currentSession(asha.access)) as any).id)!,
    role: 'student',
    amr: ['pwd'],
    tokenEndsAt: 0,
    usesPower: true,
  }
  const origin = { actor: asha.id, requestId: 'x', ip: null }
  const tries = Array.from({ length: 4 }, () => stepUpByPassword({ ...app, passwords }, signedIn, asha.password, origin))
  for (const { status, reason } of (await Promise.allSettled(tries)) as PromiseRejectedResult[]) {
    assert.deepEqual([status, reason], ['rejected', overloaded])
  }
  for (let round = 0; round < 6; round += 1) {
    await assert.rejects(stepUpByPassword({ ...app, passwords }, signedIn, asha.password, origin), overloaded)
  }
  // It does not make the next lock longer either, even if it had caused the lock.
  const guess = () => stepUp(asha.access, { password: 'wrong horse battery' })
  for (let round = 0; round < 4; round += 1) assertRefused(await guess(), 401, 'invalid_credentials')
  await assert.rejects(stepUpByPassword({ ...app, passwords }, signedIn, asha.password, origin), overloaded)
  assertRefused(await guess(), 401, 'invalid_credentials')
  const locked = await guess()
  assertRefused(locked, 429, 'rate_limited')
  assert.ok(Number(locked.headers['retry-after']) <= 900)
  await app.moveClock(901)
  asha.access = (await app.signIn(asha)).body.data.access_token
  assert.equal((await stepUp(asha.access, { password: asha.password })).status, 200)
})

test('a student removes the factor with a code of it; open challenges and recovery codes are removed too', async () => {
  const { person, secret, recoveryCodes } = await personWithFactor()
  const challenge = await challengeOf(person)
  assertRefused(await disable(person.access, wrong(secret)), 401, 'invalid_code')
  const answer = await disable(person.access, await app.freshCode(secret))
  assert.deepEqual([answer.status, answer.body.data], [200, { enabled: false }])
  const me = await call('GET', '/v1/me', { token: person.access })
  assert.deepEqual(me.body.data.two_factor, { enabled: false, recovery_codes_left: 0 })
  assertRefused(await verify(challenge, await app.freshCode(secret)), 401, 'invalid_challenge')
  assertRefused(await verify(challenge, recoveryCodes[0]!), 401, 'invalid_challenge')
  assert.ok('access_token' in (await app.signIn(person)).body.data)
  assertRefused(await disable(person.access, await app.freshCode(secret)), 409, 'invalid_state')
  assert.equal((await kindsTo(person.email)).at(-1), 'second_factor_disabled')
  assert.deepEqual(await actionsOf(person.id), ['second_factor.confirmed', 'second_factor.disabled'])
})

const changePassword = (token: string, body: unknown) => call('POST', '/v1/auth/password/change', { token, body })

test('a password change with the old password signs out all other sessions and ends open sign-ins', async () => {
  const asha = await app.register()
  const { access_token: access, refresh_token: refresh } = (await app.signIn(asha)).body.data
  await call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  await enroll(asha.access)
  assertRefused(await changePassword('x', {}), 401, 'invalid_token')
  assertRefused(
    await changePassword(asha.access, { current_password: asha.password, password: 'short' }),
    400,
    'validation_error',
  )
  const wanted = { current_password: asha.password, password: 'a brand new battery' }
  const answer = await changePassword(asha.access, wanted)
  assert.deepEqual([answer.status, answer.body], [200, { data: { ended: 1 } }], JSON.stringify(answer.body))
  await assertEnded({ access, refresh })
  assert.equal((await call('GET', '/v1/me', { token: asha.access })).status, 200)
  assertRefused(await app.signIn(asha), 401, 'invalid_credentials')
  assert.equal((await app.signIn({ ...asha, password: wanted.password })).status, 200)
  assertRefused(await changePassword(asha.access, wanted), 401, 'invalid_credentials')
  const mails = await app.mailsTo(asha.email)
  assert.ok(mails.some(({ kind }) => kind === 'password_changed'))
  const code = /^\d{6}$/m.exec(mails.find(({ kind }) => kind === 'password_reset')!.text)![0]
  assertRefused(
    await call('POST', '/v1/auth/password/reset', { body: { email: asha.email, code, password: 'and one more battery' } }),
    400,
    'token_invalid',
  )
  assertRefused(await confirm(asha.access, '123456'), 409, 'invalid_state')
  assert.ok((await actionsOf(asha.id)).includes('password.changed'))
})

test('wrong old passwords are counted, and a second factor must be shown too', async () => {
  const asha = await app.register()
  const guesses = Array.from({ length: 8 }, (_, index) =>
    changePassword(asha.access, { current_password: `wrong horse ${index}`, password: 'a brand new battery' }),
  )
  assert.deepEqual(countOf(await Promise.all(guesses)), { '401 invalid_credentials': 5, '429 rate_limited': 3 })
  const { person, secret } = await personWithFactor()
  const wanted = { current_password: person.password, password: 'a brand new battery' }
  await app.moveClock(301)
  assertRefused(await changePassword(person.access, wanted), 401, 'step_up_required')
  assert.equal((await stepUp(person.access, { code: await app.freshCode(secret) })).status, 200)
  assert.equal((await changePassword(person.access, wanted)).status, 200)
})

test('of two parallel changes one succeeds', async () => {
  const asha = await app.register()
  const passwords = ['the first new battery', 'the second new battery']
  const answers = await Promise.all(
    passwords.map((password) => changePassword(asha.access, { current_password: asha.password, password })),
  )
  assert.deepEqual(countOf(answers), { '200': 1, '401 invalid_credentials': 1 })
  const kept = passwords[answers.findIndex(({ status }) => status === 200)]!
  assert.equal((await app.signIn({ ...asha, password: kept })).status, 200)
})
