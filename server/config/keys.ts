/** The keys of the service: read from the environment, or derived from its secret for one purpose each. */
import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { RotatingKey } from '../platform/crypto/rotating-key.ts'
import { list, type Frozen, type Given } from './values.ts'

const serverSecrets = list.pipe(
  z
    .array(z.string().min(32, 'use at least 32 random characters'))
    .min(1)
    .refine((all) => new Set(all).size === all.length, 'the same secret is listed twice'),
)
const namedKeys = z
  .string()
  .regex(
    /^[\w-]+:[A-Za-z0-9_-]{43}=?(,[\w-]+:[A-Za-z0-9_-]{43}=?)*$/,
    'write it as id:base64url-of-32-bytes, several separated by commas, the one to use first',
  )
  .transform((value) =>
    value.split(',').map((part) => ({
      id: part.slice(0, part.indexOf(':')),
      key: Buffer.from(part.slice(part.indexOf(':') + 1), 'base64url'),
    })),
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'give each key a different id')
  .refine((keys) => new Set(keys.map(({ key }) => key.toString('hex'))).size === keys.length, 'the same key is listed twice')

export const keyVariables = {
  SERVER_SECRET: serverSecrets,
  JWT_SIGNING_KEYS: namedKeys,
  API_KEY_PEPPERS: namedKeys,
  ENVELOPE_KEYS: namedKeys,
  INTEGRITY_KEYS: namedKeys,
  SECURITY_LOG_LINES_PER_MINUTE: z.coerce.number().int().min(10).max(1_000_000).default(600),
}

type Env = Given<typeof keyVariables>

/** The key for one purpose, derived from each server secret; the first one is for writing. */
function subkeys(serverSecrets: string[], purpose: string): RotatingKey {
  const [first, ...others] = serverSecrets.map((given) => Buffer.from(hkdfSync('sha256', given, 'malipo', purpose, 32)))
  return [first!, ...others]
}

const pkcs8Ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

function signingKey(seed: Buffer): KeyObject {
  // RFC 8410 section 7: an Ed25519 private key is this DER prefix followed by its 32-byte seed.
  return createPrivateKey({ key: Buffer.concat([pkcs8Ed25519Prefix, seed]), format: 'der', type: 'pkcs8' })
}

export function keySettings(env: Env) {
  return {
    keys: {
      /** Ed25519 keys for access tokens: the first one signs, all of them verify. */
      signing: env.JWT_SIGNING_KEYS.map(({ id, key }) => ({ id, privateKey: signingKey(key) })),
      /** HMAC peppers of API keys by id: the first one is used for new keys, all of them find existing keys. */
      peppers: env.API_KEY_PEPPERS,
      envelope: { currentId: env.ENVELOPE_KEYS[0]!.id, keys: new Map(env.ENVELOPE_KEYS.map(({ id, key }) => [id, key])) },
      /** HMAC keys for data that the database must not be able to forge: orders to providers, and the heads that are kept outside the database. */
      integrity: env.INTEGRITY_KEYS,
      refresh: subkeys(env.SERVER_SECRET, 'refresh tokens'),
      cursor: subkeys(env.SERVER_SECRET, 'list cursors'),
      checkoutToken: subkeys(env.SERVER_SECRET, 'checkout tokens'),
      documentAddress: subkeys(env.SERVER_SECRET, 'document addresses'),
      /** Key under which national identity numbers are compared without being decrypted. */
      nationalId: subkeys(env.SERVER_SECRET, 'national identity numbers')[0],
      /** Key under which limits count the actions of a caller. */
      limits: subkeys(env.SERVER_SECRET, 'limits')[0],
      /** Key under which mailed codes are stored: a plain hash of six digits can be guessed. */
      mailedCode: subkeys(env.SERVER_SECRET, 'mailed codes'),
      /** Key for the cookie that says that this browser has signed in before. */
      knownDevice: subkeys(env.SERVER_SECRET, 'known devices'),
    },
    /** How many lines are logged about suspected attacks, and the key that hashes their sources. */
    securityLog: {
      linesPerMinute: env.SECURITY_LOG_LINES_PER_MINUTE,
      hashKey: subkeys(env.SERVER_SECRET, 'sources in the security log')[0],
    },
  }
}

export type KeySettings = Frozen<ReturnType<typeof keySettings>>

/** 32 random characters or bytes contain more distinct values than this, even if they are only digits. */
const leastKinds = 7

/** Secrets that are too weak: few distinct characters, copied from an example, the same in two places, or made for a local machine. */
export function keyProblems(env: Env): string[] {
  const problems: string[] = []
  const isMonotone = (given: Iterable<unknown>): boolean => new Set(given).size < leastKinds
  if (env.SERVER_SECRET.some((given) => isMonotone(given) || /change.?me|example|default|placeholder|your[-_ ]/i.test(given))) {
    problems.push('SERVER_SECRET must be random: malipo-ops keys generate makes one')
  }
  const rings = {
    JWT_SIGNING_KEYS: env.JWT_SIGNING_KEYS,
    API_KEY_PEPPERS: env.API_KEY_PEPPERS,
    ENVELOPE_KEYS: env.ENVELOPE_KEYS,
    INTEGRITY_KEYS: env.INTEGRITY_KEYS,
  }
  const seen = new Map<string, string>()
  for (const [name, ring] of Object.entries(rings)) {
    for (const { id, key } of ring) {
      if (isMonotone(key)) problems.push(`the key ${id} of ${name} must be random: malipo-ops keys generate makes some`)
      if (id.startsWith('local-')) problems.push(`the key ${id} of ${name} was made by npm start for one machine: make another`)
      const other = seen.get(key.toString('hex'))
      if (other !== undefined) problems.push(`${name} and ${other} must not share a key`)
      seen.set(key.toString('hex'), name)
    }
  }
  return problems
}
