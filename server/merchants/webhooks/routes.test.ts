import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { startWebhookApi, until } from '../../../test/fixtures/webhook.ts'

test('a missing token is 401 and an app of another user is 404, before any other check', async (t) => {
  const app = await startWebhookApi(t)
  const [owner, stranger] = [await app.person(), await app.person()]
  const { appId } = await app.webhook(owner, 'http://127.0.0.1:4000/hook')
  const routes = [
    ['POST', ''],
    ['GET', ''],
    ['POST', '/rotate'],
    ['GET', '/deliveries'],
    ['DELETE', ''],
  ] as const
  for (const [method, path] of routes) {
    const url = `/developers/apps/${appId}/webhook${path}`
    const body = method === 'POST' ? { url: 7, nonsense: true } : undefined
    const anonymous = await app.call(method, url, { body })
    assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'authentication_required'], `${method} ${path}`)
    const foreign = await app.call(method, url, { token: stranger.token, body })
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found'], `${method} ${path}`)
    const nowhere = await app.call(method, `/developers/apps/app_x/webhook${path}`, { token: owner.token, body })
    assert.deepEqual([nowhere.status, nowhere.body.error.message], [404, foreign.body.error.message])
  }
  const shape = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: owner.token,
    body: { url: 7, nonsense: true },
  })
  assert.deepEqual([shape.status, shape.body.error.code], [400, 'validation_error'])
  assert.deepEqual(
    shape.body.error.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
    [
      ['url', 'invalid'],
      ['nonsense', 'unknown_field'],
    ],
  )
})

test('a webhook is created once, then changed; its secret can be read again and is replaced only by rotation', async (t) => {
  const app = await startWebhookApi(t)
  const { token } = await app.person()
  const appId = await app.createApp({ token, userId: '', pageIds: new Map() })
  const url = `/developers/apps/${appId}/webhook`
  const absent = await app.call('GET', url, { token })
  assert.equal(absent.status, 404)
  assert.equal((await app.call('POST', `${url}/rotate`, { token })).status, 404)
  assert.equal((await app.call('DELETE', url, { token })).status, 404)

  const made = await app.call('POST', url, { token, body: { url: 'http://127.0.0.1:4000/a' } })
  assert.equal(made.status, 201)
  const { id, secret } = made.body.data
  assert.match(id, /^wh_[0-9a-z]{26}$/)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(
    { ...made.body.data, created_at: 0, updated_at: 0 },
    {
      id,
      app_id: appId,
      url: 'http://127.0.0.1:4000/a',
      secret,
      events: ['payment.completed'],
      enabled: true,
      disabled_reason: null,
      created_at: 0,
      updated_at: 0,
      secret_rotated_at: null,
      last_success_at: null,
      last_failure_at: null,
    },
  )

  const changed = await app.call('POST', url, { token, body: { url: 'http://127.0.0.1:4000/b' } })
  assert.deepEqual(
    [changed.status, changed.body.data.id, changed.body.data.url, changed.body.data.secret],
    [200, id, 'http://127.0.0.1:4000/b', secret],
  )
  const read = await app.call('GET', url, { token })
  assert.deepEqual([read.status, read.body.data], [200, changed.body.data])

  const rotated = await app.call('POST', `${url}/rotate`, { token })
  assert.equal(rotated.status, 200)
  assert.notEqual(rotated.body.data.secret, secret)
  assert.ok(rotated.body.data.secret_rotated_at)
  assert.deepEqual((await app.call('GET', url, { token })).body.data, rotated.body.data)

  for (const answer of [made, changed, read, rotated]) assert.equal(answer.headers['cache-control'], 'no-store')
  const reads = await app.db.rows<{ by: string }>(sql`
    select after ->> 'by' as by from audit_log where action = 'webhook.secret_read' and object = ${id} order by seq`)
  assert.deepEqual(
    reads.map(({ by }) => by.replace('/developers/apps/:app_id/webhook', '')),
    ['POST ', 'POST ', 'GET ', 'POST /rotate', 'GET '],
  )

  const gone = await app.call('DELETE', url, { token })
  assert.deepEqual([gone.status, gone.body.data], [200, { id, app_id: appId, deleted: true }])
  assert.equal((await app.call('GET', url, { token })).status, 404)
  const changes = await app.db.rows(sql`
    select action, before, after from audit_log where object = ${id} and action <> 'webhook.secret_read' order by seq`)
  const at = { host: '127.0.0.1:4000', events: ['payment.completed'], enabled: true }
  assert.deepEqual(changes, [
    { action: 'webhook.saved', before: null, after: at },
    { action: 'webhook.saved', before: at, after: at },
    { action: 'webhook.secret_rotated', before: null, after: null },
    { action: 'webhook.deleted', before: null, after: null },
  ])
  const again = await app.call('POST', url, { token, body: { url: 'http://127.0.0.1:4000/a' } })
  assert.equal(again.status, 201)
  assert.notEqual(again.body.data.id, id)
  assert.notEqual(again.body.data.secret, secret)
})

