import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentStatuses } from '../../../domain/payment.ts'
import { payerGuide } from '../../../money/controls/payer-guide.ts'
import { failures } from '../../../domain/failure.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { SupportCase } from '../../../collect/support-cases/support-case.ts'
import { newMoneyId, toWire } from '../../../platform/ids.ts'
import { caseHtml } from './case-screen.ts'
import { html } from './html.ts'
import { messagesOf, type Language } from './messages.ts'
import { paymentHtml, phaseOf, receiptHtml, type PaymentScreen } from './payment-screen.ts'
import type { Prompt } from './prompt-picture.ts'

const createdAt = new Date('2026-11-20T15:00:00Z')
const payment: PaymentView = {
  home: 7,
  id: newMoneyId(7),
  merchantId: '',
  environment: 'live',
  pageId: '',
  status: 'pending',
  amountReceived: null,
  amount: 25_000,
  currency: 'TZS',
  phoneNumber: '+255754123456',
  network: 'mpesa',
  payerLanguage: 'sw',
  failureCode: null,
  late: false,
  expiresAt: new Date('2026-11-20T16:00:00Z'),
  completedAt: null,
  createdAt,
  shortCode: '7K3M-9QXA-7',
  networkReceipt: null,
  pageTitle: 'Ada <b>ya</b> mtihani',
  pageSlug: 'ada',
  merchantName: 'Asha & "Wenzake"',
  provider: 'snippe',
  refundedAmount: 0,
  pushes: 0,
  promptedAt: createdAt,
  isCancelRequested: false,
  isUnconfirmed: false,
  canResend: false,
  isTakenBack: false,
  heldMoney: null,
  resendAt: new Date('2026-11-20T15:01:00Z'),
  secondsLeft: 3_600,
}

function shown(
  changes: Partial<PaymentView>,
  language: Language = 'sw',
  afterMs = 1_000,
  refreshes = true,
  isPayer = true,
  returnUrl?: string,
  prompt: Prompt = { name: 'MALIPO', seconds: 90 },
  more: Partial<PaymentScreen> = {},
): string {
  return paymentHtml({
    payment: { ...payment, ...changes },
    language,
    nowMs: createdAt.getTime() + afterMs,
    successMessage: 'Asante <3',
    prompt,
    statusUrl: 'https://api.example/v1/payments/x/status',
    checkoutUrl: 'https://pay.example',
    refreshes,
    isPayer,
    returnUrl,
    ...more,
  }).text
}

test('each status has a screen; a pending payment past its time is shown as unknown, not as waiting or over', () => {
  const soon = createdAt.getTime()
  const phases = paymentStatuses.map((status) => phaseOf({ ...payment, status }, soon))
  assert.deepEqual(phases, ['waiting', 'confirming', 'completed', 'failed', 'voided', 'expired'])
  assert.equal(phaseOf(payment, payment.expiresAt.getTime()), 'confirming')
})

test('only failed and voided payments say that no money was taken', () => {
  for (const language of ['sw', 'en'] as const) {
    for (const status of paymentStatuses) {
      const says = shown({ status, completedAt: createdAt }, language, 4_000_000).includes(messagesOf[language].noMoneyTaken)
      assert.equal(says, status === 'failed' || status === 'voided', `${status} ${language}`)
    }
  }
})

test('a payment whose money does not match says where the money is, and never that none was taken or that the payer cancelled', () => {
  for (const language of ['sw', 'en'] as const) {
    const { moneyHeld, moneyReturned, moneyLeft, noMoneyTaken, closedSafe, voidedTitle, cancelling, cancel, longUnsure } =
      messagesOf[language]
    for (const [heldMoney, said] of [
      ['under_review', moneyHeld],
      ['returned', moneyReturned],
      ['left_to_network', moneyLeft],
    ] as const) {
      for (const status of ['processing', 'failed', 'voided', 'expired'] as const) {
        const text = shown({ status, heldMoney, isCancelRequested: status === 'voided' }, language, 4_000_000)
        assert.ok(text.includes(said), `${heldMoney} ${status} ${language}`)
        for (const untrue of [noMoneyTaken, closedSafe, voidedTitle, cancelling, `>${cancel}<`, longUnsure])
          assert.ok(!text.includes(untrue), `${heldMoney} ${status} ${untrue}`)
        assert.equal(text.includes('/again?'), heldMoney !== 'under_review', `${heldMoney} ${status}`)
      }
    }
  }
})

