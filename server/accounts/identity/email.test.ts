/** E-mail addresses over HTTP: the mailed code after registration, its effect, and requests for another code. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'
import { stopDatabaseClock } from '../../../test/database-clock.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const verify = ({ access: token }: Pick<Person, 'access'>, code: string) =>
  call('POST', '/v1/auth/email/verify', { token, body: { code } })
const resend = (token: string) => call('POST', '/v1/auth/email/resend', { token })

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

async function codesOf(email: string): Promise<string[]> {
  const mails = (await app.mailsTo(email)).filter(({ kind }) => kind === 'email_verification')
  return mails.map(({ text }) => /^\d{6}$/m.exec(text)![0])
}

async function isVerified({ access }: Person): Promise<boolean> {
  return (await call('GET', '/v1/me', { token: access })).body.data.email_verified
}

test('registering mails a code, in Swahili first, and the code verifies the address once', async () => {
  const asha = await app.register()
  const [mail, ...others] = await app.mailsTo(asha.email)
  assert.deepEqual([mail!.kind, others.length], ['email_verification', 0])
  const [swahili, english] = mail!.text.split('\n---\n')
  assert.match(swahili!, /\n\d{6}\n[^]*dakika 30[^]*Kama si wewe, puuza ujumbe huu\./)
  assert.match(english!, /30 minutes[^]*If this was not you, ignore this message\./)
  assert.equal(await isVerified(asha), false)

  const [code] = await codesOf(asha.email)
  const answer = await verify(asha, ` ${code} `)
  assert.deepEqual([answer.status, answer.body], [200, { data: { email_verified: true } }])
  assert.equal(await isVerified(asha), true)
  assertRefused(await verify(asha, code!), 400, 'token_invalid')
  const entries = await app.auditOf(asha.id)
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor]),
    [['email.verified', asha.id]],
  )
})

test('a failed registration mails nothing', async () => {
  const asha = await app.register()
  const body = {
    full_name: 'X Y',
    email: 'never@udsm.ac.tz',
    phone_number: asha.phone,
    password: 'correct horse battery',
    student_id: '1',
    institution: 'UDSM',
  }
  assertRefused(await call('POST', '/v1/auth/register', { body }), 409, 'already_registered')
  assert.deepEqual(await app.mailsTo('never@udsm.ac.tz'), [])
})

test('a code that is invented, expired, or was mailed to another address verifies nothing', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  for (const code of ['f'.repeat(64), 'x', "' or 1=1 --"]) assertRefused(await verify(asha, code), 400, 'validation_error')
  const [toOldAddress] = await codesOf(juma.email)
  assertRefused(await verify(asha, toOldAddress!), 400, 'token_invalid')
  assertRefused(await call('POST', '/v1/auth/email/verify', { body: { code: toOldAddress } }), 401, 'authentication_required')
  await app.owner.rows(sql`update users set email = ${`moved.${juma.email}`} where email = ${juma.email}`)
  assertRefused(await verify(juma, toOldAddress!), 400, 'token_invalid')
  assert.equal(await isVerified(juma), false)

  const [code] = await codesOf(asha.email)
  await app.moveClock(1800 + 1)
  const access = (await app.signIn(asha)).body.data.access_token
  assertRefused(await verify({ access }, code!), 400, 'token_invalid')
})

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('five wrong tries end a code, even in parallel; another code works, and the account is never locked [A82]', async () => {
  const asha = await app.register()
  const [code] = await codesOf(asha.email)
  for (let tries = 0; tries < 4; tries += 1) assertRefused(await verify(asha, otherThan(code!)), 400, 'token_invalid')
  const wrong = [1, 2, 3].map((step) => String((Number(code) + 1000 * step) % 1_000_000).padStart(6, '0'))
  // One try is left: thirty parallel tries use no more than that.
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => verify(asha, wrong[index % 3]!)))
  assert.ok(answers.every(({ status }) => status === 400))
  assertRefused(await verify(asha, code!), 400, 'token_invalid')
  assert.equal(await isVerified(asha), false)
  const tries = await app.owner.rows<{ wrongTries: number }>(sql`
    select wrong_tries from mailed_tokens where user_id = (select id from users where email = ${asha.email}) order by created_at`)
  assert.deepEqual(
    tries.map(({ wrongTries }) => wrongTries),
    [5],
  )
  assert.equal((await app.signIn(asha)).status, 200)
  await app.moveClock(61)
  assert.equal((await resend(asha.access)).status, 200)
  assert.equal((await verify(asha, (await codesOf(asha.email)).at(-1)!)).status, 200)
})

test('a new code ends the one before it, so that a guess never meets two', async () => {
  const asha = await app.register()
  for (let mails = 2; mails <= 4; mails += 1) {
    await app.moveClock(61)
    assert.equal((await resend(asha.access)).status, 200)
    const codes = await codesOf(asha.email)
    assert.equal(codes.length, mails)
    assertRefused(await verify(asha, codes.at(-2)!), 400, 'token_invalid')
    const rows = await app.owner.rows<{ wrongTries: number }>(sql`
      select wrong_tries from mailed_tokens where user_id = ${fromWire('usr', asha.id)!} and used_at is null`)
    assert.deepEqual(rows, [{ wrongTries: 1 }])
  }
})

test('a code verifies in its last second, and not one second after its end [T13]', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const ends = async ({ id }: Person): Promise<Date> =>
    (
      await app.owner.rows<{ expiresAt: Date }>(sql`select expires_at from mailed_tokens where user_id = ${fromWire('usr', id)!}`)
    )[0]!.expiresAt
  for (const [person, seconds] of [
    [asha, -1],
    [juma, 1],
  ] as const) {
    const [code] = await codesOf(person.email)
    await stopDatabaseClock(app.owner, await ends(person), seconds)
    const answer = await verify(person, code!)
    if (seconds < 0) assert.equal(answer.status, 200)
    else assertRefused(answer, 400, 'token_invalid')
  }
  await app.moveClock(0)
})

test('another code is mailed on request, at most one a minute, until the address is verified', async () => {
  const asha = await app.register()
  assertRefused(await resend('x'), 401, 'invalid_token')
  const early = await resend(asha.access)
  assertRefused(early, 429, 'rate_limited')
  const wait = Number(early.headers['retry-after'])
  assert.ok(wait > 50 && wait <= 60, String(wait))
  await app.moveClock(61)
  const answers = await Promise.all(Array.from({ length: 5 }, () => resend(asha.access)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 429, 429, 429, 429],
  )
  assert.deepEqual(answers.find(({ status }) => status === 200)!.body, { data: { sent: true } })

  const codes = await codesOf(asha.email)
  assert.equal(codes.length, 2)
  assertRefused(await verify(asha, codes[0]!), 400, 'token_invalid')
  assert.equal((await verify(asha, codes[1]!)).status, 200)
  await app.moveClock(61)
  assertRefused(await resend(asha.access), 409, 'invalid_state')
})

test('at most ten codes are mailed in any 24 hours, including the first', async () => {
  const asha = await app.register()
  for (let round = 0; round < 9; round += 1) {
    await app.moveClock(61)
    assert.equal((await resend(asha.access)).status, 200)
  }
  await app.moveClock(61)
  const refused = await resend(asha.access)
  assertRefused(refused, 429, 'rate_limited')
  const wait = Number(refused.headers['retry-after'])
  assert.ok(wait > 85_700 && wait <= 85_790, String(wait))
  assert.equal((await codesOf(asha.email)).length, 10)
  await app.moveClock(wait + 1)
  const token = (await app.signIn(asha)).body.data.access_token
  assert.equal((await resend(token)).status, 200)
  assertRefused(await resend(token), 429, 'rate_limited')
})

test('reuse of an old refresh token ends the session, and its owner gets a mail', async () => {
  const asha = await app.register()
  const refresh = (token: string) => call('POST', '/v1/auth/refresh', { body: { refresh_token: token } })
  const session = (await call('GET', '/v1/auth/sessions', { token: asha.access })).body.data[0]
  const second = (await refresh(asha.refresh)).body.data
  await refresh(second.refresh_token)
  assertRefused(await refresh(asha.refresh), 401, 'invalid_token')
  assertRefused(await refresh(asha.refresh), 401, 'session_inactive')
  const kinds = (await app.mailsTo(asha.email)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['email_verification', 'session_ended'])
  const [entry] = await app.auditOf(session.id)
  assert.deepEqual(
    [entry!.action, entry!.actor, entry!.after],
    ['session.revoked', 'system', { reason: 'refresh_reuse', generation: 0 }],
  )
})
