/** Passwords that are quickly guessed are refused when they are chosen, with the reason, and at low cost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeopleApi, type Answer } from '../../../test/fixtures/people.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuseWeakPassword } from './password-strength.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => void (app = await startPeopleApi()))
after(() => app.stop())

const owner = { fullName: 'Asha Mwinyi', email: 'asha.m@udsm.ac.tz', phoneNumber: '+255712345678' }

function weaknessOf(password: string): string | undefined {
  try {
    refuseWeakPassword(password, owner)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.httpStatus, 400)
    return error.detail.errors![0]!.code
  }
}

test('known passwords, keyboard rows, repeats and the person’s own names are refused, and sentences are accepted [A78]', () => {
  const cases: [code: string | undefined, ...passwords: string[]][] = [
    ['password_common', 'password1234', '123456789012', 'P@ssw0rd1234', 'iloveyou1234', 'Password123!'],
    ['password_guessable', 'aaaaaaaaaaaa', 'qwertyuiop[]', 'abcdefghijkl', 'ababababababab', 'tanzania2026', '😀'.repeat(12)],
    ['password_personal', 'Asha Mwinyi 1', 'AshaMwinyi2003', 'asha.m@udsm.ac.tz', '0712345678ab', 'malipomalipo', 'Malipo2026!!'],
    [undefined, 'mvua ya masika imenyesha', 'the rain falls in April', 'Qv7#mzR!k2pX', 'karibu-malipo-2026', 'siri ya Zoé, kuu'],
  ]
  for (const [code, ...passwords] of cases) {
    for (const password of passwords) assert.equal(weaknessOf(password), code, password)
  }
  assert.equal(weaknessOf('a'.repeat(33) + 'Qv7#mzR!k2pX'), 'password_guessable', 'only the beginning is scored')
})

test('the most expensive password of maximum length is scored in less than a tenth of a second', () => {
  for (const part of ['p4$$w0rd', '($<{[cC', '12-12-12', 'abcdefgh1', '@4$5013!']) {
    const password = part.repeat(20).slice(0, 128)
    const times = Array.from({ length: 3 }, () => {
      const startedAt = performance.now()
      weaknessOf(password)
      return performance.now() - startedAt
    })
    assert.ok(Math.min(...times) < 100, `${part}: ${times.join()} ms`)
  }
})

test('a weak password is refused where one registers, changes it or sets it by a mailed code, which stays good [A78]', async () => {
  const { call } = app
  const problemOf = (answer: Answer) => {
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    const [{ field, code, message }] = answer.body.error.errors
    assert.match(message, /Choose another/)
    return `${field} ${code}`
  }
  const asha = await app.register()
  const person = {
    full_name: 'Juma Ally',
    email: 'juma@udsm.ac.tz',
    phone_number: '0754123987',
    student_id: '1',
    institution: 'X',
  }
  const register = (password: string) => call('POST', '/v1/auth/register', { body: { ...person, password } })
  assert.equal(problemOf(await register('password1234')), 'password password_common')
  assert.equal(problemOf(await register('jumaally1999')), 'password password_personal')
  assert.equal((await register('mvua ya masika')).status, 201)

  const change = (password: string, current = asha.password) =>
    call('POST', '/v1/auth/password/change', { token: asha.access, body: { current_password: current, password } })
  // Repeated on purpose: with the correct old password it does not count as a wrong try.
  for (let turn = 0; turn < 6; turn += 1) assert.equal(problemOf(await change('aaaaaaaaaaaa')), 'password password_guessable')
  const guessed = await change('aaaaaaaaaaaa', 'wrong horse battery')
  assert.equal(guessed.body.error.code, 'invalid_credentials', 'nothing is scored before the old one is proved')
  assert.equal(problemOf(await change('mwinyi mwinyi')), 'password password_personal')
  assert.equal((await change('mvua ya masika')).status, 200)

  await call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  await app.backgroundDone()
  const code = /^\d{6}$/m.exec((await app.mailsTo(asha.email)).at(-1)!.text)![0]
  const reset = (password: string) => call('POST', '/v1/auth/password/reset', { body: { email: asha.email, code, password } })
  for (let turn = 0; turn < 6; turn += 1) assert.equal(problemOf(await reset('Asha Mwinyi 1')), 'password password_personal')
  assert.equal((await reset('jua la asubuhi mapema')).status, 200)
})