test('a payment whose credit was taken back is under review on its page and its receipt, without any proof that it was paid', () => {
  for (const language of ['sw', 'en'] as const) {
    const { takenBackTitle, doneTitle, receiptQr, receiptWhatsApp, paidTo, returnTo } = messagesOf[language]
    const undone = { status: 'completed', completedAt: createdAt, isTakenBack: true } as const
    const texts = [
      shown(undone, language, 1_000, true, true, 'https://shop.example/?status=completed'),
      receiptHtml({ ...payment, ...undone }, [], language, 'https://pay.example').text,
    ]
    for (const text of texts) {
      assert.ok(text.includes(`>${takenBackTitle}</h1>`), text)
      for (const untrue of [doneTitle, receiptQr, receiptWhatsApp, `>${paidTo}<`, returnTo(''), 'shop.example', 'Asante'])
        assert.ok(!text.includes(untrue), `${language} ${untrue}`)
    }
  }
})

test('a payment that a server made leads back to its merchant, and never to a page that is not there', () => {
  for (const isPayer of [true, false]) {
    for (const changes of [
      { status: 'failed', failureCode: 'insufficient_funds' },
      { status: 'voided' },
      { status: 'expired' },
      { isUnconfirmed: true, status: 'expired' },
      { status: 'failed', heldMoney: 'returned' },
    ] as Partial<PaymentView>[]) {
      const at = [4_000_000, true, isPayer, undefined, undefined] as const
      // Its own page is there, and an expired payment can be looked at again.
      const form = /href="\/pay\/ada(?:\?|\/pay_\w+\/again)/
      assert.match(shown(changes, 'en', ...at), form)
      const direct = shown(changes, 'en', ...at, { isDirect: true })
      assert.doesNotMatch(direct, form)
      assert.match(direct, /go back to Asha &amp; &quot;Wenzake&quot; and pay there/)
    }
  }
})

test('a report that was answered with no money says where the money is that arrived since', () => {
  const one = {
    id: newMoneyId(7),
    state: 'answered',
    finding: 'no_money',
    provenAt: createdAt,
    smsNumber: null,
    createdAt,
  } as SupportCase
  for (const language of ['sw', 'en'] as const) {
    const { moneyHeld, moneyReturned } = messagesOf[language]
    const answered = (heldMoney: PaymentView['heldMoney']) =>
      caseHtml({ payment: { ...payment, status: 'failed', heldMoney }, one, language, help: html`` }).text
    const untrue = /no money was taken|hakuna pesa iliyokatwa/i
    assert.match(answered(null), untrue)
    assert.ok(answered('under_review').includes(moneyHeld) && answered('returned').includes(moneyReturned))
    for (const heldMoney of ['under_review', 'returned'] as const) assert.doesNotMatch(answered(heldMoney), untrue)
  }
})

test('each failure is explained in the payer’s language, with a step and the link that helps [C6]', () => {
  const seen = new Set<string>()
  for (const [code, { reason, step, retryable }] of Object.entries(failures)) {
    const failed = { status: 'failed', failureCode: code } as Partial<PaymentView>
    for (const language of ['sw', 'en'] as const) {
      const text = shown(failed, language)
      assert.ok(text.includes(`<b>${reason[language]}</b> ${step[language]}`), code)
      seen.add(`${reason[language]} ${step[language]}`)
      const [again, other] = [messagesOf[language].tryAgain, messagesOf[language].anotherNumber].map((label) =>
        text.indexOf(`>${label}</a`),
      )
      assert.ok(again! > 0 && other! > 0, code)
      assert.equal(again! < other!, retryable, code)
    }
    const stranger = shown(failed, 'sw', 1_000, true, false)
    assert.ok(!stranger.includes('/again'), 'a visitor with the link gets an empty form')
  }
  assert.equal(seen.size, 2 * Object.keys(failures).length)
})

