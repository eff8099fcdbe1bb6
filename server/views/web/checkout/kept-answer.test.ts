/** The answer to a form that was refused is a page to go back to: it is kept over a redirect, sealed, for one page and a few minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type TestApp } from '../../../../test/app.ts'
import { wrapProviders } from '../../../money/providers/provider.ts'

let aheadMs = 0
const sharedApp = share((ending) =>
  startTestApp(ending, { wrap: (deps) => ({ ...deps, clock: { ...deps.clock, now: () => deps.clock.now() + aheadMs } }) }),
)

type Answered = { status: number; location: string | undefined; text: string; cookies: string[] }

/** One browser, which keeps its cookies by name and path. */
function startPayer(app: TestApp) {
  const jar = new Map<string, { path: string; pair: string }>()
  async function ask(method: 'GET' | 'POST', url: string, fields?: Record<string, string>): Promise<Answered> {
    const [path] = url.split('?')
    const cookie = [...jar.values()]
      .filter((one) => path!.startsWith(one.path))
      .map(({ pair }) => pair)
      .join('; ')
    const answer = await app.api.checkout.inject({
      method,
      url,
      headers: {
        'accept-language': 'en',
        ...(cookie !== '' && { cookie }),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(fields && { payload: new URLSearchParams(fields).toString() }),
    })
    const cookies = [answer.headers['set-cookie'] ?? []].flat()
    for (const one of cookies) {
      const [pair = '', at = ''] = one.split('; ')
      const key = `${pair.split('=')[0]} ${at}`
      if (one.includes('Max-Age=0;')) jar.delete(key)
      else jar.set(key, { path: at.replace('Path=', ''), pair })
    }
    return {
      status: answer.statusCode,
      location: answer.headers['location'] as string | undefined,
      text: answer.payload,
      cookies,
    }
  }
  return {
    get: (url: string) => ask('GET', url),
    post: (url: string, fields: Record<string, string>) => ask('POST', url, fields),
  }
}

const valueOf = (text: string, name: string): string | undefined =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1]

const wrong = { phone_number: '12345', customer_name: 'Neema <Ali>', customer_email: 'neema@example.com' }

const formOf = (text: string): Record<string, string> => ({
  idempotency_key: valueOf(text, 'idempotency_key')!,
  lang: 'en',
  amount: valueOf(text, 'amount')!,
})

test('a refused form is a page of its own address, with its input and errors, and with nothing of them in the address [R20]', async () => {
  const app = await sharedApp()
  const path = `/pay/${(await app.page(await app.student())).slug}`
  const payer = startPayer(app)
  const form = formOf((await payer.get(path)).text)
  const sent = await payer.post(path, { ...form, ...wrong })
  assert.deepEqual([sent.status, sent.location], [303, `${path}?lang=en&form=again`])
  const [cookie] = sent.cookies
  assert.match(cookie!, new RegExp(`^kept=v1[\\w.-]+; Path=${path}; Max-Age=300; HttpOnly; SameSite=Lax$`))
  assert.ok(cookie!.length < 4096)
  assert.doesNotMatch(cookie!, /12345|Neema/)

  for (const language of ['en', 'sw', 'en']) {
    const shown = await payer.get(`${path}?lang=${language}&form=again`)
    assert.equal(shown.status, 200)
    assert.ok(shown.text.includes('id="phone_number-error"') && shown.text.includes(`<html lang="${language}">`))
    assert.equal(valueOf(shown.text, 'phone_number'), '12345')
    assert.equal(valueOf(shown.text, 'customer_name'), 'Neema &lt;Ali&gt;')
    assert.equal(valueOf(shown.text, 'idempotency_key'), form['idempotency_key'])
    assert.ok(shown.text.includes(`href="?lang=${language === 'en' ? 'sw' : 'en'}&amp;form=again"`))
  }

  // Another browser with the address, and another page of the same browser, show nothing of it.
  const stranger = await startPayer(app).get(sent.location!)
  assert.equal(valueOf(stranger.text, 'customer_name'), '')
  const other = `/pay/${(await app.page(await app.student())).slug}`
  assert.equal(valueOf((await payer.get(`${other}?lang=en&form=again`)).text, 'customer_name'), '')

  const paid = await payer.post(path, { ...form, ...wrong, phone_number: '0754 123 129' })
  assert.match(paid.location!, /\/pay_/)
  const back = await payer.get(sent.location!)
  assert.equal(valueOf(back.text, 'customer_name'), '', 'nothing typed stays after the payment has started')
  assert.match(back.text, /not completed yet/)
  assert.equal((await payer.post(path, { ...formOf(back.text), ...wrong, phone_number: '0754 123 129' })).location, paid.location)
})

