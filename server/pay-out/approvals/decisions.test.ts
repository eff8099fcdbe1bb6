/** A decision names what was seen, and sums count as single amounts do. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeKey } from '../../../test/attacks/objects.ts'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { lastMail, newMember } from '../../../test/members.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { askTotals } from '../../accounts/members/ask-totals.ts'
import { mailApprovers } from '../../accounts/members/approval-mails.ts'
import { openContent } from '../../base/mail/mail.ts'
import { fromWire } from '../../platform/ids.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { removeOldDrafts } from '../payout-batches/correct-row.ts'
import { neededApproval } from '../payouts/exceeded-sum.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { openShop, startShop, type Shop } from '../../../test/fixtures/approvals.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

type Person = { token: string }

const waiting = async (shop: Shop, person: Person): Promise<Json[]> => (await shop.as(person, 'GET', '/approvals')).body.data
const batchOf = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.as(shop.owner, 'GET', `/payout-batches/${id}`)).body.data
const feesKnown = (shop: Shop, id: string): Promise<Json> =>
  eventually('the fees are known', async () => {
    const batch = await batchOf(shop, id)
    return batch.fees !== null && batch
  })

async function upload(shop: Shop, person: Person, items: Json[]): Promise<Json> {
  const made = await shop.as(person, 'POST', '/payout-batches', { items })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return feesKnown(shop, made.body.data.id)
}

const asha = { amount: 10_000, phone_number: '0754000123', recipient_name: 'Asha' }
const juma = { amount: 20_000, phone_number: '0754001123', recipient_name: 'Juma' }

const auditOf = async (shop: Shop, object: string): Promise<Json[]> =>
  (await shop.app.owner.pool.query('select action, before, after from audit_log where object = $1 order by seq', [object])).rows

test('a click on a batch that was stopped, changed and sent again approves nothing, and shows what is different', async (t) => {
  const shop = await startShop(t)
  const other = await openShop(shop.app)
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const { id } = await upload(shop, accountant, [asha, juma])
  const act = (person: Person, path: string, body: Json = {}) => shop.as(person, 'POST', `/payout-batches/${id}/${path}`, body)
  assert.equal(short(await act(accountant, 'submit')), '200')
  const [seen] = await waiting(shop, approver)
  assert.deepEqual([seen.id, seen.version, (await batchOf(shop, id)).version], [id, seen.version, seen.version])
  // What the approver does not see.
  assert.equal(short(await act(accountant, 'stop')), '200')
  const changed = await shop.as(accountant, 'PATCH', `/payout-batches/${id}/items/1`, {
    amount: 90_000,
    phone_number: '0754009123',
  })
  assert.equal(short(changed), '200')
  await feesKnown(shop, id)
  assert.equal(short(await act(accountant, 'submit')), '200')
  for (const path of [`/approvals/${id}`, `/payout-batches/${id}`]) {
    for (const [verdict, body] of [
      ['approve', {}],
      ['refuse', { reason: 'No' }],
    ] as const) {
      assert.equal(
        short(await other.as(other.owner, 'POST', `${path}/${verdict}`, {})),
        '404 not_found',
        'before its form is read',
      )
      const without = await shop.as(approver, 'POST', `${path}/${verdict}`, body)
      assert.deepEqual([short(without), without.body.error.param], ['400 validation_error', 'version'])
      const stale = await shop.as(approver, 'POST', `${path}/${verdict}`, { ...body, version: seen.version })
      assert.equal(short(stale), '409 approval_changed')
      const { version, changes, more_rows: moreRows } = stale.body.error.details
      const [request, ...others] = changes
      assert.deepEqual([request.row, request.field, request.was], [null, 'requested_at', seen.requested_at])
      assert.equal(request.is, (await waiting(shop, approver))[0].requested_at)
      assert.deepEqual(others, [
        { row: null, field: 'total', was: 30_000, is: 110_000 },
        { row: 1, field: 'amount', was: 10_000, is: 90_000 },
        { row: 1, field: 'phone_number', was: '+255754000123', is: '+255754009123' },
      ])
      assert.deepEqual([version, moreRows], [(await waiting(shop, approver))[0].version, 0])
    }
  }
  assert.deepEqual((await shop.app.truth()).payouts, [])
  // What is now, in one click.
  const [now] = await waiting(shop, approver)
  const approved = await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: now.version })
  assert.equal(approved.body.data.outcome, 'approved')
  await eventually('it is paid', async () => (await batchOf(shop, id)).status === 'done')
  assert.deepEqual((await shop.app.owner.pool.query('select from payout_batch_changes')).rowCount, 0)
})

test('a batch that was only sent again is another approval, and a change that was taken back is none', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const { id, version } = await upload(shop, shop.owner, [asha, juma])
  const path = `/payout-batches/${id}`
  for (const amount of [15_000, 10_000]) {
    assert.equal(short(await shop.as(shop.owner, 'PATCH', `${path}/items/1`, { amount })), '200')
  }
  await feesKnown(shop, id)
  assert.equal(short(await shop.as(shop.owner, 'POST', `${path}/submit`, {})), '200')
  const stale = await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version })
  assert.deepEqual([short(stale), stale.body.error.details.changes], ['409 approval_changed', []])
  const [first] = await waiting(shop, approver)
  assert.equal(short(await shop.as(shop.owner, 'POST', `${path}/stop`, {})), '200')
  assert.equal(short(await shop.as(shop.owner, 'POST', `${path}/submit`, {})), '200')
  const again = await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: first.version })
  assert.deepEqual(
    [short(again), again.body.error.details.changes.map(({ field }: Json) => field)],
    ['409 approval_changed', ['requested_at']],
  )
  assert.deepEqual(await shop.sent(), [])
})

test('a draft that a key changes between the look and the click is not paid', async () => {
  const shop = await openShop(await sharedApp())
  const { key } = await makeKey(shop.app, shop.owner, { business_id: shop.businessId })
  const made = await shop.app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { items: [asha, juma, { ...juma, amount: 'x' }] },
  })
  const { id } = made.body.data
  const seen = await feesKnown(shop, id)
  const byKey = (row: number, body: Json) => shop.app.call('PATCH', `/v1/payout-batches/${id}/items/${row}`, { key, body })
  assert.equal(short(await byKey(1, { phone_number: '0754009123', recipient_name: 'Thief' })), '200')
  assert.equal(short(await byKey(2, { removed: true })), '200')
  assert.equal(short(await byKey(3, { amount: 15_000 })), '200')
  await feesKnown(shop, id)
  const stale = await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version: seen.version })
  assert.equal(short(stale), '409 approval_changed')
  assert.deepEqual(stale.body.error.details.changes, [
    { row: null, field: 'rows', was: 3, is: 2 },
    { row: null, field: 'total', was: 30_000, is: 25_000 },
    { row: 1, field: 'phone_number', was: '+255754000123', is: '+255754009123' },
    { row: 1, field: 'recipient_name', was: 'Asha', is: 'Thief' },
    { row: 2, field: 'status', was: 'ready', is: 'removed' },
    { row: 3, field: 'status', was: 'invalid', is: 'ready' },
    { row: 3, field: 'amount', was: null, is: 15_000 },
  ])
  assert.deepEqual(await shop.sent(), [])
  const unknown = await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version: 2 ** 31 })
  assert.equal(short(unknown), '409 approval_changed')
  const { version } = await batchOf(shop, id)
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version })), '200')
  assert.deepEqual((await auditOf(shop, id)).map(({ action, before, after }) => [action, before, after]).slice(0, 2), [
    [
      'payout_batch.row_changed',
      { row: 1, state: 'ready', amount: 10_000, phone_number: '0754 ••• 123' },
      {
        row: 1,
        state: 'ready',
        amount: 10_000,
        phone_number: '0754 ••• 123',
        version: 2,
        changed: ['phone_number', 'recipient_name'],
      },
    ],
    [
      'payout_batch.row_removed',
      { row: 2, state: 'ready', amount: 20_000, phone_number: '0754 ••• 123' },
      { row: 2, state: 'removed', amount: 20_000, phone_number: '0754 ••• 123', version: 3, changed: [] },
    ],
  ])
})

test('a key of a deleted batch makes no other one, so a click on what was seen approves nothing', async () => {
  const shop = await openShop(await sharedApp())
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const headers = { 'idempotency-key': randomUUID() }
  const post = (items: Json[]) => shop.as(accountant, 'POST', '/payout-batches', { items }, { headers })
  const { id } = (await post([asha, juma])).body.data
  await feesKnown(shop, id)
  const act = (path: string) => shop.as(accountant, 'POST', `/payout-batches/${id}/${path}`, {})
  assert.equal(short(await act('submit')), '200')
  const [seen] = await waiting(shop, approver)
  assert.equal(seen.id, id)
  // What the approver does not see.
  assert.equal(short(await act('stop')), '200')
  assert.equal(short(await shop.as(accountant, 'DELETE', `/payout-batches/${id}`)), '200')
  const again = await post([{ ...asha, phone_number: '0754009123', recipient_name: 'Thief' }, juma])
  await eventually('there are no fees to wait for', async () => (await batchOf(shop, id))?.fees !== null)
  const sent = await act('submit')
  for (const path of [`/approvals/${id}`, `/payout-batches/${id}`]) {
    const click = await shop.as(approver, 'POST', `${path}/approve`, { version: seen.version })
    assert.equal(short(click), '404 not_found')
  }
  assert.deepEqual([short(again), short(sent)], ['422 idempotency_key_reused', '404 not_found'])
  assert.match(again.body.error.message, /deleted/)
  assert.equal(short(await post([asha, juma])), '422 idempotency_key_reused')
  assert.deepEqual(await shop.sent(), [])
})

test('a draft that a key deletes between the look and the click does not come back, nor one that is too old', async () => {
  const shop = await openShop(await sharedApp())
  const { key } = await makeKey(shop.app, shop.owner, { business_id: shop.businessId })
  const headers = { 'idempotency-key': 'salaries-2026-03' }
  const post = (items: Json[]) => shop.app.call('POST', '/v1/payout-batches', { key, headers, body: { items } })
  const { id } = (await post([asha])).body.data
  const seen = await feesKnown(shop, id)
  assert.equal(short(await shop.app.call('DELETE', `/v1/payout-batches/${id}`, { key })), '200')
  const again = await post([{ ...asha, phone_number: '0754009123' }])
  await eventually('there are no fees to wait for', async () => (await batchOf(shop, id))?.fees !== null)
  const click = await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version: seen.version })
  assert.deepEqual([short(click), short(again)], ['404 not_found', '422 idempotency_key_reused'])
  headers['idempotency-key'] = 'salaries-2026-04'
  const old = (await post([asha])).body.data
  await feesKnown(shop, old.id)
  const longAgo = `clock_now() - interval '31 days'`
  await shop.app.owner.pool.query(`update payout_batches set created_at = ${longAgo}, updated_at = ${longAgo} where id = $1`, [
    fromWire('pb', old.id),
  ])
  await eventually('the old draft is removed, by this or by the worker', async () => {
    // It passes a draft that is locked, as by the worker that stores its fees.
    await removeOldDrafts(shop.app.db, 30, 10)
    return (await batchOf(shop, old.id)) === undefined
  })
  assert.equal(short(await post([asha])), '422 idempotency_key_reused')
  const [{ action, before }] = await auditOf(shop, old.id)
  assert.deepEqual([action, before], ['payout_batch.deleted', { status: 'draft', version: 1, rows: 1, total: 10_000 }])
  assert.deepEqual(await shop.sent(), [])
})

test('a batch that lost an erased recipient while it waits needs all its approvals again', async (t) => {
  const shop = await startShop(t)
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const { id } = await upload(shop, shop.owner, [asha, juma])
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  const approve = async (person: Person) => {
    const { version } = (await shop.as(person, 'GET', `/approvals/${id}`)).body.data
    return (await shop.as(person, 'POST', `/approvals/${id}/approve`, { version })).body.data.outcome
  }
  assert.equal(await approve(approver), 'more')
  const other = (await shop.request(approver, 30_000)).body.data.id
  assert.equal((await shop.as(admin, 'POST', `/approvals/${other}/approve`, { version: 1 })).body.data.outcome, 'more')
  await erasePayer(shop.app.deps, '+255754001123')
  const seen = (await waiting(shop, admin)).map((one) => [one.id, one.amount, one.version, one.approved_by.length])
  assert.deepEqual(seen, [
    [other, 30_000, 1, 1],
    [id, 10_000, 2, 0],
  ])
  assert.equal(await approve(admin), 'more')
  assert.equal(await approve(approver), 'approved')
})

test('a batch that is approved while a recipient of it is erased pays what is left, after another look', async () => {
  const shop = await openShop(await sharedApp())
  const { pool } = shop.app.owner
  const waits = (statement: string) =>
    eventually(`${statement} waits for a lock`, async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
        [`%${statement}%`],
      )
      return rowCount !== 0
    })
  const { id, version } = await upload(shop, shop.owner, [asha, { ...juma, phone_number: '0754654123' }])
  const approve = (seen: number) => shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version: seen })
  const holder = await pool.connect()
  try {
    await holder.query('begin; lock table mails in share row exclusive mode')
    const erased = erasePayer(shop.app.deps, '+255754654123')
    await waits('delete from mails')
    const approved = approve(version)
    await waits('from payout_batches')
    await holder.query('commit')
    await erased
    assert.equal(short(await approved), '409 approval_changed')
  } finally {
    holder.release()
  }
  const batch = await batchOf(shop, id)
  assert.equal(batch.total, asha.amount)
  assert.equal(short(await approve(batch.version)), '200')
})

test('a payout, a refund and a change of the rule are decided by their version, for one approver and for two', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const [payment] = (await shop.as(shop.owner, 'GET', '/payments')).body.data
  const ids = [
    (await shop.request(shop.owner, 20_000)).body.data.id,
    (await shop.as(shop.owner, 'POST', `/payments/${payment.reference}/refunds`, { amount: 20_000 })).body.data.id,
    (await shop.setRule({ above: 5_000, approvers: 1 })).body.data.pending_change.id,
  ]
  for (const id of ids) {
    const path = `/approvals/${id}`
    const { version } = (await shop.as(approver, 'GET', path)).body.data
    const inLive = `/v1/merchant${path}/approve?environment=live&business_id=${shop.businessId}`
    assert.equal(short(await shop.app.call('POST', inLive, { token: approver.token, body: { version } })), '404 not_found')
    const first = await shop.as(approver, 'POST', `${path}/approve`, {})
    assert.deepEqual([short(first), first.body.error.param], ['400 validation_error', 'version'])
    for (const [person, outcome] of [
      [approver, 'more'],
      [admin, 'approved'],
    ] as const) {
      const stale = await shop.as(person, 'POST', `${path}/approve`, { version: version + 1 })
      assert.deepEqual([short(stale), stale.body.error.details.version], ['409 approval_changed', version])
      assert.equal((await shop.as(person, 'POST', `${path}/approve`, { version })).body.data.outcome, outcome)
    }
  }
})

test('ten payouts of 10,000 under a rule above 10,000 do not leave: sums of the day count, to one recipient and of the wallet', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const set = (await shop.setRule({ above: 10_000, approvers: 1 })).body.data.rule
  assert.deepEqual([set.above, set.above_total, set.asks_total], [10_000, 50_000, false])
  // At once, to one person.
  const toOne = await Promise.all(Array.from({ length: 10 }, () => shop.request(shop.owner, 10_000)))
  const approvals = toOne.map(({ body }) => body.data.approval as string)
  assert.deepEqual(approvals.toSorted(), ['none', ...Array.from({ length: 9 }, () => 'required')])
  const queue = await waiting(shop, approver)
  assert.deepEqual(new Set(queue.map(({ exceeds }) => exceeds.sum)), new Set(['recipient_day']))
  assert.deepEqual(queue.map(({ exceeds }) => [exceeds.total, exceeds.above]).toSorted(([a], [b]) => a - b)[0], [20_000, 10_000])
  // What was refused does not count any more.
  for (const { id, version } of queue) {
    assert.equal(short(await shop.as(approver, 'POST', `/approvals/${id}/refuse`, { version, reason: 'No' })), '200')
  }
  // To many people: 10,000 of the day are used.
  const toMany = await Promise.all(
    Array.from({ length: 6 }, (_, place) => shop.request(shop.owner, 10_000, { phone_number: `+25575400${place}999` })),
  )
  assert.equal(toMany.filter(({ body }) => body.data.approval === 'none').length, 4)
  const [one] = await waiting(shop, approver)
  assert.deepEqual([one.exceeds.sum, one.exceeds.above, one.exceeds.total > 50_000], ['wallet_day', 50_000, true])
  assert.equal((await shop.request(shop.owner, 20_000)).body.data.approval, 'required')
  assert.equal((await waiting(shop, approver))[0].exceeds.sum, 'amount')
})

test('rows of a batch and refunds count for the sums of the day, and yesterday does not', async (t) => {
  const shop = await startShop(t)
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(
    (await shop.as(shop.owner, 'POST', '/approval-rule', { above: 30_000, above_total: 60_000, approvers: 1 })).status,
    200,
  )
  const first = await upload(shop, shop.owner, [asha, juma])
  const pay = async ({ id, version }: Json) => await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version })
  assert.equal((await pay(first)).body.data.status, 'running')
  const second = await upload(shop, shop.owner, [{ ...juma, amount: 15_000 }])
  assert.equal(short(await pay(second)), '403 self_approval_forbidden')
  const [payment] = (await shop.as(shop.owner, 'GET', '/payments')).body.data
  const refund = await shop.as(shop.owner, 'POST', `/payments/${payment.reference}/refunds`, { amount: 30_000 })
  assert.equal(refund.status, 201, JSON.stringify(refund.body))
  assert.equal(refund.body.data.approval, 'none')
  const over = await shop.request(shop.owner, 5_000)
  assert.equal(over.body.data?.approval, 'required', JSON.stringify(over.body))
  // The sums of live are others.
  const merchant = (await findMerchantByWire(shop.app.db, shop.businessId))!
  await shop.app.owner.pool.query(`update approval_rules set environment = 'live'`)
  const share = { phoneNumber: '+255754000123', amount: 30_000 }
  const inLive = await shop.app.db.tx((tx) => neededApproval(tx, { merchant, environment: 'live' }, [share]))
  assert.equal(inLive, undefined)
  await shop.app.owner.pool.query(`update approval_rules set environment = 'test'`)
  await shop.app.owner.pool.query(`update payouts set created_at = created_at - interval '1 day'`)
  assert.equal((await shop.request(shop.owner, 5_000)).body.data.approval, 'none')
})

test('the mail that asks for an approval names the amount in its subject and has the link', async (t) => {
  const { app, owner, businessId } = await startShop(t)
  const approver = await newMember(app, owner, businessId, 'approver')
  const merchant = (await findMerchantByWire(app.db, businessId))!
  const asked = { kind: 'payout', amount: 20_000 } as const
  await app.db.tx((tx) => mailApprovers(app.deps, tx, { merchant, environment: 'live' }, asked, merchant.userId))
  const { rows } = await app.owner.pool.query(
    `select id, recipient, sealed_content from mails where kind = 'approval_waits' and recipient in ($1, $2)`,
    [owner.email, approver.email],
  )
  const { subject, text } = openContent(app.deps.sealer, rows[0].id, rows[0].sealed_content)
  assert.deepEqual(
    [rows.length, rows[0].recipient, subject],
    [1, approver.email, 'Idhini inasubiriwa: TSh 20,000 · An approval waits: TSh 20,000'],
  )
  assert.match(text, /\(TSh 20,000\) yanayosubiri idhini yako[^]*\(TSh 20,000\) waits for your approval/)
  assert.ok(text.includes(`/dashboard/${businessId}/live/approvals\n`))
})

test('the mail about what has reserved no money says what really happens without an approval', async (t) => {
  const { app, owner, businessId } = await startShop(t)
  const approver = await newMember(app, owner, businessId, 'approver')
  const rule = `/v1/merchant/approval-rule?environment=live&business_id=${businessId}`
  const { token } = owner
  assert.equal(short(await app.call('POST', rule, { token, body: { above: 10_000, approvers: 1 } })), '200')
  assert.notEqual((await app.call('DELETE', rule, { token })).body.data.pending_change, null)
  const removal = await lastMail(app, approver.email, 'approval_waits')
  assert.match(removal, /kanuni ya sasa itabaki[^]*looser approval rule of .* waits for your approval[^]*the present rule stays/)
  assert.doesNotMatch(removal, /malipo|fedha|payment|wallet/)
  const merchant = (await findMerchantByWire(app.db, businessId))!
  for (const [kind, expected] of [
    ['payout_batch', /orodha ya malipo .*hakuna kitakacholipwa[^]*A payout batch of .* \(TSh 20,000\) waits[^]*nothing is paid/],
    ['refund', /marejesho ya fedha .*yataghairiwa[^]*A refund of .* \(TSh 20,000\) waits[^]*is cancelled/],
  ] as const) {
    const asked = { kind, amount: 20_000 }
    await app.db.tx((tx) => mailApprovers(app.deps, tx, { merchant, environment: 'live' }, asked, merchant.userId))
    const text = await lastMail(app, approver.email, 'approval_waits')
    assert.match(text, expected)
    assert.doesNotMatch(text, /pochi|wallet/, 'no money is reserved for it')
  }
})

test('the owners of a live rule that is older than the limit of the day are asked by one mail, also after a restart', async (t) => {
  const shop = await startShop(t)
  const { app, owner } = shop
  const approver = await newMember(app, owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const recipients = async (): Promise<string[]> => {
    const { rows } = await app.owner.pool.query(`select recipient from mails where kind = 'approval_total_asked'`)
    return rows.map(({ recipient }) => recipient)
  }
  const older = (environment: string) =>
    app.owner.pool.query('update approval_rules set above_total = null, asks_total = default, environment = $1', [environment])
  await older('test')
  assert.equal(await askTotals(app.deps, 10), 0)
  await older('live')
  // A rule of another merchant of the home, which has the limit.
  await app.owner.pool.query(
    `insert into approval_rules (home, merchant_id, environment, above, above_total, approvers, asks_total, set_by)
     select r.home, m.id, 'live', 10000, 10000, 1, false, r.set_by from approval_rules r join merchants m on m.user_id = r.set_by and m.kind = 'personal'`,
  )
  // The rule of their test wallet asks no one.
  await app.owner.pool.query(
    `insert into approval_rules (home, merchant_id, environment, above, above_total, approvers, set_by)
     select home, merchant_id, 'test', above, null, approvers, set_by from approval_rules where asks_total`,
  )
  const workers = Array.from({ length: 3 }, () => askTotals(app.deps, 10))
  assert.equal(
    (await Promise.all(workers)).reduce((sum, count) => sum + count),
    1,
  )
  assert.equal(await askTotals(app.deps, 10), 0)
  assert.deepEqual(await recipients(), [owner.email])
  assert.notEqual(approver.email, owner.email)
  // Who has answered is not asked.
  await app.owner.pool.query('update approval_rules set total_asked_at = null, asks_total = false')
  assert.equal(await askTotals(app.deps, 10), 0)
})

test('a rule that is older than the limit of the day asks once, and keeps what it was until someone answers', async (t) => {
  const shop = await startShop(t)
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  await shop.app.owner.pool.query('update approval_rules set above_total = null, asks_total = default')
  const rule = async () => (await shop.as(shop.owner, 'GET', '/approval-rule')).body.data
  assert.deepEqual([(await rule()).rule.above_total, (await rule()).rule.asks_total], [null, true])
  const set = (above_total: number | null) =>
    shop.as(shop.owner, 'POST', '/approval-rule', { above: 10_000, above_total, approvers: 1 })
  // No limit is an answer, too.
  assert.equal((await set(null)).body.data.rule.asks_total, false)
  assert.equal((await set(50_000)).body.data.rule.above_total, 50_000)
  const looser = (await set(60_000)).body.data
  assert.deepEqual([looser.rule.above_total, looser.pending_change.rule.above_total], [50_000, 60_000])
  const { id } = looser.pending_change
  assert.equal((await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome, 'approved')
  assert.equal((await rule()).rule.above_total, 60_000)
  assert.equal((await set(null)).body.data.pending_change.rule.above_total, null)
})
