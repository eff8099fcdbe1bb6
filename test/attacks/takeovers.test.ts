/** The actions of an attacker with a session that was left open: the money stays, and the owner is notified. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openContent } from '../../server/base/mail/mail.ts'
import { ask, short } from '../fixtures/payouts.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { codeNow, startTestApp, type Answer, type Student, type TestApp } from '../app.ts'

/** The kinds of the mails to a person that the test has not read yet, oldest first, and each new line of the mail that collects changes. */
async function newMails(app: TestApp, { email }: Pick<Student, 'email'>, seen: Set<string>): Promise<string[]> {
  const { rows } = await app.owner.pool.query(
    'select id, kind, sealed_content from mails where recipient = $1 order by created_at, id',
    [email],
  )
  const found = rows.flatMap(({ id, kind, sealed_content }) => {
    const { text } = openContent(app.deps.sealer, id, sealed_content)
    assert.ok(!/svc_live_\w{38}|whsec_|evil/.test(text), text)
    const lines = [...text.matchAll(/^– (An? .+|The .+)$/gm)].map(([, line], at) => ({ name: line!, id: `${id} ${at}` }))
    return kind === 'power_changed' ? lines : [{ name: kind as string, id: id as string }]
  })
  const fresh = found.filter(({ id }) => !seen.has(id))
  for (const { id } of fresh) seen.add(id)
  return fresh.map(({ name }) => name.replace(/ \(.*/, ''))
}

/** Ages the sessions of a person, or makes them fresh again. */
const age = (app: TestApp, { userId }: Student, interval: string): Promise<unknown> =>
  app.owner.pool.query('update sessions set authenticated_at = authenticated_at - $2::interval where user_id = $1', [
    fromWire('usr', userId),
    interval,
  ])

test('a stale session makes, rolls and widens no live key and turns no live webhook; the owner gets a mail about each such action that is done [A75]', async (t) => {
  const app = await startTestApp(t, { settings: { POWER_NEEDS_STEP_UP: 'true' } })
  const owner = await app.student()
  const { token } = owner
  const seen = new Set<string>()
  const live = await app.key(owner, 'live')
  const inTest = await app.key(owner, 'test')
  const send = (method: string, path: string, body?: unknown) => (): Promise<Answer> =>
    app.call(method, path, { token, ...(method !== 'GET' && { body: body ?? {} }) })
  const newKey = (appId: string) =>
    send('POST', '/developers/keys', { app_id: appId, key_name: 'call +255 evil', scopes: ['payouts:write'] })
  const allow = (keyId: string, ...ips: string[]) => send('PATCH', `/developers/keys/${keyId}`, { allowed_ips: ips })
  const hook = (appId: string, name: string) =>
    send('POST', `/developers/apps/${appId}/webhook`, { url: `http://127.0.0.1:20009/${name}` })
  assert.equal(short(await allow(live.keyId, '203.0.113.7')()), '200')
  assert.equal(short(await hook(live.appId, 'mine')()), '201')
  assert.deepEqual(
    (await newMails(app, owner, seen)).sort(),
    [
      'A new API key for the live environment was made',
      'An API key for the live environment was changed',
      'The address of the webhook of your live app was set or changed',
      'email_verification',
      'kyc_verified',
    ].sort(),
  )

  const guarded: [name: string, act: () => Promise<Answer>, mail: string | null][] = [
    ['make a live key', newKey(live.appId), 'A new API key for the live environment was made'],
    [
      'roll a live key',
      send('POST', `/developers/keys/${live.keyId}/roll`),
      'An API key for the live environment was replaced by a new one',
    ],
    [
      'widen a live key',
      allow(live.keyId, '203.0.113.7', '198.51.100.9'),
      'An API key for the live environment may now be used from other network addresses',
    ],
    [
      'open a live key to all addresses',
      allow(live.keyId),
      'An API key for the live environment may now be used from other network addresses',
    ],
    ['narrow a live key', allow(live.keyId, '203.0.113.7'), 'An API key for the live environment was changed'],
    ['turn a live webhook', hook(live.appId, 'evil'), 'The address of the webhook of your live app was set or changed'],
    [
      'rotate a live secret',
      send('POST', `/developers/apps/${live.appId}/webhook/rotate`),
      'The secret of the webhook of your live app was replaced by a new one',
    ],
  ]
  await age(app, owner, '1 hour')
  for (const [name, act] of guarded) assert.equal(short(await act()), '401 step_up_required', name)
  assert.deepEqual(await newMails(app, owner, seen), [])

  const open: [name: string, act: () => Promise<Answer>, mail: string | null][] = [
    [
      'read a live secret',
      send('GET', `/developers/apps/${live.appId}/webhook`),
      'The secret of the webhook of your live app was read by a session that was opened a while ago',
    ],
    ['make a test key', newKey(inTest.appId), null],
    ['roll a test key', send('POST', `/developers/keys/${inTest.keyId}/roll`), null],
    ['turn a test webhook', hook(inTest.appId, 'test'), null],
    ['read a test secret', send('GET', `/developers/apps/${inTest.appId}/webhook`), null],
  ]
  for (const [name, act, mail] of open) {
    assert.ok((await act()).status < 300, name)
    assert.deepEqual(await newMails(app, owner, seen), mail === null ? [] : [mail], name)
  }

  await age(app, owner, '-1 hour')
  for (const [name, act, mail] of guarded) {
    const answer = await act()
    assert.ok(answer.status < 300, `${name}: ${short(answer)}`)
    assert.deepEqual(await newMails(app, owner, seen), mail === null ? [] : [mail], name)
  }
  assert.equal(short(await send('GET', `/developers/apps/${live.appId}/webhook`)()), '200')
  assert.deepEqual(await newMails(app, owner, seen), [], 'reading a secret sends no mail right after a second factor')
})

test('a live key made without a second factor makes no payouts for its first hour where the setting is on [A75]', async (t) => {
  const app = await startTestApp(t, { settings: { LIVE_KEY_PAYOUT_WAIT_SECONDS: '3600' } })
  const owner = await app.student()
  const page = await app.page(owner, { amount: 100_000 }, 'live')
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const { key, keyId } = await app.key(owner, 'live')
  const asked = await ask(app, key)
  assert.equal(short(asked), '409 payout_must_wait')
  const { reason, until } = asked.body.error.details
  assert.equal(reason, 'new_key')
  assert.ok(Math.abs(Date.parse(until) - Date.now() - 3_600_000) < 60_000, until)
  assert.equal(short(await app.call('GET', '/v1/balance', { key })), '200')
  const rolled = await app.call('POST', `/developers/keys/${keyId}/roll`, { token: owner.token })
  assert.equal(short(await ask(app, rolled.body.data.key)), '409 payout_must_wait')

  await app.owner.pool.query(`update api_keys set payouts_from = payouts_from - interval '1 hour'`)
  assert.equal(short(await ask(app, key)), '201')
  const { token } = owner
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token })).body.data
  assert.equal(short(await app.call('POST', '/v1/auth/2fa/confirm', { token, body: { code: codeNow(secret) } })), '200')
  assert.equal(short(await ask(app, (await app.key(owner, 'live')).key)), '201')
  assert.notEqual(short(await ask(app, (await app.key(owner, 'test')).key)), '409 payout_must_wait')
})
