/** A payer gets one receipt, in the language of the checkout. Another payer's address or activity does not prevent it. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { enqueueMail, openContent, type MailContent } from '../../base/mail/mail.ts'
import { claimMails } from '../../base/mail/mail.sql.ts'
import { toWire } from '../../platform/ids.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { cleanText } from '../web/checkout/clean-text.ts'
import { receiptMail } from './receipt-mail.ts'
import { sweepReceipts } from './sweep-receipts.ts'

type Waiting = { kind: string; to: string; content: MailContent }

/** The receipts that wait to be sent, oldest first. */
async function waitingMails(app: TestApp): Promise<Waiting[]> {
  const { rows } = await app.owner.pool.query<{ id: string; kind: string; recipient: string; sealed_content: string }>(
    `select id, kind, recipient, sealed_content from mails where kind in ('receipt', 'test_receipt') order by id`,
  )
  return rows.map(({ id, kind, recipient, sealed_content }) => ({
    kind,
    to: recipient,
    content: openContent(app.deps.sealer, id, sealed_content),
  }))
}

async function outcomes(app: TestApp): Promise<string[]> {
  const { rows } = await app.owner.pool.query<{ outcome: string }>('select outcome from receipts order by created_at, event_id')
  return rows.map(({ outcome }) => outcome)
}

/** Without a worker: the test runs the sweep itself. */
async function startPaying(
  t: TestContext,
): Promise<{ app: TestApp; page: any; pay(fields?: Record<string, unknown>): Promise<string> }> {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { title: 'Ada ya <b>mtihani</b>', amount: 25_000 })
  return {
    app,
    page,
    async pay(fields = {}) {
      const { status, body } = await app.checkout(page.slug, fields)
      assert.equal(status, 201, JSON.stringify(body))
      await app.settled(body.data.reference)
      return body.data.reference
    },
  }
}

