/** A webhook configuration: where an app receives events, and the secret that signs them. One per app. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  alwaysSent,
  eventChoices,
  eventTypes,
  type EventChoice,
  type EventType,
  type DisabledReason,
} from '../../domain/webhook.ts'
import type { TargetProblem } from '../../platform/outbound/egress.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { SealedColumn } from '../../platform/db/sealed-column.sql.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { secretPrefix } from './signature.ts'
import { link } from '../../platform/http/text.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Endpoint = {
  id: string
  appId: string
  url: string
  secretSealed: string
  events: EventChoice[]
  enabled: boolean
  disabledReason: DisabledReason | null
  /** Null: it is enabled, or was disabled by a version that did not store it. */
  disabledAt: Date | null
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

const secretColumns = ['secret', 'previous_secret'] as const

export type SecretColumn = (typeof secretColumns)[number]

function contextOf(endpointId: string, column: SecretColumn): string {
  return `webhook_endpoints|${endpointId}|${column}`
}

export const endpointColumns: SealedColumn[] = secretColumns.map((column) => ({
  table: 'webhook_endpoints',
  column: `${column}_sealed`,
  id: 'id',
  contextOf: (id) => contextOf(id, column),
}))

/** Sealed for one row and one column. It cannot be opened anywhere else. */
export function sealSecret(sealer: Sealer, endpointId: string, column: SecretColumn, secret: string): string {
  return sealer.seal(secret, contextOf(endpointId, column))
}

export function openSecret(sealer: Sealer, endpointId: string, column: SecretColumn, sealed: string): string {
  return sealer.open(sealed, contextOf(endpointId, column))
}

/**
 * The secret, to show to its owner. If the keyring cannot open it, the fault is ours and can be fixed: the answer is 503, never another
 * value.
 */
export function readableSecret(sealer: Sealer, endpoint: Pick<Endpoint, 'id' | 'secretSealed'>): string {
  try {
    return openSecret(sealer, endpoint.id, 'secret', endpoint.secretSealed)
  } catch (cause) {
    const refusal = new Refusal(503, 'overloaded', 'The secret cannot be read at the moment. Try again shortly.', {
      retryAfterSeconds: 60,
    })
    refusal.cause = cause
    throw refusal
  }
}

export const newEndpointSchema = z.strictObject({
  url: link.meta({
    description:
      'An https URL of at most 2048 characters, with port 443 or 1024 and above (but not the port of a database or another well-known service). No user name, no fragment, no IP address; the host must have only public addresses.',
    example: 'https://shop.example.co.tz/webhooks/malipo',
  }),
  events: z
    .array(z.enum(eventChoices))
    .min(1)
    .max(50)
    .optional()
    .meta({
      description: `The types of events that the webhook receives; \`${alwaysSent}\` is always among them. \`*\`: all, including types that are added later. Left out: the choice stays, and a new webhook receives \`${alwaysSent}\` only. The choice at the time of an event counts.`,
      example: ['payment.completed', 'payment.failed'],
    }),
})

/** The choice in the order of the list, each type once, with the type that cannot be left out: a merchant must learn of money. */
export function eventsOf(chosen: readonly EventChoice[]): EventChoice[] {
  return chosen.includes('*') ? ['*'] : eventTypes.filter((type) => type === alwaysSent || chosen.includes(type))
}

export function receives({ events }: Pick<Endpoint, 'events'>, type: EventType): boolean {
  return events.includes('*') || events.includes(type)
}

export const endpointSchema = z
  .object({
    id: z.string().meta({ example: 'wh_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    app_id: z.string().meta({ example: 'app_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    url: z.string(),
    secret: z.string().meta({
      description: 'The signing secret. The key of `X-Service-Signature` is this whole text, including `whsec_`.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgYwF1Z9c=',
    }),
    events: z.array(z.enum(eventChoices)).meta({ description: 'The types of events that the webhook receives. `*`: all.' }),
    enabled: z.boolean().meta({ description: 'False if we disabled the webhook. Set its URL again to enable it.' }),
    disabled_reason: z.string().nullable().meta({
      description:
        '`endpoint_gone`: the last three events ended in 410. `endpoint_failing`: at least 20 attempts over 5 days, all of them failed.',
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    secret_rotated_at: z.iso.datetime().nullable(),
    last_success_at: z.iso.datetime().nullable().meta({ description: 'Exact to a few seconds.' }),
    last_failure_at: z.iso.datetime().nullable().meta({ description: 'Exact to a few seconds.' }),
  })
  .meta({ id: 'Webhook' })

export const endpointStateSchema = endpointSchema.omit({ secret: true }).meta({ id: 'WebhookState' })

export function endpointStateToJson(endpoint: Endpoint): z.infer<typeof endpointStateSchema> {
  const { secret: _secret, ...state } = endpointToJson(endpoint, '')
  return state
}

export function endpointToJson(endpoint: Endpoint, secret: string): z.infer<typeof endpointSchema> {
  return answerOf(endpointSchema, endpoint, {
    id: toWire('wh', endpoint.id),
    app_id: toWire('app', endpoint.appId),
    secret,
  })
}

/** Messages to the owner about an address that may not be used. The error code is the problem with the prefix `url_`. */
export const urlProblems: Record<TargetProblem, string> = {
  malformed: 'This is not a valid URL.',
  too_long: 'At most 2048 characters.',
  not_https: 'The URL must begin with https://.',
  has_credentials: 'The URL must not contain a user name or password.',
  has_fragment: 'The URL must not contain a #.',
  port_forbidden: 'Use port 443, or a port from 1024 that no other well-known service uses.',
  ip_literal: 'Use a host name, not an IP address.',
  own_host: 'This URL points to this service. Use a URL of your own server.',
  not_resolvable: 'The host name has no address in DNS. Check its spelling.',
  private_target: 'The host name resolves to an address that is not on the public internet.',
}
