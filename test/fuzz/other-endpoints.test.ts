/**
 * The public parts outside the described API: the providers' webhook route, the hosted checkout, the host of the documents. Every
 * request, also one with a correct signature, is answered in time and without a fault, and the books hold afterwards.
 *
 *   npm run test:fuzz -- --requests 500 --seed 42 --route providers
 */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { checksumOf } from '../../server/money/providers/clickpesa-checksum.ts'
import { orderReferenceOf } from '../../server/money/providers/clickpesa-data.ts'
import { presign, files } from '../onboarding.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { createDice, type Dice } from './dice.ts'
import { badBytes, badTexts, spoil, writeJson } from './generate.ts'
import { checkAnswer, createAsker, type RawAnswer, type Sent } from './send.ts'
import { faultsOf } from './fixtures.ts'

const requests = Number(process.env['MALIPO_FUZZ_REQUESTS'] ?? 25)
const seed = process.env['MALIPO_FUZZ_SEED'] ?? String(Date.now() % 1_000_000)
const only = process.env['MALIPO_FUZZ_ROUTE']

const isWanted = (name: string): boolean => only === undefined || only.split(',').includes(name)

type Endpoint = { app: TestApp; dice: Dice; lines: string[]; ask(sent: Sent): Promise<RawAnswer>; found: string[] }

async function startEndpoint(t: TestContext, name: string, origin: (app: TestApp) => string): Promise<Endpoint> {
  t.diagnostic(`seed ${seed}`)
  const lines: string[] = []
  const limits = ['checkout', 'status', 'unknown-reference', 'presign', 'sign-in'].map((limit) => `${limit}=1000000/1`)
  const app = await startTestApp(t, {
    logLevel: 'error',
    logTo: (line) => lines.push(line),
    settings: { RATE_LIMIT_QUOTAS: limits.join(','), SECURITY_LOG_LINES_PER_MINUTE: '1000000' },
  })
  const asker = createAsker(origin(app))
  t.after(() => asker.close())
  const found: string[] = []
  return {
    app,
    lines,
    found,
    dice: createDice(`${seed} ${name}`),
    async ask(sent) {
      try {
        const answer = await asker.ask(sent)
        checkAnswer(answer)
        return answer
      } catch (error) {
        const sentBody = sent.body?.toString().slice(0, 500) ?? ''
        found.push(
          `${(error as Error).message}\n  ${sent.method} ${sent.path.slice(0, 300)} ${JSON.stringify(sent.headers).slice(0, 300)}\n  ${sentBody}`,
        )
        return { status: 0, headers: new Headers(), body: undefined, text: '' }
      }
    },
  }
}

async function isUnharmed({ app, lines, found }: Endpoint): Promise<void> {
  await app.deps.backgroundDone()
  assert.deepEqual([...found, ...faultsOf(lines)], [])
}

/** The checksum of the body; none for a body that is nested too deeply. */
function checksumFor(body: Record<string, unknown>, key: string): string {
  try {
    return checksumOf(JSON.parse(writeJson(body)) as Record<string, unknown>, key)
  } catch {
    return '0'.repeat(64)
  }
}

