/** The answers of refusals: the codes of each as named examples, and answers that many operations share written once. */
import { z } from 'zod'
import { errorTypes } from '../../platform/refusal.ts'
import { meaningOf, swahiliOf } from './error-codes.ts'
import { errorTypeOf } from '../../platform/http/http-errors.ts'
import { codesOf, commonCodes, kindOf } from './answer-codes.ts'
import type { Answer, OpenApi, Operation, Ref } from './document.ts'
import type { Schema } from './schema.ts'

const errorSchema = z
  .object({
    error: z.object({
      type: z.enum(errorTypes),
      code: z.string().meta({ description: 'Stable. Clients branch on it.', example: 'validation_error' }),
      message: z.string().meta({ description: 'For people to read. The text may change.' }),
      message_sw: z.string().meta({ description: 'A sentence in Swahili about the same error, for the person at the screen.' }),
      param: z.string().optional(),
      errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string(), message_sw: z.string() })).optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      request_id: z.string(),
      doc_url: z.string(),
    }),
  })
  .meta({
    id: 'ErrorAnswer',
    description: 'Every error has this shape. With `Accept: application/problem+json` the same facts are returned as RFC 9457.',
  })

type Example = { value: unknown }

const names: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
}

const perKind = new Set(['400', '401', '403'])

/** The name of the answer that all operations of this kind share for this status. */
function sharedName(operation: Operation, status: string): string | undefined {
  const name = names[status]
  if (name === undefined || !perKind.has(status)) return name
  const codes = commonCodes(operation)[status]!
  const asked =
    status !== '400' ? '' : codes.includes('invalid_json') ? 'Body' : codes.includes('cursor_invalid') ? 'List' : 'Query'
  return `${status === '400' ? '' : kindOf(operation)}${asked}${name}`
}

function exampleOf(status: string, code: string): Example {
  const type = errorTypeOf(Number(status), code)
  const message = meaningOf(code).replace(/(?<=\.)\s.*$/s, '')
  const error = {
    type,
    code,
    message,
    message_sw: swahiliOf(code),
    request_id: 'req_4Yx0bQ7vT2kLm9Za',
    doc_url: `/docs/errors#${code}`,
  }
  return { value: { error } }
}

/** RFC 9457, for clients that ask for it: the fields of an error, with the names of that standard. */
export function problemOf(error: Schema): Schema {
  const { type, message, doc_url: docUrl, ...others } = error.properties!['error']!.properties!
  return {
    type: 'object',
    description: 'An error as RFC 9457, which `Accept: application/problem+json` asks for.',
    properties: {
      type: { ...docUrl, description: 'The address that explains the code.' },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: message!,
      instance: { type: 'string' },
      error_type: type!,
      ...others,
    },
    required: ['type', 'title', 'status', 'detail', 'instance', 'error_type', 'code', 'message_sw', 'request_id'],
  }
}

/** Writes the codes of each refusal into the document, and what many operations share into its components. */
export function describeRefusals(document: OpenApi, operations: Operation[]): void {
  const examples: Record<string, Example> = {}
  const shared: Record<string, Answer> = {}
  for (const operation of operations) {
    const common = commonCodes(operation)
    for (const [status, codes] of Object.entries(codesOf(operation))) {
      const answer = operation.responses![status]!
      const refs: Record<string, Ref> = {}
      for (const code of codes) {
        const example = exampleOf(status, code)
        // The type of an error follows from the status: a code with two statuses has two examples.
        const isFirst = JSON.stringify(examples[code] ?? example) === JSON.stringify(example)
        const name = isFirst ? code : `${code}_${status}`
        examples[name] = example
        refs[code] = { $ref: `#/components/examples/${name}` }
      }
      answer.content = {
        'application/json': { schema: { $ref: `#/components/schemas/${errorSchema.meta()!.id}` }, examples: refs },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      }
      const name = codes.length === common[status]?.length ? sharedName(operation, status) : undefined
      if (name === undefined || operation.servers) continue
      shared[name] = answer
      operation.responses![status] = { $ref: `#/components/responses/${name}` }
    }
    for (const fact of ['x-refuses', 'x-reads', 'x-once'] as const) delete operation[fact]
  }
  Object.assign(document.components!, { examples, responses: shared })
}
