/** A person's account over real HTTP: the mailed code verifies the address, and others can check our tokens by our public keys. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { eventually, startTestApp } from './app.ts'

test('the code mailed at registration verifies the address, once', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { token, email } = await app.student()
  const me = async () => (await app.call('GET', '/v1/me', { token })).body.data
  assert.equal((await me()).email_verified, false)
  const text = await eventually('the mail is in the folder', async () => {
    const names = await readdir(app.config.mail.folder).catch(() => [])
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const mail = JSON.parse(await readFile(join(app.config.mail.folder, name), 'utf8'))
      if (mail.to === email && /^\d{6}$/m.test(mail.text)) return mail.text as string
    }
    return undefined
  })
  const code = /^\d{6}$/m.exec(text)![0]
  const verify = (sent: string) => app.call('POST', '/v1/auth/email/verify', { token, body: { code: sent } })
  assert.equal((await verify(code === '000000' ? '000001' : '000000')).body.error.code, 'token_invalid')
  assert.equal((await verify(code)).status, 200)
  assert.equal((await me()).email_verified, true)
  assert.equal((await verify(code)).body.error.code, 'token_invalid')
})

test('an access token can be checked with only our public keys', async (t) => {
  const app = await startTestApp(t)
  const { token, userId } = await app.student()
  const keys = await app.call('GET', '/.well-known/jwks.json')
  assert.equal(keys.status, 200)
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys.body), { algorithms: ['EdDSA'] })
  assert.equal(payload.sub, userId)
})
