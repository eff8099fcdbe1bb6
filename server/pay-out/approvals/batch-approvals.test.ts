/** Batches under an approval rule: sent by one person, approved by others, and paid as a whole or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKey } from '../../../test/attacks/objects.ts'
import { eventually, share, startTestApp, type CallOptions } from '../../../test/app.ts'
import { lastMail, newMember, removeMember } from '../../../test/members.ts'
import { removeOldDrafts } from '../payout-batches/correct-row.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { openShop, startShop, type Shop } from '../../../test/fixtures/approvals.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

const file = [
  'amount,phone_number,recipient_name',
  '10000,0754000123,Asha',
  '20000,0754001123,Juma',
  '5000,0754002123,Neema',
].join('\n')

/** Uploads the file and waits for its fees. */
async function upload(shop: Shop, person: { token: string }): Promise<Json> {
  const made = await shop.as(person, 'POST', '/payout-batches', undefined, {
    rawBody: file,
    headers: { 'content-type': 'text/csv' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return eventually('the fees are known', async () => {
    const batch = await read(shop, made.body.data.id)
    return batch.fees !== null && batch
  })
}

const read = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.as(shop.owner, 'GET', `/payout-batches/${id}`)).body.data
const rowsOf = async (shop: Shop, id: string): Promise<Json[]> =>
  (await shop.as(shop.owner, 'GET', `/payout-batches/${id}/items`)).body.data
const ended = (shop: Shop, id: string, status: string): Promise<Json> =>
  eventually(`the batch is ${status}`, async () => {
    const batch = await read(shop, id)
    return batch.status === status && batch.finished_at !== null && batch
  })

/** What merchants read of the ends of their batches, newest first. */
async function batchEvents(shop: Shop): Promise<Json[]> {
  const listed = await shop.as(shop.owner, 'GET', '/events?type=payout_batch.completed')
  assert.equal(listed.status, 200, JSON.stringify(listed.body))
  return listed.body.data
}

test('an accountant sends a batch for approval, an approver approves it, and all rows are paid once', async () => {
  const shop = await openShop(await sharedApp())
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const { id, fees } = await upload(shop, accountant)
  const approve = (who: { token: string }) => shop.as(who, 'POST', `/payout-batches/${id}/approve`, { version: 1 })
  assert.equal(short(await approve(accountant)), '403 insufficient_role')
  const sent = await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})
  assert.deepEqual([sent.status, sent.body.data.status, sent.body.data.approval], [200, 'waiting', 'required'])
  assert.equal(
    short(await shop.as(accountant, 'PATCH', `/payout-batches/${id}/items/1`, { amount: 99_000 })),
    '409 invalid_state',
  )
  const [entry] = (await shop.as(approver, 'GET', '/approvals')).body.data
  assert.deepEqual([entry.id, entry.kind, entry.amount, entry.may_decide], [id, 'payout_batch', 35_000, true])
  // Nothing is reserved while it waits.
  assert.deepEqual((await shop.balance())[1], 0)
  const [before] = await shop.balance()
  assert.equal((await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome, 'approved')
  const done = await ended(shop, id, 'done')
  assert.deepEqual([done.approval, done.progress.completed, done.progress.paid_amount], ['approved', 3, 35_000])
  assert.deepEqual(await shop.balance(), [before - 35_000 - fees, 0])
  const payouts = await shop.sent()
  assert.deepEqual(
    payouts.map(({ amount }: Json) => amount as number).toSorted((a: number, b: number) => a - b),
    [5_000, 10_000, 20_000],
  )
})

test('the maker of a batch does not approve it under a rule, also with a key that they made [A96]', async () => {
  const shop = await openShop(await sharedApp())
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const bySession = await upload(shop, shop.owner)
  assert.equal(
    short(await shop.as(shop.owner, 'POST', `/payout-batches/${bySession.id}/approve`, { version: 1 })),
    '403 self_approval_forbidden',
  )
  const { key } = await makeKey(shop.app, shop.owner, { business_id: shop.businessId })
  const made = await shop.app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'sheet' },
    rawBody: file,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
  assert.equal(short(await shop.app.call('POST', `/v1/payout-batches/${id}/submit`, { key, body: {} })), '200')
  for (const path of [`/payout-batches/${id}/approve`, `/approvals/${id}/approve`]) {
    assert.equal(short(await shop.as(shop.owner, 'POST', path, { version: 1 })), '403 self_approval_forbidden')
  }
  assert.deepEqual(await shop.sent(), [])
})

