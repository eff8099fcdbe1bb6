import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { test } from 'node:test'
import { newSecret } from './endpoint.ts'
import { signatureHeaders } from './signature.ts'

const content = {
  eventId: 'evt_x',
  eventType: 'payment.completed',
  timestampSeconds: 1_769_333_400,
  body: '{"id":"evt_x","type":"payment.completed"}',
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgYwF1Z9c=',
}

test('the signatures are those that another implementation computes', () => {
  // Computed with Python: hmac.new(secret, f"{timestamp}.{body}") and hmac.new(b64decode(secret[6:]), f"{id}.{timestamp}.{body}").
  assert.deepEqual(signatureHeaders(content), {
    'x-service-event': 'payment.completed',
    'x-service-timestamp': '1769333400',
    'x-service-signature': '56a06752a65241959a2bd8928ccaed3fc319dc24268e7cd9a450a87f7b5c7d02',
    'webhook-id': 'evt_x',
    'webhook-timestamp': '1769333400',
    'webhook-signature': 'v1,Q3N4+r4nHNq0HW+cQhfxIloy0Jte+k+QdnW6g8OaF8g=',
  })
})

test('after a rotation both secrets sign, the new one first', () => {
  const previousSecret = newSecret()
  const headers = signatureHeaders({ ...content, previousSecret })
  const previous = createHmac('sha256', previousSecret).update(`1769333400.${content.body}`).digest('hex')
  assert.ok(timingSafeEqual(Buffer.from(headers['x-service-signature-previous']!), Buffer.from(previous)))
  const alone = signatureHeaders({ ...content, secret: previousSecret })
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
