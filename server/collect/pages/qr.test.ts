/** A printed code can be scanned: the picture, drawn and read back, contains the page's link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { startTestApp } from '../../../test/app.ts'
import { linkQrSvg } from './qr.ts'

// A CommonJS module whose types say that it is none.
const readCode = jsqr as unknown as typeof jsqr.default

async function scanned(svg: string): Promise<{ text: string | undefined; width: number; height: number }> {
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { text: readCode(new Uint8ClampedArray(data), width, height)?.data, width, height }
}

test('a code of any size and any slug leads to the page', async () => {
  for (const link of [
    'https://pay.malipo.example/pay/k7m2q9xa',
    'http://127.0.0.1:3001/pay/duka-la-asha',
    `https://pay.malipo.example/pay/${'a1-b'.repeat(15)}`,
  ]) {
    for (const size of [256, 512, 2048]) {
      const svg = linkQrSvg(link, size)
      const { text, width } = await scanned(svg)
      assert.deepEqual([text, width], [link, size])
      assert.ok(svg.includes(`>${link.replace(/^https?:\/\//, '')}</text>`))
    }
  }
  assert.match(linkQrSvg('https://pay.example/?a=1&b="<x>"', 256), /a=1&amp;b=&quot;&lt;x&gt;&quot;<\/text>/)
})

test('the code of a receipt leads to the receipt; an unpaid payment has none', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student())
  const [paid, open] = await Promise.all(
    ['0754123789', '0754123129'].map(
      async (phone) => (await app.checkout(page.slug, { phone_number: phone })).body.data.reference,
    ),
  )
  await app.settled(paid)
  const codeOf = (reference: string) => app.api.checkout.inject(`/r/${reference}/qr.svg`)
  const answer = await codeOf(paid)
  assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, 'image/svg+xml; charset=utf-8'])
  const { text, width, height } = await scanned(answer.payload)
  // The receipt has its address in letters that can be read; below the code, they could not.
  assert.deepEqual([text, width === height], [`${app.config.urls.checkout}/r/${paid}`, true])
  assert.doesNotMatch(answer.payload, /<text/)
  for (const other of [open, 'pay_00000000000000000000000000']) assert.equal((await codeOf(other)).statusCode, 404)
})

test('the owner, by key and signed in, and every visitor at the checkout get the code of a page', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { slug: 'duka-la-asha' })
  const byKey = await app.call('GET', `/v1/payment-pages/${page.id}/qr`, { key })
  assert.equal(byKey.status, 200)
  assert.equal(byKey.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  assert.equal(byKey.headers.get('content-disposition'), 'inline; filename="duka-la-asha.svg"')
  const { text, width, height } = await scanned(byKey.body)
  assert.deepEqual([text, width, height > width], [page.url, 512, true])
  const signedIn = await app.call('GET', '/v1/merchant/payment-pages/duka-la-asha/qr?environment=test&size=300&download', {
    token: student.token,
  })
  assert.equal(signedIn.headers.get('content-disposition'), 'attachment; filename="duka-la-asha.svg"')
  assert.deepEqual([(await scanned(signedIn.body)).text, (await scanned(signedIn.body)).width], [page.url, 300])
  for (const query of ['size=127', 'size=2049', 'size=1e3', 'download=maybe', 'colour=red']) {
    assert.equal((await app.call('GET', `/v1/payment-pages/${page.id}/qr?${query}`, { key })).status, 400, query)
  }

  // Printed posters remain after a page is closed.
  await app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { active: false } })
  const open = await app.api.checkout.inject({ url: '/pay/duka-la-asha/qr.svg' })
  assert.deepEqual([open.statusCode, open.headers['content-type']], [200, 'image/svg+xml; charset=utf-8'])
  assert.match(String(open.headers['content-security-policy']), /default-src 'none'/)
  assert.equal((await scanned(open.payload)).text, page.url)
  assert.equal((await app.api.checkout.inject({ url: '/pay/nobodys-shop/qr.svg' })).statusCode, 404)
})
