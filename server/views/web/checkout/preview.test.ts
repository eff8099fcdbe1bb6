/** The preview of a payment page equals the page for payers, before anything is saved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp } from '../../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const address = '/v1/merchant/payment-pages/preview?environment=test'

/** The form without the parts that differ between two views: its key, its script, and the name of an unsaved page. */
function comparable(html: string): string {
  return html
    .replace(/<script>.*?<\/script>/gs, '')
    .replace(/name="idempotency_key" value="[^"]*"/, '')
    .replace(/action="\/pay\/[^"]*"/, '')
}

test('a preview is the form of the page that would be made, in both languages', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { token } = student
  for (const settings of [
    { title: 'Ada ya "muhula" <2>', description: 'Lipa kabla ya tarehe 5.\nAsante.', amount: 350_000 },
    { title: 'Mchango', allow_custom_amount: true, amount: 5_000, min_amount: 1_000, max_amount: 20_000 },
    { title: 'Mchango', allow_custom_amount: true },
  ]) {
    const { status, body } = await app.call('POST', address, { token, body: settings })
    assert.equal(status, 200, JSON.stringify(body))
    const page = await app.page(student, { amount: null, ...settings })
    for (const language of ['sw', 'en'] as const) {
      const served = await fetch(`${app.config.urls.checkout}/pay/${page.slug}?lang=${language}`)
      assert.equal(comparable(body.data[language]), comparable(await served.text()))
      assert.doesNotMatch(body.data[language], /<script/)
    }
  }
})

test('a preview shows unsaved settings, only to their owner, and saves nothing', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const { token } = student
  const list = async () => (await app.call('GET', '/v1/merchant/payment-pages?environment=test', { token })).body.data
  const before = await list()
  const half = await app.call('POST', address, { token, body: { amount: 100, max_amount: 50 } })
  assert.equal(half.status, 200)
  assert.match(half.body.data.sw, /TSh 100/)
  assert.equal((await app.call('POST', address, { body: {} })).status, 401)
  assert.equal((await app.call('POST', address, { token, body: { title: 7 } })).status, 400)
  const business = await app.call('POST', `${address}&business_id=biz_06g2v1d1p5fz9b7q4w5w1y2k3m`, { token, body: {} })
  assert.equal(business.status, 404)
  // The page of the registration is all that there is.
  assert.equal(before.length, 1)
  assert.deepEqual(await list(), before)
})
