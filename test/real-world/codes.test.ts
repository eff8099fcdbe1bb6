/** Codes in the groups in which apps and mails show them, at every door where one is typed. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { startPeopleApi, type Person } from '../fixtures/people.ts'
import { atDoors } from './at-doors.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi()
})
after(() => app.stop())

type Sent = { status: number; body: Record<string, any> }
/** Asks for a code, and sends it as `type` writes it. */
type Door = (type: (code: string) => string) => Promise<Sent>

const send = (path: string, body: unknown, token?: string): Promise<Sent> =>
  app.call('POST', `/v1/auth/${path}`, { body, ...(token !== undefined && { token }) })

async function withApp() {
  const person = await app.register()
  return { person, ...(await app.enroll(person)) }
}

async function challengeOf(person: Person): Promise<string> {
  return (await app.signIn(person)).body.data.challenge_token
}

async function codeMailedTo(email: string): Promise<string> {
  await app.backgroundDone()
  return /^\d{6}$/m.exec((await app.mailsTo(email)).at(-1)!.text)![0]
}

const doors: Record<string, Door> = {
  'sign-in': async (type) => {
    const { person, secret } = await withApp()
    const code = await app.freshCode(secret)
    return send('2fa/verify', { challenge_token: await challengeOf(person), code: type(code) })
  },
  'step-up': async (type) => {
    const { person, secret } = await withApp()
    return send('step-up', { code: type(await app.freshCode(secret)) }, person.access)
  },
  enrolment: async (type) => {
    const { access } = await app.register()
    const { secret } = (await send('2fa/enroll', undefined, access)).body.data
    return send('2fa/confirm', { code: type(await app.freshCode(secret)) }, access)
  },
  removal: async (type) => {
    const { person, secret } = await withApp()
    return send('2fa/disable', { code: type(await app.freshCode(secret)) }, person.access)
  },
  'recovery code': async (type) => {
    const { person, recoveryCodes } = await withApp()
    return send('2fa/verify', { challenge_token: await challengeOf(person), code: type(recoveryCodes[0]!) })
  },
  'mailed code': async (type) => {
    const { email, access } = await app.register()
    return send('email/verify', { code: type(await codeMailedTo(email)) }, access)
  },
  'reset of a password': async (type) => {
    const { email } = await app.register()
    await send('password/forgot', { email })
    const code = type(await codeMailedTo(email))
    return send('password/reset', { email, code, password: 'simba mla nyama pori' })
  },
  'change of address': async (type) => {
    const { access } = await app.register()
    const email = `mpya-${Math.random().toString(36).slice(2)}@example.com`
    const asked = await send('contact/change', { email }, access)
    assert.equal(asked.status, 200, JSON.stringify(asked.body))
    return send('contact/confirm', { code: type(await codeMailedTo(email)) }, access)
  },
}

const middle = (code: string, sign: string): string => `${code.slice(0, 3)}${sign}${code.slice(3)}`
const forms: ((code: string) => string)[] = [
  (code) => ` ${middle(code, ' ')} `,
  (code) => middle(code, '\u00a0'),
  (code) => middle(code, '\u2011'),
  (code) => `\u202a${code}\u202c`,
  (code) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
]

atDoors(import.meta, 'a code is read in the groups in which it is shown, and another one is not [R05]', doors, async (door) => {
  /* oxlint-disable no-await-in-loop -- one after the other, so that a failure names its form */
  for (const form of forms) {
    const { status, body } = await door(form)
    assert.equal(status, 200, `${JSON.stringify(form('123456'))}: ${JSON.stringify(body)}`)
  }
  const { status } = await door((code) => (code.startsWith('0') ? `1${code.slice(1)}` : `0${code.slice(1)}`))
  assert.ok(status === 400 || status === 401, String(status))
})
