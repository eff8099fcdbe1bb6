/** Password resets over HTTP: the mail, the effects of a reset, and its limits. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../../test/app.ts'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, newId } from '../../platform/ids.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { findInvitation, insertInvitation } from '../members/member.sql.ts'
import { hashesOfMailedCode } from './mailed-code.ts'
import { replaceMailedToken, tryMailedCode } from './mailed-token.sql.ts'
import { insertBusinessMerchant } from './merchant.sql.ts'
import { readNotifications, saveNotifications } from './notification.sql.ts'
import { createPasswords } from './password.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)
const forgot = (email: string) => call('POST', '/v1/auth/password/forgot', { body: { email } })
const reset = ({ email }: Pick<Person, 'email'>, code: string, password = newPassword) =>
  call('POST', '/v1/auth/password/reset', { body: { email, code, password } })
const me = (token: string) => call('GET', '/v1/me', { token })
const newPassword = 'a brand new battery'

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

async function countResetMails(): Promise<number> {
  return (await app.owner.rows(sql`select from mails where kind = 'password_reset'`)).length
}

const resetMails = async (person: Person) => (await app.mailsTo(person.email)).filter(({ kind }) => kind === 'password_reset')

async function codesOf(person: Person): Promise<string[]> {
  return (await resetMails(person)).map(({ text }) => /^\d{6}$/m.exec(text)![0])
}

const notOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** The code in the mail after a reset request. */
async function mailedCode(person: Person): Promise<string> {
  assert.equal((await forgot(person.email)).status, 200)
  return (await codesOf(person)).at(-1)!
}

test('a known and an unknown address get the same answer, and only the known one gets a mail', async () => {
  const asha = await app.register()
  const known = await forgot(` ${asha.email.toUpperCase()} `)
  const unknown = await forgot('unknown@udsm.ac.tz')
  assert.deepEqual([known.status, known.body], [200, { data: { sent: true } }])
  assert.deepEqual([unknown.status, unknown.body], [200, { data: { sent: true } }])
  assert.equal((await resetMails(asha)).length, 1)
  assert.deepEqual(await app.mailsTo('unknown@udsm.ac.tz'), [])
  assertRefused(await forgot('not an address'), 400, 'validation_error')
})

test('the answer does not wait for anything that depends on the account', async () => {
  const asha = await app.register()
  await app.owner.tx(async (tx) => {
    await tx.rows(sql`select 1 from users where email = ${asha.email} for update`)
    // The work after the answer is blocked by the locked account, but the answer still arrives.
    assert.deepEqual((await forgot(asha.email)).body, { data: { sent: true } })
  })
  assert.equal((await resetMails(asha)).length, 1)
})

test('a flood of requests for one account delays no other account, known or unknown, and leaves connections free', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const before = await countResetMails()
  await app.owner.tx(async (tx) => {
    await tx.rows(sql`select 1 from users where email = ${asha.email} for update`)
    // One runs and waits for the account; a hundred wait behind it.
    const taken = await Promise.all(Array.from({ length: 102 }, () => forgot(asha.email)))
    assert.ok(taken.every(({ status }) => status === 200))
    const [known, unknown] = [await forgot(juma.email), await forgot('unknown@udsm.ac.tz')]
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
    assert.equal(known.status, 200)
    while ((await countResetMails()) === before) await sleep(10)
    assert.equal((await app.signIn(juma)).status, 200)
  })
  assert.deepEqual([(await resetMails(asha)).length, (await resetMails(juma)).length], [1, 1])
})

test('a repeated request within the pause does not wait for a locked account and delays no other request', async () => {
  const asha = await app.register()
  await mailedCode(asha)
  await app.owner.tx(async (tx) => {
    await tx.rows(sql`select 1 from users where email = ${asha.email} for update`)
    await forgot(asha.email)
    await app.backgroundDone()
  })
  assert.equal((await resetMails(asha)).length, 1)
})