test('ten simultaneous first saves create one webhook', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const appId = await app.createApp(person)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, port) =>
      app.call('POST', `/developers/apps/${appId}/webhook`, {
        token: person.token,
        body: { url: `http://127.0.0.1:${4000 + port}/` },
      }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ body }) => body.data.secret)).size, 1)
})

test('an address that may not be used is refused with its own error code [W15, W17]', async (t) => {
  const app = await startWebhookApi(t, { egress: { allowPrivate: false } })
  const person = await app.person()
  const appId = await app.createApp(person)
  app.names.set('shop.example', ['93.184.215.14'])
  app.names.set('mixed.example', ['93.184.215.14', '127.0.0.1'])
  app.names.set('broken.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  const save = (url: string) => app.call('POST', `/developers/apps/${appId}/webhook`, { token: person.token, body: { url } })
  const cases = [
    ['http://shop.example/', 'url_not_https'],
    ['https://user@shop.example/', 'url_has_credentials'],
    ['https://shop.example/#a', 'url_has_fragment'],
    ['https://shop.example:22/', 'url_port_forbidden'],
    ['https://2130706433/', 'url_ip_literal'],
    ['https://[::ffff:7f00:1]/', 'url_ip_literal'],
    [`https://shop.example/${'a'.repeat(2048)}`, 'url_too_long'],
    ['not an address', 'url_malformed'],
    ['https://mixed.example/', 'url_private_target'],
    ['https://nowhere.example/', 'url_not_resolvable'],
  ]
  for (const [url, code] of cases) {
    const { status, body } = await save(url!)
    assert.deepEqual([status, body.error.code, body.error.param], [400, 'validation_error', 'url'], url)
    assert.deepEqual(body.error.errors[0].code, code, url)
  }
  const unknown = await save('https://broken.example/')
  assert.deepEqual([unknown.status, unknown.body.error.code, unknown.headers['retry-after']], [503, 'overloaded', '5'])
  assert.equal((await save('https://shop.example/hook')).status, 201)
})

test('our own addresses are refused: events would go in circles [A46]', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const appId = await app.createApp(person)
  for (const own of Object.values(app.config.urls)) {
    const { status, body } = await app.call('POST', `/developers/apps/${appId}/webhook`, {
      token: person.token,
      body: { url: `${own}/x` },
    })
    assert.deepEqual([status, body.error.errors[0].code], [400, 'url_own_host'], own)
  }
})

