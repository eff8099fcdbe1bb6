import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { addMember, verifiedBusiness } from '../../../test/members.ts'
import { readStream } from '../../../test/streams.ts'
import { sql, type Db, type Sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { createHub } from './hub.ts'
import { answerPaidSince } from '../../collect/support-cases/ask-providers.ts'
import { openBreaks, resolveOnly, startStage } from '../../../test/fixtures/every-resolution.ts'
import { answerCharge, getPage, openPayment, postForm, report } from '../../../test/fixtures/support.ts'

const shared = share((t) => startTestApp(t, { worker: true }))

test('no token: 401; a stream has the headers that keep proxies from holding it back', async () => {
  const app = await shared()
  assert.equal((await app.call('GET', '/v1/changes')).status, 401)
  const asha = await app.student()
  assert.equal((await app.call('GET', '/v1/admin/changes', { token: asha.token })).status, 403)
  const stream = await readStream(app, asha.token)
  assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  assert.equal(stream.headers.get('x-accel-buffering'), 'no')
  assert.match(stream.headers.get('cache-control')!, /no-store/)
  await eventually('the first event', () => stream.told.length > 0)
  assert.equal(stream.told[0]!.is_gap, true)
  stream.close()
})

test('a payment is told within a second to its merchant and to operators, and to no one else', async () => {
  const app = await shared()
  const [asha, juma, admin] = [await app.student(), await app.student(), await app.admin()]
  const page = await app.page(asha, {}, 'test')
  const [own, other, operator] = await Promise.all([
    readStream(app, asha.token),
    readStream(app, juma.token),
    readStream(app, admin.token, { path: '/v1/admin/changes' }),
  ])
  await eventually('all are open', () => [own, other, operator].every(({ told }) => told.length > 0))
  const before = performance.now()
  const { body } = await app.checkout(page.slug)
  await eventually('the new payment is told', () => own.subjects().includes('me/test/payments'))
  assert.ok(performance.now() - before < 1000)
  await app.settled(body.data.reference)
  const settledAt = performance.now()
  await eventually('the credit is told', () => own.subjects().includes('me/test/balance'))
  assert.ok(performance.now() - settledAt < 1000)
  await eventually('operators are told', () => operator.subjects().includes('me/*/payments'))
  assert.deepEqual(other.subjects(), [])
  // Names only.
  assert.doesNotMatch(JSON.stringify([own.told, operator.told]), new RegExp(`${body.data.reference}|${page.slug}|255`))
  for (const stream of [own, other, operator]) stream.close()
})

test('a payer’s report and its answer are told within a second to the merchant and to operators, and to no one else', async () => {
  const app = await shared()
  const [asha, juma, admin] = [await app.student(), await app.student(), await app.admin()]
  const reference = await openPayment(app, (await app.page(asha)).slug)
  await answerCharge(app, reference, 'fail')
  const open = () =>
    Promise.all([
      readStream(app, asha.token),
      readStream(app, juma.token),
      readStream(app, admin.token, { path: '/v1/admin/changes' }),
    ])
  const [own, other, operator] = await open()
  await eventually('all are open', () => [own, other, operator].every(({ told }) => told.length > 0))
  const before = performance.now()
  const path = await report(app, reference, 'S46121174212')
  await eventually('the report is told', () => own.subjects().includes('me/test/cases'))
  assert.ok(performance.now() - before < 1000)
  await eventually('operators are told', () => operator.subjects().includes('me/*/cases'))
  await eventually('the case is answered', async () => (await getPage(app, path)).text.includes('no money was taken'))
  await eventually('the machine is quiet', async () => {
    const { rows } = await app.owner.pool.query(`select from support_cases where state = 'answered'`)
    return rows.length === 1
  })

  const [ownLater, , operatorLater] = await open()
  await eventually('both are open', () => [ownLater, operatorLater].every(({ told }) => told.length > 0))
  // A look at its payment is no change.
  await answerPaidSince(app.deps, 20)
  const disagreedAt = performance.now()
  const { location } = await postForm(app, path.replace('?', '/disagree?'), { lang: 'en' })
  assert.ok(location)
  await eventually('the merchant is told', () => ownLater.subjects().includes('me/test/cases'))
  await eventually('operators are told again', () => operatorLater.subjects().includes('me/*/cases'))
  assert.ok(performance.now() - disagreedAt < 1000)
  assert.deepEqual(other.subjects(), [])
  assert.doesNotMatch(JSON.stringify([own.told, operator.told]), /S46121174212|case_/)
  for (const stream of [own, other, operator, ownLater, operatorLater]) stream.close()
})

test('a merchant is told when operators begin and end to look at a payment or payout that does not change by it', async (t) => {
  const stage = await startStage(t)
  const { app, payer, fundedBy } = stage
  const payout = await stage.payout()
  await stage.movePayout(payout.reference, 'complete')
  await stage.receive(payout, 'completed')
  await stage.compare()
  assert.deepEqual(await openBreaks(stage), [])
  for (const { reference, subject } of [
    { reference: fundedBy.there, subject: 'payments' },
    { reference: payout.reference, subject: 'payouts' },
  ]) {
    for (const change of ['opens', 'is resolved']) {
      const stream = await readStream(app, payer.token)
      await eventually('it is open', () => stream.told.length > 0)
      if (change === 'opens') {
        stage.lies.set(reference, { amount: 15_000 })
        await stage.compare()
        assert.equal((await openBreaks(stage)).length, 1)
      } else {
        stage.lies.delete(reference)
        assert.equal(await resolveOnly(stage, 'provider_was_wrong'), '200')
      }
      await eventually(`a break ${change}`, () => stream.subjects().includes(`me/test/${subject}`))
      stream.close()
    }
  }
})

test('each role learns only of what it may read, and a removed member’s stream tells nothing more', async () => {
  const app = await shared()
  const [owner, admin] = [await app.student(), await app.admin()]
  const businessId = await verifiedBusiness(app, owner, admin)
  const cashier = await app.student()
  const memberId = await addMember(app, owner, businessId, cashier, 'cashier')
  const [own, theirs] = await Promise.all([readStream(app, owner.token), readStream(app, cashier.token)])
  await eventually('both are open', () => own.told.length > 0 && theirs.told.length > 0)
  const made = await app.call('POST', `/v1/merchant/payment-pages?environment=live&business_id=${businessId}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Duka', allow_custom_amount: true },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await eventually('both see pages', () => [own, theirs].every((one) => one.subjects().includes(`${businessId}/live/pages`)))
  const paid = await app.checkout(made.body.data.slug, { amount: 2_000 })
  await app.settled(paid.body.data.reference)
  await eventually('both see payments', () =>
    [own, theirs].every((one) => one.subjects().includes(`${businessId}/live/payments`)),
  )
  await eventually('the owner sees the balance', () => own.subjects().includes(`${businessId}/live/balance`))
  assert.ok(!theirs.subjects().includes(`${businessId}/live/balance`), 'a cashier sees no balance')

  const before = theirs.told.length
  const removed = await app.call('DELETE', `/v1/businesses/${businessId}/members/${memberId}`, { token: owner.token })
  assert.equal(removed.status, 200, JSON.stringify(removed.body))
  await eventually('the member learns that something about them has changed', () =>
    JSON.stringify(theirs.told.slice(before)).includes('memberships'),
  )
  const count = theirs.told.length
  const later = own.told.length
  await app.checkout(made.body.data.slug, { amount: 3_000, phone_number: '+255754123710' })
  await eventually('the owner is told', () => own.told.length > later)
  assert.ok(!JSON.stringify(theirs.told.slice(count)).includes(businessId), 'nothing more about the business')
  own.close()
  theirs.close()
})

test('a removed member is told nothing more while looks at the roles hang, and when the one from before ends last', async (t) => {
  const app = await startTestApp(t)
  const [owner, admin, cashier] = [await app.student(), await app.admin(), await app.student()]
  const businessId = await verifiedBusiness(app, owner, admin)
  const memberId = await addMember(app, owner, businessId, cashier, 'cashier')
  type Looks = (() => void)[]
  const [before, after]: [Looks, Looks] = [[], []]
  let held: Looks | undefined
  const db: Db = {
    ...app.deps.db,
    async rows<Row>(query: Sql): Promise<Row[]> {
      const here = held
      const found = await app.deps.db.rows<Row>(query)
      if (here) await new Promise<void>((resolve) => void here.push(resolve))
      return found
    },
  }
  const hub = createHub({ ...app.deps, db })
  const open = async (person: { userId: string }): Promise<string[]> => {
    const userId = fromWire('usr', person.userId)!
    const { rows } = await app.owner.pool.query<{ id: string }>('select id from sessions where user_id = $1', [userId])
    const caller = { userId, sessionId: rows[0]!.id, isOperator: false, endsAt: Date.now() + 600_000 }
    const seen: string[] = []
    const stream = await hub.open(caller, undefined, {
      tell: ({ hints }) => void seen.push(...hints.flatMap(({ subjects }) => subjects)),
      end() {},
    })
    t.after(() => stream.close())
    return seen
  }
  const [own, theirs] = [await open(owner), await open(cashier)]
  const notify = (change: string) => app.owner.pool.query(`select pg_notify('changes', $1)`, [change])

  const pagesAreTold = async (): Promise<void> => {
    const toldBefore = own.length
    // The second one is told after the pause, so that the first has reached every stream.
    for (const count of [1, 2]) {
      await notify(`pages|${fromWire('biz', businessId)!}|live`)
      await eventually('the owner is told', () => own.slice(toldBefore).filter((subject) => subject === 'pages').length === count)
    }
    assert.ok(!theirs.includes('pages'), theirs.join(' '))
  }

  held = before
  await notify(`memberships|${fromWire('usr', cashier.userId)!}|`)
  await eventually('the roles from before the removal are read', () => before.length >= 2)
  held = after
  const removed = await app.call('DELETE', `/v1/businesses/${businessId}/members/${memberId}`, { token: owner.token })
  assert.equal(removed.status, 200, JSON.stringify(removed.body))
  await eventually('the roles from after the removal are read', () => after.length >= 2)
  held = undefined
  await pagesAreTold()
  for (const letGo of after) letGo()
  await eventually('the member learns of it, also while the first look hangs', () => theirs.includes('memberships'))
  await pagesAreTold()
  for (const letGo of before) letGo()
  await pagesAreTold()
})

test('a stream ends with its session: signed out, or disabled; another session goes on', async () => {
  const app = await shared()
  const asha = await app.student()
  const again = await app.call('POST', '/v1/auth/login', { body: { identifier: asha.email, password: asha.password } })
  const [one, other] = await Promise.all([readStream(app, asha.token), readStream(app, again.body.data.access_token)])
  await eventually('both are open', () => one.told.length > 0 && other.told.length > 0)
  assert.equal((await app.call('POST', '/v1/auth/logout', { token: asha.token, body: {} })).status, 200)
  await eventually('the stream has ended', () => one.ended() === 'session')
  assert.equal(other.ended(), undefined)
  await app.owner.rows(sql`update users set disabled_at = clock_now() where id = ${fromWire('usr', asha.userId)!}`)
  await eventually('the other one, too', () => other.ended() === 'session')
})

test('a stream ends with its token, keeps no session alive, and the next one continues without a gap', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({ ...deps, config: { ...deps.config, sessions: { ...deps.config.sessions, accessTokenSeconds: 2 } } }),
  })
  const admin = await app.admin()
  const idleEnd = async () =>
    (
      await app.owner.rows<{ at: Date }>(
        sql`select max(idle_expires_at) as at from sessions where user_id = ${fromWire('usr', admin.userId)!}`,
      )
    )[0]!.at
  const refreshed = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: admin.refreshToken } })
  const before = await idleEnd()
  const stream = await readStream(app, refreshed.body.data.access_token, { path: '/v1/admin/changes' })
  await eventually('the stream has ended', () => stream.ended() === 'renew')
  assert.deepEqual(await idleEnd(), before)
  const asha = await app.student()
  await app.page(asha, {}, 'test')
  const next = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: refreshed.body.data.refresh_token } })
  const cursor = stream.told.at(-1)!.cursor
  const continued = await readStream(app, next.body.data.access_token, { path: '/v1/admin/changes', cursor })
  await eventually('what was missed', () => continued.subjects().includes('me/*/pages'))
  assert.equal(continued.told[0]!.is_gap, false)
  continued.close()
})

test('a request waits for the next change, and answers at once when it has missed one', async () => {
  const app = await shared()
  const asha = await app.student()
  const ask = (query: string) => app.call('GET', `/v1/changes?${query}`, { token: asha.token })
  const first = await ask('')
  assert.equal(first.body.data.is_gap, true)
  let { cursor } = first.body.data
  // What the registration has changed may still arrive.
  const empty = await eventually('a request in whose time nothing changes', async () => {
    const startedAt = performance.now()
    const answer = await ask(`wait=1&cursor=${cursor}`)
    cursor = answer.body.data.cursor
    if (answer.body.data.hints.length > 0) return undefined
    assert.ok(performance.now() - startedAt >= 900)
    return answer
  })
  assert.equal(empty.body.data.is_gap, false)
  const waiting = ask(`wait=20&cursor=${empty.body.data.cursor}`)
  await app.page(asha, {}, 'test')
  const { hints } = (await waiting).body.data
  assert.deepEqual([hints[0].environment, hints[0].subjects.includes('pages')], ['test', true])
  assert.deepEqual((await ask(`wait=20&cursor=${empty.body.data.cursor}`)).body.data.hints, hints)
  assert.equal((await ask('wait=1&cursor=ffffffffffff-1')).body.data.is_gap, true)
})

test('two hundred open streams are told within a second, by no statement of theirs', async (t) => {
  const app = await startTestApp(t)
  const merchants = await Promise.all(Array.from({ length: 40 }, () => app.student()))
  const pages = await Promise.all(merchants.map((merchant) => app.page(merchant, {}, 'test')))
  const streams = (
    await Promise.all(merchants.map(async ({ token }) => Promise.all(Array.from({ length: 5 }, () => readStream(app, token)))))
  ).flat()
  assert.equal(streams.length, 200)
  await eventually('all are open', () => streams.every(({ told }) => told.length > 0))
  let statements = 0
  app.deps.db.pool.on('acquire', () => (statements += 1))
  const startedAt = performance.now()
  // One statement that changes all of them, as a busy settle does.
  await app.owner.rows(
    sql`update payment_pages set updated_at = clock_now() where id = any (${pages.map(({ id }) => fromWire('page', id)!)}::uuid[])`,
  )
  await eventually('all were told', () => streams.every((stream) => stream.subjects().includes('me/test/pages')), 5_000)
  const ms = performance.now() - startedAt
  t.diagnostic(`${ms.toFixed(0)} ms, ${statements} statements`)
  assert.ok(ms <= 1_000, `${ms} ms`)
  // Other work of the process, such as reading the switches, may fall into this time: not one of each merchant or stream.
  assert.ok(statements < 5, `${statements} statements`)
  // The page of a merchant was made shortly before: its hint may come late. Forty pages in one statement are still one hint.
  for (const stream of streams) assert.ok(stream.told.length <= 3, `${stream.told.length - 1} hints`)

  // The ninth stream of a session ends the oldest one.
  const more = await Promise.all(Array.from({ length: 4 }, () => readStream(app, merchants[0]!.token)))
  await eventually(
    'the oldest has ended',
    () => streams.slice(0, 5).filter((stream) => stream.ended() === 'replaced').length === 1,
  )
  streams.push(...more)

  const drained = app.api.drain()
  await eventually('all have ended', () => streams.every((stream) => stream.ended() !== undefined))
  assert.equal(streams.filter((stream) => stream.ended() === 'drain').length, 203)
  await drained
})
