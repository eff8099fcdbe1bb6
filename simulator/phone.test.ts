import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

const phone = '255712345678'

const press = async (simulator: TestSimulator, reference: string, fields: Record<string, string>, on = phone): Promise<Call> =>
  await simulator.call('POST', `/phone/${on}`, {
    raw: new URLSearchParams({ reference, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const screen = async (simulator: TestSimulator, path = `/phone/${phone}`): Promise<string> => {
  const answer = await simulator.call('GET', path)
  assert.equal(answer.status, 200)
  return answer.text
}

test('an open prompt is listed by its number and asks for the PIN in Swahili', async (t) => {
  const simulator = await startTestSimulator(t)
  assert.match(await screen(simulator, '/phone'), /Hakuna ombi la malipo/)
  const { reference } = await simulator.create(simulator.order())
  assert.match(await screen(simulator, '/phone'), /href="\/phone\/255712345678"/)
  const text = await screen(simulator)
  assert.match(text, /Thibitisha malipo/)
  assert.match(text, /TSh\s5,000/)
  assert.match(text, /Weka namba ya siri kuthibitisha/)
  assert.ok(text.includes(`value="${reference}"`))
})

test('the right PIN pays', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  const answer = await press(simulator, reference, { action: 'pin', pin: '4321' })
  assert.equal(answer.status, 303)
  assert.equal(answer.headers.location, `/phone/${phone}`)
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'completed')
  assert.equal(charge.money_moved, true)
  assert.match(await screen(simulator), /Umelipa TSh\s5,000 kwa MALIPO\. Kumb\. na\. /)
  await until('the webhook', () => eventsIn(simulator.receiver)[0]?.type === 'payment.completed')
})

test('the third wrong PIN fails the payment, the first two may be corrected', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  for (const left of [2, 1]) {
    await press(simulator, reference, { action: 'pin', pin: '0000' })
    assert.match(await screen(simulator), new RegExp(`Majaribio yaliyobaki: ${left}`))
    assert.equal((await simulator.charge(reference)).status, 'pending')
  }
  await press(simulator, reference, { action: 'pin', pin: '0000' })
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'failed')
  assert.equal(charge.failure_reason, 'Wrong PIN entered')
  assert.match(await screen(simulator), /namba ya siri si sahihi/)

  const second = await simulator.create(simulator.order())
  await press(simulator, second.reference, { action: 'pin', pin: '0000' })
  await press(simulator, second.reference, { action: 'pin', pin: '1234' })
  assert.equal((await simulator.charge(second.reference)).status, 'completed')
})

test('cancelling fails the payment with the words of a cancellation', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await press(simulator, reference, { action: 'cancel' })
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'failed')
  assert.equal(charge.failure_reason, 'Transaction cancelled by user')
  assert.match(await screen(simulator), /umeghairi ombi/)
})

test('too small a balance in the wallet fails the payment with the words of the provider', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await press(simulator, reference, { action: 'insufficient' })
  const charge = await simulator.charge(reference)
  assert.deepEqual([charge.status, charge.failure_reason], ['failed', 'Insufficient balance in wallet'])
  assert.match(await screen(simulator), /salio lako halitoshi/)
})

test('each network asks and confirms in its own words', async (t) => {
  const simulator = await startTestSimulator(t)
  const words: Record<string, [asked: RegExp, paid: RegExp]> = {
    '255754000222': [/Je, unataka kulipa .*Weka namba ya siri ya M-Pesa/s, /Imethibitishwa\. TSh\s5,000 imelipwa kwa MALIPO/],
    '255784000222': [/Umeombwa kulipa .*Ingiza PIN yako ya Airtel Money/s, /Asante kwa kutumia Airtel Money/],
    '255713000222': [/Thibitisha malipo ya .*Weka namba ya siri kuthibitisha/s, /Umelipa TSh\s5,000 kwa MALIPO/],
    '255621000222': [/Lipa .*Ingiza namba ya siri ya HaloPesa kulipa/s, /HaloPesa: malipo ya TSh\s5,000/],
  }
  for (const [number, [asked, paid]] of Object.entries(words)) {
    const { reference } = await simulator.create(simulator.order({ phone_number: number }))
    assert.match(await screen(simulator, `/phone/${number}`), asked)
    await press(simulator, reference, { action: 'pin', pin: '1234' }, number)
    assert.match(await screen(simulator, `/phone/${number}`), paid)
  }
})

