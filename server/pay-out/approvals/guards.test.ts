/** Approvals tried as a thief would: rights that end while a request arrives, one person as two, rules that change under what waits. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { newMember, removeMember } from '../../../test/members.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { openShop, startShop, type Shop } from '../../../test/fixtures/approvals.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any
type Person = { token: string }

const item = { amount: 10_000, phone_number: '0754000123', recipient_name: 'Asha' }

async function draft(shop: Shop, person: Person): Promise<string> {
  const made = await shop.as(person, 'POST', '/payout-batches', { items: [item] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  await eventually('the fees are known', async () => (await batchOf(shop, id)).fees !== null)
  return id
}

const batchOf = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.as(shop.owner, 'GET', `/payout-batches/${id}`)).body.data

/** Sends the headers and the first byte now, and the rest when the test releases it. Answers with the status and the code. */
function startSlowly(shop: Shop, { token }: Person, method: string, path: string, sent: Json): () => Promise<string> {
  const body = JSON.stringify(sent)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': randomUUID(),
  }
  const address = `${shop.app.config.urls.api}/v1/merchant${path}?environment=test&business_id=${shop.businessId}`
  const request = httpRequest(address, { method, agent: false, headers }, (response) => {
    let text = ''
    response.on('data', (chunk: Buffer) => (text += chunk.toString()))
    response.on('end', () => resolve(`${response.statusCode} ${JSON.parse(text).error?.code ?? ''}`))
  })
  request.on('error', reject)
  request.write(body.slice(0, 1))
  return () => {
    request.end(body.slice(1))
    return promise
  }
}

test('a session that ends, and a member who is removed, while the body arrives make, change, send, stop and approve no batch', async () => {
  const shop = await openShop(await sharedApp())
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  const [changed, sent, stopped, approved] = [
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
  ]
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${stopped}/submit`, {})), '200')
  const ids = [changed, sent, stopped, approved]
  const before = await Promise.all(ids.map((id) => batchOf(shop, id)))
  const startAll = async (who: Person): Promise<(() => Promise<string>)[]> => {
    const slow = [
      startSlowly(shop, who, 'POST', '/payout-batches', { items: [item] }),
      startSlowly(shop, who, 'PATCH', `/payout-batches/${changed}/items/1`, { amount: 90_000 }),
      startSlowly(shop, who, 'POST', `/payout-batches/${sent}/submit`, {}),
      startSlowly(shop, who, 'POST', `/payout-batches/${stopped}/stop`, {}),
      startSlowly(shop, who, 'POST', `/payout-batches/${approved}/approve`, { version: 1 }),
    ]
    // They have been authenticated when later requests of the same session are answered.
    for (let count = 0; count < 5; count += 1) assert.equal(short(await shop.as(who, 'GET', '/payout-batches')), '200')
    return slow
  }
  const login = await shop.app.call('POST', '/v1/auth/login', { body: { identifier: admin.email, password: admin.password } })
  const session = { token: login.body.data.access_token as string }
  const ofSession = await startAll(session)
  assert.equal((await shop.app.call('POST', '/v1/auth/logout', { token: session.token, body: {} })).status, 200)
  for (const answer of await Promise.all(ofSession.map((finish) => finish()))) assert.match(answer, /^401 /)
  const ofMember = await startAll(admin)
  await removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  for (const answer of await Promise.all(ofMember.map((finish) => finish()))) assert.equal(answer, '404 not_found')
  assert.deepEqual(await Promise.all(ids.map((id) => batchOf(shop, id))), before)
  assert.equal((await shop.as(shop.owner, 'GET', '/payout-batches')).body.data.length, ids.length)
  assert.deepEqual(await shop.sent(), [])
})

test('a member who is removed between the checks and the transaction makes, changes, sends, stops and approves no batch', async (t) => {
  // A connection for each request that waits.
  const shop = await startShop(t, { DATABASE_POOL_SIZE: '12' })
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  const [changed, sent, stopped, approved] = [
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
    await draft(shop, shop.owner),
  ]
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${stopped}/submit`, {})), '200')
  const ids = [changed, sent, stopped, approved]
  const before = await Promise.all(ids.map((id) => batchOf(shop, id)))
  const waitingAre = async (): Promise<number> => {
    const { rowCount } = await shop.app.owner.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount!
  }
  // The removal has changed the member and waits for this lock to write its entry. Until it commits, checks still see the member.
  const client = await shop.app.owner.pool.connect()
  await client.query('begin')
  await client.query('lock table audit_log in share row exclusive mode')
  const removal = removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  await eventually('the removal waits', async () => (await waitingAre()) === 1)
  let answered = 0
  const answers = [
    shop.as(admin, 'POST', '/payout-batches', { items: [item] }),
    shop.as(admin, 'PATCH', `/payout-batches/${changed}/items/1`, { amount: 90_000 }),
    shop.as(admin, 'POST', `/payout-batches/${sent}/submit`, {}),
    shop.as(admin, 'POST', `/payout-batches/${stopped}/stop`, {}),
    shop.as(admin, 'POST', `/payout-batches/${approved}/approve`, { version: 1 }),
  ].map((answer) => answer.finally(() => (answered += 1)))
  await eventually('each has been admitted', async () => (await waitingAre()) + answered === 1 + answers.length)
  await client.query('rollback')
  client.release()
  await removal
  assert.deepEqual(
    (await Promise.all(answers)).map(short),
    answers.map(() => '404 not_found'),
  )
  assert.deepEqual(await Promise.all(ids.map((id) => batchOf(shop, id))), before)
  assert.equal((await shop.as(shop.owner, 'GET', '/payout-batches')).body.data.length, ids.length)
  assert.deepEqual(await shop.sent(), [])
})

