/** The logo and the colour of a merchant: what is stored of a file, what payers see, and when they do not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { eraseAccount } from '../../operations/data-lifecycle/erase-account.ts'
import { setKycStatus } from '../onboarding/decide-by-operator.ts'
import { fromWire } from '../../platform/ids.ts'
import { setSuspension } from '../../accounts/identity/merchant.sql.ts'
import { maxFileBytes, maxLogoBytes } from './brand.ts'
import { drawLogo } from '../../../test/fixtures/brands.ts'

const sharedApp = share((ending) => startTestApp(ending, { settings: { RATE_LIMITS: 'off' } }))

const path = '/v1/merchant/brand'
const send = (app: TestApp, { token }: Student, file: Buffer) =>
  app.call('PUT', `${path}/logo`, { token, body: { image: file.toString('base64') } })

async function setLogo(
  app: TestApp,
  student: Student,
  file: Buffer,
): Promise<{ url: string; data_url: string; width: number; height: number }> {
  const { status, body } = await send(app, student, file)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.logo
}

async function setColor(app: TestApp, { token }: Student, color: string | null): Promise<void> {
  const { status, body } = await app.call('PUT', `${path}/color`, { token, body: { color } })
  assert.equal(status, 200, JSON.stringify(body))
}

async function open(
  app: TestApp,
  url: string,
): Promise<{ status: number; text: string; bytes: Buffer; headers: Record<string, unknown> }> {
  const answer = await app.api.checkout.inject({ method: 'GET', url: url.replace(app.config.urls.checkout, '') })
  return { status: answer.statusCode, text: answer.payload, bytes: answer.rawPayload, headers: answer.headers }
}

const bytesOf = (dataUrl: string): Buffer => Buffer.from(dataUrl.split(',')[1]!, 'base64')

/** A picture whose pixels are all different: the largest that a file of its size can become. */
function noise(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3)
  for (let at = 0; at < data.length; at += 1) data[at] = (at * 7919 + (at >> 3) * 104_729) % 251
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

test('a PNG, a JPEG and a WebP become a small picture without metadata, at a public address that may be kept for ever', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const drawn = sharp(await drawLogo('#1565c0', { width: 900, height: 500 })).flatten({ background: '#ffffff' })
  const exif = { IFD0: { Copyright: 'GPS of my shop', Artist: 'Asha' } }
  for (const file of [
    await drawn.clone().withExif(exif).png().toBuffer(),
    await drawn.clone().withExif(exif).jpeg().toBuffer(),
    await drawn.clone().withExif(exif).webp().toBuffer(),
  ]) {
    assert.ok(file.includes('GPS of my shop'))
    const logo = await setLogo(app, student, file)
    const { status, bytes, headers } = await open(app, logo.url)
    assert.equal(status, 200)
    assert.deepEqual(bytes, bytesOf(logo.data_url))
    assert.ok(!bytes.includes('GPS of my shop') && bytes.length <= maxLogoBytes)
    const made = await sharp(bytes).metadata()
    assert.deepEqual([made.width, made.height], [logo.width, logo.height])
    assert.ok(made.width <= 256 && made.height <= 160 && made.exif === undefined && !made.hasAlpha)
    assert.equal(headers['content-type'], `image/${made.format}`)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['set-cookie'], undefined)
    assert.equal((await open(app, logo.url.replace(/\w+$/, made.format === 'png' ? 'jpg' : 'png'))).status, 404)
  }
})

test('a JPEG without its end mark becomes a logo, and one that lacks a part of its picture does not [R09]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const drawn = sharp(await drawLogo('#1565c0', { width: 900, height: 500 })).flatten({ background: '#ffffff' })
  const jpeg = await drawn.jpeg().toBuffer()
  const logo = await setLogo(app, student, jpeg.subarray(0, -2))
  const { status, bytes } = await open(app, logo.url)
  assert.deepEqual([status, bytes], [200, bytesOf(logo.data_url)])
  await assert.rejects(setLogo(app, student, jpeg.subarray(0, -300)))
})

