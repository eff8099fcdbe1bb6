/** Saved filters of the lists: each person's own, for one wallet, within limits, and gone with the membership and the account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { addMember, newMember, removeMember, verifiedBusiness } from '../../../test/members.ts'
import { eraseAccount } from '../../operations/data-lifecycle/erase-account.ts'
import { exportAccount } from '../../operations/data-lifecycle/export-person.ts'

const sharedApp = share((ending) => startTestApp(ending))

type Person = Pick<Student, 'token'>

const own = 'environment=test'

function save(app: TestApp, { token }: Person, body: unknown, { list = 'payments', wallet = own } = {}): Promise<Answer> {
  return app.call('PUT', `/v1/merchant/saved-filters/${list}?${wallet}`, { token, body })
}

async function saved(app: TestApp, { token }: Person, { list = 'payments', wallet = own } = {}): Promise<any[]> {
  const { status, body } = await app.call('GET', `/v1/merchant/saved-filters/${list}?${wallet}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const namesOf = (filters: { name: string }[]): string[] => filters.map(({ name }) => name)

const refused = ({ status, body }: Answer): unknown[] => [status, body.error?.code, body.error?.errors?.[0]?.field]

test('a filter comes back as it was saved, by name; the same name replaces it; a deleted one is gone', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const all = {
    status: 'failed',
    network: 'mpesa',
    payment_page_id: page.id,
    min_amount: 0,
    max_amount: 50_000,
    from: '2026-01-31',
    to: '2026-02-28',
  }
  const first = await save(app, student, { name: '  Zilizoshindwa ', filter: all })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.match(first.body.data.id, /^flt_/)
  assert.deepEqual([first.body.data.name, first.body.data.filter], ['Zilizoshindwa', all])
  for (const filter of [{ period: 'last_7_days' }, { from: '2026-02-01' }, { to: '2026-02-01' }, { min_amount: 5 }]) {
    const answer = await save(app, student, { name: 'Chai', filter })
    assert.deepEqual([answer.status, answer.body.data?.filter], [200, filter])
  }
  const list = await saved(app, student)
  assert.deepEqual(namesOf(list), ['Chai', 'Zilizoshindwa'])
  assert.deepEqual(list[1], first.body.data)
  const again = await save(app, student, { name: 'Zilizoshindwa', filter: { status: 'expired' } })
  assert.deepEqual([again.body.data.id, again.body.data.filter], [first.body.data.id, { status: 'expired' }])

  const path = `/v1/merchant/saved-filters/payments/${first.body.data.id}?${own}`
  const removed = await app.call('DELETE', path, student)
  assert.deepEqual([removed.status, removed.body.data], [200, { id: first.body.data.id, deleted: true }])
  assert.equal((await app.call('DELETE', path, student)).status, 404)
  assert.deepEqual(namesOf(await saved(app, student)), ['Chai'])
})

test('each list and each wallet has its own filters', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const made = await save(app, student, { name: 'Leo', filter: { period: 'today' } })
  assert.deepEqual(await saved(app, student, { list: 'payouts' }), [])
  assert.deepEqual(await saved(app, student, { wallet: 'environment=live' }), [])
  const otherPlaces = [`payouts/${made.body.data.id}?${own}`, `payments/${made.body.data.id}?environment=live`]
  for (const place of otherPlaces) {
    assert.equal((await app.call('DELETE', `/v1/merchant/saved-filters/${place}`, student)).status, 404, place)
  }
  const payout = await save(app, student, { name: 'Leo', filter: { status: 'reversed' } }, { list: 'payouts' })
  assert.equal(payout.status, 200, JSON.stringify(payout.body))
  assert.deepEqual([namesOf(await saved(app, student)), (await saved(app, student)).length], [['Leo'], 1])
})

test('no one else sees, replaces or deletes a filter, also not in the same business; it goes with the membership', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const wallet = `environment=test&business_id=${businessId}`
  const accountant = await newMember(app, owner, businessId, 'accountant')
  const mine = (await save(app, accountant, { name: 'Zangu', filter: { status: 'failed' } }, { wallet })).body.data
  await save(app, accountant, { name: 'Za nyumbani', filter: { status: 'failed' } })

  assert.deepEqual(await saved(app, owner, { wallet }), [])
  const path = `/v1/merchant/saved-filters/payments/${mine.id}?${wallet}`
  assert.equal((await app.call('DELETE', path, { token: owner.token })).status, 404)
  const ofOwner = await save(app, owner, { name: 'Zangu', filter: { status: 'completed' } }, { wallet })
  assert.notEqual(ofOwner.body.data.id, mine.id)
  assert.deepEqual(await saved(app, accountant, { wallet }), [mine])
  const stranger = await app.student()
  for (const answer of [
    await app.call('GET', `/v1/merchant/saved-filters/payments?${wallet}`, { token: stranger.token }),
    await save(app, stranger, { name: 'Zangu', filter: { status: 'failed' } }, { wallet }),
    await app.call('DELETE', path, { token: stranger.token }),
  ]) {
    assert.equal(answer.status, 404)
  }
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const denied = await save(app, cashier, { name: 'Leo', filter: { period: 'today' } }, { wallet, list: 'payouts' })
  assert.deepEqual([denied.status, denied.body.error.code], [403, 'insufficient_role'])
  assert.equal((await save(app, cashier, { name: 'Leo', filter: { period: 'today' } }, { wallet })).status, 200)

  await removeMember(app, owner, businessId, accountant.memberId)
  assert.equal((await save(app, accountant, { name: 'Baada', filter: { status: 'failed' } }, { wallet })).status, 404)
  await addMember(app, owner, businessId, accountant, 'accountant')
  assert.deepEqual(await saved(app, accountant, { wallet }), [], 'a new membership starts without')
  assert.deepEqual(namesOf(await saved(app, accountant)), ['Za nyumbani'], 'those of the own account stay')
  assert.deepEqual(namesOf(await saved(app, owner, { wallet })), ['Zangu'])
  assert.deepEqual(namesOf(await saved(app, cashier, { wallet })), ['Leo'])
})

test('a list has at most 20 filters, also when they are saved at once; one that exists can still be replaced', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const numbers = Array.from({ length: 24 }, (_, number) => number)
  const answers = await Promise.all(
    numbers.map((number) => save(app, student, { name: `Kichujio ${number}`, filter: { min_amount: number } })),
  )
  const [ok, full] = [answers.filter(({ status }) => status === 200), answers.filter(({ status }) => status !== 200)]
  assert.deepEqual([ok.length, (await saved(app, student)).length], [20, 20])
  for (const { status, body } of full) {
    assert.deepEqual([status, body.error.code, body.error.details], [409, 'too_many_filters', { limit: 20 }])
    assert.match(body.error.message_sw, /^Umefikia kikomo cha vichujio/)
  }
  const [name] = namesOf(await saved(app, student))
  assert.equal((await save(app, student, { name, filter: { status: 'failed' } })).status, 200)
  assert.equal((await save(app, student, { name: 'Leo', filter: { period: 'today' } }, { list: 'payouts' })).status, 200)
})

test('what no list could show, a search text and unknown fields are refused by name', async () => {
  const app = await sharedApp()
  const [student, other] = [await app.student(), await app.student()]
  const foreignPage = await app.page(other)
  const livePage = await app.page(student)
  const wrong: [unknown, string][] = [
    [{ name: 'Leo' }, 'filter'],
    [{ name: 'Leo', filter: {} }, 'filter'],
    [{ name: 'Leo', filter: { q: 'Asha' } }, 'filter.q'],
    [{ name: 'Leo', filter: { status: 'failed' }, q: 'Asha' }, 'q'],
    [{ name: 'Leo', filter: { status: 'reversed' } }, 'filter.status'],
    [{ name: 'Leo', filter: { network: 'vodacom' } }, 'filter.network'],
    [{ name: 'Leo', filter: { min_amount: -1 } }, 'filter.min_amount'],
    [{ name: 'Leo', filter: { min_amount: 10.5 } }, 'filter.min_amount'],
    [{ name: 'Leo', filter: { min_amount: 10, max_amount: 9 } }, 'filter.max_amount'],
    [{ name: 'Leo', filter: { period: 'last_90_days' } }, 'filter.period'],
    [{ name: 'Leo', filter: { period: 'today', from: '2026-01-01' } }, 'filter.period'],
    [{ name: 'Leo', filter: { from: '2026-02-30' } }, 'filter.from'],
    [{ name: 'Leo', filter: { from: '0000-01-01' } }, 'filter.from'],
    [{ name: 'Leo', filter: { from: '2026-02-02', to: '2026-02-01' } }, 'filter.to'],
    [{ name: 'Leo', filter: { payment_page_id: foreignPage.id } }, 'filter.payment_page_id'],
    [{ name: 'Leo', filter: { payment_page_id: 'page_1' } }, 'filter.payment_page_id'],
    [{ name: '  ', filter: { status: 'failed' } }, 'name'],
    [{ name: 'a'.repeat(41), filter: { status: 'failed' } }, 'name'],
    [{ name: '\u3164', filter: { status: 'failed' } }, 'name'],
  ]
  for (const [body, field] of wrong) {
    const answer = await save(app, student, body)
    const [status, code, named] = refused(answer)
    assert.deepEqual([status, named], [400, field], `${JSON.stringify(body)} ${String(code)}`)
    assert.ok(answer.body.error.errors[0].message_sw, JSON.stringify(body))
  }
  const ofPayouts = await save(app, student, { name: 'Leo', filter: { network: 'mpesa' } }, { list: 'payouts' })
  assert.deepEqual([ofPayouts.status, refused(ofPayouts)[2]], [400, 'filter.network'])
  const inLive = await save(
    app,
    student,
    { name: 'Leo', filter: { payment_page_id: livePage.id } },
    { wallet: 'environment=live' },
  )
  assert.equal(inLive.status, 400, 'a page of the other environment')
  assert.deepEqual(await saved(app, student), [])
  assert.equal((await save(app, student, { name: '😀'.repeat(40), filter: { status: 'failed' } })).status, 200)
})

test('an export has the filters of a person, and an erasure removes them', async (t) => {
  const app = await startTestApp(t)
  const [student, other] = [await app.student(), await app.student()]
  await save(app, student, { name: 'Za Asha', filter: { status: 'failed' } })
  await save(app, other, { name: 'Zangu', filter: { status: 'failed' } })
  const exported = JSON.stringify(await exportAccount({ db: app.db, nowMs: Date.now() }, student.email))
  assert.match(exported, /Za Asha/)
  assert.doesNotMatch(exported, /Zangu/)
  await eraseAccount(app.deps, { email: student.email, heldYears: 10, keepsHeldRecords: true })
  const { rows } = await app.owner.pool.query('select name from saved_filters')
  assert.deepEqual(rows, [{ name: 'Zangu' }])
})
