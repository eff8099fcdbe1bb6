/** The recipients of a batch: saved once for each number, and the rows that should be checked before they are paid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp } from '../../../test/app.ts'
import { isRefusal } from '../../../test/refusals.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { ended, header, itemsOf, richStudent, rowOf, running, uploadCsv } from '../../../test/fixtures/batches.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

test('the numbers of a batch become recipients, each once, and those that are saved keep their name', async () => {
  const app = await sharedApp()
  const [one, other] = [await richStudent(app), await richStudent(app)]
  const { key, token } = one
  const known = { name: 'Mama Asha', phone_number: '+255754001789' }
  assert.equal((await app.call('POST', '/v1/recipients', { key, body: known })).status, 201)
  const rows = [rowOf(1), rowOf(2), `${rowOf(2)} Mushi`, rowOf(3), '10000,12345,Nobody']
  const { id } = (await uploadCsv(app, key, [header, ...rows].join('\n'))).body.data
  await app.call('PATCH', `/v1/payout-batches/${id}/items/4`, { key, body: { removed: true } })
  const path = `/v1/merchant/payout-batches/${id}/recipients?environment=test`
  isRefusal(await app.call('POST', path, { token: other.token }), 404, 'not_found')
  const first = await app.call('POST', path, { token })
  assert.deepEqual([first.status, first.body.data], [200, { saved: 1 }])
  assert.deepEqual((await app.call('POST', path, { token })).body.data, { saved: 0 })
  const saved = (await app.call('GET', '/v1/recipients', { key })).body.data
  assert.deepEqual(
    saved.map(({ name, phone_number, network }: Record<string, string>) => [name, phone_number, network]),
    [
      ['Asha 2 Mushi', '+255754002789', 'mpesa'],
      ['Mama Asha', '+255754001789', 'mpesa'],
    ],
  )
  const { rows: entries } = await app.owner.pool.query(
    `select after from audit_log where action = 'payout_batch.recipients_saved' and object = $1 order by seq`,
    [id],
  )
  assert.deepEqual(
    entries.map(({ after }) => after.saved),
    [1, 0],
  )
})

test('a number that was erased since it was paid becomes no recipient', async () => {
  const app = await sharedApp()
  const student = await richStudent(app)
  const paid = await running(app, student, [header, '10000,+255754555789,Zawadi', '10000,+255754556789,Juma'].join('\n'))
  await ended(app, student.key, paid.id)
  await erasePayer(app.deps, '+255754555789')
  const path = `/v1/merchant/payout-batches/${paid.id}/recipients?environment=test`
  assert.deepEqual((await app.call('POST', path, { token: student.token })).body.data, { saved: 1 })
  const saved = (await app.call('GET', '/v1/recipients', { key: student.key })).body.data
  assert.deepEqual(
    saved.map(({ name }: Record<string, string>) => name),
    ['Juma'],
  )
})

test('rows to check are listed alone, with the row or the name that they differ from', async () => {
  const app = await sharedApp()
  const student = await richStudent(app)
  const { key } = student
  const paid = await running(app, student, [header, rowOf(1)].join('\n'))
  await ended(app, key, paid.id)
  const file = [header, rowOf(1), '10000,+255754001789,Zawadi', rowOf(2), rowOf(3), rowOf(2)].join('\n')
  const { id } = (await uploadCsv(app, key, file)).body.data
  const warned = await itemsOf(app, key, id, '&with_warnings=true')
  assert.deepEqual(
    warned.map(({ row, warnings }) => [
      row,
      ...warnings.map((one: Record<string, unknown>) => [one['code'], one['row'], one['last_paid_name']]),
    ]),
    [
      [2, ['duplicate_row', 1, null], ['recipient_name_differs', null, 'Asha 1']],
      [5, ['duplicate_row', 3, null]],
    ],
  )
  assert.deepEqual(
    (await itemsOf(app, key, id, '&with_warnings=false')).map(({ row }) => row),
    [1, 3, 4],
  )
})