test('a receipt shows the amount, the merchant, the time and the number of the payer, as text and as a page', () => {
  const payment = {
    home: 7,
    eventId: '01978f6e-0000-7000-8000-000000000001',
    paymentId: '01978f6e-0000-7000-8000-000000000002',
    environment: 'live',
    amount: 25_000,
    amountReceived: null,
    completedAt: new Date('2026-11-20T21:30:00Z'),
    phoneNumber: '+255754123456',
    network: 'mpesa',
    customerEmail: 'juma@example.com',
    payerLanguage: 'sw',
    pageTitle: 'Ada ya <b>mtihani</b>',
    merchantName: `Duka la "Asha" & Wenzake\r\nBcc: eve@example.com`,
    supportPhone: '+255754111222',
    supportEmail: null,
    supportWhatsapp: null,
    isWebhookTest: false,
    isMerchantVerified: true,
    pageId: '01978f6e-0000-7000-8000-000000000003',
    shortCode: '7K3M-9QXA-7',
    networkReceipt: 'S46121174212',
    refundId: null,
    refundAmount: null,
    refundMethod: null,
  } as const
  const operators = { phone: '+255222123456', email: 'msaada@malipo.example' }
  const receipt = receiptMail(payment, 'https://pay.example', operators)
  assert.equal(receipt.subject, 'Risiti: TSh 25,000 kwa Duka la "Asha" & Wenzake Bcc: …')
  const reference = toWire('pay', payment.paymentId)
  const link = `https://pay.example/r/${reference}`
  for (const said of [
    'Malipo yamekamilika',
    'TSh 25,000',
    '0754 ••• 456 (M-Pesa)',
    // Already the next day in Tanzania.
    '21 Novemba 2026, 00:30 (saa za Afrika Mashariki)',
    link,
    'Namba ya risiti ya mtandao: S46121174212',
    'Msimbo wa malipo: 7K3M-9QXA-7',
    `Kumbukumbu namba: ${reference}`,
    '0754 111 222',
    'Kuhusu malipo yenyewe, kutoka Malipo: 0222 123 456, msaada@malipo.example',
    'Usimpe mtu yeyote namba yako ya siri (PIN).',
  ]) {
    assert.ok(receipt.text.includes(said), said)
    const page = receipt.html!.replaceAll('\u00a0', ' ').replace(/<br \/>\s*<b>/g, ': ')
    assert.ok(page.includes(said.replace('Kumbukumbu namba: ', '')), said)
  }
  assert.ok(receipt.html!.includes('0754\u00a0111\u00a0222'), 'no line ends within a number')
  assert.ok(receipt.text.includes('Malipo ya: Ada ya <b>mtihani</b>'))
  assert.ok(receipt.html!.includes('Ada ya &lt;b&gt;mtihani&lt;/b&gt;') && receipt.html!.includes(`href="${link}"`))
  assert.doesNotMatch(receipt.text + receipt.html!, /754123456|TEST|juma@/)
  // A page that loads something reveals that it was read.
  assert.doesNotMatch(receipt.html!, /src=|url\(|<link|<script/)

  assert.doesNotMatch(receiptMail({ ...payment, networkReceipt: null }, '', operators).text, /risiti ya mtandao/)
  const english = receiptMail(
    { ...payment, environment: 'test', payerLanguage: 'en', merchantName: 'x'.repeat(200) },
    '',
    operators,
  )
  assert.match(english.subject, /^TEST\. Receipt: TSh 25,000 to x{99}…$/)
  assert.match(english.text, /^TEST: this was a test payment.*Payment complete.*Paid to: x+.*21 November 2026, 00:30/s)
  assert.match(english.html!, /<html lang="en">.*TEST: this was a test payment/s)
})

test('a completed refund is mailed once to the payer, and stands on the receipt of the payment; a failed one is neither', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { title: 'Ada', amount: 25_000 })
  const refund = async (phone: string, status: string) => {
    const { reference } = (await app.checkout(page.slug, { phone_number: phone, language: 'en' })).body.data
    assert.equal((await app.settled(reference)).status, 'completed')
    const made = await app.call('POST', `/v1/payments/${reference}/refunds`, {
      key,
      headers: { 'idempotency-key': phone },
      body: { amount: 6_000 },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id } = made.body.data
    await eventually(`the refund is ${status}`, async () => {
      const { body } = await app.call('GET', `/v1/refunds/${id}`, { key })
      return body.data.status === status
    })
    const receipt = await app.api.checkout.inject({ url: `/r/${reference}` })
    return { id, reference, receipt: receipt.payload }
  }
  const failed = await refund('0754000419', 'failed')
  const done = await refund('0754000789', 'completed')
  const sweeps = await Promise.all([1, 2, 3].map(() => sweepReceipts(app.deps, 100)))
  assert.deepEqual([sweeps.reduce((sum, count) => sum + count, 0), await sweepReceipts(app.deps, 100)], [3, 0])
  const mails = (await waitingMails(app)).map(({ to, content }) => ({ to, ...content }))
  const [mail, ...more] = mails.filter(({ subject }) => subject.includes('Refund'))
  assert.deepEqual([mails.length, more, mail!.to], [3, [], 'juma@example.com'])
  assert.match(mail!.subject, /^TEST\. Refund: TSh 6,000 from Student/)
  assert.match(mail!.text, /Refund complete.*Amount: TSh 6,000.*Refund of: Ada \(TSh 25,000\).*Sent to: 0754 ••• 789/s)
  assert.ok(mail!.text.includes(done.id) && mail!.text.includes(`/r/${done.reference}`), mail!.text)
  assert.match(mail!.html!, /<h1[^>]*>Refund complete.*TSh 6,000.*Ada \(TSh\u00a025,000\)/s, 'no line ends within an amount')
  assert.match(done.receipt, /Refunded<\/dt>\s*<dd>TSh 6,000</)
  assert.doesNotMatch(failed.receipt, /Refunded|6,000/)
})

