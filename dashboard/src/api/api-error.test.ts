/** After which errors a person must not send the same thing under another key: it may have happened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, errorOf, isUnsure, isUnsureAfter, jsonOf } from './api-error.ts'

const refused = (status: number, code: string, headers: Record<string, string> = {}): Promise<ApiError> =>
  errorOf(new Response(JSON.stringify({ error: { code, message: 'M.', message_sw: 'S.' } }), { status, headers }))
const lost = new ApiError(0, { code: 'unreachable', message: 'M.' })

test('a lost answer is unsure, also when a proxy or the service gives a time to try again', async () => {
  const later = { 'retry-after': '2' }
  assert.equal(isUnsure(lost), true)
  assert.equal(isUnsure(await refused(503, 'overloaded', later)), true, 'the answer of our proxies for 502 and 504')
  assert.equal(isUnsure(await refused(500, 'internal_error')), true)
  assert.equal(isUnsure(await errorOf(new Response('<h1>', { status: 502, headers: later }))), true)
  assert.equal(isUnsure(await refused(409, 'idempotency_in_progress', later)), true)
})

test('a refusal that promises that nothing was sent or stored is sure, with and without a time to try again', async () => {
  for (const headers of [{}, { 'retry-after': '60' }] as Record<string, string>[]) {
    assert.equal(isUnsure(await refused(503, 'provider_unavailable', headers)), false)
    assert.equal(isUnsure(await refused(503, 'network_unavailable', headers)), false)
    assert.equal(isUnsure(await refused(402, 'insufficient_balance', headers)), false)
    assert.equal(isUnsure(await refused(429, 'rate_limited', headers)), false)
  }
})

test('what may have happened stays so while the repeat is refused before the service has looked for it', async () => {
  for (const [status, code] of [
    [401, 'session_inactive'],
    [403, 'step_up_required'],
    [429, 'rate_limited'],
    [503, 'provider_unavailable'],
    [422, 'idempotency_key_reused'],
  ] as const) {
    const error = await refused(status, code)
    assert.equal(isUnsureAfter(error, true), true, code)
    assert.equal(isUnsureAfter(error, false), false, code)
  }
  assert.equal(isUnsureAfter(await refused(402, 'insufficient_balance'), true), false, 'the service has found no earlier one')
  assert.equal(isUnsureAfter(lost, false), true)
})

test('an answer that is cut after its head is unsure', async () => {
  const cut = new Response('{"data":{"id":', { status: 201 })
  await assert.rejects(jsonOf(cut), (error) => isUnsure(error))
})
