/** A webhook configuration: where an app hears of events, and the secret that signs them. One per app. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { TargetProblem } from '../platform/outbound/egress.ts'
import { toWire } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import type { SealedColumn } from '../platform/db/sealed-column.sql.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import { secretPrefix } from './signature.ts'

/** `endpoint_gone`: three chains in a row ended in 410. `endpoint_failing`: 5 days of nothing but failures. */
export type DisabledReason = 'endpoint_gone' | 'endpoint_failing'

export type Endpoint = {
  id: string
  appId: string
  url: string
  secretSealed: string
  enabled: boolean
  disabledReason: DisabledReason | null
  secretRotatedAt: Date | null
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** `whsec_` and the base64 of 32 random bytes (Standard Webhooks asks for 24 to 64). */
export function newSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64')
}

export type SecretColumn = 'secret' | 'previous_secret'

function contextOf(endpointId: string, column: SecretColumn): string {
  return `webhook_endpoints|${endpointId}|${column}`
}

export const endpointColumns: SealedColumn[] = (['secret', 'previous_secret'] as const).map((column) => ({
  table: 'webhook_endpoints',
  column: `${column}_sealed`,
  id: 'id',
  contextOf: (id) => contextOf(id, column),
}))

/** Sealed for one row and one column: anywhere else it does not open. */
export function sealSecret(sealer: Sealer, endpointId: string, column: SecretColumn, secret: string): string {
  return sealer.seal(secret, contextOf(endpointId, column))
}

export function openSecret(sealer: Sealer, endpointId: string, column: SecretColumn, sealed: string): string {
  return sealer.open(sealed, contextOf(endpointId, column))
}

/** The secret for its owner's eyes. A keyring that cannot open it is our fault and may be mended: 503, never something else in its place. */
export function readableSecret(sealer: Sealer, endpoint: Pick<Endpoint, 'id' | 'secretSealed'>): string {
  try {
    return openSecret(sealer, endpoint.id, 'secret', endpoint.secretSealed)
  } catch (cause) {
    const refusal = new Refusal(503, 'overloaded', 'The secret cannot be read right now. Try again shortly.', {
      retryAfterSeconds: 60,
    })
    refusal.cause = cause
    throw refusal
  }
}

export const newEndpointSchema = z.strictObject({
  url: z.string().meta({
    description:
      'https, port 443 or from 1024 on (but none of a database or of another known service), at most 2048 characters, no user, no fragment, no IP address, public addresses only.',
    example: 'https://shop.example.co.tz/webhooks/malipo',
  }),
})

export const endpointSchema = z
  .object({
    id: z.string().meta({ example: 'wh_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    app_id: z.string().meta({ example: 'app_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    url: z.string(),
    secret: z.string().meta({
      description: 'The signing secret. The key of `X-Service-Signature` is this whole text, `whsec_` included.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgYwF1Z9c=',
    }),
    enabled: z.boolean().meta({ description: 'False when we have switched it off; saving its address again switches it on.' }),
    disabled_reason: z.string().nullable().meta({
      description:
        '`endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed.',
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    secret_rotated_at: z.iso.datetime().nullable(),
    last_success_at: z.iso.datetime().nullable().meta({ description: 'Exact to some seconds.' }),
    last_failure_at: z.iso.datetime().nullable().meta({ description: 'Exact to some seconds.' }),
  })
  .meta({ id: 'Webhook' })

export const endpointStateSchema = endpointSchema.omit({ secret: true }).meta({ id: 'WebhookState' })

export function endpointStateToJson(endpoint: Endpoint): z.infer<typeof endpointStateSchema> {
  const { secret: _secret, ...state } = endpointToJson(endpoint, '')
  return state
}

export function endpointToJson(endpoint: Endpoint, secret: string): z.infer<typeof endpointSchema> {
  return {
    id: toWire('wh', endpoint.id),
    app_id: toWire('app', endpoint.appId),
    url: endpoint.url,
    secret,
    enabled: endpoint.enabled,
    disabled_reason: endpoint.disabledReason,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
    secret_rotated_at: endpoint.secretRotatedAt?.toISOString() ?? null,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: endpoint.lastFailureAt?.toISOString() ?? null,
  }
}

/** What to tell the owner of an address that nothing may be sent to; the code is the problem with `url_` in front. */
export const urlProblems: Record<TargetProblem, string> = {
  malformed: 'This is not a web address.',
  too_long: 'At most 2048 characters.',
  not_https: 'The address must begin with https://.',
  has_credentials: 'An address with a user name or password in it is not accepted.',
  has_fragment: 'An address with a # in it is not accepted.',
  port_forbidden: 'Use port 443, or one from 1024 on where no other kind of server usually listens.',
  ip_literal: 'Use a host name; an IP address is not accepted.',
  own_host: 'This is our own address.',
  not_resolvable: 'There is no such host: the name has no address.',
  private_target: 'The name leads to an address that is not on the public internet.',
}