test('a refund that the merchant gave back itself is mailed and receipted as returned by the merchant', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { title: 'Ada', amount: 25_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000789', language: 'en' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const receiptIn = async (language: string) =>
    (await app.api.checkout.inject({ url: `/r/${reference}?lang=${language}` })).payload
  const headers = { 'idempotency-key': 'outside' }
  const body = { amount: 6_000, method: 'outside', reason: 'Cash in the shop' }
  const path = `/v1/merchant/payments/${reference}/refunds?environment=test`
  assert.equal((await app.call('POST', path, { token: student.token, headers, body })).status, 201)
  await sweepReceipts(app.deps, 100)
  const mail = (await waitingMails(app)).map(({ content }) => content).find(({ subject }) => subject.includes('Refund'))
  assert.match(mail!.text, /Refund complete.*Amount: TSh 6,000.*How: Returned by the merchant, not through Malipo/s)
  assert.doesNotMatch(mail!.text + mail!.html!, /Sent to|Cash in the shop/)
  assert.match(await receiptIn('en'), /Refunded<\/dt>\s*<dd>TSh 6,000<.*Returned by the merchant, not through Malipo\./s)
  assert.match(await receiptIn('sw'), /Zilirudishwa na mfanyabiashara mwenyewe, si kupitia Malipo\./)
  assert.doesNotMatch(await receiptIn('en'), /sent back to the phone/)
  // With another one that is sent, each says its own way.
  await app.call('POST', `/v1/payments/${reference}/refunds`, {
    key,
    headers: { 'idempotency-key': 'sent' },
    body: { amount: 7_000 },
  })
  await eventually('both stand there', async () => (await receiptIn('en')).includes('TSh 13,000'))
  assert.match(
    await receiptIn('en'),
    /TSh 7,000<br \/><small>The money was sent back to the phone.*TSh 6,000<br \/><small>Returned by the merchant/s,
  )
})

test('each refund of one payment is mailed with its own amount, and the receipt shows their sum', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  await app.settled((await app.checkout((await app.page(student, { amount: 10_000 })).slug)).body.data.reference)
  const page = await app.page(student, { title: 'Ada', amount: 25_000 })
  const { reference } = (await app.checkout(page.slug, { language: 'en' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const ids: string[] = []
  for (const amount of [6_000, 7_000]) {
    const { body } = await app.call('POST', `/v1/payments/${reference}/refunds`, {
      key,
      headers: { 'idempotency-key': `${amount}` },
      body: { amount },
    })
    ids.push(body.data.id)
    const read = async () => (await app.call('GET', `/v1/refunds/${body.data.id}`, { key })).body.data.status
    await eventually('it is completed', async () => (await read()) === 'completed')
    await sweepReceipts(app.deps, 100)
  }
  assert.equal(await sweepReceipts(app.deps, 100), 0)
  const mails = (await waitingMails(app)).map(({ content }) => content).filter(({ subject }) => subject.includes('Refund:'))
  const expected = [
    ['TSh 6,000', ids[0], ids[1]],
    ['TSh 7,000', ids[1], ids[0]],
  ] as const
  assert.equal(mails.length, 2)
  for (const [amount, id, other] of expected) {
    const mail = mails.find(({ text }) => text.includes(id!))!
    assert.ok(mail.subject.includes(`Refund: ${amount} from`), mail.subject)
    assert.ok(mail.text.includes(`Amount: ${amount}`) && mail.text.includes('Refund of: Ada (TSh 25,000)'), mail.text)
    assert.ok(!mail.text.includes(other!) && !mail.text.includes('13,000'), mail.text)
  }
  const receipt = await app.api.checkout.inject({ url: `/r/${reference}` })
  assert.match(receipt.payload, /Refunded<\/dt>\s*<dd>TSh 13,000</)
})

test('a worker mails the receipt within seconds of the completion', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student(), { title: 'Chai', amount: 1_500 }, 'live')
  const { body } = await app.checkout(page.slug)
  await app.settled(body.data.reference)
  const folder = app.config.mail.folder
  const source = await eventually(
    'the receipt is there',
    async () => {
      const names = await readdir(folder).catch(() => [])
      const mails = names.filter((name) => name.endsWith('.eml')).map((name) => readFile(join(folder, name), 'utf8'))
      return (await Promise.all(mails)).find((mail) => mail.includes('To: juma@example.com\r\n'))
    },
    5_000,
  )
  assert.match(source, /multipart\/alternative.*Content-Type: text\/plain.*Content-Type: text\/html/s)
})

test('one receipt is sent for repeated reports of a success, for several workers, and for a late success', async (t) => {
  const { app, pay } = await startPaying(t)
  // 159: the provider reports it three times; 169: it reports that the payment failed, then that it is paid.
  await pay({ phone_number: '0754123159' })
  const late = await pay({ phone_number: '0754123169' })
  await eventually('the late success', async () => (await app.settled(late, ['completed'])).late)
  const sweeps = await Promise.all([1, 2, 3, 4].map(() => sweepReceipts(app.deps, 100)))
  // A worker that does not get the sweep leaves the work to the one that has it.
  assert.equal(
    sweeps.reduce((sum, count) => sum + count, 0),
    2,
  )
  assert.equal(await sweepReceipts(app.deps, 100), 0)
  assert.deepEqual(
    (await waitingMails(app)).map(({ kind, to }) => [kind, to]),
    [
      ['test_receipt', 'juma@example.com'],
      ['test_receipt', 'juma@example.com'],
    ],
  )
  await pay({ phone_number: '0754123049' })
  assert.equal(await sweepReceipts(app.deps, 100), 0, 'a failed payment has no receipt')
})

