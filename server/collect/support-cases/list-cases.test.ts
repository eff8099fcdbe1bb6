/** The operators' list of cases: each filter, the groups of reports without proof, and the numbers of those that wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCaseOf } from '../../../test/attacks/objects.ts'
import { isRefusal } from '../../../test/refusals.ts'
import { startTestApp } from '../../../test/app.ts'
import { fromWire } from '../../platform/ids.ts'
import { readCaseQueue } from './support-case.sql.ts'

test('operators list the cases of a state, environment or reason, and many without proof are one row that opens', async (t) => {
  const app = await startTestApp(t)
  const [one, other, admin] = [await app.student(), await app.student(), await app.admin()]
  const pages = { one: await app.page(one), other: await app.page(other), live: await app.page(one, {}, 'live') }
  const names = new Map<string, string>()
  const open = async (name: string, page: keyof typeof pages, change = 'has_proof = false'): Promise<string> => {
    const made = await app.checkout(pages[page].slug)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const id = await openCaseOf(app, made.body.data.reference)
    names.set(id, name)
    await app.owner.pool.query(`update support_cases set ${change} where id = $1`, [fromWire('case', id)])
    return id
  }
  const first = await open('first', 'one')
  await open('second', 'one')
  await open('third', 'one')
  const proven = await open('proven', 'one', 'has_proof = true')
  await open('still open', 'one', `has_proof = false, escalated_because = 'still_open'`)
  const doubted = await open('doubted', 'one', `has_proof = false, escalated_because = 'payer_disagrees'`)
  await open('doubted too', 'one', `has_proof = false, escalated_because = 'payer_disagrees'`)
  await open('answered', 'one', `has_proof = false, state = 'answered', finding = 'no_money', proven_at = clock_now()`)
  await open('of the other', 'other')
  await open('live', 'live', `has_proof = false, escalated_at = clock_now() - interval '1 hour'`)

  const ask = (query: string) => app.call('GET', `/v1/admin/support-cases?${query}`, { token: admin.token })
  const list = async (query: string): Promise<(string | undefined)[]> => {
    const { status, body } = await ask(`limit=50&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ id, alike }: { id: string; alike: number }) => `${names.get(id)} ${alike}`)
  }
  const waiting = ['live 1', 'of the other 1', 'doubted too 1', 'doubted 1', 'still open 1', 'proven 1', 'first 3']
  assert.deepEqual(await list('state=with_operators'), waiting)
  assert.deepEqual(
    await list(''),
    [...names.values()].map((name) => `${name} 1`).toReversed(),
    'each case is its own row where no state is named',
  )
  assert.deepEqual(await list('state=answered'), ['answered 1'])
  assert.deepEqual(await list('environment=live'), ['live 1'])
  assert.deepEqual(await list('state=with_operators&environment=live'), ['live 1'])
  assert.deepEqual(await list('reason=payer_disagrees'), ['doubted too 1', 'doubted 1'])
  assert.deepEqual(await list(`state=with_operators&like=${first}`), ['third 1', 'second 1', 'first 1'])
  for (const alone of [proven, doubted]) assert.deepEqual(await list(`like=${alone}`), [])
  isRefusal(await ask('like=case_x'), 404, 'not_found')

  const paged: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await ask(`state=with_operators&limit=2${cursor}`)
    paged.push(...body.data.map(({ id, alike }: { id: string; alike: number }) => `${names.get(id)} ${alike}`))
    if (!body.has_more) break
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(paged, waiting)

  const queue = await readCaseQueue(app.db)
  assert.deepEqual(
    queue.map(({ environment, waiting: count }) => [environment, count]),
    [
      ['live', 1],
      ['test', 8],
    ],
  )
  const { data } = (await app.call('GET', '/v1/admin/overview', { token: admin.token })).body
  const { count } = data.open_work.find(({ name }: { name: string }) => name === 'support_cases')
  assert.equal(count, waiting.length, 'the overview counts the rows of the list')
  assert.ok(queue[0]!.oldestSeconds! >= 3600 && queue[1]!.oldestSeconds! < 600)
})