test('on a shared phone, what was typed is gone when the page is opened again, and after five minutes [R20]', async (t) => {
  const app = await sharedApp()
  const path = `/pay/${(await app.page(await app.student())).slug}`
  const payer = startPayer(app)
  const form = formOf((await payer.get(path)).text)
  const refused = await payer.post(path, { ...form, ...wrong })
  assert.equal(valueOf((await payer.get(path)).text, 'customer_name'), '')
  assert.equal(valueOf((await payer.get(refused.location!)).text, 'customer_name'), '', 'opening the page forgot it')

  await payer.post(path, { ...form, ...wrong })
  t.after(() => (aheadMs = 0))
  aheadMs = 301_000
  assert.equal(valueOf((await payer.get(refused.location!)).text, 'customer_name'), '', 'the browser’s clock is not trusted')
})

test('a browser without cookies, and input too long for a cookie, get the refused form itself [R20]', async () => {
  const app = await sharedApp()
  const path = `/pay/${(await app.page(await app.student())).slug}`
  const form = formOf((await startPayer(app).get(path)).text)
  assert.equal((await startPayer(app).post(path, { ...form, ...wrong })).status, 422)
  const payer = startPayer(app)
  await payer.get(path)
  const long = await payer.post(path, { ...form, ...wrong, customer_name: 'x'.repeat(5_000) })
  assert.equal(long.status, 422)
  assert.equal(valueOf(long.text, 'phone_number'), '12345')
})

test('the report that money was taken, and a page that closed meanwhile, are pages to go back to [R20]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754 123 129' })).body.data
  const payer = startPayer(app)
  const path = `/c/new/${reference}`
  await payer.get(path)
  const refused = await payer.post(path, { lang: 'en', sms_number: '1', email: 'neema@', words: 'Nimekatwa' })
  assert.deepEqual([refused.status, refused.location], [303, `${path}?lang=en&form=again`])
  const shown = await payer.get(refused.location!)
  for (const part of ['id="sms_number-err"', 'id="email-err"', 'value="Nimekatwa"']) assert.ok(shown.text.includes(part), part)
  assert.equal((await startPayer(app).post(path, { lang: 'en', sms_number: '1' })).status, 422)

  const pay = `/pay/${page.slug}`
  const form = formOf((await payer.get(pay)).text)
  await app.call('PATCH', `/v1/merchant/payment-pages/${page.id}?environment=test`, {
    token: student.token,
    body: { active: false },
  })
  const closed = await payer.post(pay, { ...form, ...wrong, phone_number: '0754 123 789' })
  assert.equal(closed.status, 303)
  const why = await payer.get(closed.location!)
  assert.deepEqual([why.status, !why.text.includes('id="pay"')], [409, true])
})

test('an error that a form met is a page too, which leads back to the form [R20]', async (t) => {
  let isBroken = false
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      readPage: async (slug) => {
        if (isBroken) throw new Error('secret detail')
        return deps.readPage(slug)
      },
    }),
  })
  const path = `/pay/${(await app.page(await app.student())).slug}`
  const payer = startPayer(app)
  const form = formOf((await payer.get(path)).text)
  // The language of the page that the payer reads, which is not always that of the phone.
  for (const [lang, words] of [
    ['en', 'Something went wrong on our side'],
    ['sw', 'Kuna hitilafu upande wetu'],
  ] as const) {
    isBroken = true
    const sent = await payer.post(path, { ...form, ...wrong, lang })
    isBroken = false
    assert.deepEqual([sent.status, sent.location], [303, `${path}?lang=${lang}&form=again`])
    for (let time = 1; time <= 2; time += 1) {
      const shown = await payer.get(sent.location!)
      assert.ok(shown.text.includes(words), shown.text)
      assert.ok(shown.text.includes(`href="${path}?lang=${lang}"`) && !shown.text.includes('secret'))
    }
  }
  assert.ok((await payer.get(path)).text.includes('id="pay"'))
})