test('providers', { skip: !isWanted('providers') }, async (t) => {
  const endpoint = await startEndpoint(t, 'providers', ({ config }) => config.urls.api)
  const { app, dice, ask } = endpoint
  const page = await app.page(await app.student(), { allow_custom_amount: true })
  const secret = app.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  const key = app.settings['CLICKPESA_TEST_CHECKSUM_KEYS']!
  const open: { reference: string; ours: string }[] = []
  for (let count = 0; count < 12; count += 1) {
    const { body } = await app.checkout(page.slug, { amount: 1500, phone_number: `07540${String(count).padStart(2, '0')}000` })
    await app.deps.backgroundDone()
    const [charge] = (await app.truth(`?our_reference=${body.data.reference}`)).charges
    open.push({ reference: charge.reference, ours: body.data.reference })
  }
  let taken = 0
  for (let count = 0; count < requests * 4; count += 1) {
    const { reference, ours } = dice.pick(open)
    const isFirst = dice.chance(0.6)
    const status = dice.pick(['completed', 'failed', 'pending', 'voided', 'expired', 'processing'])
    const event: Record<string, unknown> = isFirst
      ? {
          id: dice.chance(0.1) ? 'evt_same' : `evt_${dice.word(20)}`,
          type: dice.chance(0.8) ? `payment.${status}` : `payout.${status}`,
          data: {
            reference: dice.chance(0.9) ? reference : dice.word(12),
            status,
            amount: { value: dice.pick([1500, 1500, 1400]), currency: 'TZS' },
            settlement: { fees: { value: dice.between(0, 100), currency: 'TZS' } },
            channel: { provider: dice.pick(['mpesa', 'airtel', 'x']) },
            metadata: { malipo_payment: dice.chance(0.9) ? ours : dice.word(5) },
            failure_reason: 'Wrong PIN',
          },
        }
      : {
          event: dice.pick(['PAYMENT RECEIVED', 'PAYMENT FAILED', 'PAYOUT INITIATED', 'PAYOUT REVERSED']),
          data: {
            id: dice.word(8),
            orderReference: dice.chance(0.9) ? orderReferenceOf(ours) : dice.word(10),
            status: dice.pick(['SUCCESS', 'FAILED', 'PROCESSING', 'SETTLED']),
            collectedAmount: '1500.00',
            collectedCurrency: 'TZS',
            message: 'x',
          },
        }
    const message = dice.chance(0.4) ? event : (spoil(event, dice) as Record<string, unknown>)
    const isObject = typeof message === 'object' && message !== null && !Array.isArray(message)
    const signed = isFirst || !isObject ? message : { ...message, checksum: checksumFor(message, key) }
    const text = writeJson(signed)
    const body = dice.chance(0.1) ? badBytes(text, dice) : Buffer.from(text)
    const timestamp = dice.chance(0.95) ? String(Math.floor(Date.now() / 1000)) : dice.pick(['1', '', 'x', '9'.repeat(13)])
    const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
    const where = isFirst ? 'snippe' : 'clickpesa'
    const { status: answered } = await ask({
      method: 'POST',
      path: `/v1/providers/${dice.chance(0.97) ? where : dice.pick(['x', '%00', 'snippe%2f'])}/${dice.chance(0.97) ? 'test' : dice.pick(['live', 'x'])}/webhook`,
      headers: {
        'content-type': dice.pick(['application/json', 'text/plain', 'application/x-www-form-urlencoded']),
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': dice.chance(0.97) ? signature : dice.pick(['', 'a'.repeat(64), 'sha256=x']),
      },
      body,
    })
    assert.ok([0, 200, 400, 401, 404, 409, 413].includes(answered), String(answered))
    if (answered === 200) taken += 1
    await app.deps.backgroundDone()
    // The log contains the fault without the message that caused it.
    for (const line of faultsOf(endpoint.lines)) endpoint.found.push(`${line.trim()}\n  ${body.toString().slice(0, 900)}`)
  }
  await isUnharmed(endpoint)
  assert.ok(taken > requests, `${taken} messages were taken`)
})

