import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { eventually, share, startTestApp, type TestApp } from '../../../../test/app.ts'
import { chargeOf } from '../../../../test/fixtures/support.ts'
import { byCommandLine } from '../../../base/audit/audit.ts'
import { orderSecondStep } from '../../../collect/payments/order-second-step.ts'
import { everyone } from '../../../collect/payments/pace.sql.ts'
import { fromWire, newMoneyId, toWire } from '../../../platform/ids.ts'

const workingApp = share((ending) => startTestApp(ending, { worker: true }))

const sharedApp = share((ending) => startTestApp(ending))

type Answered = { status: number; headers: Record<string, string | string[] | undefined>; text: string; raw: Buffer }

async function ask(app: TestApp, method: 'GET' | 'POST', url: string, headers = {}, payload?: string): Promise<Answered> {
  const answer = await app.api.checkout.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  return {
    status: answer.statusCode,
    headers: answer.headers as Answered['headers'],
    text: answer.payload,
    raw: answer.rawPayload,
  }
}

const get = (app: TestApp, url: string, headers = {}): Promise<Answered> => ask(app, 'GET', url, headers)

const formType = 'application/x-www-form-urlencoded'

/** What a browser shows after it has sent the form; one with cookies is sent to a refused form. */
async function post(
  app: TestApp,
  slug: string,
  fields: Record<string, string>,
  { cookie, ...headers }: { cookie?: string } & Record<string, string> = {},
): Promise<Answered> {
  const sent = await ask(
    app,
    'POST',
    `/pay/${slug}`,
    { 'content-type': formType, ...headers, ...(cookie !== undefined && { cookie }) },
    new URLSearchParams(fields).toString(),
  )
  const location = String(sent.headers['location'])
  if (!location.endsWith('&form=again')) return sent
  const kept = cookiesOf(sent).map((one) => one.split(';')[0])
  return get(app, location, { ...headers, cookie: [cookie, ...kept].join('; ') })
}

const valueOf = (text: string, name: string): string =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? assert.fail(`no value of ${name}`)

const payer = { phone_number: '0754 123 129', customer_name: 'Juma Hamisi', customer_email: 'juma@example.com' }

/** The fields that a browser sends back when a person has filled in this form. */
function filled(form: Answered, fields: Record<string, string> = {}): Record<string, string> {
  return {
    idempotency_key: valueOf(form.text, 'idempotency_key'),
    lang: valueOf(form.text, 'lang'),
    amount: valueOf(form.text, 'amount'),
    ...payer,
    ...fields,
  }
}

function cookiesOf(answer: Answered): string[] {
  return [answer.headers['set-cookie'] ?? []].flat()
}

const referenceOf = (answer: Answered): string => /pay_[0-9a-z]{26}/.exec(String(answer.headers['location']))![0]

test('the form shows the payment and the merchant in one answer that loads nothing from other hosts [C1, C15]', async () => {
  const app = await sharedApp()
  const page = await app.page(
    await app.student(),
    { title: 'Ada ya mtihani', description: 'Muhula wa pili', amount: 25_000 },
    'live',
  )
  const form = await get(app, `/pay/${page.slug}`)
  assert.equal(form.status, 200)
  assert.match(form.text, /<html lang="sw">/)
  for (const part of ['Ada ya mtihani', 'Muhula wa pili', 'Lipa TSh 25,000', 'Usimpe mtu yeyote namba yako ya siri'])
    assert.ok(form.text.includes(part), part)
  assert.ok(!form.text.includes('TEST.'))
  assert.doesNotMatch(form.text, /(?:src|href)="(?:https?:)?\/\//)
  assert.equal(form.headers['cache-control'], 'no-store')
  assert.equal(form.headers['x-robots-tag'], 'noindex')
  assert.equal(form.headers['referrer-policy'], 'no-referrer')
  const policy = String(form.headers['content-security-policy'])
  for (const name of ['style', 'script']) {
    const [, content] = new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(form.text)!
    assert.ok(policy.includes(`${name}-src 'sha256-${createHash('sha256').update(content!).digest('base64')}'`), name)
  }

  const small = await get(app, `/pay/${page.slug}`, { 'accept-encoding': 'gzip, br' })
  assert.equal(small.headers['content-encoding'], 'br')
  assert.match(brotliDecompressSync(small.raw).toString(), /Ada ya mtihani/)
  assert.ok(small.raw.length < 6 * 1024, `${small.raw.length} bytes`)

  const english = await get(app, `/pay/${page.slug}?lang=en`)
  assert.match(english.text, /<html lang="en">.*Pay TSh 25,000/s)
  assert.equal(valueOf(english.text, 'lang'), 'en')
  assert.match((await get(app, `/pay/${page.slug}`, { 'accept-language': 'en-GB' })).text, /<html lang="en">/)
})

test('all errors are shown at once, and the entered values stay', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student(), { amount: null, allow_custom_amount: true })
  const form = await get(app, `/pay/${page.slug}?lang=en`)
  const fields = filled(form, { amount: '499', phone_number: '12345', customer_name: '<Juma>', customer_email: 'juma@' })
  const wrong = await post(app, page.slug, fields)
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /<title>Error: Chai/)
  assert.match(wrong.text, /role="alert"/)
  for (const name of ['amount', 'phone_number', 'customer_email']) {
    assert.ok(wrong.text.includes(`href="#${name}"`), name)
    assert.ok(wrong.text.includes(`id="${name}-error"`), name)
  }
  assert.equal(valueOf(wrong.text, 'amount'), '499')
  assert.equal(valueOf(wrong.text, 'phone_number'), '12345')
  assert.equal(valueOf(wrong.text, 'customer_name'), '&lt;Juma&gt;')
  assert.equal(valueOf(wrong.text, 'idempotency_key'), fields['idempotency_key'])
  assert.match(wrong.text, /The minimum is TSh\s500/)

  const phoneOnly = await post(app, page.slug, { ...fields, amount: '5,000', customer_email: payer.customer_email })
  assert.equal(phoneOnly.status, 422)
  assert.ok(phoneOnly.text.includes('href="#phone_number"') && !phoneOnly.text.includes('href="#amount"'))
  assert.equal((await post(app, page.slug, { ...fields, ...payer, amount: '' })).status, 422)
  assert.equal((await app.truth()).charges.length, 0)
})