test('phones are shown side by side, each with its own prompt, and an answer leads back to them', async (t) => {
  const simulator = await startTestSimulator(t)
  const fresh = await screen(simulator, '/phone')
  assert.deepEqual(
    ['M-Pesa', 'Airtel Money', 'Mixx by Yas', 'HaloPesa'].map((name) => fresh.includes(`aria-label="${name} 0`)),
    [true, true, true, true],
  )
  assert.ok(!fresh.includes('name="pin"'))
  // The help of a Swahili screen is Swahili, and complete in English below it.
  const help = [...fresh.matchAll(/<li><b>(\d{3})<\/b> ([^<]+)<\/li>/g)].map(([, suffix, text]) => [suffix, text])
  assert.equal(
    help
      .filter(([suffix]) => suffix === '049')
      .map(([, text]) => text)
      .join(),
    'salio halitoshi,insufficient funds',
  )
  assert.equal(help.length, 2 * new Set(help.map(([suffix]) => suffix)).size)
  const mpesa = await simulator.create(simulator.order({ phone_number: '255754000222' }))
  const airtel = await simulator.create(simulator.order({ phone_number: '255784000222' }))
  const both = await screen(simulator, '/phone')
  for (const { reference } of [mpesa, airtel]) assert.ok(both.includes(`value="${reference}"`))
  assert.equal(both.match(/ autofocus/g)?.length, 1)
  const answer = await press(simulator, airtel.reference, { action: 'pin', pin: '1234', from: 'wall' }, '255784000222')
  assert.equal(answer.headers.location, '/phone#p255784000222')
  const after = await screen(simulator, '/phone')
  assert.ok(after.includes(`value="${mpesa.reference}"`) && !after.includes(`value="${airtel.reference}"`))
  assert.match(
    after,
    /Maombi ya karibuni.*0784 000 222.*TSh\s5,000.*yamelipwa.*\(paid\).*0754 000 222.*yanasubiri jibu.*\(waits for an answer\)/s,
  )
})

test('a prompt disappears after its time while the charge stays pending, and a push brings it back', async (t) => {
  const simulator = await startTestSimulator(t, { promptMs: 50 })
  const { reference } = await simulator.create(simulator.order())
  const gone = await simulator.chargeWhen(reference, 'the end of the prompt', (charge) => !charge.prompt_open)
  assert.equal(gone.status, 'pending')
  assert.match(await screen(simulator), /Ombi limefungwa bila jibu/)
  await press(simulator, reference, { action: 'pin', pin: '1234' })
  assert.equal((await simulator.charge(reference)).status, 'pending')
  await simulator.control('PATCH', '/switches', { promptMs: 60_000 })
  await simulator.call('POST', `/v1/payments/${reference}/push`)
  await press(simulator, reference, { action: 'pin', pin: '1234' })
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'completed')
  assert.equal(charge.prompts, 2)
})

test('a person can dismiss the prompt at once', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await press(simulator, reference, { action: 'timeout' })
  const charge = await simulator.charge(reference)
  assert.deepEqual([charge.status, charge.prompt_open], ['pending', false])
  assert.equal(simulator.receiver.received.length, 0)
})

test('two clicks on the button pay once', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await Promise.all([1, 2, 3].map(async () => await press(simulator, reference, { action: 'pin', pin: '1234' })))
  const { test: account } = (await simulator.truth()).accounts
  assert.equal(account.balance, simulator.config.openingBalanceTzs + 4_901)
  assert.equal((await simulator.charge(reference)).webhooks.length, 1)
})

test('a prompt cannot be answered on another phone or on a number with a scenario', async (t) => {
  const simulator = await startTestSimulator(t, { delayMs: 60_000 })
  const { reference } = await simulator.create(simulator.order())
  await press(simulator, reference, { action: 'pin', pin: '1234' }, '255754000111')
  assert.equal((await simulator.charge(reference)).status, 'pending')
  const scripted = await simulator.create(simulator.order({ phone_number: '255712345049' }))
  await press(simulator, scripted.reference, { action: 'pin', pin: '1234' }, '255712345049')
  assert.equal((await simulator.charge(scripted.reference)).status, 'pending')
  assert.match(await screen(simulator, '/phone/255712345049'), /Namba hii inajibu yenyewe/)
})

test('several prompts on one number are shown newest first, one after the other', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.create(simulator.order())
  const second = await simulator.create(simulator.order({ details: { amount: 7_000, currency: 'TZS' } }))
  assert.match(await screen(simulator), /TSh\s7,000/)
  await press(simulator, second.reference, { action: 'cancel' })
  assert.match(await screen(simulator), /TSh\s5,000/)
})

test('a number may be typed as people write it, and a wrong one is explained', async (t) => {
  const simulator = await startTestSimulator(t)
  for (const number of ['0712 345 678', '+255-712-345-678', '255712345678']) {
    const answer = await simulator.call('GET', `/phone?number=${encodeURIComponent(number)}`)
    assert.equal(answer.headers.location, `/phone/${phone}`)
  }
  const wrong = await simulator.call('GET', '/phone?number=%22%3E%3Cscript%3E')
  assert.equal(wrong.status, 422)
  assert.ok(!wrong.text.includes('"><script>'))
  assert.match(wrong.text, /&quot;&gt;&lt;script&gt;/)
})

test('the policy of the page allows exactly the style and script it carries', async (t) => {
  const simulator = await startTestSimulator(t, { merchantName: '<b>&"' })
  await simulator.create(simulator.order())
  const { headers, text } = await simulator.call('GET', `/phone/${phone}`)
  const policy = String(headers['content-security-policy'])
  for (const tag of ['style', 'script']) {
    const carried = [...text.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))]
    assert.equal(carried.length, 1)
    const hash = createHash('sha256')
      .update(carried[0]?.[1] ?? '')
      .digest('base64')
    assert.ok(policy.includes(`${tag}-src 'sha256-${hash}'`), tag)
  }
  assert.ok(!policy.includes('unsafe'))
  assert.match(text, /kwa <b>&lt;b&gt;&amp;&quot;<\/b>/)
})