test('a failure in the work after the answer is logged, and the answer stays the same', async (t: TestContext) => {
  const failed = t.mock.method(app.log, 'error', () => undefined)
  await app.owner.script('alter table mailed_tokens rename to away')
  const asha = await forgot('asha@udsm.ac.tz')
  const juma = await app.owner.rows<{ email: string }>(sql`select email from users limit 1`)
  const known = await forgot(juma[0]!.email)
  await app.backgroundDone()
  await app.owner.script('alter table away rename to mailed_tokens')
  assert.deepEqual([asha.body, known.body], [{ data: { sent: true } }, { data: { sent: true } }])
  assert.deepEqual(
    failed.mock.calls.map((logged) => (logged.arguments as unknown[])[0]),
    ['password_reset.mail_failed'],
  )
})

test('the mail has Swahili first, then English, with the code on a separate line', async () => {
  const asha = await app.register()
  await forgot(asha.email)
  const [mail] = await resetMails(asha)
  assert.match(mail!.subject, /^Kubadilisha nenosiri/)
  const [swahili, english] = mail!.text.split('\n---\n')
  assert.match(swahili!, /\n\d{6}\n[^]*dakika 30[^]*Kama si wewe, puuza ujumbe huu\./)
  assert.match(english!, /30 minutes[^]*If this was not you, ignore this message\./)
})

test('a code sets the password once, ends every session and opens none', async () => {
  const asha = await app.register()
  const second = (await app.signIn(asha)).body.data
  const [older, code] = [await mailedCode(asha), (await app.moveClock(61), await mailedCode(asha))]
  assert.notEqual(older, code)
  const answer = await reset(asha, ` ${code} `)
  assert.deepEqual([answer.status, answer.body], [200, { data: { reset: true } }])
  for (const token of [asha.access, second.access_token]) assertRefused(await me(token), 401, 'session_inactive')
  const refreshed = await call('POST', '/v1/auth/refresh', { body: { refresh_token: second.refresh_token } })
  assertRefused(refreshed, 401, 'session_inactive')
  assertRefused(await app.signIn(asha), 401, 'invalid_credentials')
  assert.equal((await app.signIn({ ...asha, password: newPassword })).status, 200)

  for (const used of [code, older]) assertRefused(await reset(asha, used, 'another new battery'), 400, 'token_invalid')
  assert.equal((await app.signIn({ ...asha, password: newPassword })).status, 200)
  assert.equal((await app.mailsTo(asha.email)).at(-1)!.kind, 'password_changed')
  const entry = (await app.auditOf(asha.id)).at(-1)!
  assert.deepEqual([entry.action, entry.actor, entry.after], ['password.reset', asha.id, { sessions_ended: 2 }])
})

test('twenty parallel resets with one code set one password', async () => {
  const asha = await app.register()
  const code = await mailedCode(asha)
  const passwords = Array.from({ length: 20 }, (_, index) => `brand new battery ${index}`)
  const answers = await Promise.all(passwords.map((password) => reset(asha, code, password)))
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal((await app.signIn({ ...asha, password: passwords[winner]! })).status, 200)
})

test('a code ends after thirty minutes', async () => {
  const asha = await app.register()
  const code = await mailedCode(asha)
  await app.moveClock(30 * 60 + 1)
  assertRefused(await reset(asha, code), 400, 'token_invalid')
  const fresh = await mailedCode(asha)
  await app.moveClock(30 * 60 - 5)
  assert.equal((await reset(asha, fresh)).status, 200)
})

test('only a code for this purpose, address and person resets the password', async () => {
  const asha = await app.register()
  const [welcome] = await app.mailsTo(asha.email)
  const verification = /^\d{6}$/m.exec(welcome!.text)![0]
  for (const code of ['f'.repeat(64), 'x', "' or 1=1 --"]) assertRefused(await reset(asha, code), 400, 'validation_error')
  assertRefused(await reset(asha, verification), 400, 'token_invalid')
  const juma = await app.register()
  assertRefused(await reset({ email: 'unknown@udsm.ac.tz' }, verification), 400, 'token_invalid')
  const code = await mailedCode(asha)
  assertRefused(await reset(juma, code), 400, 'token_invalid')
  for (const password of ['elevenchars', 'x'.repeat(129)]) {
    assertRefused(await reset(asha, code, password), 400, 'validation_error')
  }
  assertRefused(await call('POST', '/v1/auth/email/verify', { token: asha.access, body: { code } }), 400, 'token_invalid')
  await app.owner.rows(sql`update users set email = ${`moved.${asha.email}`} where email = ${asha.email}`)
  assertRefused(await reset(asha, code), 400, 'token_invalid')
})

