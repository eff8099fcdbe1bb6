/** Every screen of the hosted checkout, each in a state that the real service produces, for browser tests. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { failures } from '../../server/domain/failure.ts'
import { wrapProviders } from '../../server/money/providers/provider.ts'
import { decideBusiness, submittedBusiness } from '../onboarding.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { report as reportMoney } from '../fixtures/support.ts'
import { wholeFile } from './browser.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { fillIn, pressPay } from './payer.ts'

export type Screen = {
  name: string
  /** The title of the document, in both languages; without the product's name. */
  title: { sw: string; en: string }
  path: string
  /** The cookies that this browser already has. */
  cookies?: { name: string; value: string; path: string }[]
  /** Before each look: makes a state again that lasts only seconds. */
  prepare?(): Promise<unknown>
  /** The payer's actions on the page that lead to this screen. */
  act?(tab: Page): Promise<void>
}

type Made = { reference: string; slug: string; token: string }

const title = 'Ada ya muhula wa pili 2026'

/** One service with a verified business and a payment in each state. */
export async function startCheckoutScreens(): Promise<{ app: TestApp; screens: Screen[] }> {
  /** Payments about which the provider gives no answer, so that they stay open after their hour however often they are queried. */
  const unanswered = new Set<string>()
  const app = await startTestApp(wholeFile, {
    worker: true,
    settings: { RATE_LIMIT_QUOTAS: 'unknown-reference=3/3600,support-case=50/3600' },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        fetchCharge: async (key, ...rest) =>
          unanswered.has(key.ourReference)
            ? { kind: 'indeterminate', reason: 'No answer, for its screen.' }
            : provider.fetchCharge(key, ...rest),
      })),
      readPage: async (slug) => {
        if (slug === 'broken') throw new Error('A fault, for its screen.')
        if (slug === 'away') throw Object.assign(new Error('The database is away, for its screen.'), { code: '57P01' })
        return deps.readPage(slug)
      },
    }),
  })
  const sql = (text: string, values: unknown[] = []): Promise<unknown> => app.owner.pool.query(text, values)
  const { student, business } = await submittedBusiness(app, {
    legal_name: 'Mlimani Sekondari',
    trading_name: 'Mlimani Sekondari',
  })
  const decided = await decideBusiness(app, await app.admin(), business.id, { status: 'verified' })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))

  const pageOf = async (fields: Record<string, unknown> = {}, environment = 'live'): Promise<any> => {
    const made = await app.call('POST', `/v1/merchant/payment-pages?environment=${environment}&business_id=${business.id}`, {
      token: student.token,
      body: { type: 'payment', title, amount: 25_000, description: 'Lipa kabla ya tarehe 5 Januari.', ...fields },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data
  }
  const change = (page: { id: string }, body: Record<string, unknown>) =>
    app.call('PATCH', `/v1/merchant/payment-pages/${page.id}?environment=live&business_id=${business.id}`, {
      token: student.token,
      body,
    })

  const contacted = await app.call('PUT', `/v1/merchant/support-contact?environment=live&business_id=${business.id}`, {
    token: student.token,
    body: { phone: '+255754111222', email: 'ofisi@mlimani.example', whatsapp: '+255754111222' },
  })
  assert.equal(contacted.status, 200, JSON.stringify(contacted.body))

  const fixed = await pageOf({ success_message: 'Asante! Leta risiti hii ofisini siku ya kwanza.' })
  const custom = await pageOf({ title: 'Mchango wa maktaba', amount: 5_000, allow_custom_amount: true, type: 'donation' })
  const trial = await pageOf({}, 'test')

  /** A payment whose token this browser has; the last digits of its number decide its result. */
  const payment = async (lastDigits: string, until?: string[], prefix = '0754123'): Promise<Made> => {
    const { status, body } = await app.checkout(fixed.slug, { phone_number: `${prefix}${lastDigits}` })
    assert.equal(status, 201, JSON.stringify(body))
    const { reference, checkout_token: token } = body.data
    if (until) await app.settled(reference, until)
    return { reference, slug: fixed.slug, token }
  }
  const idOf = `(select id from payments where created_at = (select max(created_at) from payments))`
  /** Changes the last payment, about which no more messages arrive. */
  const arrange = async (changes: string): Promise<void> => {
    await sql(`update provider_charges set next_attempt_at = null where payment_id = ${idOf}`)
    await sql(`update payments set ${changes} where id = ${idOf}`)
  }
  const silent = async (changes = 'updated_at = updated_at', prefix?: string): Promise<Made> => {
    const made = await payment('129', undefined, prefix)
    await app.deps.backgroundDone()
    await arrange(changes)
    return made
  }

  const payerOf = ({ slug, reference, token }: Made): Screen['cookies'] => [
    { name: 'checkout_token', value: token, path: `/pay/${slug}/${reference}` },
  ]
  const of = (made: Made): Pick<Screen, 'path' | 'cookies'> => ({
    path: `/pay/${made.slug}/${made.reference}`,
    cookies: payerOf(made),
  })
  const remembers = (made: Made): Screen['cookies'] => [
    { name: 'form', value: `${'k'.repeat(24)}.${made.reference}`, path: `/pay/${made.slug}` },
  ]
  const tried = (made: Made): Screen['cookies'] => [{ name: 'tried', value: made.reference, path: `/pay/${made.slug}` }]

  const form = { sw: title, en: title }
  const mistaken = { sw: `Kosa: ${title}`, en: `Error: ${title}` }
  const waiting = { sw: 'Angalia simu yako', en: 'Check your phone' }
  const confirming = { sw: 'Tunathibitisha malipo yako', en: 'Confirming your payment' }
  const failed = { sw: 'Malipo hayajakamilika', en: 'Payment did not go through' }
  const done = { sw: 'Malipo yamekamilika', en: 'Payment complete' }
  const closed = { sw: 'Ukurasa huu haupokei malipo kwa sasa', en: 'This page accepts no payments now' }
  const missing = { sw: 'Ukurasa haupo', en: 'Page not found' }
  const screens: Screen[] = []
  const add = (name: string, screenTitle: Screen['title'], rest: Omit<Screen, 'name' | 'title'>): void => {
    screens.push({ name, title: screenTitle, ...rest })
  }

  add('form', form, { path: `/pay/${fixed.slug}` })
  add('form-custom', { sw: 'Mchango wa maktaba', en: 'Mchango wa maktaba' }, { path: `/pay/${custom.slug}` })
  add('form-test', form, { path: `/pay/${trial.slug}`, act: (tab) => tab.locator('.test summary').click() })
  add('form-guess', form, { path: `/pay/${fixed.slug}`, act: (tab) => tab.locator('#phone_number').pressSequentially('0684 1') })
  add('form-ttcl', form, { path: `/pay/${fixed.slug}`, act: (tab) => tab.locator('#phone_number').pressSequentially('0734 1') })
  const wrong = { phone: '12345', name: ' ', email: 'juma@', amount: '499' }
  add(
    'form-errors',
    { sw: 'Kosa: Mchango wa maktaba', en: 'Error: Mchango wa maktaba' },
    {
      path: `/pay/${custom.slug}`,
      async act(tab) {
        await fillIn(tab, wrong)
        await pressPay(tab)
        await tab.locator('#news').waitFor()
      },
    },
  )

  const completed = await payment('789', ['completed'])
  const dead = await payment('049', ['failed'])
  add('form-again', form, { path: `/pay/${dead.slug}/${dead.reference}/again`, cookies: payerOf(dead) })
  add('form-already-paid', form, { path: `/pay/${fixed.slug}`, cookies: tried(completed) })
  add('form-paid-meanwhile', mistaken, {
    path: `/pay/${fixed.slug}`,
    cookies: tried(completed),
    async act(tab) {
      // The form as it was before the payment succeeded.
      await tab.evaluate(`document.querySelector('[name=seen]').remove()`)
      await fillIn(tab, { phone: '0754 123 789' })
      await pressPay(tab)
      await tab.locator('#news').waitFor()
    },
  })
  add('completed', done, of(completed))
  add('receipt', { sw: 'Risiti', en: 'Receipt' }, { path: `/r/${completed.reference}` })

  const undone = await payment('789', ['completed'])
  const takeBack = async (at: string): Promise<void> => {
    await sql(`update payments set credit_reversed_at = ${at} where id = $1`, [fromWire('pay', undone.reference)])
  }
  for (const [name, path] of [
    ['taken-back', of(undone).path],
    ['taken-back-receipt', `/r/${undone.reference}`],
  ] as const) {
    add(
      name,
      { sw: 'Malipo haya yanakaguliwa', en: 'This payment is under review' },
      {
        path,
        // Only while the page is read: the books know nothing of it.
        prepare: () => takeBack('clock_now()'),
        act: () => takeBack('null'),
      },
    )
  }

  const wait = await silent()
  /** The screen of a prompt that is open: on a slow machine its 90 seconds are over before the screens before it are looked at. */
  const prompted = (made: Made): Pick<Screen, 'path' | 'cookies' | 'prepare'> => ({
    ...of(made),
    prepare: () =>
      sql(`update provider_charges set claimed_at = clock_now() where payment_id = $1`, [fromWire('pay', made.reference)]),
  })
  add('wait', waiting, prompted(wait))
  add('wait-no-message', waiting, { ...prompted(wait), act: (tab) => tab.locator('details.card summary').click() })
  add('wait-by-link', waiting, { ...prompted(wait), cookies: [] })
  add('form-open', form, { path: `/pay/${fixed.slug}`, cookies: remembers(wait) })
  add('wait-unknown-network', waiting, {
    ...prompted(await silent('network = null', '0604123')),
    act: (tab) => tab.locator('details.card summary').click(),
  })
  add('wait-slow', waiting, prompted(await silent(`created_at = created_at - interval '4 minutes'`)))
  const gone = { sw: 'Ombi kwenye simu yako limefungwa', en: 'The request on your phone has closed' }
  const promptedBefore = async (): Promise<Made> => {
    const made = await silent()
    await sql(`update provider_charges set claimed_at = claimed_at - interval '2 minutes' where payment_id = ${idOf}`)
    return made
  }
  add('wait-gone', gone, of(await promptedBefore()))
  add('wait-gone-by-link', gone, { path: of(await promptedBefore()).path })
  add('confirming', confirming, of(await silent(`status = 'processing'`)))
  const pastItsHour = await silent()
  unanswered.add(pastItsHour.reference)
  add('confirming-past-its-hour', confirming, {
    ...of(pastItsHour),
    // Only now: a comparison with the provider ends a payment that stays past its hour.
    prepare: () =>
      sql(`update payments set expires_at = clock_now() - interval '1 second' where id = $1`, [
        fromWire('pay', pastItsHour.reference),
      ]),
  })
  add(
    'cancelling',
    { sw: 'Tunaghairi malipo', en: 'Cancelling the payment' },
    of(await silent('cancel_requested_at = clock_now()')),
  )

  for (const code of Object.keys(failures)) {
    const made = await payment('049', ['failed'])
    await sql(`update payments set failure_code = $1 where id = ${idOf}`, [code])
    // Its event says the same, or the books would not hold at the end.
    await sql(
      `update events set data = replace(data::text, '"insufficient_funds"', to_json($1::text)::text)::json where payment_id = ${idOf}`,
      [code],
    )
    add(`failed-${code.replaceAll('_', '-')}`, failed, of(made))
  }
  add('failed-by-link', failed, { path: of(dead).path })
  add('voided', { sw: 'Umeghairi malipo', en: 'You cancelled the payment' }, of(await payment('279', ['voided'])))
  const expired = await silent(`expires_at = clock_now() - interval '1 second'`)
  await sql(`update provider_charges set next_attempt_at = clock_now() where payment_id = ${idOf}`)
  await app.settled(expired.reference, ['expired'])
  add('expired', { sw: 'Muda wa kulipa umeisha', en: 'Payment expired' }, of(expired))
  add('form-after-expired', form, { path: `/pay/${fixed.slug}`, cookies: tried(expired) })

  const report = { sw: 'Pesa imekatwa kwenye simu yako?', en: 'Was money taken from your phone?' }
  const reported = { sw: 'Ripoti yako', en: 'Your report' }
  add('report', report, { path: `/c/new/${expired.reference}` })
  add('report-errors', report, {
    path: `/c/new/${expired.reference}`,
    async act(tab) {
      await tab.locator('#sms_number').fill('abc')
      await tab.locator('#email').fill('a@b')
      await tab.locator('form button').click()
      await tab.locator('#news').waitFor()
    },
  })
  /** A case of a payment, in a state that the machine or operators reach. The worker has no more questions about it. */
  const caseOf = async (
    { reference }: Made,
    number: string,
    { state, finding = null, because = null }: { state: string; finding?: string | null; because?: string | null },
    decision: string | null = null,
  ): Promise<string> => {
    const path = await reportMoney(app, reference, number)
    await sql(
      `update support_cases set state = $2, finding = $3, proven_at = case when $3::text is not null then clock_now() end, escalated_because = $4,
         escalated_at = case when $4::text is not null then clock_now() end, questions = 99,
         next_attempt_at = case when $2 = 'asking' then clock_now() + interval '1 day' end,
         decision = case when $5::text is not null then 'other' end, decision_message = $5,
         decision_note = case when $5::text is not null then 'Ticket 4711' end, decided_by = case when $5::text is not null then 'usr_x' end,
         decided_at = case when $5::text is not null then clock_now() end
       where sms_number = $1`,
      [number, state, finding, because, decision],
    )
    return path.replace(/\?.*/, '')
  }
  const withOperators = (because: string, finding: string | null = null) => ({ state: 'with_operators', because, finding })
  for (const [name, made, kind, decision] of [
    ['asking', wait, { state: 'asking' }],
    ['received', completed, { state: 'answered', finding: 'received' }],
    ['no-money', dead, { state: 'answered', finding: 'no_money' }],
    ['with-operators', expired, withOperators('not_proven')],
    ['other-number', completed, withOperators('number_differs', 'received')],
    ['disagreed', dead, withOperators('payer_disagrees', 'no_money')],
    ['closed', expired, { state: 'closed', because: 'not_proven' }, 'Ada ya muhula wa pili 2026'],
  ] as const) {
    const number = `S4612117420${screens.length % 10}${name.length}`
    add(`case-${name}`, reported, { path: await caseOf(made, number, kind, decision) })
  }

  const inactive = await pageOf()
  await change(inactive, { active: false, inactive_message: 'Tumefunga hadi Januari.' })
  add('page-inactive', closed, { path: `/pay/${inactive.slug}` })
  const ended = await pageOf()
  await change(ended, { expires_at: '2020-01-01T00:00:00Z' })
  add('page-expired', closed, { path: `/pay/${ended.slug}` })
  const event = await pageOf({ type: 'event', max_payments: 1 })
  assert.equal((await app.checkout(event.slug, { phone_number: '0754123129' })).status, 201)
  add('page-sold-out', { sw: 'Nafasi zimekwisha', en: 'No places left' }, { path: `/pay/${event.slug}` })
  const single = await pageOf({ type: 'invoice' })
  const { reference } = (await app.checkout(single.slug, { phone_number: '0754123129' })).body.data
  const busy = { sw: 'Malipo yanaendelea', en: 'A payment is in progress' }
  add('page-busy', busy, { path: `/pay/${single.slug}` })
  const own = [{ name: 'form', value: `${'k'.repeat(24)}.${reference}`, path: `/pay/${single.slug}` }]
  add('page-own-open', busy, { path: `/pay/${single.slug}`, cookies: own })
  add('page-unknown', missing, { path: '/pay/nothing-here' })
  add('payment-unknown', missing, { path: `/pay/${fixed.slug}/pay_01h455vb4pex5vsknk084sn02q` })
  add('receipt-of-nothing', missing, { path: `/r/${dead.reference}` })
  add(
    'too-many',
    { sw: 'Umejaribu mara nyingi', en: 'Too many attempts' },
    {
      path: '/r/pay_01h455vb4pex5vsknk084sn02q',
      async act(tab) {
        while ((await tab.title()).match(/haupo|not found/)) await tab.reload()
      },
    },
  )
  add('away', { sw: 'Jaribu tena baada ya muda mfupi', en: 'Try again in a moment' }, { path: '/pay/away' })
  add('privacy', { sw: 'Taarifa zako', en: 'Your data' }, { path: '/privacy' })
  add('broken', { sw: 'Kuna hitilafu upande wetu', en: 'Something went wrong on our side' }, { path: '/pay/broken' })

  await sql(`update network_states set status = 'down' where network = 'airtel' and environment = 'test'`)
  await sql(`update network_states set status = 'degraded' where network = 'halotel' and environment = 'test'`)
  await sql(`select pg_notify('networks_changed', '')`)
  add('form-networks', form, { path: `/pay/${trial.slug}` })
  // The payments kept silent are queried again, as the service must do with every open payment.
  wholeFile.after(() =>
    sql(`update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is null`),
  )
  return { app, screens }
}