test('a form above 16 KiB is refused with a page in the payer’s language, and one below it is read', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student(), { amount: 3000 })
  const form = filled(await get(app, `/pay/${page.slug}`), { phone_number: '12345' })
  const ofBytes = (bytes: number) => new URLSearchParams(form).toString().padEnd(bytes, '&')
  const send = (path: string, bytes: number) => ask(app, 'POST', path, { 'content-type': formType }, ofBytes(bytes))
  assert.equal((await send(`/pay/${page.slug}`, 16 * 1024)).status, 422)

  const reference = `pay_${'0'.repeat(26)}`
  const paths = [
    `/pay/${page.slug}`,
    ...['confirm', 'resend', 'cancel'].map((name) => `/pay/${page.slug}/${reference}/${name}`),
    `/c/new/${reference}`,
    `/c/case_${'0'.repeat(26)}/disagree`,
    '/nothing-here',
  ]
  for (const path of paths) {
    const refused = await send(`${path}?lang=en`, 17 * 1024)
    assert.equal(refused.status, 413, path)
    assert.match(String(refused.headers['content-type']), /^text\/html/)
    for (const part of ['<html lang="en">', 'We could not read this', 'Open this page again'])
      assert.ok(refused.text.includes(part), `${path}: ${part}`)
  }
  const [link] = /href="\/pay\/[^"]*"/.exec((await send(`/pay/${page.slug}?lang=en`, 17 * 1024)).text)!
  assert.equal(link, `href="/pay/${page.slug}?lang=en"`)
})

test('a valid form leads to the page of its payment, a repeat leads to the same page, and the payment ends in a receipt', async () => {
  const app = await workingApp()
  const page = await app.page(await app.student(), {
    amount: 3000,
    allow_custom_amount: true,
    success_message: 'Asante sana',
  })
  const form = await get(app, `/pay/${page.slug}`)
  assert.equal(valueOf(form.text, 'amount'), '3,000')
  const fields = filled(form, { amount: 'TSh 2,500/=', phone_number: '0754 123 789' })
  const [sent, again] = await Promise.all([post(app, page.slug, fields), post(app, page.slug, fields)])
  assert.deepEqual([sent.status, again.status], [303, 303])
  assert.equal(sent.headers['location'], again.headers['location'])
  const reference = referenceOf(sent)
  const token = cookiesOf(sent).find((cookie) => cookie.startsWith('checkout_token='))
  assert.match(
    token!,
    new RegExp(`^checkout_token=ct_[\\w-]+; Path=/pay/${page.slug}/${reference}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`),
  )

  await app.settled(reference)
  const done = await get(app, String(sent.headers['location']))
  assert.equal(done.status, 200)
  for (const part of ['Malipo yamekamilika', 'TSh 2,500', 'Asante sana', '0754 ••• 789', `/r/${reference}?lang=sw`])
    assert.ok(done.text.includes(part), part)
  assert.ok(!done.text.includes('754123789') && !done.text.includes(payer.customer_email))
  const receipt = await get(app, `/r/${reference}?lang=en`)
  assert.equal(receipt.status, 200)
  for (const part of ['Receipt', 'TSh 2,500', reference]) assert.ok(receipt.text.includes(part), part)

  const { charges } = await app.truth()
  assert.equal(charges.length, 1)
  assert.equal(charges[0].amount, 2500)
})