test('a photo with many details becomes at most 12 KiB', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { data_url } = await setLogo(app, student, await noise(1200, 800))
  assert.ok(bytesOf(data_url).length <= maxLogoBytes)
})

test('a light logo gets a dark ground and a dark one a white ground, so that both are seen on every page', async () => {
  const app = await sharedApp()
  const student = await app.student()
  for (const [color, isLightGround] of [
    ['#ffffff', false],
    ['#ffee58', false],
    ['#111111', true],
    ['#c62828', true],
  ] as const) {
    const logo = await setLogo(app, student, await drawLogo(color))
    const [corner = 0] = await sharp(bytesOf(logo.data_url)).raw().toBuffer()
    assert.equal(corner > 128, isLightGround, color)
  }
})

test('what is no usable picture is refused by its bytes, and nothing changes', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const before = await setLogo(app, student, await drawLogo())
  const png = await drawLogo('#2e7d32')
  const refused: Record<string, Buffer> = {
    text: Buffer.from('this is logo.png'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><script>alert(1)</script></svg>'),
    gif: await sharp(png).gif().toBuffer(),
    'cut PNG': png.subarray(0, png.length / 2),
    'other RIFF': Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(60)]),
    small: await drawLogo('#2e7d32', { width: 40, height: 40 }),
    long: await drawLogo('#2e7d32', { width: 500, height: 100 }),
    transparent: await drawLogo('none'),
  }
  for (const [name, file] of Object.entries(refused)) {
    const { status, body } = await send(app, student, file)
    assert.deepEqual(
      [status, body.error?.code, body.error?.param],
      [400, 'logo_invalid', 'image'],
      `${name}: ${JSON.stringify(body)}`,
    )
  }
  const tooLarge = await send(app, student, Buffer.alloc(maxFileBytes + 1))
  assert.equal(tooLarge.status, 400)
  for (const image of ['', 'no base64', 'aGV']) {
    const { status } = await app.call('PUT', `${path}/logo`, { token: student.token, body: { image } })
    assert.equal(status, 400, image)
  }
  const { logo } = (await app.call('GET', path, { token: student.token })).body.data
  assert.equal(logo.url, before.url)
})

