/**
 * API keys: their format, their scopes, and the data shown about them. Invariant: the value of a key exists here once, when it is
 * made; afterwards only its HMAC under a pepper of the server exists. The checksum detects a typing error without the database.
 */
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { keyStatusSchema, type KeyStatus } from '../../domain/developer-app.ts'
import type { Config } from '../../config/config.ts'
import { scopes, type Scope } from '../../domain/scope.ts'
import { toWire } from '../../platform/ids.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { lineOfText, moment } from '../../platform/http/text.ts'
import { allowedIps } from './allowed-ips.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Key = {
  id: string
  appId: string
  merchantId: string
  environment: Environment
  keyName: string
  scopes: Scope[]
  /** Those of them that wait until a person who has these rights grants them. */
  waitingScopes: Scope[]
  /** Since when the granter of a scope has no right to it any more and no one has kept the key; null: nothing is asked. */
  unkeptSince: Date | null
  last4: string
  status: KeyStatus
  /** Another key has replaced it; it ends with its grace period. */
  isRolled: boolean
  /** In canonical form; empty: any address may use it. */
  allowedIps: string[]
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomCharacters = 32
const checksumCharacters = 6
const prefixes: Record<Environment, string> = { test: 'svc_test_', live: 'svc_live_' }
/** A key of a cell has its two characters before the random ones, and is longer by them. */
const keyForm = /^svc_(?:test|live)_([a-z0-9]{2})?[0-9A-Za-z]{38}$/

function checksumOf(text: string): string {
  let rest = crc32(text)
  let checksum = ''
  // 62^6 is more than 2^32, so six characters hold any CRC32.
  for (let place = 0; place < checksumCharacters; place += 1) {
    checksum = base62[rest % 62]! + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum
}

/** A new key value of 190 random bits. */
export function newKeyValue(environment: Environment, cell = ''): string {
  let value = prefixes[environment] + cell
  // randomInt draws again when a remainder would favour some characters.
  for (let count = 0; count < randomCharacters; count += 1) value += base62[randomInt(62)]!
  return value + checksumOf(value)
}

/** Whether a text can be a key: its format and its checksum are correct. */
export function isWellFormedKey(text: string): boolean {
  if (!keyForm.test(text)) return false
  return checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)
}

export const cellOfKey = (text: string): string | undefined => keyForm.exec(text)?.[1]

type Pepper = Config['keys']['peppers'][number]

export function hashOfKey(pepper: Pepper, value: string): Buffer {
  return hmacSha256(pepper.key).update(value).digest()
}

const keyName = lineOfText(120).meta({ example: 'Production server' })

export const newKeySchema = z.strictObject({
  app_id: z.string().meta({ description: 'The app that the key belongs to.' }),
  key_name: keyName,
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .max(50)
    .meta({ example: ['pages:write', 'transactions:read'] }),
  environment: environmentSchema.optional().meta({ description: 'Optional. If sent, it must be the environment of the app.' }),
  expires_at: moment.nullish().meta({ description: 'Must be in the future. Without it, the key does not expire.' }),
  allowed_ips: allowedIps.optional(),
})

export const keyChangesSchema = z.strictObject({ key_name: keyName.optional(), allowed_ips: allowedIps.optional() }).prefault({})

export const rollSchema = z
  .strictObject({
    grace_seconds: z.int().min(0).max(604_800).default(86_400).meta({
      description: 'Seconds for which the old key still works, at most until its own expiry. 0: it stops working at once.',
    }),
  })
  .prefault({})

export const keySchema = z
  .object({
    id: z.string().meta({ example: 'key_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    app_id: z.string(),
    key_name: z.string(),
    environment: environmentSchema,
    scopes: z.array(z.enum(scopes)),
    waiting_scopes: z.array(z.enum(scopes)).meta({
      description: 'Scopes that do not work until an owner or admin grants them with `POST /developers/keys/{id}/grant`.',
    }),
    unkept_since: z.iso.datetime().nullable().meta({
      description:
        'Since when the person who granted a scope has left, or has lost the right: an owner or admin keeps the key with `POST /developers/keys/{id}/grant`, or revokes it. 72 hours later `payouts:write` is in `waiting_scopes`. Null: nothing is asked.',
    }),
    key_prefix: z.enum(['svc_test_', 'svc_live_']),
    last4: z.string().meta({ description: 'The last four characters of the value.' }),
    status: keyStatusSchema.meta({
      description: '`expiring`: the key still works but ends within seven days, because of its expiry or because it was rolled.',
    }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the key ends. For a rolled key: when its grace period ends.' }),
    allowed_ips: z.array(z.string()).meta({ description: 'Empty: the key works from any address.' }),
    last_used_at: z.iso.datetime().nullable().meta({ description: 'Exact to the minute.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Key' })

export const createdKeySchema = keySchema
  .extend({ key: z.string().meta({ description: 'The value of the key. It is shown only once: store it safely.' }) })
  .meta({ id: 'CreatedKey' })

export function keyToJson(key: Key): z.infer<typeof keySchema> {
  return answerOf(keySchema, key, {
    id: toWire('key', key.id),
    app_id: toWire('app', key.appId),
    key_prefix: key.environment === 'test' ? 'svc_test_' : 'svc_live_',
  })
}