test('another number is offered once the first attempt is proven failed, never before', () => {
  for (const status of paymentStatuses) {
    const offers = shown({ status, completedAt: createdAt }).includes(messagesOf.sw.anotherNumber)
    assert.equal(offers, status === 'failed' || status === 'voided', status)
  }
})

test('a payer without a prompt sees the help for their network and its menu to dial; for an unknown network all menus [C8]', () => {
  for (const [network, code] of [
    ['mpesa', '*150*00'],
    ['airtel', '*150*60'],
    ['mixx', '*150*01'],
    ['halotel', '*150*88'],
  ] as const) {
    for (const language of ['sw', 'en'] as const) {
      const text = shown({ network }, language)
      assert.ok(text.includes(`<a class="dial" href="tel:${code}%23">${code}#</a>`), network)
      assert.equal(text.match(/href="tel:/g)?.length, 1)
      assert.ok(text.replaceAll(/<[^>]+>/g, '').includes(payerGuide(network).prompt[language]), network)
    }
  }
  assert.equal(shown({ network: null }).match(/href="tel:/g)?.length, 4)
})

test('a repeated prompt is reported until the next one is possible', () => {
  assert.ok(shown({ pushes: 1, canResend: false }).includes('Tumetuma ombi tena'))
  assert.ok(!shown({ pushes: 1, canResend: true }).includes('Tumetuma ombi tena'))
  assert.ok(!shown({ pushes: 0 }).includes('Tumetuma ombi tena'))
})

test('the waiting page names phone, network and amount, and works with and without script', () => {
  const text = shown({})
  for (const part of ['0754 ••• 456', 'M-Pesa', 'TSh 25,000', messagesOf.sw.checkAgain, messagesOf.sw.pinSafety])
    assert.ok(text.includes(part), part)
  assert.ok(!text.includes('754123456'))
  assert.match(text, /<noscript><meta http-equiv="refresh" content="10" \/><\/noscript>/)
  assert.match(text, /data-status="pending"/)
  assert.ok(!shown({}, 'sw', 1_000, false).includes('http-equiv="refresh"'))
  assert.match(shown({ network: null }), /PIN\) ya pesa kwa simu/)
})

test('the server and the script report a late answer at the same time', () => {
  assert.match(shown({}), /id="slow" data-after="179" +hidden/)
  assert.match(shown({ resendAt: null }, 'sw', 180_000), /id="slow" data-after="0" *>/)
  assert.match(shown({ status: 'processing' }), /id="slow" data-after="179" *>/)
  assert.match(shown({}, 'sw', 180_000), /id="long" data-after="420" +hidden/)
})

test('a request that is not known to have been sent is being sent, and the script learns when it was', () => {
  for (const [language, sent, sending] of [
    ['en', 'We sent a payment request', 'We are sending a payment request to'],
    ['sw', 'Tumetuma ombi', 'Tunatuma ombi la malipo kwenye namba'],
  ] as const) {
    const unknown = shown({ promptedAt: null, resendAt: null }, language)
    assert.ok(unknown.includes(sending) && !unknown.includes(sent), language)
    assert.match(unknown, /data-unsent="5"/)
    assert.match(shown({ promptedAt: null, resendAt: null }, language, 60_000), /data-unsent="10"/)
    // A provider that sends no second request.
    const known = shown({ resendAt: null }, language)
    assert.ok(known.includes(sent) && !known.includes(sending), language)
    for (const text of [
      known,
      shown({ promptedAt: null, isCancelRequested: true }),
      shown({ promptedAt: null, status: 'expired' }),
    ])
      assert.doesNotMatch(text, /data-unsent/)
  }
})

const isShown = (text: string, id: string): boolean => {
  const [tag] = new RegExp(`<\\w+ [^>]*id="${id}"[^>]*>`).exec(text) ?? []
  return tag !== undefined && !/ hidden/.test(tag)
}

test('the waiting page says which name the phone shows and why; on an unknown network only a name that is the same on all', () => {
  for (const [language, why] of [
    ['sw', 'kwa sababu tunapokea malipo haya kwa niaba ya Asha &amp; &quot;Wenzake&quot;'],
    ['en', 'because we collect this payment for Asha &amp; &quot;Wenzake&quot;'],
  ] as const) {
    const text = shown({}, language)
    assert.ok(text.includes('<b class="one">MALIPO</b>'), language)
    assert.ok(text.includes(why), language)
  }
  assert.ok(!shown({}, 'sw', 1_000, true, true, undefined, { name: undefined, seconds: 90 }).includes('MALIPO'))
})

test('once the prompt has left the phone, the page says so and offers to send it again outside the help [C8]', () => {
  const later = { canResend: true, resendAt: new Date(createdAt.getTime() + 60_000) }
  const help = (text: string): string => /<details class="card">.*?<\/details>/s.exec(text)![0]
  const before = shown(later, 'en', 89_000)
  assert.equal(isShown(before, 'gone'), false)
  assert.match(before, /id="gone" data-after="1"/)
  assert.match(help(before), /\/resend"/)
  const after = shown(later, 'en', 90_000)
  assert.equal(isShown(after, 'gone'), true)
  assert.equal(isShown(after, 'steps'), false)
  assert.match(after, /<h1>The request on your phone has closed<\/h1>/)
  assert.match(after, /about 90 seconds/)
  // What to press is the last sentence above its button.
  assert.match(after, /send the request again:\s*<\/p>/)
  assert.doesNotMatch(help(after), /\/resend"/)
  assert.equal(after.split('/resend"').length, 2, 'one button')
  // Where it cannot be sent again, the other way; a visitor with the link gets no advice that only the payer can follow.
  const spent = shown({ pushes: 3, resendAt: null }, 'en', 90_000)
  assert.ok(spent.includes(messagesOf.en.goneCancel) && !spent.includes(messagesOf.en.goneResend))
  const visitor = shown(later, 'en', 90_000, true, false)
  assert.ok(!visitor.includes(messagesOf.en.goneCancel) && !visitor.includes(messagesOf.en.goneResend))
  // A network with a shorter prompt, a prompt that was sent again, and one that is not known to have been sent.
  assert.ok(isShown(shown(later, 'en', 31_000, true, true, undefined, { name: 'MALIPO', seconds: 30 }), 'gone'))
  assert.ok(!isShown(shown({ ...later, promptedAt: new Date(createdAt.getTime() + 60_000) }, 'en', 120_000), 'gone'))
  assert.ok(!shown({ promptedAt: null }, 'en', 900_000).includes('id="gone"'))
  for (const changes of [{ status: 'processing' }, { isCancelRequested: true }] as const)
    assert.ok(!shown(changes, 'en', 100_000).includes('id="gone"'))
})

test('"do not pay again" never stands beside the button that sends the request again', () => {
  const later = { canResend: true, resendAt: new Date(createdAt.getTime() + 60_000) }
  for (const language of ['sw', 'en'] as const) {
    const says = { sw: /Usilipe tena/i, en: /do not pay again/i }[language]
    for (const seconds of [1, 89, 90, 150, 180, 400, 599, 600, 3_000]) {
      const text = shown(later, language, seconds * 1000)
      const visible = text.replaceAll(/<p [^>]* hidden>.*?<\/p>/gs, '').replaceAll(/<details.*?<\/details>/gs, '')
      assert.ok(!(visible.includes('/resend"') && says.test(visible)), `${language} after ${seconds} s`)
      assert.equal(visible.includes('/resend"'), seconds >= 90 && seconds < 600, `${language} after ${seconds} s`)
    }
  }
})

test('a ring counts the life of the prompt beside its picture, without script, and a request that was cancelled has neither', () => {
  const text = shown({}, 'en', 30_000)
  assert.match(text, /id="count" data-in="60"/)
  assert.match(text, /<animate attributeName="stroke-dashoffset" from="33" to="100" dur="60s"/)
  assert.match(text, /<b id="secs">60<\/b>/)
  assert.match(text, /<span class="pic mpesa">\s*<b>M-Pesa<\/b><i>MALIPO<\/i><i>TSh 25,000<\/i>/)
  assert.equal(text.split('<li>').length - 1 - text.split('</summary>')[1]!.split('<li>').length + 1, 3, 'three steps')
  for (const other of [shown({}, 'en', 90_000), shown({ isCancelRequested: true }, 'en'), shown({ promptedAt: null }, 'en')])
    assert.doesNotMatch(other, /id="count"/)
})

test('a cancelled payment says when the network is asked again and that it stays open without an answer, and not that the payer must not pay again', () => {
  for (const [language, until, again] of [
    ['en', 'ask the network again at 19:00. Without its answer this payment stays open after that', /do not pay again/i],
    ['sw', 'mtandao tena ifikapo 19:00. Mtandao usipojibu, malipo haya yatabaki wazi hata baada ya hapo', /Usilipe tena/i],
  ] as const) {
    for (const seconds of [1, 200, 700]) {
      const text = shown({ isCancelRequested: true }, language, seconds * 1000)
      assert.ok(text.includes(until), text)
      assert.doesNotMatch(text, again)
    }
    const ended = shown({ status: 'voided' }, language)
    assert.ok(ended.includes(`${messagesOf[language].noMoneyTaken} ${messagesOf[language].closedSafe}`))
  }
})

test('the Swahili of a cancelled payment asks the network to confirm and to answer, and never the payer', () => {
  const text = shown({ isCancelRequested: true }, 'sw')
  assert.ok(text.includes('mtandao ukithibitisha hivyo, ukurasa huu utasema kuwa unaweza kujaribu tena bila wasiwasi'), text)
  // With no other subject, these say "if you confirm" and "if you do not answer".
  assert.doesNotMatch(text, /(?<!mtandao )(?:ukithibitisha|usipojibu)/i)
})

test('after ten minutes the page says that nothing is proven yet, and never that no money was taken', () => {
  for (const language of ['sw', 'en'] as const) {
    for (const status of ['pending', 'processing'] as const) {
      const text = shown({ status }, language, 600_000)
      assert.ok(isShown(text, 'long') && !isShown(text, 'slow'), `${status} ${language}`)
      assert.ok(text.includes(messagesOf[language].longUnsure))
      assert.ok(!text.includes(messagesOf[language].noMoneyTaken))
      assert.equal(isShown(shown({ status }, language, 599_000), 'long'), false)
    }
  }
})

test('an expired payment that may still arrive can be looked at again, and its page asks by itself; one that was never sent does neither', () => {
  for (const [language, later] of [
    ['en', 'Open this page again later: it will show the payment.'],
    ['sw', 'Fungua tena ukurasa huu baadaye: utaonyesha malipo.'],
  ] as const) {
    const { checkAgain, expiredText } = messagesOf[language]
    const text = shown({ status: 'expired' }, language, 4_000_000)
    assert.ok(text.includes(later) && expiredText.endsWith(later), text)
    assert.match(text, new RegExp(`href="/pay/ada/pay_\\w+\\?lang=${language}">${checkAgain}</a`))
    assert.match(text, /id="wait"[^>]* data-url="https:\/\/api\.example\/v1\/payments\/x\/status"[^>]* data-status="expired"/)
    const neverSent = shown({ status: 'expired', isUnconfirmed: true }, language, 4_000_000)
    assert.ok(!neverSent.includes('id="wait"') && !neverSent.includes(checkAgain))
  }
})

test('a receipt is sent on with WhatsApp by a link that works without script, and shared or copied with one', () => {
  const paid = { ...payment, status: 'completed', completedAt: createdAt, pageTitle: 'Ada & vitabu' } as const
  const reference = toWire('pay', payment.id)
  for (const text of [
    receiptHtml(paid, [], 'en', 'https://pay.example').text,
    shown({ status: 'completed', completedAt: createdAt, pageTitle: 'Ada & vitabu' }, 'en'),
  ]) {
    const [, query] = /href="https:\/\/wa\.me\/\?text=([^"]+)" rel="noopener"/.exec(text)!
    assert.equal(
      decodeURIComponent(query!),
      `Receipt: TSh 25,000 paid to Asha & "Wenzake" for Ada & vitabu. Payment code 7K3M-9QXA-7. https://pay.example/r/${reference}?lang=en`,
    )
    assert.match(text, /This page is your receipt\. Share it, or write down its code: <b class="one">7K3M-9QXA-7<\/b>/)
    for (const id of ['share', 'copy']) assert.equal(isShown(text, id), false, 'only the script shows it')
  }
})

test('the text with which a receipt is shared carries no link, code or number of the merchant', () => {
  const paid = { ...payment, status: 'completed', completedAt: createdAt } as const
  const text = (pageTitle: string, merchantName: string) =>
    receiptHtml({ ...paid, pageTitle, merchantName }, [], 'en', 'https://pay.example').text
  const shared = (page: string): string[] => [
    decodeURIComponent(/href="https:\/\/wa\.me\/\?text=([^"]+)"/.exec(page)![1]!),
    /data-text="([^"]+)"/.exec(page)![1]!,
  ]
  for (const one of shared(text('Zawadi: https://evil.example/pin piga *150*00#', 'Duka www.evil.example 0754 123 456'))) {
    assert.match(one, /^Receipt: TSh 25,000 paid to Duka … … for Zawadi: … piga …/)
    assert.doesNotMatch(one, /evil|150|0754/)
  }
  for (const one of shared(text('evil.example', 'evil.example'))) {
    assert.match(one, /^Receipt: TSh 25,000 paid to a merchant for a payment page\./)
  }
})