test('the page, the payment and the receipt show logo and colour, and the policy allows exactly these', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { slug } = await app.page(student)
  const plain = await open(app, `/pay/${slug}`)
  assert.match(plain.text, /class="letter"/)
  const logo = await setLogo(app, student, await drawLogo('#6a1b9a', { width: 600, height: 200 }))
  await setColor(app, student, '#FFD600')
  const { reference } = (await app.checkout(slug)).body.data
  await app.settled(reference)
  const receipt = await open(app, `/r/${reference}`)
  const form = await open(app, `/pay/${slug}`)
  assert.match(form.text, /<button id="send" class="own"/)
  for (const [{ text, headers }, hashes] of [
    [form, 4],
    // Styles that only the receipt has.
    [receipt, 5],
  ] as const) {
    const [src] = /\/logo\/[0-9a-f]{64}\.(png|jpg)/.exec(text)!
    assert.ok(text.includes(`<img class="logo" src="${src}" width="88" height="29" alt=""`), text)
    assert.equal(app.config.urls.checkout + src, logo.url)
    assert.match(
      text,
      /prefers-color-scheme:dark\)\{body\{box-shadow:inset 0 .25rem #ffd600\}\.letter,\.own\{background:#ffd600;color:#000000\}/,
    )
    assert.equal(String(headers['content-security-policy']).match(/'sha256-/g)!.length, hashes)
    assert.match(String(headers['content-security-policy']), /img-src 'self' data:/)
  }
  assert.equal(String(plain.headers['content-security-policy']).match(/'sha256-/g)!.length, 3)

  await setColor(app, student, null)
  assert.equal((await app.call('DELETE', `${path}/logo`, { token: student.token })).status, 200)
  assert.match((await open(app, `/pay/${slug}`)).text, /class="letter"/)
  assert.equal((await open(app, logo.url)).status, 404)
  assert.equal((await app.call('DELETE', `${path}/logo`, { token: student.token })).status, 409)
})

test('a merchant that is not verified, or is suspended, shows no logo and colour', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const id = fromWire('usr', student.userId)!
  const test = await app.page(student)
  const live = await app.page(student, {}, 'live')
  const logo = await setLogo(app, student, await drawLogo('#00838f'))
  await setColor(app, student, '#00838f')
  const isShown = async ({ slug }: { slug: string }): Promise<boolean> => {
    const { text } = await open(app, `/pay/${slug}`)
    assert.equal(text.includes('/logo/'), text.includes('.own{'))
    return text.includes('/logo/')
  }
  assert.deepEqual([await isShown(live), await isShown(test)], [true, true])
  const shown = async () => (await app.call('GET', path, { token: student.token })).body.data.shown_on_live_pages
  assert.equal(await shown(), true)

  await setKycStatus(app.deps, student.email, 'rejected')
  const { reference } = (await app.checkout(test.slug)).body.data
  await app.settled(reference)
  assert.deepEqual([await isShown(live), await isShown(test), await shown()], [false, false, false])
  assert.doesNotMatch((await open(app, `/r/${reference}`)).text, /\/logo\//)

  await setKycStatus(app.deps, student.email, 'verified')
  assert.match((await open(app, `/r/${reference}`)).text, /\/logo\//)
  await app.db.tx((tx) => setSuspension(tx, id, 'Complaints.'))
  assert.deepEqual([await isShown(live), await isShown(test), await shown()], [false, false, false])
  assert.doesNotMatch((await open(app, `/r/${reference}`)).text, /\/logo\//)
  assert.equal((await open(app, logo.url)).status, 404)
})

test('an operator removes a logo with a reason, and the same picture cannot come back', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const admin = await app.admin()
  const at = `/v1/admin/merchants/${student.userId}/brand`
  const file = await drawLogo('#ff6f00')
  const logo = await setLogo(app, student, file)
  const seen = await app.call('GET', at, { token: admin.token })
  assert.equal(seen.body.data.logo.data_url, logo.data_url)
  assert.equal((await app.call('GET', at, { token: student.token })).status, 403)
  const reason = 'This is the logo of a bank.'
  const remove = () => app.call('POST', `${at}/remove-logo`, { token: admin.token, body: { reason } })
  assert.equal((await remove()).status, 200)
  assert.equal((await remove()).status, 409)
  assert.equal((await open(app, logo.url)).status, 404)

  const after = (await app.call('GET', path, { token: student.token })).body.data
  assert.deepEqual([after.logo, after.removal.reason], [null, reason])
  const again = await send(app, student, file)
  assert.deepEqual([again.status, again.body.error.code], [409, 'logo_removed'])
  await setLogo(app, student, await drawLogo('#33691e'))
  const { rows } = await app.owner.pool.query(
    `select a.actor, m.kind from audit_log a, mails m where a.action = 'brand.logo_removed_by_operator' and a.object = $1 and m.kind = 'logo_removed'`,
    [student.userId],
  )
  assert.equal(rows[0].actor, admin.userId)
})

test('the erasure of an account removes its logo', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const logo = await setLogo(app, student, await drawLogo('#4e342e'))
  await eraseAccount(app.deps, { email: student.email, heldYears: 10, keepsHeldRecords: true })
  assert.equal((await open(app, logo.url)).status, 404)
  const { rows } = await app.owner.pool.query('select 1 from merchant_brands where merchant_id = $1', [
    fromWire('usr', student.userId),
  ])
  assert.equal(rows.length, 0)
})
