/** The output of `malipo-ops keys …`: new keys, the three settings of a rotation, and the keys that are still needed. */
import { randomBytes } from 'node:crypto'
import type { KeyStatus, KeyUse } from './read-key-status.ts'
import type { Rewrapped } from './rewrap-values.ts'

export const rings = ['JWT_SIGNING_KEYS', 'API_KEY_PEPPERS', 'ENVELOPE_KEYS', 'INTEGRITY_KEYS'] as const

export type Ring = (typeof rings)[number] | 'SERVER_SECRET'

export const allRings: readonly Ring[] = ['SERVER_SECRET', ...rings]

export function isRing(name: string | undefined): name is Ring {
  return allRings.some((ring) => ring === name)
}

const newSecret = (): string => randomBytes(32).toString('base64url')

/** A key named by its day and two letters, so that two keys of one day have different names. */
function newNamedKey(day: string): string {
  const letters = Array.from(randomBytes(2), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  return `k${day}${letters}:${newSecret()}`
}

/** The last two are shared with the simulator, the provider of the test environment (docs/operations/providers.md). */
export function newKeys(day: string): string[] {
  return [
    `SERVER_SECRET=${newSecret()}`,
    ...rings.map((ring) => `${ring}=${newNamedKey(day)}`),
    `SNIPPE_TEST_API_KEY=snp_${newSecret()}`,
    `SNIPPE_TEST_WEBHOOK_SECRETS=${newSecret()}`,
  ]
}

/** How long values signed with the previous key may still be used: access tokens live 15 minutes, and clocks may differ by 30 seconds. */
const afterwards: Record<Ring, string> = {
  JWT_SIGNING_KEYS: 'Wait 16 minutes, until the last access token of the key before has ended.',
  API_KEY_PEPPERS: 'Wait until `keys status` says that nothing needs the pepper before: each API key moves when it is next used.',
  ENVELOPE_KEYS: 'Run `malipo-ops keys rewrap`, then wait until `keys status` says that nothing needs the key before.',
  INTEGRITY_KEYS: 'Run `malipo-ops keys rewrap`, then wait until `keys status` says that nothing needs the key before.',
  SERVER_SECRET:
    'Run `malipo-ops keys rewrap`. Wait 30 days for the last refresh token, or less and have those people sign in again.',
}

/** The settings, in three steps, so that every process knows a key before any process uses it. */
export function rotationOf(ring: Ring, current: string, day: string): string[] {
  const next = ring === 'SERVER_SECRET' ? newSecret() : newNamedKey(day)
  return [
    '1. Let every process accept the new key: set this everywhere and restart the processes one after the other.',
    `${ring}=${current},${next}`,
    '2. Let them use it: only when all of them run with step 1.',
    `${ring}=${next},${current}`,
    `3. Forget the one before. ${afterwards[ring]} Then set:`,
    `${ring}=${next}`,
    'Keep the one before with the backups that were made while it was in use: without it they cannot be read.',
    ...(ring === 'INTEGRITY_KEYS'
      ? ['Keep it for the heads of that time, too: `verify --heads` needs it behind the new one.']
      : []),
  ]
}

function linesOf(ring: string, uses: KeyUse[]): string[] {
  return [
    ring,
    ...uses.map(({ keyId, isInRing, isUsed, neededBy }) => {
      const isNeeded = neededBy.length > 0
      const role = !isInRing
        ? 'MISSING, and needed by'
        : isUsed
          ? 'in use:'
          : isNeeded
            ? 'still needed by'
            : 'not needed any more'
      return `  ${keyId || '(no sealed value)'}  ${role} ${neededBy.join(', ')}`.trimEnd()
    }),
  ]
}

export function isKeyMissing(status: KeyStatus): boolean {
  return (
    [...status.peppers, ...status.envelope, ...status.integrity].some(({ isInRing }) => !isInRing) || status.unreadableMarks > 0
  )
}

export function statusLines(status: KeyStatus): string[] {
  const { used, accepted } = status.signing
  return [
    'JWT_SIGNING_KEYS',
    `  ${used}  in use`,
    ...accepted.map(
      (id) => `  ${id}  accepted; not needed any more 16 minutes after the last process that signed with it has ended`,
    ),
    ...linesOf('API_KEY_PEPPERS', status.peppers),
    ...linesOf('ENVELOPE_KEYS', status.envelope),
    ...linesOf('INTEGRITY_KEYS', status.integrity),
    'SERVER_SECRET',
    status.oldMarks === 0
      ? '  every national identity number is marked under the one in use'
      : `  ${status.oldMarks} national identity numbers are marked under another one: run \`malipo-ops keys rewrap\``,
    ...(status.unreadableMarks > 0
      ? [`  ${status.unreadableMarks} national identity numbers are opened by no key of ENVELOPE_KEYS`]
      : []),
  ]
}

export function rewrapLines(results: Rewrapped[]): string[] {
  return results.map(({ name, rewrapped, unreadable }) => {
    const rest = unreadable.length > 0 ? `, ${unreadable.length} that no key opens: ${unreadable.slice(0, 20).join(', ')}` : ''
    return `${name}: ${rewrapped} moved${rest}`
  })
}