test('without script the page refreshes, and the payer can stop that', async (t) => {
  const app = await startTestApp(t, { worker: true, simulator: { delayMs: 500 } })
  const page = await app.page(await app.student())
  const sent = await post(app, page.slug, filled(await get(app, `/pay/${page.slug}`), { phone_number: '0754123049' }))
  const url = String(sent.headers['location'])
  const waiting = await get(app, url)
  for (const part of ['Angalia simu yako', '0754 ••• 049', 'Angalia tena', 'M-Pesa', 'http-equiv="refresh"'])
    assert.ok(waiting.text.includes(part), part)
  assert.ok(waiting.text.includes(`${app.config.urls.api}/v1/payments/${referenceOf(sent)}/status`))
  assert.ok(!(await get(app, `${url}&auto=0`)).text.includes('http-equiv="refresh"'))
  assert.equal((await get(app, `/r/${referenceOf(sent)}`)).status, 404)

  await app.settled(referenceOf(sent))
  const failed = await get(app, url)
  for (const part of ['Malipo hayajakamilika', 'Hakuna pesa iliyokatwa', 'Salio halitoshi', 'Jaribu tena'])
    assert.ok(failed.text.includes(part), part)
})

test('Back and a second tab find the existing payment; another number needs a confirmation', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student())
  const first = await get(app, `/pay/${page.slug}`)
  const kept = cookiesOf(first)[0]!
  assert.match(kept, new RegExp(`^form=[\\w-]{24}; Path=/pay/${page.slug}; Max-Age=86400; HttpOnly; SameSite=Lax$`))
  const tab = await get(app, `/pay/${page.slug}`, { cookie: `other=1; ${kept.split(';')[0]}` })
  assert.equal(valueOf(tab.text, 'idempotency_key'), valueOf(first.text, 'idempotency_key'))

  const sent = await post(app, page.slug, filled(first))
  assert.equal(sent.status, 303)
  const cookie = cookiesOf(sent)
    .find((one) => one.startsWith('form='))!
    .split(';')[0]!
  const back = await get(app, `/pay/${page.slug}`, { cookie })
  assert.match(back.text, /Usilipe tena kabla ya kupata jibu/)
  assert.ok(back.text.includes(`/pay/${page.slug}/${referenceOf(sent)}`))
  const resent = await post(app, page.slug, filled(back), { cookie })
  assert.equal(resent.headers['location'], sent.headers['location'])

  const other = await post(app, page.slug, filled(back, { phone_number: '0754123789' }), { cookie })
  assert.equal(other.status, 200)
  assert.match(other.text, /Umeshatuma ombi la malipo/)
  assert.ok(other.text.includes(`/pay/${page.slug}/${referenceOf(sent)}`), 'the browser that started the payment is sent to it')
  const stranger = await post(app, page.slug, filled(back, { phone_number: '0754123789' }))
  assert.ok(stranger.status === 422 && !stranger.text.includes(referenceOf(sent)), 'a browser that only has the key is not')
  assert.notEqual(valueOf(other.text, 'idempotency_key'), valueOf(back.text, 'idempotency_key'))
  assert.equal((await app.truth()).charges.length, 1)

  const meant = await post(app, page.slug, filled(other, { phone_number: '0754123789' }), { cookie })
  assert.equal(meant.status, 303)
  await app.settled(referenceOf(meant))
  const paid = cookiesOf(meant)
    .find((one) => one.startsWith('form='))!
    .split(';')[0]!
  const later = await get(app, `/pay/${page.slug}`, { cookie: paid })
  assert.match(later.text, /Umeshalipa TSh 1,500/)
  assert.notEqual(valueOf(later.text, 'idempotency_key'), valueOf(other.text, 'idempotency_key'))
})

test('after a failure only the same browser gets the form with its values, and pays again [C7]', async () => {
  const app = await workingApp()
  const page = await app.page(await app.student(), { amount: null, allow_custom_amount: true })
  const first = await get(app, `/pay/${page.slug}`)
  const typed = filled(first, { amount: '2500', phone_number: '0754 123 049', customer_name: 'Neema <Ali>' })
  const sent = await post(app, page.slug, typed)
  const reference = referenceOf(sent)
  const cookie = cookiesOf(sent)
    .map((one) => one.split(';')[0])
    .join('; ')
  const path = `/pay/${page.slug}/${reference}/again`
  const early = await get(app, `${path}?lang=sw`, { cookie })
  assert.deepEqual([early.status, early.headers['location']], [303, `/pay/${page.slug}/${reference}?lang=sw`])
  await app.settled(reference)

  const failed = await get(app, `/pay/${page.slug}/${reference}?lang=sw`, { cookie })
  for (const href of [`${path}?lang=sw`, `${path}?lang=sw&amp;number=other`])
    assert.ok(failed.text.includes(`href="${href}"`), href)
  const again = await get(app, `${path}?lang=sw`, { cookie })
  assert.equal(again.status, 200)
  assert.deepEqual(
    ['amount', 'phone_number', 'customer_name', 'customer_email'].map((name) => valueOf(again.text, name)),
    ['2500', '0754 123 049', 'Neema &lt;Ali&gt;', payer.customer_email],
  )
  assert.notEqual(valueOf(again.text, 'idempotency_key'), typed['idempotency_key'])
  assert.equal(valueOf((await get(app, `${path}?number=other`, { cookie })).text, 'phone_number'), '')

  // A visitor with only the link, or with a token of another payment, gets an empty form without a name.
  for (const other of [{}, { cookie: cookie.replace(/ct_[\w-]{43}/, `ct_${'A'.repeat(43)}`) }]) {
    const stranger = await get(app, path, other)
    assert.deepEqual([stranger.status, stranger.headers['location']], [303, `/pay/${page.slug}?lang=sw`])
  }

  const kept = cookiesOf(again).map((one) => one.split(';')[0])
  assert.ok(kept.includes(`tried=${reference}`))
  const second = await post(app, page.slug, filled(again, { phone_number: '0754 123 789' }), { cookie: kept.join('; ') })
  assert.notEqual(referenceOf(second), reference)
  await app.settled(referenceOf(second))
  assert.equal((await get(app, `/pay/${page.slug}/${reference}`)).status, 200)
})