test('a report that comes too often keeps what was typed and says how long to wait, and so does an address that was guessed [R20]', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'support-case=1/86400,unknown-reference=1/3600' } })
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754 123 129' })).body.data
  const payer = startPayer(app)
  const path = `/c/new/${reference}`
  await payer.get(path)
  const first = await payer.post(path, { lang: 'en', sms_number: 'S46121174201' })
  assert.match(first.location!, /^\/c\/case_/)
  const typed = { lang: 'en', sms_number: 'S46121174202', words: 'Nimekatwa mara mbili' }
  const often = await payer.post(path, typed)
  assert.deepEqual([often.status, often.location], [303, `${path}?lang=en&form=again`])
  const shown = await payer.get(often.location!)
  assert.match(shown.text, /role="alert"[^>]*>\s*<p>Too many attempts\. Wait 24 hours, then try again\.<\/p>/)
  for (const part of ['S46121174202', 'Nimekatwa mara mbili']) assert.ok(shown.text.includes(`value="${part}"`), part)
  const bare = await startPayer(app).post(path, typed)
  assert.deepEqual([bare.status, bare.text.includes('Nimekatwa mara mbili')], [429, true])

  await payer.get('/r/pay_01h455vb4pex5vsknk084sn02q?lang=en')
  const guessed = await payer.get('/r/pay_01h455vb4pex5vsknk084sn02q?lang=en')
  assert.equal(guessed.status, 429)
  assert.match(guessed.text, /Wait 60 minutes, then open this page again\./)
})

/** A payer who has sent the form of this page, a minute later. */
async function payerWithPrompt(app: TestApp, slug: string) {
  const payer = startPayer(app)
  const form = formOf((await payer.get(`/pay/${slug}`)).text)
  const sent = await payer.post(`/pay/${slug}`, { ...form, ...wrong, phone_number: '0754 000 111' })
  const path = sent.location!.split('?')[0]!
  await app.owner.pool.query(`update provider_charges set claimed_at = claimed_at - interval '61 seconds'`)
  return { ...payer, path }
}

test('a request that was not sent again says why, on the page that still has the button [R20]', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live', RATE_LIMIT_QUOTAS: 'prompts-burst=1/600' } })
  const page = await app.page(await app.student())
  const payer = await payerWithPrompt(app, page.slug)
  const why = async (lang: string): Promise<string> => {
    const sent = await payer.post(`${payer.path}/resend`, { lang })
    assert.deepEqual([sent.status, sent.location], [303, `${payer.path}?lang=${lang}&form=again`])
    const { text } = await payer.get(sent.location!)
    assert.ok(text.includes(`${payer.path}/resend`), 'the button is still there')
    assert.ok(text.includes(`href="?lang=${lang === 'en' ? 'sw' : 'en'}&amp;form=again"`))
    return /id="news">\s*<p>([^<]*)<\/p>/.exec(text)?.[1] ?? assert.fail(text)
  }
  assert.match(await why('en'), /^Too many attempts\. Wait (9|10) minutes, then try again\.$/)
  assert.match(await why('sw'), /^Umejaribu mara nyingi\. Subiri dakika (9|10), kisha ujaribu tena\.$/)
  const admin = await app.admin()
  await app.call('PUT', '/v1/admin/switches/test.checkout.mpesa', {
    token: admin.token,
    body: { state: 'off', reason: 'An outage.' },
  })
  assert.match(await why('en'), /^This mobile network is not available at the moment\. Nothing was sent\./)
  // Opened again by its address, the page says nothing of it.
  assert.ok(!(await payer.get(`${payer.path}?lang=en`)).text.includes('id="news"'))
})

test('a request of which it is unknown whether it was sent again says so, and not that it was sent [R20]', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        pushCharge: async () => ({ kind: 'indeterminate', reason: 'timeout' }),
      })),
    }),
  })
  const page = await app.page(await app.student())
  const payer = await payerWithPrompt(app, page.slug)
  for (const [lang, unknown, sentAgain] of [
    ['en', 'It is not known whether the request was sent again. Check your phone first.', 'We sent the request to'],
    ['sw', 'Haijulikani kama ombi limetumwa tena. Angalia simu yako kwanza.', 'Tumetuma ombi tena'],
  ] as const) {
    const sent = await payer.post(`${payer.path}/resend`, { lang })
    const { text } = await payer.get(sent.location!)
    assert.ok(text.includes(unknown) && !text.includes(sentAgain), text)
    await app.owner.pool.query(`update provider_charges set pushed_at = pushed_at - interval '61 seconds'`)
  }
  // Too early: the page shows when it can be sent again, and nothing is wrong.
  await payer.post(`${payer.path}/resend`, { lang: 'en' })
  const early = await payer.post(`${payer.path}/resend`, { lang: 'en' })
  assert.equal(early.location, `${payer.path}?lang=en`)
})