test('titles and names are text everywhere', () => {
  for (const status of paymentStatuses) {
    const text = shown({ status, completedAt: createdAt })
    assert.ok(!text.includes('<b>ya</b>') && !text.includes('"Wenzake"') && !text.includes('<3'), status)
  }
  assert.match(shown({ status: 'completed', completedAt: createdAt }), /Asante &lt;3/)
})

test('a receipt has the facts but not the whole phone number', () => {
  const text = receiptHtml({ ...payment, status: 'completed', completedAt: createdAt }, [], 'en', 'https://pay.example').text
  for (const part of [
    'TSh 25,000',
    '20 November 2026, 18:00',
    toWire('pay', payment.id),
    '0754 ••• 456',
    'M-Pesa',
    'pay.example/r/',
  ])
    assert.ok(text.includes(part), part)
  assert.ok(!text.includes('754123456'))
})

test('a test payment says so on every screen', () => {
  for (const status of paymentStatuses)
    assert.ok(shown({ status, completedAt: createdAt, environment: 'test' }).includes(messagesOf.sw.testBanner), status)
  assert.ok(!shown({}).includes(messagesOf.sw.testBanner))
})

const completed = { status: 'completed', completedAt: new Date(createdAt.getTime() + 60_000) } as const
const shop = 'https://shop.example/a?b=c&reference=x'