test('a late success of an earlier payment is shown on the form, and before an already open form is sent', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student())
  const sent = await post(app, page.slug, filled(await get(app, `/pay/${page.slug}`), { phone_number: '0754123169' }))
  const reference = referenceOf(sent)
  await app.settled(reference, ['failed'])
  const [form] = cookiesOf(sent)
  const again = await get(app, `/pay/${page.slug}?lang=en`, { cookie: form!.split(';')[0] })
  const cookie = cookiesOf(again)
    .map((one) => one.split(';')[0])
    .join('; ')
  await app.settled(reference, ['completed'])
  assert.match((await get(app, `/pay/${page.slug}/${reference}?lang=en`)).text, /Payment complete/)

  const fields = filled(again, { phone_number: '0754123789' })
  const stopped = await post(app, page.slug, fields, { cookie })
  assert.equal(stopped.status, 200)
  assert.match(stopped.text, /Your earlier payment has succeeded/)
  assert.ok(stopped.text.includes(`/r/${reference}`))
  assert.equal(valueOf(stopped.text, 'idempotency_key'), fields['idempotency_key'])
  const renewed = await get(app, `/pay/${page.slug}?lang=en`, { cookie })
  assert.match(renewed.text, /You have already paid TSh 1,500 here/)
  assert.equal((await app.truth()).charges.length, 1)

  const meant = await post(app, page.slug, filled(stopped, { phone_number: '0754123789', seen: valueOf(stopped.text, 'seen') }), {
    cookie,
  })
  assert.equal(meant.status, 303)
  assert.equal(
    cookiesOf(meant).some((one) => one.startsWith(`tried=${reference};`)),
    true,
  )
})

test('the network of a number is guessed, and the payer’s choice overrides it', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const form = await get(app, `/pay/${page.slug}?lang=en`)
  assert.match(form.text, /<select id="network" name="network"[^>]*> <option value="">Known from the number<\/option>/)
  const pinOf = async (sent: Answered): Promise<string> =>
    /Enter your <b class="one">(.*?)<\/b> PIN/.exec((await get(app, String(sent.headers['location']))).text)![1]!
  assert.equal(await pinOf(await post(app, page.slug, filled(form, { phone_number: '0684123111' }))), 'Airtel Money')
  const wrong = await post(app, page.slug, { ...filled(form), network: 'mixx', phone_number: '12', idempotency_key: 'k2' })
  assert.match(wrong.text, /<option value="mixx"[^>]* selected/)
  const chosen = await post(app, page.slug, {
    ...filled(form),
    network: 'mixx',
    phone_number: '0684123112',
    idempotency_key: 'k2',
  })
  assert.equal(await pinOf(chosen), 'Mixx by Yas')
  const unknown = await post(app, page.slug, {
    ...filled(form),
    network: 'moon',
    phone_number: '0754123113',
    idempotency_key: 'k3',
  })
  assert.equal(await pinOf(unknown), 'M-Pesa')
})

test('a price that changed while the form was open is shown and not charged', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { amount: 1500 })
  const fields = filled(await get(app, `/pay/${page.slug}`))
  const changed = await app.call('PATCH', `/v1/merchant/payment-pages/${page.id}?environment=test`, {
    token: student.token,
    body: { amount: 2000 },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const answer = await post(app, page.slug, fields)
  assert.equal(answer.status, 422)
  assert.match(answer.text, /sasa ni TSh\s2,000/)
  assert.equal(valueOf(answer.text, 'amount'), '2000')
  assert.equal((await app.truth()).charges.length, 0)
  assert.equal((await post(app, page.slug, { ...fields, amount: '2000' })).status, 303)
})

test('input of merchants and payers is shown as text, never as markup', async () => {
  const app = await sharedApp()
  const markup = `"><script>alert('x')</script>`
  const page = await app.page(await app.student(), { title: markup, description: markup, success_message: markup })
  const form = await get(app, `/pay/${page.slug}`)
  assert.equal(form.text.split('<script>').length, 2)
  const wrong = await post(app, page.slug, filled(form, { customer_name: markup, phone_number: markup, customer_email: markup }))
  assert.equal(wrong.status, 422)
  assert.equal(wrong.text.split('<script>').length, 3)
  const sent = await post(app, page.slug, filled(form, { customer_name: markup }))
  assert.equal((await get(app, String(sent.headers['location']))).text.split('<script>').length, 2)
})

