import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { test } from 'node:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '../../platform/outbound/egress.ts'
import { newSecret } from './endpoint.ts'
import { signatureHeaders, signingKeyOf, unsignedHeaders } from './signature.ts'

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgYwF1Z9c='

const content = {
  eventId: 'evt_x',
  eventType: 'payment.completed',
  timestampSeconds: 1_769_333_400,
  body: '{"id":"evt_x","type":"payment.completed"}',
  key: signingKeyOf(secret),
}

test('the signatures equal those of another implementation [W09]', () => {
  // Computed with Python: hmac.new(secret, f"{timestamp}.{body}") and hmac.new(b64decode(secret[6:]), f"{id}.{timestamp}.{body}").
  assert.deepEqual(signatureHeaders(content), {
    'x-service-signature': '56a06752a65241959a2bd8928ccaed3fc319dc24268e7cd9a450a87f7b5c7d02',
    'webhook-signature': 'v1,Q3N4+r4nHNq0HW+cQhfxIloy0Jte+k+QdnW6g8OaF8g=',
  })
})

test('the unsigned headers name the content that is signed', () => {
  assert.deepEqual(unsignedHeaders(content), {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1',
    'x-service-event': 'payment.completed',
    'x-service-timestamp': '1769333400',
    'webhook-id': 'evt_x',
    'webhook-timestamp': '1769333400',
  })
})

test('after a rotation both secrets sign, the new one first', () => {
  const previousSecret = newSecret()
  const headers = signatureHeaders({ ...content, previousKey: signingKeyOf(previousSecret) })
  const previous = createHmac('sha256', previousSecret).update(`1769333400.${content.body}`).digest('hex')
  assert.ok(timingSafeEqual(Buffer.from(headers['x-service-signature-previous']!), Buffer.from(previous)))
  const alone = signatureHeaders({ ...content, key: signingKeyOf(previousSecret) })
  assert.equal(headers['webhook-signature'], `${signatureHeaders(content)['webhook-signature']} ${alone['webhook-signature']}`)
  assert.equal(headers['x-service-signature'], signatureHeaders(content)['x-service-signature'])
})

test('a secret is the prefix and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
  assert.equal(new Set(secrets).size, 100)
})

test('the bytes that arrive are the bytes that were signed: scripts, emoji, spaces and the order of keys are unchanged [W09]', async (t) => {
  const requests: { body: Buffer; signature: string }[] = []
  const receiver = createServer((incoming, answer) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      requests.push({ body: Buffer.concat(pieces), signature: String(incoming.headers['x-service-signature']) })
      answer.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const egress = createEgress({ clock: { now: () => Date.now() }, allowPrivate: true, ownUrls: [] })
  t.after(() => egress.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const bodies = [
    '{"z":1,"a":{"y":2,"b":3},"10":4,"2":5}',
    '{ "amount" : 1.50e3,\n\t"name":"Mwanaidi Šć — عائشة 李小龍 🙂" }',
    '{"line":"\u2028\u2029","escaped":"\\u0161\\/","composed":"\u00e9","decomposed":"e\u0301"}',
    '\ufeff{"mark":true}',
  ]
  for (const [place, body] of bodies.entries()) {
    const headers = signatureHeaders({ ...content, body })
    const limits = { deadlineMs: 5_000, maxAnswerBytes: 1_024, keptBytes: 1_024 }
    assert.equal((await egress.post(url, { headers, body, ...limits })).kind, 'answered')
    const arrived = requests[place]!
    assert.deepEqual(arrived.body, Buffer.from(body, 'utf8'))
    const expected = createHmac('sha256', secret).update(`${content.timestampSeconds}.`).update(arrived.body).digest('hex')
    assert.equal(arrived.signature, expected)
  }
})
