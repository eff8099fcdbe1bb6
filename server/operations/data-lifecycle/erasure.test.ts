/** An erasure meets what happens at the same moment, money that no payment explains, and addresses that are printed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { decide, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { says } from '../../../test/fixtures/payouts.ts'
import { submitKyc } from '../../../test/onboarding.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { fromWire, newMoneyId } from '../../platform/ids.ts'
import { eraseAccount } from './erase-account.ts'
import { erasePayer } from './erase-payer.ts'

const sharedApp = share((ending) => startTestApp(ending))

const erase = (app: TestApp, { email }: { email: string }, keepsHeldRecords = true) =>
  eraseAccount(app.deps, { email, heldYears: 10, keepsHeldRecords })

const takeAddress = (app: TestApp, { token }: Student, slug: string) =>
  app.call('POST', '/v1/merchant/payment-pages?environment=test', {
    token,
    body: { type: 'payment', title: 'Chai', amount: 1500, slug },
  })

/** Holds rows or tables in another session, so that work stops at them, until `release`. */
async function hold(app: TestApp, statement: string, values: unknown[] = []) {
  const holder = await app.owner.pool.connect()
  await holder.query('begin')
  await holder.query(statement, values)
  return {
    waiters: (count: number) =>
      eventually(`${count} statements wait for a lock`, async () => {
        const { rowCount } = await app.owner.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rowCount === count
      }),
    async release() {
      await holder.query('commit')
      holder.release()
    },
  }
}

test('the printed address of an erased merchant leads to no other merchant, and names no person', async () => {
  const app = await sharedApp()
  const [asha, other] = [await app.student(), await app.student()]
  await app.page(asha, { slug: 'duka-la-asha' })
  await erase(app, asha)
  const taken = await takeAddress(app, other, 'duka-la-asha')
  assert.deepEqual([taken.status, taken.body.error?.code], [409, 'slug_taken'])
  // The refused attempt leaves nothing behind.
  assert.equal((await fetch(`${app.config.urls.checkout}/pay/duka-la-asha`)).status, 404)
  const { rows } = await app.owner.pool.query(`select slug from payment_page_slugs where slug like '%asha%'`)
  assert.deepEqual(rows, [])
  assert.equal((await takeAddress(app, other, 'duka-la-asha-2')).status, 201)
})

test('an address that another merchant wants while its own is erased stays taken', async () => {
  const app = await sharedApp()
  const [neema, other] = [await app.student(), await app.student()]
  await app.page(neema, { slug: 'duka-la-neema' })
  // A table of the erasure after the pages.
  const held = await hold(app, 'lock table erasures in share row exclusive mode')
  const erased = erase(app, neema)
  await held.waiters(1)
  const taken = takeAddress(app, other, 'duka-la-neema')
  await held.waiters(2)
  await held.release()
  await erased
  assert.deepEqual([(await taken).status, (await taken).body.error?.code], [409, 'slug_taken'])
})

test('an account that is verified while it is erased keeps the records that the law holds', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const admin = await app.admin()
  assert.equal((await submitKyc(app, student)).status, 200)
  const held = await hold(app, 'select from merchants where id = $1 for update', [fromWire('usr', student.userId)])
  const decided = app.call('POST', `/v1/admin/kyc/${student.userId}/verify`, {
    token: admin.token,
    body: { status: 'verified' },
  })
  await held.waiters(1)
  const refused = assert.rejects(erase(app, student, false), /This account was verified/)
  await held.waiters(2)
  await held.release()
  assert.equal((await decided).status, 200)
  await refused
})

test('a person who has looked at a document of theirs is erased', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  assert.equal((await submitKyc(app, student)).status, 200)
  const { status } = await app.call('POST', '/v1/kyc/documents/national_id/view', { token: student.token })
  assert.equal(status, 200)
  assert.match((await erase(app, student, false)).pseudonym, /^erased-/)
})

test('a payment that begins while its merchant is erased is finished first', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, {}, 'live')
  const held = await hold(app, 'lock table mailed_tokens in share row exclusive mode')
  const refused = assert.rejects(erase(app, student), /1 payments to it have not ended/)
  await held.waiters(1)
  const { status, body } = await app.checkout(page.slug, { phone_number: '0754000129' })
  assert.equal(status, 201, JSON.stringify(body))
  await held.release()
  await refused
  assert.equal((await app.call('GET', '/v1/me', { token: student.token })).status, 200, 'the account is unchanged')
})