test('checkout', { skip: !isWanted('checkout') }, async (t) => {
  const endpoint = await startEndpoint(t, 'checkout', ({ config }) => config.urls.checkout)
  const { app, dice, ask } = endpoint
  const page = await app.page(await app.student(), {
    allow_custom_amount: true,
    redirect_url: 'https://duka.example.com/asante',
  })
  const { reference, checkout_token } = (await app.checkout(page.slug, { amount: 1500, phone_number: '0754000000' })).body.data
  const paths = [
    `/pay/${page.slug}`,
    `/pay/${page.slug}/qr.svg`,
    `/pay/${page.slug}/${reference}`,
    `/pay/${page.slug}/${reference}/again`,
    `/r/${reference}`,
    '/',
    '/livez',
  ]
  const queryNames = ['lang', 'auto', 'number', 'utm_source', 'size', 'download', 'x']
  let [good, prompted] = [0, 0]
  for (let count = 0; count < requests * 4; count += 1) {
    const bad = () => encodeURIComponent(dice.pick(badTexts).toWellFormed()).slice(0, 2000)
    const isRight = dice.chance(0.5)
    const base = dice.pick(paths)
    const parts = base.split('/')
    if (!isRight && dice.chance(0.4))
      parts[dice.between(1, parts.length - 1)] = dice.chance(0.3) ? dice.pick(['%00', '%ff', '%', '..']) : bad().slice(0, 300)
    const query = dice.chance(0.5)
      ? ''
      : `?${dice.pick(queryNames)}=${isRight ? dice.pick(['sw', 'en', '0', 'other', '200']) : dice.pick([bad(), '%00', 'sw&lang=en'])}`
    const cookies = [
      `form=${randomBytes(18).toString('base64url')}${dice.chance(0.5) ? `.${reference}` : ''}`,
      `checkout_token=${checkout_token}`,
      `tried=${reference}`,
      `form=${bad().slice(0, 200)}`,
      'checkout_token=ct_x; tried=pay_; =; ;',
    ]
    const headers: Record<string, string> = {
      ...(dice.chance(0.6) && { cookie: dice.pick(cookies) }),
      ...(dice.chance(0.3) && { 'accept-encoding': dice.pick(['br', 'gzip', 'identity;q=0', '*', 'x']) }),
      ...(dice.chance(0.3) && { 'accept-language': dice.pick(['en', 'sw;q=0.1,en', ';;', 'x'.repeat(500)]) }),
    }
    if (dice.chance(0.6)) {
      const answer = await ask({ method: 'GET', path: parts.join('/') + query, headers, body: undefined })
      if (answer.status < 400) good += 1
      continue
    }
    const action = dice.pick(['', '', '', `/${reference}/resend`, `/${reference}/cancel`])
    const fields: Record<string, string> = {
      idempotency_key: randomBytes(18).toString('base64url'),
      lang: 'sw',
      amount: dice.pick(['1500', 'TSh 2,500/=', '2 500']),
      phone_number: `0754 ${dice.between(100, 999)} 789`,
      network: '',
      customer_name: 'Juma Hamisi',
      customer_email: 'juma@example.com',
    }
    if (!isRight) fields[dice.pick(Object.keys(fields))] = dice.pick(badTexts).toWellFormed()
    if (!isRight && dice.chance(0.3)) delete fields[dice.pick(Object.keys(fields))]
    const type =
      isRight || dice.chance(0.8)
        ? 'application/x-www-form-urlencoded'
        : dice.pick(['text/plain', 'application/json', 'multipart/form-data; boundary=x'])
    const text = new URLSearchParams(fields).toString()
    const answer = await ask({
      method: 'POST',
      path: `/pay/${page.slug}${action}${query}`,
      headers: { ...headers, 'content-type': type, ...(dice.chance(0.9) && { origin: app.config.urls.checkout }) },
      body:
        isRight || dice.chance(0.7)
          ? text
          : dice.pick([`${text}&amount=1`, '%', '&&==', 'a=%00', 'a'.repeat(100_000), text.replaceAll('=', '')]),
    })
    if (answer.status === 303 && /\/pay_[0-9a-z]{26}/.test(answer.headers.get('location') ?? '')) prompted += 1
  }
  await isUnharmed(endpoint)
  assert.ok(good > requests / 2 && prompted > requests / 10, `${good} pages were shown, ${prompted} payments begun`)
})

test('documents', { skip: !isWanted('documents') }, async (t) => {
  const endpoint = await startEndpoint(t, 'documents', ({ config }) => config.urls.storage)
  const { app, dice, ask } = endpoint
  const student = await app.student()
  let taken = 0
  for (let count = 0; count < requests; count += 1) {
    const kind = dice.pick(['jpeg', 'png', 'pdf'] as const)
    const file = files[kind]()
    const address = await presign(app, student, '/v1/kyc', dice.pick(['national_id', 'selfie']), file)
    const { pathname, search } = new URL(address.upload_url)
    const isRight = dice.chance(0.4)
    const bytes = Buffer.from(file.bytes)
    if (!isRight && dice.chance(0.5))
      for (let flips = dice.between(1, 40); flips > 0; flips -= 1) bytes[dice.between(0, bytes.length - 1)] = dice.between(0, 255)
    const changed = dice.pick([
      pathname + search,
      `${pathname}${search}`.replace(/.$/, dice.word(1)),
      pathname + search.replace('expires=', 'expires=9'),
      `${pathname}/..${search}`,
      `${pathname.replace('kyc-docs', 'business-docs')}${search}`,
      pathname,
      `${pathname}%00${search}`,
      `${pathname}${search}&view=${dice.word(10)}`,
    ])
    const { status } = await ask({
      method: isRight || dice.chance(0.7) ? 'PUT' : dice.pick(['GET', 'POST', 'DELETE']),
      path: isRight || dice.chance(0.4) ? pathname + search : changed,
      headers: { ...address.headers, ...(!isRight && dice.chance(0.2) && { 'content-type': 'text/html' }) },
      body:
        isRight || dice.chance(0.8)
          ? bytes
          : dice.pick([bytes.subarray(0, dice.between(0, bytes.length)), Buffer.alloc(0), randomBytes(5000)]),
    })
    if (status === 200) taken += 1
  }
  await isUnharmed(endpoint)
  assert.ok(taken >= requests / 5, `${taken} files were taken`)
})