test('a test page says so and lists the test numbers; a live page does neither', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [trial, live] = [await app.page(student), await app.page(student, {}, 'live')]
  const text = (await get(app, `/pay/${trial.slug}`)).text
  assert.match(text, /TEST\..*majaribio/s)
  assert.match(text, /789/)
  assert.doesNotMatch((await get(app, `/pay/${live.slug}`)).text, /TEST\.|majaribio/)
})

test('unknown, closed, expired and sold-out pages answer with a readable page [C11]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  for (const url of ['/pay/nothing-here', '/', '/pay', '/r/pay_00000000000000000000000000', '/r/x']) {
    const missing = await get(app, url, { 'accept-language': 'en' })
    assert.equal(missing.status, 404, url)
    assert.match(missing.text, /<html lang="en">.*Page not found/s)
    assert.match(String(missing.headers['content-security-policy']), /sha256/)
  }
  const open = await app.page(student)
  const filledIn = filled(await get(app, `/pay/${open.slug}`))
  for (const [change, words] of [
    [{ active: false, inactive_message: 'Tumefunga <hadi> Jumatatu' }, /Tumefunga &lt;hadi&gt; Jumatatu/],
    [{ active: true, expires_at: '2020-01-01T00:00:00Z' }, /Muda wake umekwisha/],
  ] as const) {
    await app.call('PATCH', `/v1/merchant/payment-pages/${open.id}?environment=test`, { token: student.token, body: change })
    for (const answer of [await get(app, `/pay/${open.slug}`), await post(app, open.slug, filledIn)]) {
      assert.equal(answer.status, 409)
      assert.match(answer.text, words)
    }
  }
  const single = await app.page(student, { type: 'invoice' })
  const form = await get(app, `/pay/${single.slug}`)
  assert.equal((await post(app, single.slug, filled(form))).status, 303)
  const late = await post(app, single.slug, { ...filled(form), idempotency_key: 'another' })
  assert.equal(late.status, 409)
  assert.match(late.text, /Malipo yanaendelea/)
  const event = await app.page(student, { type: 'event', max_payments: 1 })
  await post(app, event.slug, filled(await get(app, `/pay/${event.slug}`)))
  assert.match((await get(app, `/pay/${event.slug}`)).text, /Nafasi zimekwisha/)
})

const browserCookie = (answer: Answered): string =>
  cookiesOf(answer)
    .map((one) => one.split(';')[0])
    .join('; ')

test('a page that closed shows a browser its own open or paid payment, and an invoice says whether it is paid', async () => {
  const app = await workingApp()
  const student = await app.student()
  const notOpen = /No places left|Someone has just started/
  for (const fields of [{ type: 'invoice' }, { type: 'event', max_payments: 1 }]) {
    const { slug } = await app.page(student, fields)
    const sent = await post(app, slug, filled(await get(app, `/pay/${slug}?lang=en`)))
    const own = await get(app, `/pay/${slug}?lang=en`, { cookie: browserCookie(sent) })
    assert.equal(own.status, 409)
    assert.match(own.text, /A payment is in progress[\s\S]*Do not pay again before you see its result/)
    assert.ok(own.text.includes(`href="/pay/${slug}/${referenceOf(sent)}?lang=en"`), own.text)
    assert.doesNotMatch(own.text, notOpen)
    assert.match((await get(app, `/pay/${slug}?lang=en`)).text, notOpen)
  }
  for (const [fields, forOthers] of [
    [{ type: 'invoice' }, /This is already paid/],
    [{ type: 'event', max_payments: 1 }, /No places left/],
  ] as const) {
    const { slug } = await app.page(student, fields)
    const sent = await post(app, slug, filled(await get(app, `/pay/${slug}?lang=en`), { phone_number: '0754 123 789' }))
    await app.settled(referenceOf(sent), ['completed'])
    const own = await get(app, `/pay/${slug}?lang=en`, { cookie: browserCookie(sent) })
    assert.match(own.text, /You have already paid TSh 1,500 here/)
    assert.ok(own.text.includes(`href="/r/${referenceOf(sent)}?lang=en"`), own.text)
    const stranger = (await get(app, `/pay/${slug}?lang=en`)).text
    assert.match(stranger, forOthers)
    assert.doesNotMatch(stranger, /\/r\/pay_/)
    assert.equal((await app.call('GET', `/v1/pay/${slug}`)).body.data.state, 'sold_out')
  }
  for (const [change, why] of [
    [{ active: false }, /The owner has closed it/],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /It has expired/],
  ] as const) {
    const page = await app.page(student)
    const sent = await post(app, page.slug, filled(await get(app, `/pay/${page.slug}?lang=en`)))
    await app.call('PATCH', `/v1/merchant/payment-pages/${page.id}?environment=test`, { token: student.token, body: change })
    const own = await get(app, `/pay/${page.slug}?lang=en`, { cookie: browserCookie(sent) })
    assert.ok(own.text.includes(`href="/pay/${page.slug}/${referenceOf(sent)}?lang=en"`), own.text)
    assert.doesNotMatch(own.text, why)
    assert.match((await get(app, `/pay/${page.slug}?lang=en`)).text, why)
  }
})

