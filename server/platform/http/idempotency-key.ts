/** The caller's own key of a request that makes something: sent again under the same key, it makes nothing new. */
import { z } from 'zod'
import { invalidFields, Refusal } from '../refusal.ts'

const field = 'idempotency_key'
const message = 'Use 1 to 255 printable ASCII characters.'

const shape = /^[\x20-\x7e]{1,255}$/

/** The example of a key: Postman and Bruno put a new value in its place, so that an imported request is not a repeat. */
export const freshKey = '{{$guid}}'

export const idempotencyKey = z.string().regex(shape, message)

/**
 * The header of a route that requires a key. `elsewhere`: another place where the key may be sent. The schema leaves it optional,
 * because a missing key has its own error code.
 */
export function idempotencyHeader(elsewhere = ''): z.ZodObject<{ 'idempotency-key': z.ZodOptional<z.ZodString> }, z.core.$loose> {
  return z
    .object({
      'idempotency-key': z
        .string()
        .optional()
        .meta({
          description: `Required${elsewhere}: 1 to 255 printable ASCII characters.`,
          pattern: shape.source,
          example: freshKey,
        }),
    })
    .loose()
    .meta(elsewhere === '' ? { required: ['idempotency-key'] } : {})
}

/**
 * The key of a request, from its header or its body; refuses with 400 a missing key, an invalid key, and two different keys.
 */
export function idempotencyKeyOf(header: unknown, inBody?: string): string {
  if (header === undefined || header === '') {
    if (inBody !== undefined) return inBody
    throw new Refusal(
      400,
      'idempotency_key_required',
      'Send your own key in the header Idempotency-Key, so that a repeated request pays only once.',
      { param: field },
    )
  }
  const read = idempotencyKey.safeParse(header)
  if (!read.success) throw invalidFields([{ field, code: 'invalid', message }])
  if (inBody !== undefined && inBody !== read.data) {
    throw invalidFields([{ field, code: 'invalid', message: 'The header and the body contain different keys. Send one key.' }])
  }
  return read.data
}