test('a worker that dies in the middle leaves neither a mail nor a record, and the next one makes both', async (t) => {
  const { app, pay } = await startPaying(t)
  await pay()
  const dying = {
    ...app.deps.sealer,
    seal() {
      throw new Error('the worker dies')
    },
  }
  await assert.rejects(sweepReceipts({ ...app.deps, sealer: dying }, 100), /the worker dies/)
  // The process dies after the mail was written and before it was recorded.
  await app.owner.pool.query('revoke insert on receipts from malipo_service')
  await assert.rejects(sweepReceipts(app.deps, 100), /permission denied/)
  await app.owner.pool.query('grant insert on receipts to malipo_service')
  assert.deepEqual(await waitingMails(app), [])
  assert.equal(await sweepReceipts(app.deps, 100), 1)
  assert.equal((await waitingMails(app)).length, 1)
})

test('full rounds continue where the last one stopped, and finished payments are not read again', async (t) => {
  const { app, pay } = await startPaying(t)
  for (const last of [1, 2, 3]) await pay({ phone_number: `075412${last}789` })
  const sweptUntil = async (): Promise<number> =>
    (await app.owner.pool.query<{ swept_until: Date }>('select swept_until from receipt_sweep')).rows[0]!.swept_until.getTime()
  await sweepReceipts(app.deps, 1)
  assert.ok((await sweptUntil()) < Date.now() - 1_000, 'payments that settle now are still found')
  // No worker ran for an hour: payments from that time are not skipped.
  await app.owner.pool.query(`update receipt_sweep set swept_until = swept_until - interval '1 hour'`)
  assert.deepEqual(
    [await sweepReceipts(app.deps, 1), await sweepReceipts(app.deps, 1), await sweepReceipts(app.deps, 1)],
    [1, 1, 0],
  )
  assert.ok(Math.abs((await sweptUntil()) + 300_000 - Date.now()) < 10_000, 'the sweep follows five minutes behind')
})

test('a worker whose clock is three hours ahead, and a mark that such a worker left, lose no receipt', async (t) => {
  const { app, pay } = await startPaying(t)
  const inThreeHours = Date.now() + 3 * 3_600_000
  const ahead = { ...app.deps, clock: { ...app.deps.clock, now: () => inThreeHours } }
  await app.owner.pool.query(`update receipt_sweep set swept_until = clock_now() - interval '10 minutes'`)
  assert.equal(await sweepReceipts(ahead, 100), 0)
  await pay()
  assert.equal(await sweepReceipts(app.deps, 100), 1)
  await app.owner.pool.query(`update receipt_sweep set swept_until = clock_now() + interval '3 hours'`)
  await pay({ customer_email: 'asha@example.com' })
  assert.equal(await sweepReceipts(app.deps, 100), 1)
  assert.deepEqual(
    (await waitingMails(app)).map(({ to }) => to),
    ['juma@example.com', 'asha@example.com'],
  )
})

test('an invalid address does not stop the receipts of others', async (t) => {
  const { app, pay } = await startPaying(t)
  const broken = await pay()
  await pay({ customer_email: 'asha@example.com' })
  await app.owner.pool.query(`update payments set customer_email = 'a, b@example.com' where customer_email = 'juma@example.com'`)
  assert.ok(broken)
  assert.equal(await sweepReceipts(app.deps, 100), 2)
  assert.deepEqual(
    (await waitingMails(app)).map(({ to }) => to),
    ['asha@example.com'],
  )
  assert.deepEqual((await outcomes(app)).toSorted(), ['mailed', 'no_address'])
  // Restores the address: the payer’s data is bound to the order.
  await app.owner.pool.query(`update payments set customer_email = 'juma@example.com' where customer_email = 'a, b@example.com'`)
})