/** A request whose payment by this browser has expired. */
async function expiredOnRequest(app: TestApp): Promise<{ slug: string; cookie: string; first: string }> {
  const { key } = await app.key(await app.student())
  const { url } = (await app.call('POST', '/v1/payment-requests', { key, body: { amount: 25_000, title: 'Order 7' } })).body.data
  const slug = String(url).split('/pay/')[1]!
  const sent = await post(app, slug, filled(await get(app, `/pay/${slug}`), { phone_number: '0754 000 111' }))
  const first = referenceOf(sent)
  const id = fromWire('pay', first)
  await app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second' where id = $1`, [id])
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where payment_id = $1`,
    [id],
  )
  await app.settled(first, ['expired'])
  return { slug, cookie: browserCookie(sent), first }
}

test('a request that is paid says so to a browser with another open payment, which is not to be approved, and with an expired one', async (t) => {
  const app = await startTestApp(t, { worker: true })
  await app.control('PATCH', '/switches', { chargeLifetimeMs: 4 * 3_600_000 })
  // The first attempt of this browser succeeds late, while its second one waits for a PIN.
  const open = await expiredOnRequest(app)
  const again = await get(app, `/pay/${open.slug}`, { cookie: open.cookie })
  const second = await post(app, open.slug, filled(again, { phone_number: '0754 456 129' }), { cookie: browserCookie(again) })
  await app.control('POST', `/charges/${(await chargeOf(app, open.first)).reference}/answer`, { action: 'pin' })
  await eventually('the first one is paid', async () => {
    const { rows } = await app.owner.pool.query(`select 1 from payments where status = 'completed'`)
    return rows.length === 1
  })
  for (const [language, title, no] of [
    ['en', 'This is already paid', 'do not enter your PIN'],
    ['sw', 'Malipo haya yameshalipwa', 'usiweke namba ya siri'],
  ] as const) {
    const { text } = await get(app, `/pay/${open.slug}?lang=${language}`, { cookie: browserCookie(second) })
    assert.ok(text.includes(`<h1>${title}</h1>`) && text.includes(no), text)
    assert.doesNotMatch(text, /before you see its result|kabla ya kupata jibu/)
    // The way to cancel it.
    assert.ok(text.includes(`href="/pay/${open.slug}/${referenceOf(second)}?lang=${language}"`), text)
  }
  // Another person pays.
  const expired = await expiredOnRequest(app)
  const form = await get(app, `/pay/${expired.slug}`)
  const paid = referenceOf(await post(app, expired.slug, filled(form, { phone_number: '0754 123 789' })))
  await app.settled(paid, ['completed'])
  const { text } = await get(app, `/pay/${expired.slug}?lang=en`, { cookie: expired.cookie })
  assert.match(text, /This is already paid[\s\S]*Your earlier payment expired/)
  assert.ok(text.includes(`href="/r/${paid}?lang=en"`), text)
})

test('what was paid on an invoice is for its payer: another browser learns only that it takes no payment', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { slug } = await app.page(await app.student(), {
    type: 'invoice',
    amount: null,
    allow_custom_amount: true,
    title: 'Invoice 9',
  })
  const sent = await post(app, slug, filled(await get(app, `/pay/${slug}`), { amount: '20,000', phone_number: '0754 123 789' }))
  await app.settled(referenceOf(sent), ['completed'])
  const set = (change: string) => app.owner.pool.query(`update payments set ${change}`)
  for (const [change, own] of [
    ['amount_received = null', /TSh 20,000 for “Invoice 9” has been paid/],
    ['amount_received = 15000', /TSh 15,000 of TSh 20,000/],
    ['amount_received = null, credit_reversed_at = clock_now()', /and later that it was not/],
  ] as const) {
    await set(change)
    assert.match((await get(app, `/pay/${slug}?lang=en`, { cookie: browserCookie(sent) })).text, own)
    const stranger = (await get(app, `/pay/${slug}?lang=en`)).text
    assert.doesNotMatch(stranger, /TSh|sent back|later that/)
    assert.match(stranger, /This invoice takes no payment any more\. Ask .* if you still need to pay\./)
  }
  await set('credit_reversed_at = null')
  assert.match(
    (await get(app, `/pay/${slug}?lang=sw`)).text,
    /Ankara hii haipokei malipo tena\. Muulize .* kama bado unahitaji kulipa\./,
  )
})

test('the form says of a network that is switched off that it is not available, and of one with failures that payments seldom succeed', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const admin = await app.admin()
  await app.call('PUT', '/v1/admin/switches/test.checkout.airtel', {
    token: admin.token,
    body: { state: 'off', reason: 'Airtel has maintenance.' },
  })
  await app.owner.pool.query(`update network_states set status = 'down' where network = 'halotel' and environment = 'test'`)
  await app.owner.pool.query(`select pg_notify('networks_changed', '')`)
  for (const [language, airtel, halotel] of [
    ['en', 'payments are not available at the moment.', 'payments rarely succeed at the moment.'],
    ['sw', 'malipo hayapatikani kwa sasa.', 'ni malipo machache tu yanayofanikiwa kwa sasa.'],
  ] as const) {
    const { text } = await eventually('both networks are known', async () => {
      const form = await get(app, `/pay/${page.slug}?lang=${language}`)
      return /Airtel Money.*:<\/b>/s.test(form.text) && /HaloPesa:<\/b>/.test(form.text) ? form : undefined
    })
    assert.ok(text.includes(`<b>Airtel Money:</b> ${airtel}`), text)
    assert.ok(text.includes(`<b>HaloPesa:</b> ${halotel}`), text)
    // Only the network that refuses a payment is marked in the list.
    const marks = /\((?:not available|haupatikani)\)/
    const options = text.match(/<option [^>]*>[^<]*<\/option>/g)!.filter((option) => marks.test(option))
    assert.deepEqual(
      options.map((option) => /value="(\w+)"/.exec(option)![1]),
      ['airtel'],
    )
  }
})

test('a form whose networks all have failures does not say that none is available; one whose networks are all off does', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const shows = async (words: RegExp, never: RegExp): Promise<void> => {
    const text = await eventually(String(words), async () => {
      const form = await get(app, `/pay/${page.slug}?lang=en`)
      return words.test(form.text) && form.text
    })
    assert.doesNotMatch(text, never)
  }
  const none = /Mobile money payments are not available/
  const few = /payments rarely succeed/
  await app.owner.pool.query(`update network_states set status = 'down' where environment = 'test'`)
  await app.owner.pool.query(`select pg_notify('networks_changed', '')`)
  await shows(/M-Pesa, Airtel Money, Mixx by Yas, HaloPesa:<\/b> payments rarely succeed/, none)
  const { token } = await app.admin()
  for (const network of ['mpesa', 'airtel', 'mixx', 'halotel'])
    await app.call('PUT', `/v1/admin/switches/test.checkout.${network}`, {
      token,
      body: { state: 'off', reason: 'Maintenance.' },
    })
  await shows(none, few)
})

test('a payment is shown only on its own page, and an unknown reference on none', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [page, other] = [await app.page(student), await app.page(student)]
  const sent = await post(app, page.slug, filled(await get(app, `/pay/${page.slug}`)))
  for (const path of [
    `${other.slug}/${referenceOf(sent)}`,
    `${page.slug}/${toWire('pay', newMoneyId(1))}`,
    `${page.slug}/pay_x`,
    `nothing-here/${referenceOf(sent)}`,
  ]) {
    const answer = await get(app, `/pay/${path}`)
    assert.equal(answer.status, 404, path)
    assert.match(answer.text, /Ukurasa haupo/)
  }
})

test('invalid form bodies are refused with a readable page, and the health checks stay JSON', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const url = `/pay/${page.slug}`
  const refused = [
    [await ask(app, 'POST', url, { 'content-type': 'application/json' }, '{}'), 415],
    [await ask(app, 'POST', url, { 'content-type': formType }, 'lang=sw&lang=en'), 400],
    [await ask(app, 'POST', url, { 'content-type': formType }, `customer_name=${'x'.repeat(17_000)}`), 413],
    [await ask(app, 'POST', url), 422],
  ] as const
  for (const [answer, status] of refused) {
    assert.equal(answer.status, status)
    assert.match(answer.text, /<html lang="sw">/)
  }
  assert.match(refused[0][0].text, /req_/)
  assert.deepEqual(JSON.parse((await get(app, '/livez')).text), { status: 'ok' })
})

test('an internal error shows a page with the request id and without its cause', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      readPage: async (slug) => {
        if (slug === 'broken') throw new Error('secret detail')
        if (slug === 'away') throw Object.assign(new Error('secret detail'), { code: '57P01' })
        return deps.readPage(slug)
      },
    }),
  })
  for (const [slug, status, words] of [
    ['broken', 500, /hitilafu upande wetu/],
    ['away', 503, /Jaribu tena baada ya muda mfupi/],
  ] as const) {
    const answer = await get(app, `/pay/${slug}`, { 'x-request-id': 'number-12345' })
    assert.equal(answer.status, status)
    assert.match(answer.text, words)
    assert.match(answer.text, /number-12345/)
    assert.ok(!answer.text.includes('secret'))
  }
})

test('an impossible reference gets the same page as an unknown one, and a bad cookie hides no live page', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const unknown = await get(app, '/r/pay_01h455vb4pex5vsknk084sn02q?lang=en')
  const impossible = await get(app, '/r/x?lang=en')
  assert.deepEqual([impossible.status, /There is no receipt here/.test(impossible.text)], [404, true])
  assert.deepEqual([unknown.status, /There is no receipt here/.test(unknown.text)], [404, true])
  const withBadCookie = await get(app, `/pay/${page.slug}`, { cookie: `form=${'a'.repeat(24)}.pay_${'z'.repeat(26)}` })
  assert.equal(withBadCookie.status, 200)
})

test('the return link is the owner’s https address, and no other value even if one is stored', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student(), { redirect_url: 'https://shop.example/thanks?order=7' })
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const at = `/pay/${page.slug}/${reference}`
  const back = `https://shop.example/thanks?order=7&amp;reference=${reference}&amp;status=completed`
  assert.ok((await get(app, at)).text.includes(`href="${back}"`))
  for (const url of [
    'javascript:alert(1)',
    'http://evil.example/',
    '//evil.example/',
    'https://shop.example"onclick=alert(1)\\',
  ]) {
    await app.owner.pool.query('update payment_pages set redirect_url = $1', [url])
    assert.doesNotMatch((await get(app, at)).text, /id="return"|evil|alert/, url)
  }
})