test('an invented code causes no password hashing', async (t: TestContext) => {
  const asha = await app.register()
  const passwords = createPasswords()
  const hash = t.mock.method(passwords, 'hash')
  const { resetPassword } = await import('./reset-password.ts')
  const origin = () => ({ actor: 'x', requestId: 'x', ip: null })
  const attempt = resetPassword(
    { ...app, passwords, endLeftovers: async () => false },
    { email: asha.email, code: '123456', password: newPassword },
    origin,
  )
  await assert.rejects(attempt, { code: 'token_invalid' })
  assert.equal(hash.mock.callCount(), 0)
})

test('at most one mail a minute goes to a person, even with parallel requests', async () => {
  const asha = await app.register()
  await Promise.all(Array.from({ length: 20 }, () => forgot(asha.email)))
  assert.equal((await resetMails(asha)).length, 1)
  await app.moveClock(59)
  await forgot(asha.email)
  assert.equal((await resetMails(asha)).length, 1)
  await app.moveClock(2)
  await forgot(asha.email)
  assert.equal((await resetMails(asha)).length, 2)
})

test('after ten mails in 24 hours one is sent each half an hour, with a working code, however often strangers ask', async () => {
  const asha = await app.register()
  for (let round = 0; round < 12; round += 1) {
    assert.deepEqual((await forgot(asha.email)).body, { data: { sent: true } })
    await app.backgroundDone()
    await app.moveClock(61)
  }
  assert.equal((await resetMails(asha)).length, 10)
  // The owner's own request brings no mail now, but the owner has a working code.
  const [tenth] = (await codesOf(asha)).slice(-1)
  await app.moveClock(10 * 60)
  await forgot(asha.email)
  await app.backgroundDone()
  assert.equal((await resetMails(asha)).length, 10)
  await app.moveClock(20 * 60)
  assertRefused(await reset(asha, tenth!), 400, 'token_invalid')
  const eleventh = await mailedCode(asha)
  assert.equal((await resetMails(asha)).length, 11)
  assert.equal((await reset(asha, eleventh)).status, 200)
})

test('a code takes the place of the one before, with the tries that are left', async () => {
  const asha = await app.register()
  const first = await mailedCode(asha)
  for (let tries = 0; tries < 4; tries += 1) assertRefused(await reset(asha, notOf(first)), 400, 'token_invalid')
  await app.moveClock(61)
  const second = await mailedCode(asha)
  assertRefused(await reset(asha, first), 400, 'token_invalid')
  assertRefused(await reset(asha, second), 400, 'token_invalid')
  await app.moveClock(61)
  // Ended by five wrong tries; the next code is one of ten a day.
  assert.equal((await reset(asha, await mailedCode(asha))).status, 200)
})

/** Waits until this many statements wait for the end of another transaction. */
const waitsForLocks = (count: number): Promise<unknown> =>
  eventually(`${count} statements wait`, async () => {
    const waiting = await app.owner.rows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length === count
  })

const aboutReset = (person: Person) => ({ userId: fromWire('usr', person.id)!, purpose: 'password_reset' as const })

test('wrong codes count also while the next code takes the place of theirs', async () => {
  const asha = await app.register()
  const first = await mailedCode(asha)
  const [second, wrong] = [notOf(first), notOf(notOf(first))]
  const [tokenHash] = hashesOfMailedCode(app.config.keys, aboutReset(asha), second)
  const next = { ...aboutReset(asha), tokenHash, email: asha.email, seconds: 1800 }
  const { answers } = await app.owner.tx(async (tx) => {
    assert.ok(await replaceMailedToken(tx, next, app.config.mailedTokens.triesPerCode))
    const answers = Promise.all(Array.from({ length: 5 }, () => reset(asha, wrong)))
    await waitsForLocks(5)
    return { answers }
  })
  for (const answer of await answers) assertRefused(answer, 400, 'token_invalid')
  assertRefused(await reset(asha, second), 400, 'token_invalid')
})

