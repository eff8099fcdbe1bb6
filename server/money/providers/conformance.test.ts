/**
 * What every adapter must do, and what each face of the simulator must play: against the simulator, against servers that lie, and with
 * messages of every kind. What differs on the wire is in test/fixtures/provider-faces.ts.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, afterEach, test, type TestContext } from 'node:test'
import { providerNames } from '../../domain/provider.ts'
import { failureWords } from '../../../simulator/scenarios.ts'
import { driftSchema } from '../../../simulator/drift.ts'
import { startTestSimulator, until } from '../../../simulator/test-simulator.ts'
import {
  faces,
  now,
  orderReference,
  ourCharge,
  ourPayout,
  type Face,
  type Message,
} from '../../../test/fixtures/provider-faces.ts'
import { provesRefusal } from './failure-words.ts'
import type { Provider, WebhookMessage } from './provider.ts'

/** The table of this run, as Markdown: what was tried, by adapter. A line of one adapter has no mark for the other. */
const proven = new Map<string, Record<string, string>>()
afterEach((context) => {
  // The types of Node do not have it yet.
  const { name, passed } = context as unknown as { name: string; passed: boolean }
  const [what, face] = name.replace(/ \[[^\]]*\]$/, '').split(' · ') as [string, string?]
  if (face !== undefined) proven.set(what, { ...proven.get(what), [face]: passed ? 'yes' : 'NO' })
})
after(() => {
  const rows = [...proven].map(([what, of]) => [what, ...providerNames.map((name) => of[name] ?? '–')])
  const table = [['what every adapter does', ...providerNames], ['---', ...providerNames.map(() => '---')], ...rows]
  process.stdout.write(`${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)
})

/** Texts about an order that may exist: they prove nothing, with any status and any code. */
const ofAnOrder = [
  'Transaction is being processed',
  'transaction is still being processed',
  'validation failed: Transaction is being processed',
  'duplicate request in progress',
  'Duplicate transaction in progress, invalid request',
  'A payment for this order already exists',
  'invalid state: payment is pending',
  'request is in flight',
  'Order reference already used',
  'idempotency key already used with different request body',
  'Invalid response from mobile network operator',
  'Time limit exceeded while waiting for TIGO-PESA',
  'Customer should approve the request on the phone',
]
/** Texts about the request: nothing was started. */
const ofTheRequest = [
  'amount is required',
  'Invalid / unsupported phone number',
  'amount 100 is below minimum of 500',
  'amount must be an integer',
]
/** Texts that we do not know prove nothing. */
const unknownTexts = ['failed to initiate payment', 'Something went wrong', '']

const wholeAmounts = [5000, '5000', '5000.0', '5000.00']
/** They could be another amount: nothing is read from them. */
const doubtfulAmounts = ['5000.50', '5,000', '5.000', '5e3', '-5000', ' 5000', 'TSh 5000', '', 5000.5, -5000, true, [5000]]

const charge = { idempotencyKey: orderReference, body: '{}' }
const request = { idempotencyKey: 'c-01h455vb4pex5vsknk084sn02q', body: '{}' }
const idOf = (number: number): string => `pay_01jz8e6c9ke03v4m2n7q5t${String(number).padStart(4, '0')}`
const callbackUrl = 'http://127.0.0.1:1/'

function opened(t: TestContext, face: Face, baseUrl: string, changes: Parameters<Face['open']>[1] = {}): Provider {
  const provider = face.open(baseUrl, changes)
  t.after(() => provider.close())
  return provider
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An adapter of a server that gives the answers of the test, and tokens to a provider that needs them. */
async function answering(
  t: TestContext,
  face: Face,
  answer: Answer,
  changes: Parameters<Face['open']>[1] = {},
): Promise<Provider> {
  const server = createServer((incoming, outgoing) =>
    incoming.url === '/generate-token' ? json(200, { token: 'Bearer t' })(incoming, outgoing) : answer(incoming, outgoing),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return opened(t, face, `http://127.0.0.1:${(server.address() as { port: number }).port}`, changes)
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** The face of a running simulator, its adapter, and the messages that it sends. */
async function played(t: TestContext, face: Face) {
  const simulator = await startTestSimulator(t)
  const { receiver } = simulator
  await simulator.control('PATCH', '/switches', { getDetail: 'full', ...face.webhookUrls(receiver.url) })
  const provider = opened(t, face, `${simulator.url}${face.path}`, { timeoutMs: 5_000 })
  const details = { amount: 5000, customerName: 'Juma Hamisi', customerEmail: 'juma@example.com', callbackUrl: receiver.url }
  const read = ({ headers, body }: { headers: object; body: string }): WebhookMessage =>
    provider.readWebhook({ ...headers }, Buffer.from(body), Date.now())
  return {
    ...simulator,
    provider,
    messages: receiver.received,
    read,
    compose: (number: number, suffix: string) =>
      provider.composeCharge({ ...details, reference: idOf(number), phoneNumber: `+255754000${suffix}` }),
    /** The first message about a charge of ours with this status. */
    heard: (ourReference: string, kind: 'charge' | 'payout', status: string) =>
      until(`${kind} ${status} of ${ourReference}`, () => {
        for (const one of receiver.received) {
          const message = read(one)
          if (message.kind !== kind || !('snapshot' in message)) continue
          if (message.snapshot.ourReference === ourReference && message.snapshot.status === status) return message
        }
        return undefined
      }),
  }
}

test('a text proves a refusal only if it is about the request and about no order', () => {
  for (const text of ofTheRequest) assert.equal(provesRefusal(text), true, text)
  for (const text of [...ofAnOrder, ...unknownTexts, null]) assert.equal(provesRefusal(text), false, text ?? 'no text')
})

const read = (provider: Provider, { headers, body }: Message, nowMs = now): WebhookMessage =>
  provider.readWebhook(headers, body, nowMs)

for (const name of providerNames) {
  const face = faces[name]
  const { words, payoutWords, events } = face

  test(`the balance is what the account holds there · ${name}`, async (t) => {
    const { provider, truth } = await played(t, face)
    const answer = await provider.readBalance()
    assert.ok(answer.kind === 'balance' && answer.amount > 0, JSON.stringify(answer))
    const accounts: { balance: number }[] = Object.values((await truth()).accounts)
    assert.ok(accounts.some(({ balance }) => balance === answer.amount))
  })

  test(`a charge is accepted once, found under its name, and what does not exist is not found · ${name} [P06]`, async (t) => {
    const { provider, compose, truth } = await played(t, face)
    const wanted = compose(1, '000')
    assert.match(wanted.idempotencyKey, /^[A-Za-z0-9-]{1,30}$/)
    const first = await provider.charge(wanted)
    assert.ok(first.kind === 'accepted' && first.snapshot.status === 'pending', JSON.stringify(first))
    const { reference } = first.snapshot
    // A repeat is the same charge, or proves nothing.
    const again = await provider.charge(wanted)
    assert.ok(again.kind === 'unknown' || (again.kind === 'accepted' && again.snapshot.reference === reference))
    assert.equal((await truth()).charges.length, 1)
    const found = await provider.fetchCharge({ reference, ourReference: idOf(1) })
    assert.ok(found.kind === 'found', JSON.stringify(found))
    assert.deepEqual(
      [found.snapshot.reference, found.snapshot.ourReference, found.snapshot.status, found.snapshot.network],
      [reference, idOf(1), 'pending', 'mpesa'],
    )
    const strange = face.strange
    assert.deepEqual(await provider.fetchCharge({ reference: strange, ourReference: idOf(2) }), { kind: 'not_found' })
    const noPhone = { ...compose(3, '000'), body: compose(3, '000').body.replace('255754000000', '255') }
    assert.equal((await provider.charge(noPhone)).kind === 'accepted', false)
    assert.equal((await truth()).charges.length, 1)
  })

  test(`every end of a charge is told by its message and by an answer, in the same words · ${name}`, async (t) => {
    const { provider, compose, heard } = await played(t, face)
    const ends = [
      ['789', 'completed', undefined],
      ['049', 'failed', 'insufficient_funds'],
      ['059', 'failed', 'wrong_pin'],
      ['039', 'failed', 'declined_by_payer'],
      ['029', 'failed', 'payer_not_found'],
      ['019', 'failed', 'payer_limit'],
      ['079', 'failed', 'prompt_timeout'],
      ['069', 'failed', 'provider_error'],
    ] as const
    for (const [index, [suffix, status, code]] of ends.entries()) {
      const made = await provider.charge(compose(index, suffix))
      assert.ok(made.kind === 'accepted')
      const message = await heard(idOf(index), 'charge', status)
      assert.ok(message.kind === 'charge')
      const answer = await provider.fetchCharge({ reference: made.snapshot.reference, ourReference: idOf(index) })
      assert.ok(answer.kind === 'found')
      for (const { snapshot } of [message, answer]) {
        assert.deepEqual([snapshot.reference, snapshot.status, snapshot.failure?.code], [made.snapshot.reference, status, code])
        if (status === 'completed') assert.deepEqual([snapshot.amount, snapshot.currency], [5000, 'TZS'])
        assert.equal(snapshot.networkReceipt === undefined, status !== 'completed', 'only a paid charge has a receipt')
      }
    }
    assert.equal(ends.filter(([, status]) => status === 'failed').length, Object.keys(failureWords).length - 1)
  })

  test(`a create that may have started something is unknown, and its charge exists or not · ${name} [P08, P12, P40]`, async (t) => {
    const { provider, compose, control, truth } = await played(t, face)
    await control('PATCH', '/switches', { hangMs: 0 })
    const faults = [
      ['199', 'unknown', true],
      ['289', 'unknown', true],
      ['229', 'unknown', false],
      ['299', 'unknown', false],
      ['239', 'retry_later', false],
    ] as const
    let existing = 0
    for (const [index, [suffix, kind, exists]] of faults.entries()) {
      const wanted = compose(index, suffix)
      for (const attempt of [1, 2]) {
        const outcome = await provider.charge(wanted)
        // A replay under a key may be answered.
        if (attempt === 1 || !exists) assert.equal(outcome.kind, kind, `${suffix} ${JSON.stringify(outcome)}`)
        else assert.ok(outcome.kind === 'unknown' || outcome.kind === 'accepted', suffix)
      }
      if (exists) existing += 1
      assert.equal((await truth()).charges.length, existing, suffix)
    }
  })

  test(`a payout is quoted, sent once, told and found with the amount that its recipient gets · ${name} [P33]`, async (t) => {
    const { provider, truth, heard, receiver } = await played(t, face)
    const details = { recipientName: 'Asha Mushi', narration: null, callbackUrl: receiver.url }
    const amount = 20_000
    const phoneNumber = '+255754123456'
    const quote = await provider.quotePayout(amount, phoneNumber)
    assert.ok(quote.kind === 'quoted' && quote.fee > 0, JSON.stringify(quote))
    assert.equal((await provider.quotePayout(amount)).kind, provider.capabilities.quotesForRecipient ? 'indeterminate' : 'quoted')
    const wanted = provider.composePayout({ ...details, amount, phoneNumber, reference: ourPayout })
    const sent = await provider.sendPayout(wanted)
    assert.ok(sent.kind === 'accepted', JSON.stringify(sent))
    const { ourReference, status, ...money } = sent.snapshot
    assert.deepEqual([ourReference, money.amount, money.currency, money.fee], [ourPayout, amount, 'TZS', quote.fee])
    assert.ok(['pending', 'processing'].includes(status))
    const again = await provider.sendPayout(wanted)
    assert.ok(again.kind === 'unknown' || (again.kind === 'accepted' && again.snapshot.reference === money.reference))
    assert.equal((await truth()).payouts.length, 1)
    const message = await heard(ourPayout, 'payout', 'completed')
    const answer = await provider.fetchPayout({ reference: money.reference, ourReference: ourPayout })
    assert.ok(message.kind === 'payout' && answer.kind === 'found' && answer.snapshot.status === 'completed')
    assert.deepEqual([message.snapshot.amount, message.snapshot.fee], [amount, quote.fee])
    assert.deepEqual([answer.snapshot.amount, answer.snapshot.fee], [amount, quote.fee])
    const listed = await provider.listPayouts(0)
    assert.ok(listed.kind === 'page' && listed.isLast && listed.unreadable === 0)
    assert.deepEqual(
      listed.items.map((item) => [item.ourReference, item.status, item.fee]),
      [[ourPayout, 'completed', quote.fee]],
    )
    const unknown = {
      reference: face.strange,
      ourReference: 'po_01jz8e6c9kf0x9v4m2n7q5t3ac',
    }
    assert.deepEqual(await provider.fetchPayout(unknown), { kind: 'not_found' })
    // Our account is too empty for it, which is no fault of its recipient.
    const rich = provider.composePayout({ ...details, amount, phoneNumber: '+255754123319', reference: unknown.ourReference })
    const refused = await provider.sendPayout(rich)
    assert.ok(refused.kind === 'rejected' && refused.isOurFloat, JSON.stringify(refused))
  })

  test(`charges are listed newest first, in pages, and a page that was cut short is no answer · ${name} [P09]`, async (t) => {
    const { provider, compose } = await played(t, face)
    assert.deepEqual(await provider.listCharges(0), { kind: 'page', items: [], unreadable: 0, isLast: true })
    for (let number = 0; number < 101; number += 1) assert.equal((await provider.charge(compose(number, '111'))).kind, 'accepted')
    const [first, second] = [await provider.listCharges(0), await provider.listCharges(1)]
    assert.ok(first.kind === 'page' && second.kind === 'page')
    assert.deepEqual([first.isLast, first.unreadable, second.isLast, second.items.length], [false, 0, true, 1])
    assert.deepEqual(
      [...first.items, ...second.items].map(({ ourReference }) => ourReference),
      Array.from({ length: 101 }, (_, index) => idOf(100 - index)),
    )
    const [newest] = first.items
    assert.ok(Math.abs(Date.now() - newest!.createdAt!.getTime()) < 600_000)
    assert.match(newest!.payerPhone!, /^\+?255754000111$/)

    const paid = face.charge({ status: words.paid })
    const many = Array.from({ length: 100 }, () => ({ ...paid, padding: 'x'.repeat(1_000) }))
    const list = async (status: number, body: unknown) => (await answering(t, face, json(status, body))).listCharges(0)
    const long = await list(
      200,
      face.page(
        many.map((one, index) => ({ ...one, ...face.numbered(index) })),
        100,
      ),
    )
    assert.ok(long.kind === 'page' && long.isLast && long.unreadable === 0, JSON.stringify(long).slice(0, 200))
    const odd = await list(200, face.page([paid, { id: 'PAY3' }, 7], 3))
    assert.ok(odd.kind === 'page' && odd.unreadable === 2 && odd.items.length === 1)
    assert.deepEqual(await list(200, face.page(many.slice(0, 50), 300)), { kind: 'indeterminate', reason: 'short_page' })
    for (const [status, body] of [
      [200, {}],
      [200, face.page('nothing' as never, 1)],
      [500, ''],
      [404, '<html>'],
      [200, '{"data":['],
    ] as const) {
      assert.equal((await list(status, body)).kind, 'indeterminate', JSON.stringify(body))
    }
  })

  for (const drift of driftSchema.options) {
    test(`records, lists and messages read the same in another form: ${drift} · ${name}`, async (t) => {
      const { provider, compose, control, heard } = await played(t, face)
      const facts = async (number: number) => {
        const made = await provider.charge(compose(number, '789'))
        assert.ok(made.kind === 'accepted', JSON.stringify(made))
        const { reference } = made.snapshot
        const message = await heard(idOf(number), 'charge', 'completed')
        const answer = await provider.fetchCharge({ reference, ourReference: idOf(number) })
        const page = await provider.listCharges(0)
        assert.ok(
          message.kind === 'charge' && answer.kind === 'found' && page.kind === 'page' && page.isLast,
          JSON.stringify(page),
        )
        return [message.snapshot, answer.snapshot, page.items[0]!].map(
          // What is another one for every charge, and the phone, which may be masked.
          ({ reference: _reference, ourReference, expiresAt: _expiresAt, networkReceipt, payerPhone: _phone, ...same }) => {
            const { createdAt: _createdAt, ...rest } = { createdAt: null, ...same }
            return { ...rest, isOurs: ourReference === idOf(number), hasReceipt: networkReceipt !== undefined }
          },
        )
      }
      const documented = await facts(1)
      await control('PATCH', '/switches', { drift: [drift] })
      assert.deepEqual(await facts(2), documented)
      const quote = await provider.quotePayout(20_000, '+255754123456')
      assert.ok(quote.kind === 'quoted', JSON.stringify(quote))
    })
  }

  test(`each answer to a create proves what the table says, and no more · ${name} [P08, P12, P13, P40, R08]`, async (t) => {
    let given: { status: number; body: unknown } = { status: 200, body: '' }
    const provider = await answering(t, face, (incoming, response) => {
      const { status, body } = incoming.method === 'GET' ? face.notFound : given
      json(status, body)(incoming, response)
    })
    const prove = async (status: number, body: unknown, expected: string): Promise<void> => {
      given = { status, body }
      const found = [(await provider.charge(charge)).kind, (await provider.sendPayout(charge)).kind]
      assert.deepEqual(found, [expected, expected], `${status} ${JSON.stringify(body).slice(0, 200)}`)
    }
    for (const text of ofTheRequest) for (const body of face.errors(400, text)) await prove(400, body, 'rejected')
    for (const text of [...ofAnOrder, ...unknownTexts])
      for (const body of face.errors(400, text)) await prove(400, body, 'unknown')
    for (const text of [...ofAnOrder, ...ofTheRequest])
      for (const status of [200, 202, 302, 401, 403, 404, 408, 409, 422, 500, 502, 503, 504])
        for (const body of face.errors(status, text)) await prove(status, body, 'unknown')
    for (const text of ofAnOrder) for (const body of face.errors(429, text)) await prove(429, body, 'unknown')
    for (const body of face.errors(429, 'Too many requests, try again later')) await prove(429, body, 'retry_later')
    const nothing = [400, 200, 502].flatMap((status) =>
      ['', '<html>Bad gateway</html>', '{"status":"success","da', [], {}].map((body) => [status, body] as const),
    )
    for (const [status, body] of nothing) await prove(status, body, 'unknown')
    await prove(200, face.created({ ...face.charge({ status: words.open }), x: 'x'.repeat(70_000) }), 'unknown')
  })

  test(`a 429 waits as long as the provider asks, within limits · ${name} [P14]`, async (t) => {
    for (const [wait, afterMs] of [
      ['7', 7_000],
      ['0', 5_000],
      ['99999999', 120_000],
      ['soon', 5_000],
      [undefined, 5_000],
    ] as const) {
      const provider = await answering(t, face, json(429, {}, wait === undefined ? {} : { [face.waitHeader]: wait }))
      assert.deepEqual(await provider.charge(request), { kind: 'retry_later', afterMs })
    }
  })

  test(`a refused connection started nothing; one that breaks, hangs or redirects is unknown · ${name} [P06, P07, P40]`, async (t) => {
    assert.equal((await opened(t, face, 'http://127.0.0.1:1').charge(request)).kind, face.unreachable)
    let visited = false
    const elsewhere = createServer((_, response) => {
      visited = true
      response.end('{}')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    t.after(() => elsewhere.close())
    const location = `http://127.0.0.1:${(elsewhere.address() as { port: number }).port}`
    const broken: Answer[] = [
      (incoming) => incoming.socket.destroy(),
      () => undefined,
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
      json(307, '', { location }),
    ]
    for (const answer of broken) {
      const provider = await answering(t, face, answer, { timeoutMs: 300 })
      assert.equal((await provider.charge(request)).kind, 'unknown')
      assert.equal((await provider.fetchCharge({ reference: face.reference, ourReference: ourCharge })).kind, 'indeterminate')
    }
    assert.equal(visited, false, 'our credentials follow no redirect')
  })

  test(`a record is read strictly: whole money, our charge, a known status · ${name} [P16, P18, P19, P20, P26, R07]`, async (t) => {
    const ask = async (status: number, body: unknown) =>
      (await answering(t, face, json(status, body))).fetchCharge({ reference: face.reference, ourReference: ourCharge })
    for (const amount of wholeAmounts) {
      const answer = await ask(200, face.found(face.charge({ status: words.paid, amount })))
      assert.ok(answer.kind === 'found' && answer.snapshot.amount === 5000, String(amount))
    }
    const silent = await ask(200, face.found(face.charge({ status: words.paid, amount: null })))
    assert.ok(silent.kind === 'found' && silent.snapshot.amount === null)
    for (const amount of doubtfulAmounts) {
      const answer = await ask(200, face.found(face.charge({ status: words.paid, amount })))
      assert.equal(answer.kind, 'indeterminate', JSON.stringify(amount))
    }
    for (const [currency, expected] of [
      ['tzs', 'TZS'],
      ['USD', 'USD'],
    ] as const) {
      const answer = await ask(200, face.found(face.charge({ status: words.paid, currency })))
      assert.ok(answer.kind === 'found' && answer.snapshot.currency === expected)
    }
    const strange = await ask(200, face.found(face.charge({ status: 'ON-FIRE', extra: { more: [1] } })))
    assert.ok(strange.kind === 'found' && strange.snapshot.status === 'unrecognised')
    const another = { ...face.charge({ status: words.paid }), reference: 'r-9', orderReference: '072jRIcgdDd7kz54w8HV' }
    assert.equal((await ask(200, face.found(another))).kind, 'indeterminate')
    assert.equal((await ask(face.notFound.status, face.notFound.body)).kind, 'not_found')
    for (const [status, body] of [
      [500, face.notFound.body],
      [200, face.notFound.body],
      [200, ''],
      // A proxy in between does not know what the provider has.
      [404, '<html>Not found</html>'],
    ] as const) {
      assert.equal((await ask(status, body)).kind, 'indeterminate', `${status}`)
    }
  })

  test(`trouble of the provider is distinguished from a refusal for one payer · ${name} [P39]`, async (t) => {
    const cases: [number, unknown, string | undefined][] = [
      ...face.refusedKeys.map(([status, body]): [number, unknown, string] => [status, body, 'credentials']),
      [502, '<html>Bad gateway</html>', 'outage'],
      [200, '', 'outage'],
      // The answer of something in front of the provider to one body: our key is not what it refuses.
      [403, '<html>Forbidden</html>', 'outage'],
      ...face.errors(500, 'oops').map((body): [number, unknown, string] => [500, body, 'outage']),
      ...face.errors(400, 'Order reference already used').map((body): [number, unknown, undefined] => [400, body, undefined]),
      ...face.errors(409, 'Order reference already used').map((body): [number, unknown, undefined] => [409, body, undefined]),
    ]
    for (const [status, body, trouble] of cases) {
      const outcome = await (await answering(t, face, json(status, body))).charge(request)
      const found = 'trouble' in outcome ? outcome.trouble : undefined
      assert.equal(found, trouble, `${status} ${JSON.stringify(body)} → ${JSON.stringify(outcome)}`)
    }
  })

  test(`a message is believed for its signature alone, also in a rotation, and has one id · ${name} [P01, P21, P22, P24, P27, P45]`, async (t) => {
    const data = face.charge({ status: words.paid, amount: 5000 })
    const message = face.message(events.paid, data)
    const provider = opened(t, face, callbackUrl)
    const good = read(provider, message)
    assert.ok(good.kind === 'charge', JSON.stringify(good))
    const { reference, ourReference, status, amount, currency } = good.snapshot
    assert.deepEqual([reference, ourReference, status, amount, currency], [face.reference, ourCharge, 'completed', 5000, 'TZS'])
    assert.deepEqual([read(provider, message), provider.readStoredWebhook(message.body.toString())], [good, good])
    const forged = [...face.forged(message), face.message(events.paid, data, { key: 'another key of twenty bytes' })]
    for (const one of forged)
      assert.deepEqual(read(provider, one), { kind: 'invalid', reason: 'signature' }, one.body.toString().slice(0, 80))
    const [before, after] = ['b'.repeat(40), 'a'.repeat(40)]
    const rotating = opened(t, face, callbackUrl, { keys: [after, before] })
    for (const key of [before, after]) assert.equal(read(rotating, face.message(events.paid, data, { key })).kind, 'charge')
    assert.equal(read(rotating, message).kind, 'invalid')
  })

  test(`the simulator’s bad signature is refused, and an old time is doubtful where it is proven · ${name}`, async (t) => {
    const { provider, compose, messages, read: readNow } = await played(t, face)
    assert.equal((await provider.charge(compose(1, '249'))).kind, 'accepted')
    const bad = await until('the badly signed message', () => messages[0])
    assert.deepEqual(readNow(bad), { kind: 'invalid', reason: 'signature' })
    for (const ageSeconds of [-301, 301]) {
      const old = face.message(events.paid, face.charge({ status: words.paid }), { ageSeconds })
      const told = read(provider, old)
      assert.equal(told.kind, face.provesTime ? 'doubtful' : 'charge')
      if (told.kind === 'doubtful') assert.equal(told.reason, 'stale')
    }
  })

  test(`an odd message is doubtful and names its charge, and an unknown event moves nothing · ${name} [P19, P26, P36]`, (t) => {
    const provider = opened(t, face, callbackUrl)
    const told = (event: string, data: Record<string, unknown>) => read(provider, face.message(event, data))
    for (const event of events.unknown) assert.equal(told(event, face.charge({ status: words.paid })).kind, 'other', event)
    const odd: [string, Record<string, unknown>, string][] = [
      [events.failed, face.charge({ status: words.paid }), 'contradictory'],
      [events.paid, face.charge({ status: words.open }), 'contradictory'],
      [events.paid, face.charge({ status: 'settled-ish' }), 'contradictory'],
      [events.paid, { ...face.charge({ status: words.paid }), status: null }, 'unreadable'],
      ...doubtfulAmounts.map((amount): [string, Record<string, unknown>, string] => [
        events.paid,
        face.charge({ status: words.paid, amount }),
        'unreadable',
      ]),
    ]
    for (const [event, data, reason] of odd) {
      const message = told(event, data)
      assert.ok(message.kind === 'doubtful', JSON.stringify([data, message]))
      assert.deepEqual(
        [message.reason, message.subject, message.reference, message.ourReference],
        [reason, 'charge', face.reference, ourCharge],
      )
    }
    assert.ok(told(events.paid, {}).kind === 'doubtful')
    const sparse = told(events.failed, face.charge({ status: words.failed, extra: { channel: null, settlement: null } }))
    assert.ok(sparse.kind === 'charge' && sparse.snapshot.failure?.code === 'provider_error')
    const paid = told(events.payoutPaid, face.payout({ status: payoutWords.paid, amount: '5000.00' }))
    assert.ok(paid.kind === 'payout' && paid.snapshot.amount === 5000 && paid.snapshot.status === 'completed')
    const returned = told(events.payoutReturned, face.payout({ status: payoutWords.returned }))
    assert.ok(
      returned.kind === 'payout' &&
        returned.snapshot.status === payoutWords.isReturned &&
        returned.snapshot.ourReference === ourPayout,
    )
    const cents = told(events.payoutPaid, face.payout({ status: payoutWords.paid, amount: '1047.10' }))
    assert.ok(cents.kind === 'doubtful' && cents.reason === 'unreadable' && cents.subject === 'payout')
  })
}
