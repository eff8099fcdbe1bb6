/** The common form of every refusal of the service. */
import assert from 'node:assert/strict'
import type { Answer } from './app.ts'

export const requestIdOf = (answer: Answer) => answer.headers.get('x-request-id')

/** Checks that an answer has the contract's one shape of a refusal, with this status and code. */
export function isRefusal(answer: Answer, status: number, code: string): asserts answer is Answer {
  const shown = `${answer.status} ${JSON.stringify(answer.body)}`
  assert.equal(answer.status, status, shown)
  const { error } = answer.body
  assert.equal(error.code, code, shown)
  assert.match(
    error.type,
    /^(invalid_request|authentication|permission|not_found|conflict|idempotency|rate_limit|payment|api_error)$/,
  )
  assert.ok(typeof error.message === 'string' && error.message.length > 0)
  assert.ok(typeof error.message_sw === 'string' && error.message_sw !== error.message, `no Swahili sentence: ${shown}`)
  for (const field of error.errors ?? []) assert.ok(field.message_sw?.length > 0, `no Swahili sentence: ${shown}`)
  assert.equal(error.request_id, requestIdOf(answer))
  assert.match(error.doc_url, /^http.*\/docs\/errors#\w+$/)
  const unknown = Object.keys(error).filter(
    (key) => !['type', 'code', 'message', 'message_sw', 'param', 'errors', 'details', 'request_id', 'doc_url'].includes(key),
  )
  assert.deepEqual(unknown, [])
  assert.doesNotMatch(shown, /node_modules|select |insert |at \w+ \(/)
}
