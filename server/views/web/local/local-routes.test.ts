/** The page of a local start shows what a developer needs, and exists nowhere else. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { eventually, share, startTestApp, type TestApp } from '../../../../test/app.ts'
import { prepareDemo } from '../../../start/demo.ts'
import { localRoutes } from './local-routes.ts'

const sharedApp = share((ending) => startTestApp(ending))

async function look(app: TestApp, path: string, accept = 'text/html') {
  const response = await fetch(`${app.config.urls.api}${path}`, { headers: { accept } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The status of a request under another name of this machine. */
function statusFor(app: TestApp, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(app.config.urls.api)
    request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
      .on('error', reject)
      .end()
  })
}

test('a local start shows its addresses, accounts and phone, and the code of the operator signs in', async () => {
  const app = await sharedApp()
  assert.match((await look(app, '/local')).text, /Only npm start creates demo accounts/)
  assert.equal((await look(app, '/local/code')).status, 404)

  const demo = await prepareDemo(app.deps, app.simulatorUrl)
  const { status, headers, text } = await look(app, '/local')
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { student, admin, test_key: testKey, page_slug: slug } = demo
  for (const shown of [student.email, student.password, admin.email, admin.password, testKey, `/pay/${slug}`, '/local/mail'])
    assert.ok(text.includes(shown), shown)
  assert.ok(!text.includes(admin.totp_secret), 'the secret itself is not shown')
  assert.ok(text.includes(`src="${app.simulatorUrl}/phone"`))
  const phone = await fetch(`${app.simulatorUrl}/phone`)
  assert.equal(phone.headers.get('x-frame-options'), null)
  assert.match(phone.headers.get('content-security-policy')!, /frame-ancestors http:\/\/127\.0\.0\.1:\*/)
  assert.match(headers.get('content-security-policy')!, new RegExp(`frame-src 'self' ${app.simulatorUrl};`))

  const frame = await look(app, '/local/code')
  const seconds = Number(frame.headers.get('refresh'))
  assert.ok(seconds >= 1 && seconds <= 30)
  const [, code] = /<code>(\d{6})<\/code>/.exec(frame.text)!
  assert.match(JSON.parse((await look(app, '/local/code', '*/*')).text).data.code, /^\d{6}$/)
  // A machine that is busy may answer for a moment that it is.
  const post = (path: string, body: object) =>
    eventually(path, async () => {
      const answer = await app.call('POST', path, { body })
      return answer.body.error?.code !== 'overloaded' && answer
    })
  const asked = await post('/v1/auth/login', { identifier: admin.email, password: admin.password })
  const signedIn = await post('/v1/auth/2fa/verify', { challenge_token: asked.body.data.challenge_token, code })
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
})

test('the page answers only under a name of this machine, and is no part of production', async () => {
  const app = await sharedApp()
  for (const path of ['/local', '/local/code', '/local/mail']) {
    assert.equal(await statusFor(app, path, 'evil.example.com:3000'), 404, path)
    assert.equal(await statusFor(app, path, 'localhost.evil.example.com'), 404, path)
  }
  assert.equal(await statusFor(app, '/local', 'localhost:3000'), 200)
  const config = { ...app.config, mode: 'production' as const }
  await assert.rejects(localRoutes(app.api.api, { config, clock: app.deps.clock }), /Broken assumption/)
})