test('a code that ends while the next one waits for it does not end the next one', async () => {
  const asha = await app.register()
  const first = await mailedCode(asha)
  for (let tries = 0; tries < 4; tries += 1) assertRefused(await reset(asha, notOf(first)), 400, 'token_invalid')
  await app.moveClock(61)
  await app.owner.tx(async (tx) => {
    const hashes = hashesOfMailedCode(app.config.keys, aboutReset(asha), notOf(first))
    assert.equal(await tryMailedCode(tx, { ...aboutReset(asha), hashes, triesPerCode: 5 }), undefined)
    await forgot(asha.email)
    await waitsForLocks(1)
  })
  const second = (await codesOf(asha)).at(-1)!
  assert.notEqual(second, first)
  assert.equal((await reset(asha, second)).status, 200)
})

test('another person who requests codes and uses them up by wrong tries leaves some codes to the owner', async () => {
  const asha = await app.register()
  const answers: number[] = []
  for (let round = 0; round < 12; round += 1) {
    const code = await mailedCode(asha)
    for (let tries = 0; tries < 5; tries += 1) {
      answers.push(
        (
          await call('POST', '/v1/auth/password/reset', {
            ip: '203.0.113.9',
            body: { email: asha.email, code: notOf(code), password: newPassword },
          })
        ).status,
      )
    }
    await app.moveClock(31 * 60)
  }
  assert.deepEqual([answers.filter((status) => status === 400).length, new Set(answers.slice(10))], [10, new Set([429])])
  assert.equal((await reset(asha, await mailedCode(asha))).status, 200)
})

test('a disabled account gets no mail and cannot be reset', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const code = await mailedCode(juma)
  await app.owner.rows(sql`update users set disabled_at = clock_now() where email in (${asha.email}, ${juma.email})`)
  assert.deepEqual((await forgot(asha.email)).body, { data: { sent: true } })
  assert.equal((await resetMails(asha)).length, 0)
  assertRefused(await reset(juma, code), 400, 'token_invalid')
})

test('a reset does not skip the second factor, and ends sign-ins that the old password had begun [A55]', async () => {
  const asha = await app.register()
  await app.owner.rows(sql`update users set email_verified_at = clock_now() where email = ${asha.email}`)
  const { secret } = await app.enroll(asha)
  const byOldPassword = (await app.signIn(asha)).body.data.challenge_token
  assert.equal((await reset(asha, await mailedCode(asha))).status, 200)
  const verify = async (challenge: string) =>
    call('POST', '/v1/auth/2fa/verify', { body: { challenge_token: challenge, code: await app.freshCode(secret) } })
  assertRefused(await verify(byOldPassword), 401, 'invalid_challenge')
  const login = await app.signIn({ ...asha, password: newPassword })
  assert.deepEqual([login.status, login.body.data.two_factor_required, login.body.data.access_token], [200, true, undefined])
  const answer = await verify(login.body.data.challenge_token)
  assert.equal(answer.status, 200)
  assert.equal((await me(answer.body.data.access_token)).body.data.two_factor.enabled, true)
})

test('a stranger who registered an address and connected a second factor does not keep it from its owner, who proves it by a reset', async () => {
  const stranger = await app.register()
  await app.enroll(stranger)
  assert.equal((await reset(stranger, await mailedCode(stranger))).status, 200)
  assertRefused(await me(stranger.access), 401, 'session_inactive')
  const login = await app.signIn({ ...stranger, password: newPassword })
  assert.equal(login.status, 200)
  const owner = login.body.data.access_token
  assert.ok(owner, 'the password and the mailbox are enough')
  const { email_verified: isVerified, two_factor: factor } = (await me(owner)).body.data
  assert.deepEqual([isVerified, factor.enabled, factor.recovery_codes_left], [true, false, 0])
  const kinds = (await app.mailsTo(stranger.email)).map(({ kind }) => kind)
  assert.ok(kinds.includes('second_factor_disabled'))
  // From now on the address is proved: the owner's own factor stays through a reset.
  await app.enroll({ ...stranger, access: owner })
  await app.moveClock(61)
  assert.equal((await reset(stranger, await mailedCode(stranger), 'another new battery')).status, 200)
  const again = await app.signIn({ ...stranger, password: 'another new battery' })
  assert.equal(again.body.data.two_factor_required, true)
})

