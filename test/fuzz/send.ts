/** Sends a request byte by byte, as no careful client would, and checks the rules for every answer. */
import assert from 'node:assert/strict'
import { Pool, type Dispatcher } from 'undici'
import type { Description } from '../api-description.ts'
import type { Answer } from '../app.ts'

export type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer | string | undefined }

type Operation = { operationId: string; responses: Record<string, { content?: Record<string, unknown> }> }

export type Sender = {
  /** Returns the answer and its error, if there is one. */
  send(operation: Operation, sent: Sent): Promise<{ answer: Answer; wrong: string | undefined }>
  close(): Promise<void>
}

const deadlineMs = 5000

/** Patterns of our statements, stacks and paths. */
const leaks =
  /node_modules|\bat \S+ \(|\.ts:\d+|violates \w+ constraint|syntax error at|invalid byte sequence|select [\w.,* ]+ from |insert into /i

function checkRefusal(status: number, type: string, body: any): void {
  if (type.startsWith('application/problem+json')) {
    assert.equal(body.status, status, 'the problem says another status')
    for (const field of ['title', 'detail', 'code', 'instance'])
      assert.equal(typeof body[field], 'string', `the problem lacks ${field}`)
    return
  }
  assert.match(type, /^application\/json/, `a refusal as ${type}`)
  assert.equal(typeof body?.error?.code, 'string', 'a refusal in another shape')
}

export type RawAnswer = Answer & { text: string }

export type Asker = { ask(sent: Sent): Promise<RawAnswer>; close(): Promise<void> }

/** Sends the given bytes, and reads the whole answer, in time. */
export function createAsker(origin: string): Asker {
  const pool = new Pool(origin, { connections: 4, pipelining: 1 })
  return {
    async ask({ method, path, headers, body }) {
      const response = await pool.request({
        method: method as Dispatcher.HttpMethod,
        path,
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(deadlineMs),
      })
      const text = await response.body.text()
      const isJson = String(response.headers['content-type'] ?? '').includes('json')
      const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
      return { status: response.statusCode, headers: new Headers(pairs), body: isJson ? JSON.parse(text) : text, text }
    },
    close: () => pool.close(),
  }
}

/**
 * The rules for every answer of every public part: no fault of ours except a described 503, a request id in the log, nothing
 * internal.
 */
export function checkAnswer({ status, headers, text }: RawAnswer): void {
  assert.ok(status < 500 || status === 503, `it answered ${status} ${text.slice(0, 500)}`)
  assert.ok(headers.get('x-request-id'), 'it has no request id')
  if (status < 400) return
  const leak = leaks.exec(text.replaceAll(/"(?:message|detail)":"Unknown field .+?"(?=[,}])/g, ''))
  assert.equal(leak, null, `it shows ${leak?.[0]}: ${text.slice(0, 500)}`)
}

export function createSender(origin: string, description: Description): Sender {
  const { ask, close } = createAsker(origin)

  return {
    async send(operation, sent) {
      let answer: RawAnswer | undefined
      try {
        answer = await ask(sent)
        const { status, headers, body } = answer
        const type = headers.get('content-type') ?? ''
        checkAnswer(answer)
        description.check(sent.method, sent.path, status, type.startsWith('application/json') ? body : undefined)
        if (status >= 400) {
          checkRefusal(status, type, body)
        } else if (type !== '') {
          const kinds = Object.keys(operation.responses[status]?.content ?? {})
          assert.ok(kinds.includes(type.split(';')[0]!), `it answered with ${type}, described are ${kinds.join(', ')}`)
        }
        return { answer, wrong: undefined }
      } catch (error) {
        const { name, message } = error as Error
        const wrong = name === 'TimeoutError' ? `no answer within ${deadlineMs} ms` : message
        return { answer: answer ?? { status: 0, headers: new Headers(), body: undefined }, wrong }
      }
    },
    close,
  }
}