test('test payments, which cost nothing, mail one address at most ten times an hour', async (t) => {
  const { app, pay } = await startPaying(t)
  for (let count = 0; count < 9; count += 1) {
    const mail = { to: 'JUMA@example.com', kind: 'test_receipt', subject: 'Receipt', text: 'Receipt' }
    await enqueueMail(app.deps, app.deps.db, mail)
  }
  await pay()
  await pay()
  await pay({ customer_email: 'asha@example.com' })
  await sweepReceipts(app.deps, 100)
  assert.deepEqual((await outcomes(app)).toSorted(), ['mailed', 'mailed', 'too_many'])
  assert.equal((await waitingMails(app)).filter(({ to }) => to === 'juma@example.com').length, 1)
})

test('[A89] text that could be followed, dialled or answered is removed from a receipt, other text stays', () => {
  const cleaned: [given: string, shown: string][] = [
    [
      'M-Pesa: akaunti yako imefungwa. Piga 0754 123 456 au https://evil.example/x',
      'M-Pesa: akaunti yako imefungwa. Piga … au …',
    ],
    ['Ev\u00adil.ex\u200bample', '-'],
    ['ｅｖｉｌ．ｃｏｍ/lipa sasa', '… sasa'],
    ['Lipa kwa evil(dot)com au www evil com', 'Lipa kwa … au … com'],
    ['Piga +255 (754) 123-456', 'Piga …'],
    ['Piga ٠٧٥٤١٢٣٤٥٦', 'Piga …'],
    ['Bonyeza *150*00# sasa', 'Bonyeza … sasa'],
    ['Andika kwa asha@evil.example', 'Andika kwa …'],
    ['hxxps://evil.example', '-'],
    ['Duka la "Asha" & Wenzake Ltd. No.5', 'Duka la "Asha" & Wenzake Ltd. No.5'],
    ['Ada ya muhula wa 2, 2026/2027 (TSh 1,000,000)', 'Ada ya muhula wa 2, 2026/2027 (TSh 1,000,000)'],
  ]
  for (const [given, shown] of cleaned) assert.equal(cleanText(given, '-'), shown, given)
})

test('[A89] real payments mail one stranger at most six times a day, and one page 500 payers an hour', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { title: 'M-Pesa: piga 0754123456 https://evil.example', amount: 500 }, 'live')
  const pay = async (fields: Record<string, unknown>) => {
    const { body } = await app.checkout(page.slug, fields)
    await app.settled(body.data.reference)
  }
  for (let count = 0; count < 12; count += 1) await pay({ customer_email: 'stranger@example.com' })
  await sweepReceipts(app.deps, 100)
  const mails = await waitingMails(app)
  assert.equal(mails.length, 6)
  for (const { content } of mails) assert.doesNotMatch(`${content.subject}${content.text}${content.html}`, /evil|0754123456/)
  assert.equal((await outcomes(app)).filter((outcome) => outcome === 'too_many').length, 6)

  await app.owner.pool.query(`alter table receipts drop constraint receipts_event`)
  await app.owner.pool.query(
    `insert into receipts (home, event_id, page_id, outcome)
     select home, gen_random_uuid(), page_id, 'mailed' from receipts, generate_series(1, 500) limit 494`,
  )
  await pay({ customer_email: 'asha@example.com' })
  await sweepReceipts(app.deps, 100)
  assert.equal((await waitingMails(app)).length, 6)
  await app.owner.pool.query(
    `delete from receipts r where not exists (select from events e where e.home = r.home and e.id = r.event_id)`,
  )
  await app.owner.pool.query(
    `alter table receipts add constraint receipts_event foreign key (home, event_id) references events (home, id)`,
  )
})

test('[A89] no test receipts are mailed in the name of a merchant that is not verified', async (t) => {
  const { app, pay } = await startPaying(t)
  await pay()
  const { rows } = await app.owner.pool.query<{ email: string }>('select email from users')
  for (const { email } of rows) await setKycStatus(app.deps, email, 'rejected')
  await sweepReceipts(app.deps, 100)
  assert.deepEqual([await outcomes(app), await waitingMails(app)], [['not_wanted'], []])
})

test('who paid a merchant that has lost its verification since gets the receipt of the payment and of its refund', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { title: 'Ada', amount: 25_000 }, 'live')
  const { reference } = (await app.checkout(page.slug, { language: 'en' })).body.data
  await app.settled(reference)
  const refunded = await app.call('POST', `/v1/merchant/payments/${reference}/refunds?environment=live`, {
    token: student.token,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 6_000, method: 'outside', reason: 'Cash' },
  })
  assert.deepEqual([refunded.status, refunded.body.data?.status], [201, 'completed'], JSON.stringify(refunded.body))
  await setKycStatus(app.deps, student.email, 'rejected')
  await sweepReceipts(app.deps, 100)
  const subjects = (await waitingMails(app)).map(({ content }) => content.subject.split(':')[0]!)
  assert.deepEqual(subjects.toSorted(), ['Receipt', 'Refund'])
})