test('a payer stays while money that they paid waits to be returned, and is erased once it is decided', async (t) => {
  const app = await startTestApp(t)
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
  await reconcileToday(app)
  const { rows } = await app.owner.pool.query('select payer_phone as phone from breaks')
  const [{ phone }] = rows
  await assert.rejects(erasePayer(app.deps, phone), {
    code: 'invalid_state',
    message: 'This payer cannot be erased yet: 1 open breaks are about money from it that matches no payment.',
  })
  const two = [await app.admin(), await app.admin()] as const
  const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: two[0].token })).body.data
  const kept = await decide(app, two, found.id, { resolution: 'keep_unallocated' })
  assert.equal(kept.status, 200, JSON.stringify(kept.body))
  const { pseudonym } = await erasePayer(app.deps, phone)
  const { rows: after } = await app.owner.pool.query('select payer_phone as phone from breaks')
  assert.deepEqual(after, [{ phone: pseudonym }])
})

test('money that is found while its payer is erased stops the erasure', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const phone = '+255754777789'
  const { body } = await app.checkout(page.slug, { phone_number: phone })
  await app.settled(body.data.reference)
  const held = await hold(app, 'lock table recipients in share row exclusive mode')
  const refused = assert.rejects(erasePayer(app.deps, phone), /or money from it was found/)
  await held.waiters(1)
  const finding = { home: 0, environment: 'test', kind: 'unknown_at_provider', provider: 'snippe' } as const
  await openBreak(app.db, { ...finding, reference: 'found', payerPhone: phone, details: {} }, newMoneyId(0))
  await held.release()
  await refused
  const { rows } = await app.owner.pool.query('delete from breaks returning payer_phone as phone')
  assert.deepEqual(rows, [{ phone }])
})

test('an erasure that stopped before the messages of providers is completed by a repeat', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const phone = '+255754777789'
  const { body } = await app.checkout(page.slug, { phone_number: phone })
  await app.settled(body.data.reference)
  await app.owner.pool
    .query(`insert into provider_inbox (provider, environment, event_id, body_hash, body, state, request_id, received_at)
    values ('snippe', 'test', 'lost-too', '\\x01', '{"phone":"255754777789"}', 'orphan', 'r', clock_now() - interval '40 days'),
      ('snippe', 'test', 'from-abroad', '\\x03', '{"phone":"00255754777789"}', 'orphan', 'r', clock_now() - interval '41 days'),
      ('snippe', 'test', 'longer', '\\x02', '{"reference":"97547777891"}', 'orphan', 'r', clock_now() - interval '40 days')`)
  const held = await hold(app, `select from provider_inbox where event_id = 'lost-too' for update`)
  await assert.rejects(erasePayer(app.deps, phone))
  await held.release()
  assert.equal((await erasePayer(app.deps, phone)).messages, 2)
  const left = await app.owner.pool.query(`select event_id from provider_inbox where body like '%754777789%'`)
  assert.deepEqual(left.rows, [{ event_id: 'longer' }], 'a longer number is another one')
  await assert.rejects(erasePayer(app.deps, phone), { code: 'not_found' })
})

test('a merchant that owes us money is not erased', async (t) => {
  const item = { ...says('po-unknown', 'completed').snapshot, ourReference: null, createdAt: new Date() }
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        listPayouts: async () => ({ kind: 'page', items: [item], unreadable: 0, isLast: true }),
      })),
    }),
  })
  const student = await app.student()
  await reconcileToday(app, 'payouts', 0, 'snippe', 'live')
  const two = [await app.admin(), await app.admin()] as const
  const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: two[0].token })).body.data
  const debited = await decide(app, two, found.id, { resolution: 'debit_wallet', parameters: { merchant_id: student.userId } })
  assert.equal(debited.status, 200, JSON.stringify(debited.body))
  await assert.rejects(erase(app, student), {
    code: 'invalid_state',
    message: 'The account cannot be erased yet: TSh 21,500 are owed by it (the debt must be repaid first).',
  })
})
