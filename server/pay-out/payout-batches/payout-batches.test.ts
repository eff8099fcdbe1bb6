/** Payout batches over real HTTP against the simulator: from the file to the last payout. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { lastMail } from '../../../test/members.ts'
import { isRefusal } from '../../../test/refusals.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { notifyOfBatches, notifyOfPayouts } from '../../views/notifications/notify-owners.ts'
import { ask, balance, providersOf, read } from '../../../test/fixtures/payouts.ts'
import { wrapProviders, type PayoutQuote } from '../../money/providers/provider.ts'
import { resultColumns } from './batch.ts'
import { removeOldDrafts } from './correct-row.ts'
import {
  approve,
  ended,
  fileOf,
  header,
  itemsOf,
  readBatch,
  richStudent,
  rowOf,
  running,
  uploadCsv,
  withFees,
} from '../../../test/fixtures/batches.ts'
import type { Environment } from '../../domain/environment.ts'
import { checkLane } from '../payouts/send-payout.ts'
import { finishBatches } from './finish-batches.sql.ts'
import { quoteFees } from './quote-fees.ts'

const workingApp = share((ending) => startTestApp(ending, { worker: true }))

test('a file becomes a draft, a person approves it, and every row is paid once', async () => {
  const app = await workingApp()
  const student = await richStudent(app)
  const { key } = student
  const batch = await running(app, student, fileOf(30))
  assert.deepEqual([batch.status, batch.rows, batch.total], ['running', 30, 300_000])
  const done = await ended(app, key, batch.id)
  assert.deepEqual(done.progress, { waiting: 0, sent: 0, completed: 30, failed: 0, cancelled: 0, paid_amount: 300_000 })
  assert.deepEqual(await balance(app, key), [5_000_000 - done.total_debited, 0])
  const items = await itemsOf(app, key, batch.id)
  assert.deepEqual(
    items.map(({ row, line, status }) => [row, line, status]),
    items.map((_, index) => [index + 1, index + 2, 'completed']),
  )
  const there = await providersOf(app)
  assert.equal(there.length, 30)
  const repeated = await uploadCsv(app, key, fileOf(30), { key: randomUUID() })
  assert.deepEqual(repeated.body.data.warnings, [{ code: 'same_file', batch_id: batch.id, created_at: batch.created_at }])
})

test('a batch is approved only whole: errors, unknown fees and a wallet that cannot pay all of it are refused, and nothing is reserved', async (t) => {
  let isSilent = true
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: (...asked) =>
          isSilent ? Promise.resolve({ kind: 'indeterminate', reason: 'timeout' }) : provider.quotePayout(...asked),
      })),
    }),
  })
  const student = await richStudent(app, 100_000)
  const { key, token } = student
  const { id } = (await uploadCsv(app, key, `${fileOf(9)}\n10000,12345,Asha`)).body.data
  const wrong = await approve(app, token, id)
  isRefusal(wrong, 409, 'invalid_state')
  assert.match(wrong.body.error.message, /1 rows of this batch have errors/)
  await app.call('PATCH', `/v1/payout-batches/${id}/items/10`, { key, body: { removed: true } })
  const early = await approve(app, token, id)
  isRefusal(early, 409, 'invalid_state')
  assert.match(early.body.error.message, /fees/)
  isSilent = false
  await app.deps.backgroundDone()
  await app.owner.pool.query('update payout_batches set fees_due_at = clock_now()')
  assert.equal(await quoteFees(app.deps, 10), 1)
  const { fees } = await readBatch(app, key, id)
  const short = await approve(app, token, id)
  isRefusal(short, 402, 'insufficient_balance')
  assert.deepEqual(short.body.error.details, { available: 100_000, required: 90_000 + fees, fee: fees })
  const { rows } = await app.owner.pool.query('select count(*)::integer as count from payouts')
  assert.deepEqual([rows[0].count, await balance(app, key)], [0, [100_000, 0]])
  assert.equal((await readBatch(app, key, id)).status, 'draft')
  // Nor is it sent to others, where there are none.
  const alone = await app.call('POST', `/v1/payout-batches/${id}/submit`, { key, body: {} })
  isRefusal(alone, 409, 'approvers_missing')
  // Only a person approves.
  assert.equal((await app.call('POST', `/v1/payout-batches/${id}/approve`, { key })).status, 404)
  await app.call('PATCH', `/v1/payout-batches/${id}/items/9`, { key, body: { removed: true } })
  await app.call('PATCH', `/v1/payout-batches/${id}/items/8`, { key, body: { removed: true } })
  await withFees(app, key, id)
  const answers = await Promise.all([1, 2, 3, 4].map(() => approve(app, token, id)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409, 409],
  )
  isRefusal(await app.call('PATCH', `/v1/payout-batches/${id}/items/1`, { key, body: { removed: true } }), 409, 'invalid_state')
  isRefusal(await app.call('DELETE', `/v1/payout-batches/${id}`, { key }), 409, 'invalid_state')
  isRefusal(await app.call('POST', `/v1/payout-batches/${id}/submit`, { key, body: {} }), 409, 'invalid_state')
})

test('a batch whose rows are not what it says of them pays nothing', async (t) => {
  const app = await startTestApp(t)
  const student = await richStudent(app)
  const { id } = (await uploadCsv(app, student.key, fileOf(2))).body.data
  const { version } = await withFees(app, student.key, id)
  for (const column of ['row_count', 'total', 'fees']) {
    const change = (by: number) => app.owner.pool.query(`update payout_batches set ${column} = ${column} + $1`, [by])
    await change(1)
    assert.equal((await approve(app, student.token, id)).status, 500, column)
    assert.deepEqual(await balance(app, student.key), [5_000_000, 0])
    await change(-1)
  }
  // Nor is a version approved that it does not have.
  const path = `/v1/merchant/payout-batches/${id}/approve?environment=test`
  const wrong = await app.call('POST', path, { token: student.token, body: { version: version + 1 } })
  isRefusal(wrong, 409, 'approval_changed')
  assert.deepEqual(wrong.body.error.details, { version, changes: [], more_rows: 0 })
  assert.equal((await approve(app, student.token, id)).status, 200)
})

test('what has changed since a version is said cell by cell', async (t) => {
  // The worker asks for the fees of a change that came while an earlier turn had the batch locked.
  const app = await startTestApp(t, { worker: true })
  const student = await richStudent(app)
  const { key, token } = student
  const { id } = (await uploadCsv(app, key, `${header}\n,0754001789,Asha\n${rowOf(2)}`)).body.data
  const change = (row: number, body: Record<string, unknown>) =>
    app.call('PATCH', `/v1/payout-batches/${id}/items/${row}`, { key, body })
  assert.equal((await change(1, { amount: 11_000 })).status, 200)
  assert.equal((await change(2, { recipient_name: 'Neema' })).status, 200)
  await withFees(app, key, id)
  const path = `/v1/merchant/payout-batches/${id}/approve?environment=test`
  const stale = await app.call('POST', path, { token, body: { version: 1 } })
  isRefusal(stale, 409, 'approval_changed')
  assert.deepEqual(stale.body.error.details.changes, [
    { row: null, field: 'total', was: 10_000, is: 21_000 },
    { row: 1, field: 'status', was: 'invalid', is: 'ready' },
    { row: 1, field: 'amount', was: null, is: 11_000 },
    { row: 2, field: 'recipient_name', was: 'Asha 2', is: 'Neema' },
  ])
})

test('fees for which the provider has no budget are asked for when it has, and fees that it refuses to tell after a while', async (t) => {
  const lines: string[] = []
  let afterMs: number | undefined = 3_000
  const app = await startTestApp(t, {
    logLevel: 'warn',
    logTo: (line) => lines.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: async () => ({ kind: 'indeterminate', reason: 'none', ...(afterMs !== undefined && { afterMs }) }),
      })),
    }),
  })
  const { key } = await app.key(await app.student())
  const { id } = (await uploadCsv(app, key, fileOf(2))).body.data
  // The upload itself asks, too.
  await app.deps.backgroundDone()
  const turn = async () => {
    await app.owner.pool.query('update payout_batches set fees_due_at = clock_now()')
    assert.equal(await quoteFees(app.deps, 10), 1)
    const { rows } = await app.owner.pool.query<{ seconds: number }>(
      `select round(extract(epoch from fees_due_at - clock_now()))::integer as seconds from payout_batches`,
    )
    return rows[0]!.seconds
  }
  lines.length = 0
  assert.equal(await turn(), 3)
  assert.deepEqual(lines, [])
  afterMs = undefined
  assert.equal(await turn(), 10)
  assert.match(lines.join(), new RegExp(`payout.quote_failed.*|${id}`))
  assert.equal((await readBatch(app, key, id)).fees, null)
  // Asking is no change: a draft without fees is deleted like any other.
  const month = `make_interval(days => 31)`
  await app.owner.pool.query(`update payout_batches set created_at = created_at - ${month}, updated_at = updated_at - ${month}`)
  await turn()
  assert.equal(await removeOldDrafts(app.db, 30, 10), 1)
})

test('rows whose quotes are refused are invalid and stop no row after them, nor do rows without an answer', async (t) => {
  const answers = new Map<number, PayoutQuote>()
  const app = await startTestApp(t, {
    settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: async (amount, ...rest) => answers.get(amount) ?? provider.quotePayout(amount, ...rest),
      })),
    }),
  })
  const student = await richStudent(app)
  const { key } = student
  const amounts = Array.from({ length: 12 }, (_, place) => 10_000 + place)
  const refused = { kind: 'refused', failure: 'recipient_not_found', text: 'x', isOurFloat: false } as const
  const rows = amounts.map((amount, place) => rowOf(place + 1, '789', amount))
  const upload = async (answer: PayoutQuote): Promise<string> => {
    for (const amount of amounts.slice(0, 10)) answers.set(amount, answer)
    const { id } = (await uploadCsv(app, key, [header, ...rows].join('\n'))).body.data
    // The upload itself asks.
    await app.deps.backgroundDone()
    return id
  }
  const id = await upload(refused)
  const items = await itemsOf(app, key, id)
  assert.deepEqual(
    items.map(({ status, fee }) => [status, fee === null]),
    amounts.map((_, place) => (place < 10 ? ['invalid', true] : ['ready', false])),
  )
  const [error] = items[0].errors
  assert.deepEqual([error.column, error.code, error.value], ['phone_number', 'recipient_not_found', items[0].phone_number])
  assert.match(error.message, /The provider refuses this payout\. This number has no mobile money account/)
  const draft = await readBatch(app, key, id)
  assert.deepEqual([draft.rows_invalid, draft.total, typeof draft.fees], [10, 20_021, 'number'])
  answers.clear()
  const changed = await app.call('PATCH', `/v1/payout-batches/${id}/items/1`, { key, body: { phone_number: '0754999789' } })
  assert.deepEqual([changed.body.data.status, changed.body.data.errors], ['ready', []])
  // The amount may be what the provider refused. Another cell is not.
  const lower = await app.call('PATCH', `/v1/payout-batches/${id}/items/2`, { key, body: { amount: 9_000 } })
  assert.deepEqual([lower.body.data.status, lower.body.data.errors], ['ready', []])
  const renamed = await app.call('PATCH', `/v1/payout-batches/${id}/items/3`, { key, body: { recipient_name: 'Asha Juma' } })
  assert.equal(renamed.body.data.status, 'invalid')
  await app.deps.backgroundDone()
  assert.equal((await readBatch(app, key, id)).rows_invalid, 8)
  assert.equal((await itemsOf(app, key, id)).filter(({ fee }) => fee !== null).length, 4)

  // Neither an answer without a quote nor an empty account of ours says anything about a row; the second ends the turn.
  const ofOurs = { ...refused, failure: 'provider_error', isOurFloat: true } as const
  for (const answer of [{ kind: 'indeterminate', reason: 'http_400' } as const, ofOurs]) {
    const unquoted = await upload(answer)
    const waiting = await itemsOf(app, key, unquoted)
    assert.deepEqual(
      waiting.map(({ status, fee }) => [status, fee === null]),
      amounts.map((_, place) => ['ready', place < 10 || answer === ofOurs]),
    )
    assert.equal((await readBatch(app, key, unquoted)).fees, null)
  }
})

test('a wallet that is emptied during the approval leaves a draft and no payout', async (t) => {
  let isEmptied = true
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      db: {
        ...deps.db,
        tx: (work) =>
          deps.db.tx((tx) =>
            work({
              ...tx,
              rows: async (query) => {
                if (/insert into ledger_accounts/.test(query.strings.join('')) && !isEmptied) {
                  isEmptied = true
                  // The balance was read before; another payout takes the money now.
                  await app.call('POST', '/v1/payouts', {
                    key: student.key,
                    headers: { 'idempotency-key': 'meanwhile' },
                    body: { amount: 50_000, phone_number: '0754000123', recipient_name: 'Juma' },
                  })
                }
                return tx.rows(query)
              },
            }),
          ),
      },
    }),
  })
  const student = await richStudent(app, 100_000)
  const { id } = (await uploadCsv(app, student.key, fileOf(5))).body.data
  await withFees(app, student.key, id)
  isEmptied = false
  isRefusal(await approve(app, student.token, id), 402, 'insufficient_balance')
  const { rows } = await app.owner.pool.query('select count(*)::integer as count from payouts where batch_id is not null')
  assert.deepEqual([rows[0].count, (await readBatch(app, student.key, id)).status], [0, 'draft'])
})

test('each row ends as its payout does, and the result file and one event show it', async () => {
  const app = await workingApp()
  const student = await richStudent(app)
  const { key } = student
  // A payout besides the batch, which is no part of it.
  const alone = await ask(app, key, { amount: 10_000 })
  await eventually('it has ended', async () => (await read(app, key, alone.body.data.id)).status === 'completed')
  const file = [
    `${header},reference`,
    `${rowOf(1)},R-1`,
    `${rowOf(2, '089')},R-2`,
    `${rowOf(3, '309')},'=R`,
    `10000,0754004789,"Asha, 'Mama'",R-4`,
  ].join('\n')
  const { id, total_debited } = await running(app, student, file)
  const done = await ended(app, key, id)
  await eventually('the third row came back', async () => (await readBatch(app, key, id)).progress.failed === 2)
  const items = await itemsOf(app, key, id)
  assert.deepEqual(
    items.map(({ status, failure }) => `${status} ${failure?.code ?? ''}`.trim()),
    ['completed', 'failed recipient_not_found', 'reversed', 'completed'],
  )
  const payout = (await app.call('GET', `/v1/payouts/${items[0].payout_id}`, { key })).body.data
  assert.deepEqual([payout.batch_id, payout.reference, payout.fee], [id, 'R-1', items[0].fee])
  const csv = await app.call('GET', `/v1/payout-batches/${id}/items`, { key, headers: { accept: 'text/csv' } })
  assert.match(csv.headers.get('content-type')!, /text\/csv/)
  const lines = csv.body.trim().split('\r\n')
  assert.equal(lines[0], resultColumns.join(','))
  assert.match(lines[1], /^1,2,completed,10000,\d+,\+?'?\+255754001789,Asha 1,,R-1,po_/)
  assert.match(lines[2], /,This number has no mobile money account\.$/)
  const listed = async () => (await app.call('GET', '/v1/events?type=payout_batch.completed', { key })).body.data
  const [event, ...more] = await listed()
  assert.equal(more.length, 0)
  const { data } = event
  assert.deepEqual(
    [data.id, data.status, data.rows, data.total, data.total + data.fees, data.finished_at],
    [id, 'done', 4, 40_000, total_debited, done.finished_at],
  )
  assert.deepEqual([data.completed + data.failed, data.paid_amount], [4, data.completed * 10_000])
  assert.doesNotMatch(JSON.stringify(event), /Asha|\+255/)
  // The end of a payout that comes later changes the row, and makes no second event.
  assert.equal(await finishBatches(app.deps, 10), 0)
  assert.equal((await listed()).length, 1)
})

test('a stopped batch cancels what was never sent, once; what is just being sent ends as the provider says', async (t) => {
  const held: (() => void)[] = []
  let sends = 0
  let isReleased = false
  const app = await startTestApp(t, {
    worker: true,
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async sendPayout(order, priority) {
          sends += 1
          const isLater = sends % 2 === 0
          if (!isReleased) await new Promise<void>((resolve) => held.push(resolve))
          return isLater ? { kind: 'retry_later', afterMs: 10 } : provider.sendPayout(order, priority)
        },
      })),
    }),
  })
  const student = await richStudent(app)
  const { key } = student
  const { id } = await running(app, student, fileOf(40))
  await eventually('some are being sent', () => held.length === 10)
  const stop = () => app.call('POST', `/v1/payout-batches/${id}/stop`, { key })
  const answers = await Promise.all([stop(), stop(), stop()])
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  )
  const stopped = answers.find(({ status }) => status === 200)!.body.data
  assert.deepEqual([stopped.status, stopped.progress.cancelled, stopped.finished_at], ['stopped', 30, null])
  isReleased = true
  for (const release of held) release()
  const { progress } = await ended(app, key, id, 'stopped')
  assert.deepEqual([progress.completed, progress.cancelled, progress.paid_amount], [5, 35, 50_000])
  assert.equal((await providersOf(app)).length, 5)
  const { fee } = (await itemsOf(app, key, id, '&status=completed'))[0]
  assert.deepEqual(await balance(app, key), [5_000_000 - 5 * (10_000 + fee), 0])
  assert.equal((await itemsOf(app, key, id, '&status=cancelled')).length, 35)
  const [event] = (await app.call('GET', '/v1/events?type=payout_batch.completed', { key })).body.data
  assert.deepEqual([event.data.completed, event.data.failed, event.data.cancelled], [5, 0, 35])
  assert.equal(await finishBatches(app.deps, 10), 0, 'it has ended once')
})

test('single payouts leave within five seconds while a batch waits for the budget, and waiting rows are not claimed again and again', async (t) => {
  const quota = 60
  const app = await startTestApp(t, {
    worker: true,
    settings: { SNIPPE_TEST_REQUESTS_PER_MINUTE: String(quota), RATE_LIMITS: 'off' },
  })
  const student = await richStudent(app, 10_000_000)
  const { key } = student
  const { id } = await running(app, student, fileOf(500))
  await eventually('the batch has spent its share', async () => {
    const { rows } = await app.owner.pool.query(
      `select count(*)::integer as count from provider_payouts where state = 'deferred'`,
    )
    return rows[0].count > 0
  })
  const before = (await readBatch(app, key, id)).progress
  assert.ok(before.waiting >= 500 - quota / 2, `${before.waiting} wait`)
  for (let count = 0; count < 8; count += 1) {
    const from = performance.now()
    const asked = await ask(app, key, { amount: 10_000 })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    await eventually('it has left', async () => (await read(app, key, asked.body.data.id)).status !== 'pending')
    assert.ok(performance.now() - from < 5_000, `${performance.now() - from} ms`)
  }
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as rows, max(attempts) as attempts from provider_payouts where is_batch and state in ('queued', 'deferred') and attempts > 0`,
  )
  assert.ok(rows[0].rows <= 20 && rows[0].attempts <= 2, JSON.stringify(rows[0]))
  assert.equal(app.deps.providers.test.payouts.pausedForMs!('payouts'), 0)
  assert.equal((await app.call('POST', `/v1/payout-batches/${id}/stop`, { key })).status, 200)
})

test('the owner gets one mail at the end of a live batch, and none for its rows', async () => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student, 'live')
  const page = await app.page(student, { amount: 500_000 }, 'live')
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const send = async (file: string): Promise<void> => {
    const made = await uploadCsv(app, key, file)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id } = await withFees(app, key, made.body.data.id)
    const approved = await app.call('POST', `/v1/merchant/payout-batches/${id}/approve`, {
      token: student.token,
      body: { version: 1 },
    })
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    await ended(app, key, id)
  }
  await send(fileOf(3))
  const kinds = async (): Promise<string[]> =>
    (await app.owner.pool.query(`select kind from mails where kind like 'payout%' order by kind`)).rows.map(({ kind }) => kind)
  await eventually('the mail is there', async () => (await kinds()).length > 0)
  assert.equal(await notifyOfPayouts(app.deps, 50), 0)
  assert.equal(await notifyOfBatches(app.deps, 50), 0)
  assert.deepEqual(await kinds(), ['payout_batch_ended'])
  const mail = () => lastMail(app, student.email, 'payout_batch_ended')
  assert.doesNotMatch(await mail(), /rudi|back/, 'all arrived')
  await send([header, rowOf(1), rowOf(2, '089')].join('\n'))
  await eventually('the second mail is there', async () => (await kinds()).length > 1)
  assert.match(await mail(), /1 yameshindikana.* zimerudi kwenye pochi yako[^]* 1 failed.* is back in your wallet/)
})

test('a draft that no one changes or approves is deleted after 30 days; an approved batch stays', async (t) => {
  const app = await startTestApp(t)
  const student = await richStudent(app)
  const { key } = student
  const { id } = await running(app, student, fileOf(2))
  const [old, young, edited] = await Promise.all([3, 4, 5].map((rows) => uploadCsv(app, key, fileOf(rows))))
  await app.deps.backgroundDone()
  await app.owner.pool.query(
    `update payout_batches set created_at = t.at, updated_at = t.at
    from (select id, clock_now() - make_interval(days => case row_count when 4 then 29 else 31 end) as at from payout_batches) t
    where t.id = payout_batches.id`,
  )
  const path = `/v1/payout-batches/${edited!.body.data.id}/items/1`
  assert.equal((await app.call('PATCH', path, { key, body: { amount: 11_000 } })).status, 200)
  assert.equal(await removeOldDrafts(app.db, 30, 10), 1)
  isRefusal(await app.call('GET', `/v1/payout-batches/${old!.body.data.id}`, { key }), 404, 'not_found')
  for (const kept of [young!.body.data.id, edited!.body.data.id, id]) await readBatch(app, key, kept)
})

test('a recipient who is erased is in no row: a draft no longer pays them, and the books do not change', async () => {
  const app = await workingApp()
  const student = await richStudent(app)
  const { key } = student
  const file = [header, rowOf(1), '11000,0754002789,Zubeda Kisusange', rowOf(3)].join('\n')
  const paid = await running(app, student, file)
  await ended(app, key, paid.id)
  const draft = (await uploadCsv(app, key, file)).body.data
  await erasePayer(app.deps, '+255754002789')
  const after = await withFees(app, key, draft.id)
  assert.deepEqual([after.rows, after.total, after.warnings], [2, 20_000, []])
  assert.equal((await readBatch(app, key, paid.id)).total, 31_000)
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as count from payout_batch_rows r where r::text ~ 'Kisusange|754002789'`,
  )
  assert.deepEqual(rows, [{ count: 0 }])
})

test('a payout of a batch that is not its row, a missing payout and a missing event are found by the check of the books', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await richStudent(app)
  const { id } = await running(app, student, fileOf(2))
  await ended(app, student.key, id)
  const faults = async (sql: string, back: string): Promise<string[]> => {
    await app.owner.pool.query(sql)
    const found = (await verify(app.owner, { since: null }, ['batches'])).map(({ what }) => what)
    await app.owner.pool.query(back)
    return found
  }
  const row = 'update payout_batch_rows set amount = amount'
  assert.match((await faults(`${row} + 1 where row_number = 1`, `${row} - 1 where row_number = 1`)).join(), /row 1 of batch/)
  const count = 'update payout_batches set row_count = row_count'
  assert.match((await faults(`${count} + 1`, `${count} - 1`)).join(), /3 rows of/)
  const ends = 'update payout_batches set finished_at'
  const unended = await faults(
    `update payout_batches set status = 'running', finished_at = null, notified_at = null`,
    `${ends} = clock_now(), status = 'done'`,
  )
  assert.match(unended.join(), /and 1 events/)
})

test('a live batch is approved only after the second check, and its first payouts to new recipients wait as others do', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: '3600' } })
  const student = await app.student()
  const { key } = await app.key(student, 'live')
  const page = await app.page(student, { amount: 500_000 }, 'live')
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const { id } = (await uploadCsv(app, key, fileOf(3))).body.data
  await withFees(app, key, id)
  const approveLive = () =>
    app.call('POST', `/v1/merchant/payout-batches/${id}/approve`, { token: student.token, body: { version: 1 } })
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '10 minutes'`)
  isRefusal(await approveLive(), 401, 'step_up_required')
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now()`)
  const approved = await approveLive()
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as waiting from payouts where batch_id is not null and waits_until > clock_now() + interval '50 minutes'`,
  )
  assert.deepEqual(rows, [{ waiting: 3 }])
  const { rows: mails } = await app.owner.pool.query(`select count(*)::integer as count from mails where kind = 'payout_waits'`)
  assert.deepEqual(mails, [{ count: 1 }])
  // Its end does not wait for a payout besides it.
  const body = { amount: 10_000, phone_number: '0754009789', recipient_name: 'Juma' }
  const alone = await app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': 'alone' }, body })
  assert.equal(alone.body.data.status, 'pending', JSON.stringify(alone.body))
  await app.call('POST', `/v1/payout-batches/${id}/stop`, { key })
  const { progress } = await ended(app, key, id, 'stopped')
  assert.equal(progress.cancelled, 3)
})

test('the rows of a batch leave in the lane of their environment, so that a used-up budget of the other holds none back', async (t) => {
  const app = await startTestApp(t)
  await running(app, await richStudent(app), fileOf(2))
  const send = (environment: Environment) => checkLane(app.deps, { provider: 'snippe', environment, isSent: false }, 10)
  assert.deepEqual([await send('live'), await send('test')], [0, 2])
})
