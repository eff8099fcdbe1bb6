/** Payments found by what a payer reads out, in every search: the short code and the network's receipt, whole or a part of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Answer } from './app.ts'

test('a payment is found by any five symbols of its code or its receipt, by its merchant and by operators, and by no one else', async (t) => {
  const app = await startTestApp(t)
  const [admin, student, stranger] = [await app.admin(), await app.student(), await app.student()]
  const page = await app.page(student)
  const { data: made } = (await app.checkout(page.slug, { customer_name: 'Neema' })).body
  await app.settled(made.reference)
  await app.settled((await app.checkout(page.slug, { customer_name: 'Other' })).body.data.reference)
  const detail = async () =>
    (await app.call('GET', `/v1/merchant/payments/${made.reference}?environment=test`, { token: student.token })).body.data
  const { short_code: code, network_receipt: receipt } = await detail()
  assert.equal(code, made.short_code)
  const paths = {
    merchant: ['/v1/merchant/search?environment=test&', student.token],
    list: ['/v1/merchant/payments?environment=test&', student.token],
    stranger: ['/v1/merchant/search?environment=test&', stranger.token],
    live: ['/v1/merchant/search?environment=live&', student.token],
  } as const
  const ask = (who: keyof typeof paths | 'operator', q: string): Promise<Answer> => {
    if (who === 'operator') return app.call('POST', '/v1/admin/search', { token: admin.token, body: { q } })
    const [path, token] = paths[who]
    return app.call('GET', `${path}q=${encodeURIComponent(q)}`, { token })
  }
  const find = async (who: keyof typeof paths | 'operator', q: string) => {
    const { status, body } = await ask(who, q)
    return {
      status,
      ids: body.data?.map(({ id, reference }: { id?: string; reference: string }) => id ?? reference),
      error: body.error,
    }
  }
  const plain = code.replaceAll('-', '')
  const typed = [
    code,
    code.toLowerCase(),
    plain,
    code.replaceAll('-', ' '),
    plain.replaceAll('1', 'l').replaceAll('0', 'O'),
    ...[0, 1, 2, 3, 4].map((place) => plain.slice(place, place + 5)),
    plain.slice(2).toLowerCase(),
    receipt,
    receipt.toLowerCase(),
    `${receipt.slice(0, 4)}-${receipt.slice(4)}`,
    receipt.slice(0, 6),
    receipt.slice(3, 9),
    receipt.slice(-5),
  ]
  for (const q of typed) {
    for (const who of ['merchant', 'list', 'operator'] as const) {
      const { ids } = await find(who, q)
      assert.deepEqual(ids, [made.reference], `${who} by ${q}`)
    }
    for (const who of ['stranger', 'live'] as const) assert.deepEqual((await find(who, q)).ids, [], `${who} by ${q}`)
  }

  const wrong = `${code.slice(0, -1)}${code.endsWith('7') ? '8' : '7'}`
  for (const who of ['merchant', 'list', 'operator'] as const) {
    const { status, error } = await find(who, wrong)
    assert.deepEqual([status, error.param, error.errors[0].code], [400, 'q', 'mistyped'], who)
  }
  for (const q of [plain.slice(0, 4), receipt.slice(0, 4), 'Mwanaasha', '754999129'])
    assert.deepEqual((await find('merchant', q)).ids, [], q)
})
