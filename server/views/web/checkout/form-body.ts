/** The urlencoded bodies of payers' forms, and the pages that answer them. */
import type { FastifyReply } from 'fastify'
import type { Http } from '../../../platform/http/http.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Html } from './html.ts'

/** The `bodyLimit` of every route that takes a form. It belongs to the route: the server's limit replaces a limit of the parser. */
export const formLimitBytes = 16 * 1024

/** Reads a urlencoded body. A duplicate field is refused, because two readers could choose different values; a missing one is empty. */
export function readFields(bytes: Uint8Array): { sent: URLSearchParams; value: (name: string) => string } {
  const sent = new URLSearchParams(new TextDecoder().decode(bytes))
  const value = (name: string): string => {
    const values = sent.getAll(name)
    if (values.length > 1) throw new Refusal(400, 'validation_error', `The field ${name} occurs twice.`)
    return values[0] ?? ''
  }
  return { sent, value }
}

/** The routes of the scope accept only forms, read by `read`. */
export function acceptForms(scope: Http, read: (bytes: Uint8Array) => unknown): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    try {
      done(null, read(bytes))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function sendPage(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page.text)
}
