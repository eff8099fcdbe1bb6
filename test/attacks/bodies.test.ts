/**
 * Hostile bodies: JSON that two parsers read differently, amounts, phones, names, slugs, keys, and texts that would block a parser.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { attackAll, startAttackedApp, type Attack, type AttackedApp } from './attacked-app.ts'

const json = { 'content-type': 'application/json' }
const sends =
  (app: AttackedApp, rawBody: string | Uint8Array, path = '/v1/payments/checkout') =>
  () =>
    app.call('POST', path, { rawBody, headers: json })

const payer = (slug: string, fields: Record<string, unknown> = {}) => ({
  slug,
  phone_number: '0754123789',
  customer_name: 'Juma Hamisi',
  customer_email: 'juma@example.com',
  idempotency_key: randomBytes(8).toString('hex'),
  ...fields,
})

const mistakes = (rows: [name: string, send: Attack['send'], expects: string][]): Attack[] =>
  rows.map(([name, send, expects]) => ({ name, send, expects, isMistake: true }))

test('JSON that could be read in two ways is not read at all, and changes no prototype [A31]', async (t) => {
  const app = await startAttackedApp(t)
  const { slug } = await app.page(await app.student())
  const text = JSON.stringify(payer(slug))
  const more = (fields: string) => text.replace('{', `{${fields},`)
  const invalid = '400 invalid_json'
  await attackAll(
    app,
    mistakes([
      ['not closed', sends(app, text.slice(0, -1)), invalid],
      ['something after it', sends(app, `${text} {}`), invalid],
      ['one byte more than 256 KiB', sends(app, text + ' '.repeat(256 * 1024 + 1 - text.length)), '413 payload_too_large'],
      ['thirty levels', sends(app, `{"slug":${'['.repeat(30)}${']'.repeat(30)}}`), '400 validation_error'],
      ['a thousand levels', sends(app, `{"slug":${'['.repeat(1000)}${']'.repeat(1000)}}`), invalid],
      ['sixty thousand levels', sends(app, '['.repeat(60_000)), invalid],
      ['an amount twice', sends(app, more('"amount":1500,"amount":500')), invalid],
      ['an amount twice, once in disguise', sends(app, more('"amount":1500,"\\u0061mount":500')), invalid],
      ['__proto__', sends(app, more('"__proto__":{"isAdmin":true}')), invalid],
      ['__proto__ in disguise', sends(app, more('"\\u005f_proto__":{"isAdmin":true}')), invalid],
      ['constructor', sends(app, more('"constructor":{"prototype":{"isAdmin":true}}')), '400 validation_error'],
      [
        'half a surrogate pair',
        sends(app, more('"customer_name":"\\ud800"').replace('"customer_name":"Juma Hamisi",', '')),
        invalid,
      ],
      ['NUL', sends(app, text.replace('Juma', 'Ju\\u0000ma')), invalid],
      ['UTF-16', sends(app, Buffer.from(text, 'utf16le')), invalid],
      ['bytes that are no UTF-8', sends(app, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), invalid],
      ['a list', sends(app, '[]'), '400 validation_error'],
      ['a text', sends(app, '"x"'), '400 validation_error'],
      ['null', sends(app, 'null'), '400 validation_error'],
    ]),
  )
  assert.equal(({} as Record<string, unknown>)['isAdmin'], undefined)
})

test('an amount is a whole number of shillings, written as one, and the page’s own [A32, A33]', async (t) => {
  const app = await startAttackedApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const fixed = await app.page(student, { amount: 1500 })
  const custom = await app.page(student, { amount: 2000, allow_custom_amount: true, max_amount: 50_000 })
  const pays = (slug: string, literal?: string) => {
    const text = JSON.stringify(payer(slug))
    return sends(app, literal === undefined ? text : text.replace('{', `{"amount":${literal},`))
  }
  const literals: [string, string][] = [
    ['499', 'amount_too_small'],
    ['0', 'amount_too_small'],
    ['-1', 'amount_too_small'],
    ['-0', 'amount_too_small'],
    ['50001', 'amount_too_large'],
    ['null', 'amount_required'],
    ['9007199254740993', 'amount_too_large'],
    ['-9007199254740993', 'amount_too_small'],
    ...['500.5', '5000.0', '1e3', '5E3', '"1000"', '1e309', '-1e309', 'true', '[]', '{}', '[1000]'].map(
      (literal): [string, string] => [literal, 'amount_invalid'],
    ),
  ]
  const pageOf = (literal: string) => () =>
    app.call('POST', '/v1/payment-pages', {
      key,
      rawBody: `{"type":"payment","title":"x","amount":${literal}}`,
      headers: json,
    })
  await attackAll(
    app,
    mistakes([
      ...literals.map(([literal, code]): [string, Attack['send'], string] => [
        literal,
        pays(custom.slug, literal),
        `400 ${code}`,
      ]),
      ['another amount than the page’s', pays(fixed.slug, '500'), '400 amount_mismatch'],
      ['another amount, larger', pays(fixed.slug, '1501'), '400 amount_mismatch'],
      ['none, where the payer chooses', pays(custom.slug), '400 amount_required'],
      ['a page of 1e3', pageOf('1e3'), '400 amount_invalid'],
      ['a page of 9007199254740993', pageOf('9007199254740993'), '400 amount_too_large'],
      ['a page of 499', pageOf('499'), '400 amount_too_small'],
    ]),
  )
})

test('a phone is a Tanzanian mobile number in plain digits [A34]', async (t) => {
  const app = await startAttackedApp(t)
  const { slug } = await app.page(await app.student())
  const pays = (phone_number: string) => () => app.call('POST', '/v1/payments/checkout', { body: payer(slug, { phone_number }) })
  const invalid = [
    '+254712345678',
    '0222112345',
    '0754 123 78',
    '07541237890',
    'simu yangu',
    '٠٧٥٤١٢٣٧٨٩',
    '0754123789;ext=1',
    "0754123789' or 1=1",
    '',
  ]
  await attackAll(
    app,
    mistakes([
      ...invalid.map((phone): [string, Attack['send'], string] => [`"${phone}"`, pays(phone), '400 phone_invalid']),
      ['a network that cannot pay', pays('0732123789'), '400 network_unsupported'],
      ['forty-one characters', pays('0'.repeat(41)), '400 validation_error'],
    ]),
  )
})

test('names and addresses are stored unchanged or refused, shown as text, and control nothing [A35]', async (t) => {
  const app = await startAttackedApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const { slug } = await app.page(student)
  const pays = (fields: Record<string, unknown>) => app.call('POST', '/v1/payments/checkout', { body: payer(slug, fields) })
  const refused = '400 validation_error'
  await attackAll(
    app,
    mistakes([
      ['a name with a header', () => pays({ customer_name: 'a\r\nBcc: x@y.z' }), refused],
      ['a name of ten kilobytes', () => pays({ customer_name: 'x'.repeat(10_000) }), refused],
      ['a name of fillers', () => pays({ customer_name: '\u3164\u115f' }), refused],
      ['an invisible name', () => pays({ customer_name: '\u200b\u200b' }), refused],
      ['an e-mail address with a header', () => pays({ customer_email: 'a@b.co\r\nBcc: x@y.z' }), refused],
      ['two e-mail addresses', () => pays({ customer_email: 'a@b.co,x@y.z' }), refused],
      ['an e-mail address of ten kilobytes', () => pays({ customer_email: `${'x'.repeat(10_000)}@b.co` }), refused],
      ['markup as an e-mail address', () => pays({ customer_email: '<script>@b.co' }), refused],
    ]),
  )
  const hidden = await pays({ customer_name: 'Asha \u202eMwinyi' })
  await app.settled(hidden.body.data.reference)
  assert.equal((await app.call('GET', '/v1/transactions?limit=1', { key })).body.data[0].customer.name, 'Asha Mwinyi')
  for (const name of [
    "Robert'); drop table payments;--",
    '<script>alert(1)</script>',
    "' or 1=1 --",
    '🙂 Asha',
    'علي',
    '%s%n${7*7}',
  ]) {
    const made = await pays({ customer_name: name })
    assert.equal(made.status, 201, name)
    await app.settled(made.body.data.reference)
    const { body } = await app.call('GET', '/v1/transactions?limit=1', { key })
    assert.equal(body.data[0].customer.name, name)
  }
})

test('a page is found by its own slug alone [A36]', async (t) => {
  const app = await startAttackedApp(t)
  const student = await app.student()
  const page = await app.page(student, { slug: 'chai-ya-asha' })
  const closed = await app.page(student, { active: false })
  const gets = (slug: string) => () => app.call('GET', `/v1/pay/${encodeURIComponent(slug)}`)
  const pays = (slug: string) => () => app.call('POST', '/v1/payments/checkout', { body: payer(slug) })
  const unlike = ['nobodys', 'chai-ya-asha ', 'chаi-ya-asha', 'chai‐ya‐asha', "chai-ya-asha'--", 'chai-ya-asha\n', '%00', page.id]
  await attackAll(
    app,
    mistakes([
      ...unlike.flatMap((slug): [string, Attack['send'], string][] => [
        [`GET ${slug}`, gets(slug), '404 not_found'],
        [`pay ${slug}`, pays(slug), '404 not_found'],
      ]),
      ['in capitals', pays('CHAI-YA-ASHA'), '404 not_found'],
      ['a closed one', pays(closed.slug), '409 page_inactive'],
    ]),
  )
})

test('an idempotency key is short and plain, and means nothing on another page [A37]', async (t) => {
  const app = await startAttackedApp(t)
  const [asha, juma] = [await app.student(), await app.student()]
  const [one, other, theirs] = [await app.page(asha), await app.page(asha), await app.page(juma)]
  const pays = (slug: string, idempotency_key: unknown) =>
    app.call('POST', '/v1/payments/checkout', { body: payer(slug, { idempotency_key }) })
  await attackAll(
    app,
    mistakes([
      ['empty', () => pays(one.slug, ''), '400 validation_error'],
      ['256 characters', () => pays(one.slug, 'x'.repeat(256)), '400 validation_error'],
      ['a line break', () => pays(one.slug, 'a\nb'), '400 validation_error'],
      ['no text', () => pays(one.slug, 5), '400 validation_error'],
      ['beyond ASCII', () => pays(one.slug, 'ufunguo-ħ'), '400 validation_error'],
    ]),
  )
  const made = await Promise.all([one, other, theirs].map(({ slug }) => pays(slug, 'the same')))
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201, 201],
  )
  const references = made.map(({ body }) => body.data.reference as string)
  assert.equal(new Set(references).size, 3)
  await Promise.all(references.map((reference) => app.settled(reference)))
  await app.attack({
    name: 'the key of another body',
    send: () =>
      app.call('POST', '/v1/payments/checkout', {
        body: payer(one.slug, { idempotency_key: 'the same', customer_name: 'Else' }),
      }),
    expects: '422 idempotency_key_reused',
    isMistake: true,
  })
})

test('no text of fifty thousand characters slows down a parser [A64]', async (t) => {
  const app = await startAttackedApp(t, { settings: { RATE_LIMITS: 'off' } })
  const student = await app.student()
  const { slug } = await app.page(student)
  const { key, appId } = await app.key(student)
  const length = 50_000
  const texts = [
    'a'.repeat(length),
    `${'a'.repeat(length)}!`,
    `${'a@'.repeat(length / 2)}`,
    `${'a.'.repeat(length / 2)}@`,
    `a@${'a.'.repeat(length / 2)}`,
    `x${' '.repeat(length)}x`,
    `+255${'0 '.repeat(length / 2)}`,
    `https://${'a-.'.repeat(length / 3)}`,
    '\u0301'.repeat(length / 2),
    '-'.repeat(length),
  ]
  const endpoints: [string, (text: string) => Attack['send']][] = [
    ...['phone_number', 'customer_name', 'customer_email', 'idempotency_key', 'slug', 'network', 'amount'].map(
      (field): [string, (text: string) => Attack['send']] => [
        `checkout ${field}`,
        (text) => () => app.call('POST', '/v1/payments/checkout', { body: payer(slug, { [field]: text }) }),
      ],
    ),
    ...['email', 'phone_number', 'full_name'].map((field): [string, (text: string) => Attack['send']] => [
      `registration ${field}`,
      (text) => () => app.call('POST', '/v1/auth/register', { body: { [field]: text } }),
    ]),
    ...['identifier', 'password'].map((field): [string, (text: string) => Attack['send']] => [
      `sign-in ${field}`,
      (text) => () => app.call('POST', '/v1/auth/login', { body: { identifier: 'a@example.com', password: 'x', [field]: text } }),
    ]),
    [
      'webhook',
      (text) => () => app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url: text } }),
    ],
    [
      'page',
      (text) => () =>
        app.call('POST', '/v1/payment-pages', { key, body: { type: 'payment', title: text, redirect_url: text, slug: text } }),
    ],
    ...['website', 'phone', 'email', 'legal_name'].map((field): [string, (text: string) => Attack['send']] => [
      `business ${field}`,
      (text) => () => app.call('POST', '/v1/businesses', { token: student.token, body: { [field]: text } }),
    ]),
  ]
  for (const [name, send] of endpoints) {
    for (const text of texts) {
      const times: number[] = []
      // The processor time, the best of a few: this process may be busy with other work.
      const timed = async () => {
        const before = process.cpuUsage()
        const answer = await send(text)()
        times.push(process.cpuUsage(before).user / 1000)
        return answer
      }
      const answer = await app.leavesNoTrace(
        `${name} ${text.slice(0, 10)}`,
        async () => {
          await timed()
          await timed()
          return timed()
        },
        [],
        // A webhook's address is recorded whatever is wrong with it.
        name === 'webhook' ? 3 : 0,
      )
      assert.ok(answer.status === 400 || answer.status === 404, `${name}: ${answer.status}`)
      while (Math.min(...times) >= 50 && times.length < 20) await timed()
      assert.ok(Math.min(...times) < 50, `${name} took ${times.map(Math.round).join()} ms`)
    }
  }
})
