import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { merchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { startCheckout } from '../payments/start-checkout.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { ensureDirectPage } from './direct-page.ts'

async function ownerOf(app: TestApp, { userId }: Student, environment: Owner['environment'] = 'test'): Promise<Owner> {
  return { merchant: (await merchantOfUser(app.db, fromWire('usr', userId)!))!, environment }
}

test('the page of direct payments is made once for each wallet, and nothing shows it as a page', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const owner = await ownerOf(app, student)
  const made = await Promise.all(Array.from({ length: 20 }, () => ensureDirectPage(app.deps, owner)))
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  assert.equal((await ensureDirectPage(app.deps, owner)).id, made[0]!.id)
  const live = await ensureDirectPage(app.deps, await ownerOf(app, student, 'live'))
  const stranger = await ensureDirectPage(app.deps, await ownerOf(app, await app.student()))
  assert.equal(new Set([made[0]!.id, live.id, stranger.id]).size, 3)
  const { slug, id } = made[0]!
  const pageId = toWire('page', id)

  const get = async (path: string): Promise<any> => {
    const { status, body } = await app.call('GET', path, { token: student.token })
    return status === 200 ? (body.data ?? body) : status
  }
  const listed: string[] = (await get('/v1/merchant/payment-pages?environment=test')).map((page: { slug: string }) => page.slug)
  assert.equal(listed.length, 1, 'only the page of the sandbox')
  assert.ok(!listed.includes(slug))
  for (const name of [slug, pageId]) {
    const path = `/v1/merchant/payment-pages/${name}`
    assert.equal(await get(`${path}?environment=test`), 404)
    assert.equal(await get(`${path}/qr?environment=test`), 404)
    const changed = await app.call('PATCH', `${path}?environment=test`, { token: student.token, body: { title: 'Mine' } })
    assert.equal(changed.status, 404)
    assert.deepEqual(await get(`/v1/merchant/search?environment=test&q=${name}`), [])
  }
  assert.deepEqual(await get('/v1/merchant/search?environment=test&q=Direct'), [])
  assert.equal((await get('/v1/merchant/summary?environment=live')).setup.has_payment_page, false)
  const admin = await app.admin()
  for (const name of [slug, pageId]) {
    const found = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q: name } })
    assert.deepEqual(found.body.data, [])
  }
  const overview = await app.call('GET', `/v1/admin/merchants/${student.userId}`, { token: admin.token })
  assert.equal(JSON.stringify(overview.body).includes(slug), false)
  assert.equal((await app.call('GET', `/v1/pay/${slug}`)).status, 404)
  assert.equal((await app.checkout(slug, { amount: 1500 })).status, 404)
  for (const path of [`/pay/${slug}`, `/pay/${slug}/qr.svg`]) {
    assert.equal((await fetch(`${app.config.urls.checkout}${path}`)).status, 404)
  }

  const paid = await startCheckout(
    app.deps,
    made[0]!,
    {
      phoneNumber: '+255754123789',
      customerName: 'Juma Hamisi',
      customerEmail: 'juma@example.com',
      idempotencyKey: randomBytes(8).toString('hex'),
      amount: 1500,
      language: 'sw',
    },
    'req_test',
  )
  await app.settled(paid.reference)
  assert.equal((await get(`/v1/merchant/payments/${paid.reference}?environment=test`)).payment_page, null)
  assert.equal((await get('/v1/merchant/payments?environment=test'))[0].payment_page, null)
  const [line] = await get('/v1/merchant/transactions?environment=test')
  assert.deepEqual([line.reference, line.payment_page_id], [paid.reference, null])
  const csv = await app.call('GET', '/v1/merchant/payments?environment=test', {
    token: student.token,
    headers: { accept: 'text/csv' },
  })
  assert.match(csv.body, new RegExp(`${paid.reference},completed,1500,TZS,,,`))
  const events = await app.call('GET', '/v1/events?type=payment.completed', { key })
  assert.equal(events.body.data[0].data.payment_page_id, null)
  // The payer still sees the state of the payment, where the address of the form would be.
  const screen = await fetch(`${app.config.urls.checkout}/pay/${slug}/${paid.reference}`)
  assert.equal(screen.status, 200)
})
