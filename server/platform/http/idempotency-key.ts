/** The caller's own key of a request that makes something: sent again under the same key, it makes nothing new. */
import { z } from 'zod'
import { invalidFields, Refusal } from '../refusal.ts'

const field = 'idempotency_key'
const message = 'Use 1 to 255 printable ASCII characters.'

const shape = /^[\x20-\x7e]{1,255}$/

/** The example of a key: Postman and Bruno put a new value in its place, so that an imported request is not a repeat. */
export const freshKey = '{{$guid}}'

export const idempotencyKey = z
  .string()
  .regex(shape, message)
  // A tool that did not fill it in would send every payment under one key.
  .refine((key) => !key.includes('{{'), 'Put a value of your own in the place of {{…}}, a new one for each request.')

/** The key that was sent; refuses a malformed one with 400. */
export function readKey(sent: unknown): string {
  // A header that came twice is a list.
  if (typeof sent !== 'string') throw invalidFields([{ field, code: 'invalid', message }])
  const { error } = idempotencyKey.safeParse(sent)
  if (error) throw invalidFields([{ field, code: 'invalid', message: error.issues[0]!.message }])
  return sent
}

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
  const key = readKey(header)
  if (inBody !== undefined && inBody !== key) {
    throw invalidFields([{ field, code: 'invalid', message: 'The header and the body contain different keys. Send one key.' }])
  }
  return key
}
