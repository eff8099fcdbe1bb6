/** Attacks through a victim's browser: forms and scripts of other sites, frames, markup in names, links to other sites. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, type Answer } from '../app.ts'
import { registerBusiness } from '../onboarding.ts'
import { attackAll, startAttackedApp, type Attack } from './attacked-app.ts'

const sharedApp = share((ending) => startAttackedApp(ending))

test('another site cannot use a visitor’s session: not by a form, not by a script, not by a simple body [A57]', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const own = app.config.urls.api
  // A busy machine answers 503 `overloaded` to a sign-in.
  const signedIn = await eventually('the user is signed in', async () => {
    const answer = await app.call('POST', '/v1/auth/login', {
      body: { identifier: asha.email, password: asha.password },
      headers: { origin: own, 'x-session-cookie': 'merchant' },
    })
    return answer.status === 200 && answer
  })
  const [cookie] = signedIn.headers.get('set-cookie')!.split(';') as [string]
  const refresh = (headers: Record<string, string>, rawBody?: string) => () =>
    app.call('POST', '/v1/auth/refresh', { headers: { cookie, ...headers }, ...(rawBody !== undefined && { rawBody }) })
  const named = { 'x-session-cookie': 'merchant' }
  await attackAll(app, [
    { name: 'from another site', send: refresh({ ...named, origin: 'https://evil.example' }), expects: '403 origin_not_allowed' },
    {
      name: 'from a subdomain of another site',
      send: refresh({ ...named, origin: `${own}.evil.example` }),
      expects: '403 origin_not_allowed',
    },
    { name: 'from nowhere', send: refresh({ ...named, origin: 'null' }), expects: '403 origin_not_allowed' },
    { name: 'without an origin', send: refresh(named), expects: '403 origin_not_allowed' },
    {
      name: 'without the header that no form can send',
      send: refresh({ origin: own }),
      expects: '400 validation_error',
      isMistake: true,
    },
    {
      name: 'a form',
      send: refresh({ ...named, origin: own, 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'),
      expects: '415 unsupported_media_type',
      isMistake: true,
    },
    {
      name: 'JSON that calls itself text',
      send: refresh({ ...named, origin: own, 'content-type': 'text/plain' }, '{}'),
      expects: '415 unsupported_media_type',
      isMistake: true,
    },
    {
      name: 'the cookie as a credential',
      send: () => app.call('GET', '/v1/me', { headers: { cookie, origin: own } }),
      expects: '401 authentication_required',
      isMistake: true,
    },
    {
      name: 'a page by a form',
      send: () =>
        app.call('POST', '/v1/merchant/payment-pages', {
          token: asha.token,
          rawBody: 'type=payment&title=x&amount=500',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      expects: '415 unsupported_media_type',
      isMistake: true,
    },
    {
      name: 'a page by text that is JSON',
      send: () =>
        app.call('POST', '/v1/merchant/payment-pages', {
          token: asha.token,
          rawBody: '{"type":"payment","title":"x","amount":500}',
          headers: { 'content-type': 'text/plain' },
        }),
      expects: '415 unsupported_media_type',
      isMistake: true,
    },
  ])
})

test('other sites read nothing that needs a session, whatever origin they send [A58]', async (t) => {
  const dashboard = 'https://dashboard.malipo.example'
  const app = await startAttackedApp(t, { settings: { DASHBOARD_ORIGINS: dashboard } })
  const { token } = await app.student()
  const allowed = async (origin: string, path = '/v1/me') => {
    const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
    const preflight = await app.call('OPTIONS', path, { headers })
    const asked = await app.call('GET', path, { token, headers: { origin } })
    return [preflight, asked].map((answer: Answer) => answer.headers.get('access-control-allow-origin'))
  }
  const origins = [
    'null',
    'https://evil.example',
    `${dashboard}.evil.example`,
    dashboard.replace('https', 'http'),
    `https://evil${dashboard.slice(8)}`,
    `${dashboard}:8443`,
  ]
  for (const origin of origins) {
    const seen = await app.leavesNoTrace(origin, () => allowed(origin))
    assert.deepEqual(seen, [null, null], origin)
  }
  assert.deepEqual(await allowed(dashboard), [dashboard, dashboard])
  const open = await app.call('GET', '/v1/networks', { headers: { origin: 'https://evil.example' } })
  assert.equal(open.headers.get('access-control-allow-origin'), '*')
  assert.equal(open.headers.get('access-control-allow-credentials'), null)
})

test('our pages cannot be framed, and a merchant’s input is shown as text on them [A59]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const markup = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
  const page = await app.page(student, { title: markup, description: `${markup}\u0027 onload=alert(3) ` })
  const html = async (address: string): Promise<[Headers, string]> => {
    const response = await fetch(address)
    return [response.headers, await response.text()]
  }
  const { api, checkout } = app.config.urls
  const [headers, text] = await html(`${checkout}/pay/${page.slug}`)
  for (const [name, policy] of [
    ['the checkout', headers.get('content-security-policy')!],
    ['an answer of the API', (await html(`${api}/livez`))[0].get('content-security-policy')!],
  ]) {
    assert.match(policy!, /frame-ancestors 'none'/, name)
    assert.match(policy!, /default-src 'none'/, name)
    assert.doesNotMatch(policy!, /unsafe-inline|unsafe-eval|\*(?![.\w])/, name)
  }
  assert.ok(text.includes('&lt;script&gt;alert(1)'))
  assert.ok(!text.includes('<script>alert(1)') && !text.includes('<img src=x'))
  const { id } = await registerBusiness(app, student)
  const sets = (website: string) => () => app.call('PATCH', `/v1/businesses/${id}`, { token: student.token, body: { website } })
  const websites = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'http://shop.example',
    '//shop.example',
    'https://user:password@shop.example',
    'https://shop.example\\@evil.example',
  ]
  await attackAll(
    app,
    websites.map((website): Attack => ({ name: website, send: sets(website), expects: '400 validation_error', isMistake: true })),
  )
})

test('a payer is sent on only to the address that the merchant has written down, and that is plain https [A60]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  const sets = (redirect_url: string) => () => app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { redirect_url } })
  const hostile = [
    'javascript:alert(1)',
    'data:text/html,x',
    'http://shop.example/thanks',
    '//evil.example',
    '/thanks',
    'https://user@evil.example',
    'https://shop.example\\.evil.example',
    'https:evil.example',
    'https://evil',
    'https://shop.example/\r\nset-cookie: a=b',
  ]
  await attackAll(
    app,
    hostile.map((url): Attack => ({ name: url, send: sets(url), expects: '400 validation_error', isMistake: true })),
  )
  const { checkout } = app.config.urls
  const query = ['return_url', 'redirect_url', 'next', 'url'].map((name) => `${name}=https://evil.example/`).join('&')
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  for (const path of [
    `/pay/${page.slug}`,
    `/pay/${page.slug}/${reference}`,
    `/r/${reference}`,
    '//evil.example',
    '/\\evil.example',
  ]) {
    const response = await app.leavesNoTrace(path, () => fetch(`${checkout}${path}?${query}`, { redirect: 'manual' }))
    assert.equal(response.headers.get('location'), null, path)
    assert.ok(!(await response.text()).includes('evil.example'), path)
  }
})

test('no page may use a device of the payer’s: every document forbids it, also one that refuses', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const { api, checkout } = app.config.urls
  for (const url of [`${checkout}/pay/${page.slug}`, `${checkout}/pay/nowhere`, `${api}/dashboard`, `${api}/admin/reviews`]) {
    const { headers } = await fetch(url)
    assert.match(String(headers.get('content-type')), /^text\/html/, url)
    const policy = String(headers.get('permissions-policy'))
    for (const feature of ['camera', 'microphone', 'geolocation', 'payment', 'usb'])
      assert.match(policy, new RegExp(`\\b${feature}=\\(\\)`), url)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', url)
  }
})