test('two browsers get two forms, each with a random key that no stranger can use first [A91]', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const keys: string[] = []
  for (let browser = 1; browser <= 3; browser += 1) {
    keys.push(valueOf((await get(app, `/pay/${page.slug}`)).text, 'idempotency_key'))
  }
  assert.equal(new Set(keys).size, 3)
  // Eighteen random bytes.
  assert.ok(
    keys.every((key) => /^[\w-]{24}$/.test(key)),
    keys.join(),
  )
})

test('"Start again" after the confirmation time leads to a new payment before any worker has run', async (t) => {
  const settings = { SIMULATED_PROVIDERS: 'test', CHECKOUT_SECOND_STEP: 'true', SNIPPE_LIVE_REQUESTS_PER_MINUTE: '10000' }
  const app = await startTestApp(t, { settings })
  const page = await app.page(await app.student(), { amount: 25_000 }, 'live')
  const order = { subject: everyone, name: 'all', mode: 'on', reason: 'Strangers are prompted' } as const
  await orderSecondStep(app.db, order, byCommandLine)
  const form = await get(app, `/pay/${page.slug}`)
  const key = filled(form)['idempotency_key']
  const sent = await post(app, page.slug, filled(form), { cookie: cookiesOf(form).join('; ') })
  const cookie = [...cookiesOf(form), ...cookiesOf(sent)]
    .map((one) => one.split(';')[0])
    .toReversed()
    .join('; ')
  const path = `/pay/${page.slug}/${referenceOf(sent)}`
  await app.owner.pool.query('update payments set expires_at = clock_now()')
  const shown = await get(app, path, { cookie })
  assert.match(shown.text, /Malipo hayakuthibitishwa kwa wakati/)
  const [, href] = /href="([^"]*\/again[^"]*)"/.exec(shown.text)!
  const again = await get(app, href!.replaceAll('&amp;', '&'), { cookie })
  assert.equal(again.status, 200)
  assert.notEqual(valueOf(again.text, 'idempotency_key'), key)
  const kept = [...cookiesOf(again).map((one) => one.split(';')[0]), cookie].join('; ')
  const second = await post(app, page.slug, filled(again), { cookie: kept })
  assert.equal(second.status, 303)
  assert.notEqual(referenceOf(second), referenceOf(sent))
})