test('a secret is ciphertext in the database, bound to its row, and appears in no log and no list [W27]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const one = await app.webhook(person, receiver.url)
  const two = await app.webhook(person, receiver.url)
  const rotated = await app.call('POST', `/developers/apps/${one.appId}/webhook/rotate`, { token: person.token })
  await app.complete(person)
  app.send()
  await until('both are delivered', async () => (await app.deliveries()).every(({ status }) => status === 'delivered'))
  const tables = await app.owner.rows<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`)
  const texts = await Promise.all(tables.map(({ name }) => app.owner.pool.query(`select to_jsonb(t) as row from "${name}" t`)))
  const dump = JSON.stringify(texts.map(({ rows }) => rows))
  assert.ok(dump.includes('secret_sealed') && dump.includes('webhook.secret_read'))
  const list = await app.call('GET', `/developers/apps/${one.appId}/webhook/deliveries`, { token: person.token })
  for (const secret of [one.secret, two.secret, rotated.body.data.secret]) {
    for (const [where, text] of Object.entries({ dump, list: JSON.stringify(list.body), log: app.logLines.join('\n') })) {
      assert.ok(!text.includes(secret) && !text.includes(secret.slice(6, 20)), `a secret stands in the ${where}`)
    }
  }
  // A ciphertext that was moved to another row cannot be opened, and no other value is shown in its place.
  await app.owner.rows(sql`
    update webhook_endpoints set secret_sealed = (select secret_sealed from webhook_endpoints where id = ${two.id}) where id = ${one.id}`)
  const moved = await app.call('GET', `/developers/apps/${one.appId}/webhook`, { token: person.token })
  assert.deepEqual([moved.status, moved.body.error.code], [503, 'overloaded'])
})

test('attempts are listed newest first, with pages, by event and by outcome, for their owner alone [W29]', async (t) => {
  const app = await startWebhookApi(t)
  let status = 500
  const receiver = await app.receiver((response) => response.writeHead(status).end('sorry \0 ü'))
  const [person, stranger] = [await app.person(), await app.person()]
  const { appId } = await app.webhook(person, receiver.url)
  const [firstEvent] = await app.complete(person)
  const sender = app.send()
  await until('the first attempt failed', async () => (await app.attempts()).length === 1)
  status = 200
  await app.makeDue()
  sender.wake()
  await until('the second attempt succeeded', async () => (await app.attempts()).length === 2)
  await app.complete(person, 3)
  sender.wake()
  await until('all are delivered', async () => (await app.attempts()).length === 5)

  const list = async (query: string, token = person.token) =>
    app.call('GET', `/developers/apps/${appId}/webhook/deliveries${query}`, { token })
  const all = (await list('')).body
  assert.equal(all.data.length, 5)
  assert.deepEqual([all.has_more, all.next_cursor], [false, null])
  const failed = (await list('?outcome=failed')).body.data
  assert.equal(failed.length, 1)
  assert.match(failed[0].id, /^whd_[0-9a-z]{26}$/)
  assert.deepEqual(
    { ...failed[0], id: '', duration_ms: 0, attempted_at: '', next_attempt_at: '' },
    {
      id: '',
      event_id: toWire('evt', firstEvent!),
      event_type: 'payment.completed',
      url: receiver.url,
      attempt: 1,
      max_attempts: 5,
      trigger: 'automatic',
      outcome: 'failed',
      response_status: 500,
      response_body: 'sorry \ufffd ü',
      duration_ms: 0,
      error: { code: 'unexpected_status' },
      attempted_at: '',
      next_attempt_at: '',
    },
  )
  assert.ok(failed[0].next_attempt_at > failed[0].attempted_at)
  const ofEvent = (await list(`?event_id=${toWire('evt', firstEvent!)}`)).body.data
  assert.deepEqual(
    ofEvent.map((attempt: { attempt: number; outcome: string }) => [attempt.attempt, attempt.outcome]),
    [
      [2, 'succeeded'],
      [1, 'failed'],
    ],
  )
  assert.equal((await list(`?outcome=succeeded&event_id=${toWire('evt', firstEvent!)}`)).body.data.length, 1)
  assert.equal((await list('?outcome=succeeded')).body.data.length, 4)
  await app.owner.rows(sql`update webhook_attempts set event_type = 'payment.failed' where outcome = 'failed'`)
  assert.deepEqual((await list('?event_type=payment.failed')).body.data.length, 1)
  assert.deepEqual((await list('?event_type=payment.completed&outcome=succeeded')).body.data.length, 4)
  assert.equal((await list('?event_type=payment.completed')).body.data.length, 4)
  assert.equal((await list('?event_type=payment.faild')).status, 400)

  const pages: string[] = []
  for (let query = '?limit=2'; ;) {
    const { body } = await list(query)
    pages.push(...body.data.map((attempt: { id: string }) => attempt.id))
    if (!body.has_more) break
    query = `?limit=2&cursor=${body.next_cursor}`
  }
  assert.deepEqual(
    pages,
    all.data.map((attempt: { id: string }) => attempt.id),
  )

  const other = await app.createApp(person)
  const { next_cursor: cursor } = (await list('?limit=2')).body
  const foreignCursor = await app.call('GET', `/developers/apps/${other}/webhook/deliveries?cursor=${cursor}`, {
    token: person.token,
  })
  assert.deepEqual([foreignCursor.status, foreignCursor.body.error.code], [400, 'cursor_invalid'])
  const wrongEvent = await list('?event_id=evt_nonsense')
  assert.deepEqual([wrongEvent.status, wrongEvent.body.error.param], [400, 'event_id'])
  assert.equal((await list('', stranger.token)).status, 404)

  const config = (await app.call('GET', `/developers/apps/${appId}/webhook`, { token: person.token })).body.data
  assert.ok(config.last_success_at > config.last_failure_at)
  await app.call('DELETE', `/developers/apps/${appId}/webhook`, { token: person.token })
  assert.equal((await list('')).body.data.length, 5)
})

test('an attempt shows the exact request that its receiver got, as long as its secret is known', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.writeHead(200).end('thanks'))
  const [person, stranger] = [await app.person(), await app.person()]
  const { appId } = await app.webhook(person, receiver.url)
  const other = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('both received it', async () => (await app.attempts()).length === 2)
  const list = async () =>
    (await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: person.token })).body.data
  const [{ id }] = await list()
  const read = async (attempt = id, shopApp = appId, token = person.token) =>
    app.call('GET', `/developers/apps/${shopApp}/webhook/deliveries/${attempt}`, { token })
  const { request, ...attempt } = (await read()).body.data
  assert.deepEqual(attempt, (await list())[0])
  assert.equal(request.is_signature_shown, true)
  const received = receiver.requests.find(
    ({ headers }) => headers['x-service-signature'] === request.headers['x-service-signature'],
  )!
  assert.equal(received.body, request.body)
  for (const [name, value] of Object.entries(request.headers)) assert.equal(received.headers[name], value, name)

  for (const [of, shopApp, token] of [
    [id, other.appId, person.token],
    [toWire('whd', newId()), appId, person.token],
    ['whd_x', appId, person.token],
    [id, appId, stranger.token],
  ] as const) {
    assert.equal((await read(of, shopApp, token)).status, 404)
  }

  await app.call('POST', `/developers/apps/${appId}/webhook/rotate`, { token: person.token })
  const rotated = (await read()).body.data.request
  assert.equal(rotated.is_signature_shown, false)
  const unsigned = Object.entries(request.headers).filter(([name]) => !name.endsWith('signature'))
  assert.deepEqual(rotated.headers, Object.fromEntries(unsigned))

  // Long enough after a rotation: both secrets signed, and both are known.
  await app.owner.rows(sql`update webhook_endpoints set secret_rotated_at = secret_rotated_at - interval '1 hour'`)
  await app.complete(person)
  sender.wake()
  await until('the next one arrives', async () => (await app.attempts()).length === 4)
  const later = (await read((await list())[0].id)).body.data.request
  assert.ok(
    receiver.requests.some(
      ({ headers }) => headers['x-service-signature-previous'] === later.headers['x-service-signature-previous'],
    ),
  )
  assert.ok(receiver.requests.some(({ headers }) => headers['webhook-signature'] === later.headers['webhook-signature']))
})

test('the state of a webhook can be read without its secret, and this is not logged as reading the secret', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.end())
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  const path = `/developers/apps/${appId}/webhook`
  const { secret, ...state } = (await app.call('GET', path, { token: person.token })).body.data
  assert.match(secret, /^whsec_/)
  const reads = async () => (await app.owner.rows(sql`select from audit_log where action = 'webhook.secret_read'`)).length
  const before = await reads()
  const answer = await app.call('GET', `${path}/state`, { token: person.token })
  assert.deepEqual([answer.status, answer.body.data], [200, state])
  assert.equal(await reads(), before)
  await app.call('DELETE', path, { token: person.token })
  assert.equal((await app.call('GET', `${path}/state`, { token: person.token })).status, 404)
})

test('one owner has at most as many webhooks in an environment as the configuration says', async (t) => {
  const app = await startWebhookApi(t)
  const limit = app.config.webhooks.endpointsPerOwner
  const { url } = await app.receiver()
  const person = await app.person()
  const apps = await Promise.all(Array.from({ length: limit + 1 }, () => app.createApp(person)))
  const save = (appId: string) => app.call('POST', `/developers/apps/${appId}/webhook`, { token: person.token, body: { url } })
  const answers = await Promise.all(apps.map(save))
  const refused = answers.findIndex(({ status }) => status === 409)
  assert.deepEqual(answers.filter(({ status }) => status === 201).length, limit)
  assert.equal(answers[refused]!.body.error.code, 'webhook_limit_reached')
  // An existing webhook can be changed, another environment has its own limit, and a removed webhook makes room.
  const kept = apps[refused === 0 ? 1 : 0]!
  assert.equal((await save(kept)).status, 200)
  await app.webhook(person, url, 'live')
  await app.call('DELETE', `/developers/apps/${kept}/webhook`, { token: person.token })
  assert.equal((await save(apps[refused]!)).status, 201)
})