test('an approver who stops a batch and changes a row of it does not approve it [A96]', async () => {
  const shop = await openShop(await sharedApp())
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const { id } = await upload(shop, accountant)
  assert.equal(short(await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  assert.equal(short(await shop.as(approver, 'POST', `/payout-batches/${id}/stop`, {})), '200')
  const own = { amount: 9_000, phone_number: '0754009123', recipient_name: 'Me' }
  assert.equal(short(await shop.as(approver, 'PATCH', `/payout-batches/${id}/items/1`, own)), '200')
  await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
  const approve = async (who: { token: string }) =>
    shop.as(who, 'POST', `/payout-batches/${id}/approve`, { version: (await read(shop, id)).version })
  assert.equal(short(await approve(approver)), '403 self_approval_forbidden')
  assert.equal(short(await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  assert.equal(short(await approve(approver)), '403 self_approval_forbidden')
  assert.deepEqual(await shop.sent(), [])
  assert.equal(short(await approve(shop.owner)), '200')
  await ended(shop, id, 'done')
})

test('a batch that too few can still approve is not sent, and the refusal names the way out', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  for (const approvers of [2, 1]) {
    assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
    if (approvers === 1) await loosen()
    const { id } = await upload(shop, approver)
    const edit = async (who: { token: string }, row: number) => {
      assert.equal(short(await shop.as(who, 'PATCH', `/payout-batches/${id}/items/${row}`, { removed: true })), '200')
      await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
    }
    await edit(shop.owner, 1)
    if (approvers === 1) await edit(admin, 2)
    const { version } = await read(shop, id)
    const submitted = await shop.as(approver, 'POST', `/payout-batches/${id}/submit`, {})
    const available = approvers - 1
    assert.deepEqual(
      [short(submitted), submitted.body.error.details],
      ['409 approvers_missing', { needed: approvers, available }],
    )
    assert.match(submitted.body.error.message, /Delete it.+upload the corrected file.+or invite an approver/)
    if (available > 0) {
      const asked = await shop.as(admin, 'POST', `/payout-batches/${id}/approve`, { version })
      assert.equal(short(asked), '409 approvers_missing')
    }
    assert.equal((await read(shop, id)).status, 'draft')
    assert.equal(short(await shop.as(approver, 'DELETE', `/payout-batches/${id}`)), '200')
  }
  async function loosen(): Promise<void> {
    const change = (await shop.setRule({ above: 0, approvers: 1 })).body.data.pending_change.id
    for (const who of [approver, admin]) {
      assert.equal(short(await shop.as(who, 'POST', `/approvals/${change}/approve`, { version: 1 })), '200')
    }
  }
})

test('who has changed a row of a batch that waits sees that another member must approve it', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  const { id } = await upload(shop, accountant)
  assert.equal(short(await shop.as(approver, 'PATCH', `/payout-batches/${id}/items/1`, { amount: 9_000 })), '200')
  await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
  assert.equal(short(await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  const entryOf = async (who: { token: string }) => {
    const { may_decide, why_not } = (await shop.as(who, 'GET', `/approvals/${id}`)).body.data
    const open = (await shop.as(who, 'GET', '/approvals?may_decide=true')).body.data
    return [may_decide, why_not, open.length]
  }
  assert.deepEqual(await entryOf(approver), [false, 'own_change', 0])
  assert.deepEqual(await entryOf(shop.owner), [true, null, 1])
  const { version } = await read(shop, id)
  const own = await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version })
  assert.equal(short(own), '403 self_approval_forbidden')
  assert.doesNotMatch(own.body.error.message, /Send it for approval/)
})

test('a refused batch pays nothing, and its rows say why', async (t) => {
  const shop = await startShop(t)
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const before = await shop.balance()
  const { id } = await upload(shop, shop.owner)
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  assert.equal(short(await shop.as(approver, 'POST', `/payout-batches/${id}/refuse`, { version: 1, reason: 'Old sheet' })), '200')
  const refused = await ended(shop, id, 'stopped')
  assert.deepEqual([refused.approval, refused.failure.code], ['refused', 'approval_refused'])
  assert.deepEqual([refused.progress.completed, refused.progress.cancelled], [0, 3])
  assert.deepEqual(
    (await rowsOf(shop, id)).map(({ status, failure }) => [status, failure.code]),
    Array.from({ length: 3 }, () => ['cancelled', 'approval_refused']),
  )
  const [{ data }] = await batchEvents(shop)
  assert.deepEqual(
    [data.id, data.status, data.failure, data.approved_at, data.cancelled, data.paid_amount],
    [id, 'stopped', refused.failure, null, 3, 0],
  )
  assert.deepEqual(await shop.balance(), before)
  assert.deepEqual((await shop.app.truth()).payouts, [])
  assert.equal(short(await shop.as(approver, 'POST', `/payout-batches/${id}/approve`, { version: 1 })), '409 invalid_state')
  // Its rows name people who are not paid: it goes 30 days after the refusal, however old the upload is.
  const { pool } = shop.app.owner
  await pool.query(`update payout_batches set created_at = created_at - interval '31 days'`)
  assert.equal(await removeOldDrafts(shop.app.db, 30, 10), 0)
  await pool.query(
    `update payout_batches set stopped_at = stopped_at - interval '400 days', created_at = created_at - interval '400 days'`,
  )
  assert.equal(await removeOldDrafts(shop.app.db, 30, 10), 1)
  assert.equal((await pool.query('select from payout_batch_rows')).rowCount, 0)
  assert.equal(short(await shop.as(approver, 'GET', `/approvals/${id}`)), '200')
})

test('a batch that no one approves in 72 hours, or whose maker was removed, is stopped', async () => {
  const shop = await openShop(await sharedApp())
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const [late, left] = [await upload(shop, shop.owner), await upload(shop, accountant)]
  for (const [who, { id }] of [
    [shop.owner, late],
    [accountant, left],
  ] as const) {
    assert.equal(short(await shop.as(who, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  }
  assert.deepEqual(
    left.warnings.map(({ code }: Json) => code),
    ['same_file'],
  )
  await shop.app.owner.pool.query(
    `update approval_requests set expires_at = clock_now() - interval '1 second' where status = 'waiting' and requested_by = $1`,
    [shop.owner.userId],
  )
  await removeMember(shop.app, shop.owner, shop.businessId, accountant.memberId)
  assert.equal((await ended(shop, late.id, 'stopped')).failure.code, 'approval_expired')
  assert.equal((await ended(shop, left.id, 'stopped')).failure.code, 'approval_refused')
  assert.deepEqual(await shop.sent(), [])
  assert.deepEqual(
    new Set((await batchEvents(shop)).map(({ data }) => `${data.id} ${data.failure.code}`)),
    new Set([`${late.id} approval_expired`, `${left.id} approval_refused`]),
  )
})

test('the mail about a live batch that was not approved says so', async () => {
  const shop = await openShop(await sharedApp())
  const { app, owner, businessId } = shop
  const approver = await newMember(app, owner, businessId, 'approver')
  const call = (person: { token: string }, method: string, path: string, more: CallOptions = {}) =>
    app.call(method, `/v1/merchant${path}?environment=live&business_id=${businessId}`, { token: person.token, ...more })
  assert.equal(short(await call(owner, 'POST', '/approval-rule', { body: { above: 0, approvers: 1 } })), '200')
  const send = async (key: string): Promise<string> => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': key }
    const { id } = (await call(owner, 'POST', '/payout-batches', { rawBody: file, headers })).body.data
    const isReady = async () => (await call(owner, 'GET', `/payout-batches/${id}`)).body.data.fees !== null
    await eventually('the fees are known', isReady)
    assert.equal(short(await call(owner, 'POST', `/payout-batches/${id}/submit`, { body: {} })), '200')
    return id
  }
  const refused = await send('one')
  assert.equal(
    short(await call(approver, 'POST', `/payout-batches/${refused}/refuse`, { body: { version: 1, reason: 'Old sheet' } })),
    '200',
  )
  const mail = await lastMail(app, owner.email, 'payout_batch_ended')
  assert.match(mail, /imekataliwa[^]* was refused[^]*TSh 35,000/)
  assert.doesNotMatch(mail, /yamefika|arrived/)
  await send('two')
  await app.owner.pool.query(
    `update approval_requests set expires_at = clock_now() - interval '1 second' where status = 'waiting' and requested_by = $1`,
    [owner.userId],
  )
  await eventually('the second mail is there', async () =>
    /haikuidhinishwa kwa wakati[^]* was not approved in time/.test(await lastMail(app, owner.email, 'payout_batch_ended')),
  )
})

test('a batch that is taken back is a draft again, and can be corrected and sent again', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '409 approvers_missing')
  await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const { id } = await upload(shop, shop.owner)
  const submit = () => shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})
  assert.equal(short(await submit()), '200')
  assert.equal((await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome, 'more')
  const other = (await shop.request(shop.owner, 30_000)).body.data
  assert.equal((await shop.as(approver, 'POST', `/approvals/${other.id}/approve`, { version: 1 })).body.data.outcome, 'more')
  const back = await shop.as(shop.owner, 'POST', `/payout-batches/${id}/stop`, {})
  assert.deepEqual([back.body.data.status, back.body.data.approval], ['draft', 'none'])
  const left = (await shop.as(approver, 'GET', '/approvals')).body.data
  assert.deepEqual(
    left.map((one: Json) => [one.id, one.approved_by.length]),
    [[other.id, 1]],
  )
  assert.equal(short(await shop.as(shop.owner, 'PATCH', `/payout-batches/${id}/items/1`, { amount: 15_000 })), '200')
  await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
  assert.equal(short(await submit()), '200')
  const [entry] = (await shop.as(approver, 'GET', '/approvals')).body.data
  // The approval of the earlier rows does not count.
  assert.deepEqual([entry.amount, entry.approved_by, entry.may_decide], [40_000, [], true])
})

/** A rule, and a draft of one row for each phone. */
const ruleOf = (shop: Shop, above_total: number | null, approvers: number) =>
  shop.as(shop.owner, 'POST', '/approval-rule', { above: 30_000, above_total, approvers })
async function sendRow(shop: Shop, phone_number: string, amount = 30_000): Promise<string> {
  const items = [{ amount, phone_number, recipient_name: 'Asha' }]
  const { id } = (await shop.as(shop.owner, 'POST', '/payout-batches', { items })).body.data
  await eventually('the fees are known', async () => (await read(shop, id)).fees !== null)
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payout-batches/${id}/submit`, {})), '200')
  return id
}

test('of batches that were all sent before one was approved, that which lifts the day above the limit needs two people', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await ruleOf(shop, 60_000, 2)), '200')
  const ids = [await sendRow(shop, '0754001123'), await sendRow(shop, '0754002123'), await sendRow(shop, '0754003123')]
  const queue = (await shop.as(approver, 'GET', '/approvals')).body.data
  const exceeds = { sum: 'wallet_day', total: 90_000, above: 60_000 }
  assert.deepEqual(
    queue.map((entry: Json) => [entry.id, entry.approvers_needed, entry.exceeds]),
    [
      [ids[2], 2, exceeds],
      [ids[1], 1, null],
      [ids[0], 1, null],
    ],
  )
  const approve = async (who: { token: string }, id: string) =>
    (await shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome
  const outcomes: string[] = []
  for (const id of ids) outcomes.push(await approve(approver, id))
  assert.deepEqual(outcomes, ['approved', 'approved', 'more'])
  assert.equal((await read(shop, ids[2]!)).status, 'waiting')
  assert.equal(await approve(admin, ids[2]!), 'approved')
  await ended(shop, ids[2]!, 'done')
})

test('a batch that waits is judged again when it is approved: by the rule of today, with what has left since', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await ruleOf(shop, null, 1)), '200')
  const ids = [await sendRow(shop, '0754001123'), await sendRow(shop, '0754002123'), await sendRow(shop, '0754003123')]
  assert.equal(short(await ruleOf(shop, 60_000, 2)), '200')
  const entryOf = async (id: string) => (await shop.as(approver, 'GET', `/approvals/${id}`)).body.data
  const approve = (who: { token: string }, id: string) => shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })
  const outcomes: string[] = []
  for (const id of ids.toReversed()) outcomes.push((await approve(approver, id)).body.data.outcome)
  assert.deepEqual(outcomes, ['approved', 'approved', 'more'])
  const entry = await entryOf(ids[0]!)
  assert.deepEqual(
    [entry.status, entry.approvers_needed, entry.approved_by.length, entry.exceeds],
    ['waiting', 2, 1, { sum: 'wallet_day', total: 90_000, above: 60_000 }],
  )
  assert.equal(short(await approve(approver, ids[0]!)), '409 invalid_state')
  assert.equal((await approve(admin, ids[0]!)).body.data.outcome, 'approved')
  await ended(shop, ids[0]!, 'done')
})

test('the rows of a batch count for the sums of the day also while it waits, and not when it was refused', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await ruleOf(shop, 60_000, 1)), '200')
  const id = await sendRow(shop, '0754001123')
  const pay = async (amount: number, phone_number: string) =>
    (await shop.request(shop.owner, amount, { phone_number })).body.data.approval
  assert.equal(await pay(5_000, '+255754001123'), 'required')
  const [entry] = (await shop.as(approver, 'GET', '/approvals')).body.data
  assert.deepEqual(entry.exceeds, { sum: 'recipient_day', total: 35_000, above: 30_000 })
  assert.equal(await pay(25_000, '+255754002123'), 'none')
  assert.equal(await pay(5_000, '+255754003123'), 'required')
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${id}/refuse`, { version: 1, reason: 'No' })), '200')
  assert.equal(await pay(5_000, '+255754004123'), 'none')
  // A batch counts on the day on which it was sent.
  await sendRow(shop, '0754005123', 20_000)
  assert.equal(await pay(5_000, '+255754006123'), 'required')
  await shop.app.owner.pool.query(
    `update approval_requests set created_at = created_at - interval '1 day' where kind = 'payout_batch' and requested_by = $1`,
    [shop.owner.userId],
  )
  assert.equal(await pay(5_000, '+255754007123'), 'none')
})

test('without a rule, a person who may approve starts their own batch, and a wallet without the money pays none of it', async () => {
  const shop = await openShop(await sharedApp())
  const { id } = await upload(shop, shop.owner)
  const large = ['amount,phone_number,recipient_name', '150000,0754000123,Asha', '150000,0754001123,Juma'].join('\n')
  const made = await shop.as(shop.owner, 'POST', '/payout-batches', undefined, {
    rawBody: large,
    headers: { 'content-type': 'text/csv' },
  })
  const tooMuch = made.body.data.id
  await eventually('the fees are known', async () => (await read(shop, tooMuch)).fees !== null)
  assert.equal(
    short(await shop.as(shop.owner, 'POST', `/payout-batches/${tooMuch}/approve`, { version: 1 })),
    '402 insufficient_balance',
  )
  assert.equal((await read(shop, tooMuch)).status, 'draft')
  const approved = await shop.as(shop.owner, 'POST', `/payout-batches/${id}/approve`, { version: 1 })
  assert.deepEqual([approved.status, approved.body.data.status], [200, 'running'])
  assert.equal((await ended(shop, id, 'done')).approval, 'none')
})