test('the fields of the page are part of the form: without script, with kept values and errors beside them', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, {
    amount: 2_000,
    custom_fields: [
      { key: 'table', label: 'Meza <7>', type: 'number', required: true },
      { key: 'size', label: 'Saizi', type: 'choice', choices: ['S', 'M & L'] },
      { key: 'note', label: 'Maoni', type: 'text' },
    ],
  })
  const form = await get(app, `/pay/${page.slug}`)
  for (const part of ['for="custom_table"', 'Meza &lt;7&gt;', 'M &amp; L', 'name="custom_note"', '(si lazima)'])
    assert.ok(form.text.includes(part), part)
  const small = await get(app, `/pay/${page.slug}`, { 'accept-encoding': 'br' })
  assert.ok(small.raw.length < 6 * 1024, `${small.raw.length} bytes`)

  const fields = filled(form, {
    phone_number: '0754 123 789',
    custom_table: 'saba',
    custom_size: 'M & L',
    custom_note: 'Bila "sukari"',
  })
  const wrong = await post(app, page.slug, fields)
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /href="#custom_table"/)
  assert.match(wrong.text, /id="custom_table-error">Andika “Meza &lt;7&gt;” kwa tarakimu/)
  assert.match(wrong.text, /value="saba"[^>]*aria-invalid="true"/)
  assert.match(wrong.text, /<option\s+selected>M &amp; L/)
  assert.match(wrong.text, /value="Bila &quot;sukari&quot;"/)
  const missing = await post(app, page.slug, { ...fields, custom_table: '', customer_name: '' })
  assert.ok(missing.text.includes('href="#custom_table"') && missing.text.includes('href="#customer_name"'))
  assert.equal((await app.truth()).charges.length, 0)

  // A field that the merchant removed while the form was open is left out.
  const sent = await post(app, page.slug, { ...fields, custom_table: '7', custom_gone: 'x' })
  assert.equal(sent.status, 303, sent.text)
  const reference = referenceOf(sent)
  const read = await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, { token: student.token })
  assert.deepEqual(
    read.body.data.custom_fields.map(({ key, value }: { key: string; value: string }) => [key, value]),
    [
      ['table', '7'],
      ['size', 'M & L'],
      ['note', 'Bila "sukari"'],
    ],
  )
  await app.settled(reference)
  // No page that others can open has the values; the form of the same browser has them.
  const receipt = await get(app, `/r/${reference}`)
  assert.ok(!receipt.text.includes('sukari'))
})