test('what a stranger made in an account ends when the owner of the address proves it: apps, keys, invitations, choices of mails', async () => {
  const stranger = await app.register()
  const userId = fromWire('usr', stranger.id)!
  const by = { token: stranger.access }
  const newApp = async (environment: string): Promise<string> =>
    (await call('POST', '/developers/apps', { ...by, body: { name: 'Duka', environment } })).body.data.id
  const testApp = await newApp('test')
  await newApp('live')
  const made = await call('POST', '/developers/keys', {
    ...by,
    body: { app_id: testApp, key_name: 'k', scopes: ['balance:read'] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await saveNotifications(app.owner, userId, { newDevice: false })
  const [businessId, tokenHash] = [newId(), createHash('sha256').update(stranger.id).digest()]
  await app.owner.tx(async (tx) => {
    await insertBusinessMerchant(tx, { id: businessId, userId, displayName: 'Duka' }, { first: 0, last: 0 })
    const invited = { id: newId(), merchantId: businessId, email: 'friend@udsm.ac.tz', role: 'developer', tokenHash } as const
    await insertInvitation(tx, { ...invited, invitedBy: userId, days: 7 })
  })
  assert.ok(await findInvitation(app.owner, tokenHash))

  assert.equal((await reset(stranger, await mailedCode(stranger))).status, 200)
  const token = (await app.signIn({ ...stranger, password: newPassword })).body.data.access_token
  assert.deepEqual((await call('GET', '/developers/apps', { token })).body.data, [])
  assert.equal(await findInvitation(app.owner, tokenHash), undefined)
  assert.equal((await readNotifications(app.owner, userId)).newDevice, true)
  const working = await app.owner.rows(sql`select from api_keys where created_by = ${userId} and revoked_at is null`)
  assert.equal(working.length, 0)
  assert.match((await app.mailsTo(stranger.email)).map(({ text }) => text).join(), /A live app was deleted/)
})

test('a mailbox alone does not remove the second factor of a person who was ever verified, and ends no app', async () => {
  const asha = await app.register()
  const newApp = { name: 'Duka', environment: 'live' }
  assert.equal((await call('POST', '/developers/apps', { token: asha.access, body: newApp })).status, 201)
  await app.enroll(asha)
  await setKycStatus(app, asha.email, 'verified')
  // Also after reviewers have taken the verification back: the account may still have money.
  for (const status of ['verified', 'rejected'] as const) {
    await setKycStatus(app, asha.email, status)
    await app.owner.rows(sql`update users set email_verified_at = null where email = ${asha.email}`)
    await app.moveClock(61)
    assert.equal((await reset(asha, await mailedCode(asha), `${newPassword} ${status}`)).status, 200)
    const login = await app.signIn({ ...asha, password: `${newPassword} ${status}` })
    assert.equal(login.body.data.two_factor_required, true, JSON.stringify(login.body))
  }
  const apps = await app.owner.rows(sql`
    select from apps where merchant_id = ${fromWire('usr', asha.id)!} and deleted_at is null`)
  assert.equal(apps.length, 1)
})

test('a reset ends an enrolment that was begun with the old password', async () => {
  const asha = await app.register()
  const { secret } = (await call('POST', '/v1/auth/2fa/enroll', { token: asha.access })).body.data
  assert.equal((await reset(asha, await mailedCode(asha))).status, 200)
  const token = (await app.signIn({ ...asha, password: newPassword })).body.data.access_token
  const body = { code: await app.freshCode(secret) }
  assertRefused(await call('POST', '/v1/auth/2fa/confirm', { token, body }), 409, 'invalid_state')
})

test('a sign-in with the old password during a reset opens nothing', async () => {
  const asha = await app.register()
  const other = await createPasswords().hash(newPassword, {})
  const change = sql`update users set password_hash = ${other} where email = ${asha.email}`
  assertRefused(await app.during(change, () => app.signIn(asha)), 401, 'invalid_credentials')
})

test('the database contains no code except sealed in the mail', async () => {
  const asha = await app.register()
  const code = await mailedCode(asha)
  const [dump] = await app.owner.rows<{ text: string }>(sql`
    select string_agg(t::text, '') as text from (
      select m::text from mailed_tokens m union all select q::text from mails q union all select a::text from audit_log a) t`)
  assert.ok(!new RegExp(`\\b${code}\\b`).test(dump!.text))
})