test('the language of a receipt is the one chosen at checkout, otherwise that of the page, of the browser, or Swahili', async (t) => {
  const { app, page } = await startPaying(t)
  const english = await app.page(await app.student(), { title: 'Tea', language: 'en' })
  const paid: [slug: string, fields: Record<string, unknown>, acceptLanguage: string | undefined, language: string][] = [
    [page.slug, { language: 'en' }, 'sw', 'en'],
    [page.slug, {}, 'en-GB,en;q=0.9', 'en'],
    [page.slug, {}, '*', 'sw'],
    [english.slug, {}, 'sw', 'en'],
    [english.slug, { language: 'sw' }, 'en', 'sw'],
  ]
  for (const [index, [slug, fields, acceptLanguage, language]] of paid.entries()) {
    const { body } = await app.call('POST', '/v1/payments/checkout', {
      headers: acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage },
      body: {
        slug,
        phone_number: '+255754123789',
        customer_name: 'Juma Hamisi',
        customer_email: `juma${index}@example.com`,
        idempotency_key: `key-${index}`,
        ...fields,
      },
    })
    await app.settled(body.data.reference)
    await sweepReceipts(app.deps, 100)
    const mail = (await waitingMails(app)).at(-1)!
    assert.equal(mail.to, `juma${index}@example.com`)
    assert.match(mail.content.subject, language === 'en' ? /Receipt: / : /Risiti: /, String(index))
  }

  // A payer may change the language between two tries of one form. It stays one payment, in its first language.
  const again = (language: string) => app.checkout(page.slug, { idempotency_key: 'once', language })
  const first = await again('en')
  const second = await again('sw')
  assert.deepEqual([second.status, second.body.data.reference], [200, first.body.data.reference])
  await app.settled(first.body.data.reference)
  const receipt = await app.api.checkout.inject({ url: `/r/${first.body.data.reference}` })
  assert.match(receipt.payload, /<html lang="en">/)
  assert.equal((await app.checkout(page.slug, { language: 'fr' })).status, 400)
})

test('the form’s language is the receipt’s', async (t) => {
  const { app, page } = await startPaying(t)
  const url = `/pay/${page.slug}?lang=en`
  const form = await app.api.checkout.inject({ url })
  const field = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(form.payload)![1]!
  const sent = await app.api.checkout.inject({
    method: 'POST',
    url: `/pay/${page.slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      idempotency_key: field('idempotency_key'),
      lang: field('lang'),
      phone_number: '0754 123 789',
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
    }).toString(),
  })
  assert.equal(sent.statusCode, 303)
  await app.settled(/pay_\w{26}/.exec(String(sent.headers.location))![0])
  await sweepReceipts(app.deps, 100)
  assert.match((await waitingMails(app))[0]!.content.subject, /Receipt/)
})

test('a webhook test payment sends no mail', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:4000/hook' },
  })
  const tried = await app.call('POST', `/developers/apps/${appId}/webhook/test`, { token: student.token })
  await app.settled(tried.body.data.reference)
  await sweepReceipts(app.deps, 100)
  assert.deepEqual([await outcomes(app), await waitingMails(app)], [['not_wanted'], []])
})

test('a mailed code does not queue behind the receipts of a busy hour', async (t) => {
  const { app, pay } = await startPaying(t)
  await pay()
  await sweepReceipts(app.deps, 100)
  // Mails of the page owner's registration.
  await app.owner.pool.query(`delete from mails where kind <> 'test_receipt'`)
  await enqueueMail(app.deps, app.deps.db, { to: 'asha@example.com', kind: 'password_reset', subject: 'Code', text: 'Code' })
  const claim = (isBulk: boolean) => claimMails(app.deps.db, { limit: 10, isBulk, leaseSeconds: 60 })
  const claimed = [await claim(false), await claim(true)].flat()
  assert.deepEqual(
    claimed.map(({ kind }) => kind),
    ['password_reset', 'test_receipt'],
  )
})