test('a completed payment links back to the merchant, automatically for the browser that has just paid', () => {
  const text = shown(completed, 'en', 61_000, true, true, shop)
  assert.match(
    text,
    /id="return" href="https:\/\/shop\.example\/a\?b=c&amp;reference=x"[^>]*>Return to Asha &amp; &quot;Wenzake&quot;</,
  )
  assert.match(text, /<noscript>\s*<meta http-equiv="refresh" content="10;url=https:\/\/shop\.example\/a\?b=c&amp;reference=x"/)
  assert.match(text, /This page takes you back in 10 seconds\..*href="\/pay\/ada\/pay_\w+\?lang=en&amp;auto=0"/s)
  for (const [why, still] of Object.entries({
    'the payer wants to stay': shown(completed, 'en', 61_000, false, true, shop),
    'another visitor': shown(completed, 'en', 61_000, true, false, shop),
    'the payer comes to look later': shown(completed, 'en', 60_000 + 900_001, true, true, shop),
  })) {
    assert.match(still, /id="return" href="https:\/\/shop\.example/, why)
    assert.doesNotMatch(still, /http-equiv="refresh"|id="leave"/, why)
  }
  assert.doesNotMatch(shown(completed), /id="return"|http-equiv="refresh"/)
})

test('no other final status links to the merchant, and no open status does', () => {
  for (const status of ['pending', 'processing', 'failed', 'voided', 'expired'] as const) {
    assert.ok(!shown({ status, failureCode: 'wrong_pin' }, 'sw', 1_000, true, true, shop).includes('shop.example'), status)
  }
  assert.ok(!shown({}, 'sw', 4_000_000, true, true, shop).includes('shop.example'))
})

test('a receipt says what was refunded, how much and when, in both languages', () => {
  const paid = { ...payment, status: 'completed', completedAt: createdAt } as const
  const refunds = [
    { amount: 3_000, method: 'provider' as const, completedAt: new Date('2026-11-22T21:30:00Z'), total: 8_000 },
    { amount: 5_000, method: 'provider' as const, completedAt: new Date('2026-11-21T09:00:00Z'), total: 8_000 },
  ]
  const receipt = (language: 'sw' | 'en', shown = refunds) => receiptHtml(paid, shown, language, 'https://pay.example').text
  const one = [{ ...refunds[0]!, total: 3_000 }]
  assert.match(receipt('en', one), /Refunded<\/dt>\s*<dd>TSh 3,000<br \/><small>23 November 2026, 00:30/)
  assert.equal(receipt('en', one).split('TSh 3,000').length, 2, 'one refund is named once')
  assert.match(
    receipt('en'),
    /Refunded<\/dt>\s*<dd>TSh 8,000<.*23 November 2026, 00:30.*<dd>TSh 3,000<.*21 November 2026, 12:00.*<dd>TSh 5,000</s,
  )
  assert.match(receipt('sw'), /Fedha zilizorudishwa<\/dt>\s*<dd>TSh 8,000<.*23 Novemba 2026, 00:30.*<dd>TSh 3,000</s)
  assert.doesNotMatch(receipt('en', []), /refund/i)
  // The page of the payment calls itself a receipt, too.
  const page = shown(paid, 'en', 1_000, true, true, undefined, undefined, { refunds })
  assert.match(page, /Refunded<\/dt>\s*<dd>TSh 8,000</)
})

test('a paid payment shows its code and the number of the network’s message; an unpaid one only its code', () => {
  const paid = {
    ...payment,
    status: 'completed',
    completedAt: new Date('2026-11-20T15:02:00Z'),
    networkReceipt: 'S46121174212',
  } as const
  const receipt = receiptHtml(paid, [], 'en', 'https://pay.example').text
  for (const page of [shown(paid, 'en'), receipt]) {
    assert.match(page, /Payment code<\/dt>\s*<dd>7K3M-9QXA-7</)
    assert.match(page, /M-Pesa receipt number<\/dt>\s*<dd>S46121174212</)
  }
  assert.match(receiptHtml({ ...paid, network: null }, [], 'sw', 'https://pay.example').text, /Namba ya risiti ya mtandao/)
  const failed = shown({ status: 'failed', failureCode: 'wrong_pin' }, 'en')
  assert.match(failed, /7K3M-9QXA-7/)
  assert.doesNotMatch(failed, /receipt number/)
})