test('a batch is sent for approval only when another member could approve it', async () => {
  const shop = await openShop(await sharedApp())
  const id = await draft(shop, shop.owner)
  const submit = () => shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})
  assert.equal(short(await submit()), '409 approvers_missing')
  assert.equal((await batchOf(shop, id)).status, 'draft')
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await submit()), '200')
})

test('while payouts are on hold no batch is approved, and one that waits can be refused', async (t) => {
  const shop = await startShop(t)
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const id = await draft(shop, shop.owner)
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  await shop.app.owner.pool.query(
    `insert into payout_freezes (home, merchant_id, environment, reason) select home, merchant_id, environment, 'test' from payout_batches limit 1`,
  )
  for (const path of [`/payout-batches/${id}`, `/approvals/${id}`]) {
    assert.equal(short(await shop.as(approver, 'POST', `${path}/approve`, { version: 1 })), '409 payouts_on_hold')
  }
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${id}/refuse`, { version: 1, reason: 'No' })), '200')
  assert.deepEqual(await shop.sent(), [])
})

test('one person in two sessions at once is one approver, and a demoted approver is none, also after they are back', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const { id } = (await shop.request(shop.owner, 20_000)).body.data
  const login = await shop.app.call('POST', '/v1/auth/login', {
    body: { identifier: approver.email, password: approver.password },
  })
  const sessions = [approver, { token: login.body.data.access_token as string }]
  const approve = (who: Person) => shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })
  const atOnce = await Promise.all([...sessions, ...sessions, ...sessions].map(approve))
  assert.deepEqual(atOnce.map(short).toSorted(), ['200', ...Array.from({ length: 5 }, () => '409 invalid_state')])
  assert.equal(atOnce.find(({ status }) => status === 200)!.body.data.outcome, 'more')
  // Demoted and promoted again: the earlier approval is gone, and one that was arriving meanwhile is refused.
  const another = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const change = (role: string) =>
    shop.app.call('PATCH', `/v1/businesses/${shop.businessId}/members/${approver.memberId}`, {
      token: shop.owner.token,
      body: { role },
    })
  const second = (await shop.request(shop.owner, 20_000)).body.data.id
  const arriving = startSlowly(shop, approver, 'POST', `/approvals/${second}/approve`, { version: 1 })
  for (let count = 0; count < 3; count += 1) assert.equal(short(await shop.as(approver, 'GET', '/approvals')), '200')
  assert.equal(short(await change('accountant')), '200')
  assert.equal(await arriving(), '403 insufficient_role')
  assert.equal(short(await approve(approver)), '403 insufficient_role')
  assert.equal(short(await change('approver')), '200')
  assert.equal((await approve(admin)).body.data.outcome, 'more')
  assert.deepEqual(await shop.sent(), [])
  assert.equal((await approve(another)).body.data.outcome, 'approved')
  const { approved_by: votes } = (await shop.as(shop.owner, 'GET', `/approvals/${id}`)).body.data
  assert.deepEqual(
    votes.map(({ user_id: user }: Json) => user),
    [admin.userId, another.userId],
  )
})

test('a stricter rule asks for more approvals of what is above it, and never for fewer', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  const needed = async (): Promise<number[]> =>
    (await shop.as(approver, 'GET', '/approvals')).body.data
      .map(({ amount, approvers_needed: count }: Json) => [amount, count])
      .toSorted(([one]: number[], [other]: number[]) => one! - other!)
      .map(([, count]: number[]) => count!)
  const loosen = async (rule: Json): Promise<void> => {
    const { id } = (await shop.as(shop.owner, 'POST', '/approval-rule', rule)).body.data.pending_change
    for (const who of [approver, admin]) {
      const { outcome } = (await shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data
      if (outcome === 'approved') break
    }
  }
  const tighten = async (rule: Json): Promise<void> => {
    const { pending_change: pending } = (await shop.as(shop.owner, 'POST', '/approval-rule', rule)).body.data
    assert.equal(pending, null)
  }
  await tighten({ above: 5_000, above_total: null, approvers: 1 })
  await shop.request(shop.owner, 20_000, { phone_number: '+255754000001' })
  await shop.request(shop.owner, 40_000, { phone_number: '+255754000002' })
  await loosen({ above: 30_000, above_total: null, approvers: 1 })
  // Above the rule that is stricter now: one of the two.
  await tighten({ above: 30_000, above_total: null, approvers: 2 })
  assert.deepEqual(await needed(), [1, 2])
  await loosen({ above: 30_000, above_total: null, approvers: 1 })
  await tighten({ above: 10_000, above_total: null, approvers: 1 })
  assert.deepEqual(await needed(), [1, 2])
})
