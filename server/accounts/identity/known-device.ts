/**
 * The devices from which a person has signed in before, identified by a cookie that no script can read. Invariant: a cookie
 * reveals the owner of a device only to a caller who already knows the person, and a device is known only from its first sign-in.
 * A browser without cookies is a new device at each sign-in.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../platform/clock.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { isMadeUnder } from '../../platform/crypto/rotating-key.ts'

export type KnownDeviceDeps = { clock: Clock; config: { keys: Pick<Config['keys'], 'knownDevice'>; urls: Config['urls'] } }

type WithHeaders = Pick<FastifyRequest, 'headers'>

export type KnownDevices = {
  /** When this device became known for this person; undefined when it is unknown. */
  sinceOf(request: WithHeaders, userId: string): Date | undefined
  /** Sets the cookie for this person, unless the browser already has it. */
  remember(request: WithHeaders, reply: FastifyReply, userId: string): void
}

/** The maximum number of persons for one device; the one who signed in first is removed first. */
const maxPersons = 5
/** The longest time that browsers keep a cookie. */
const keptSeconds = 400 * 86_400

const entryForm = /^(\d{1,12})-([\w-]{43})$/

export function createKnownDevices({ clock, config }: KnownDeviceDeps): KnownDevices {
  const api = new URL(config.urls.api)
  const isSecure = api.protocol === 'https:'
  const name = isSecure ? '__Host-malipo_devices' : `malipo_devices_${api.port || '80'}`
  const codeOf = (key: Buffer, userId: string, since: string): Buffer =>
    hmacSha256(key).update(`known device|${userId}|${since}`).digest()

  function entriesOf({ headers }: WithHeaders): string[] {
    const start = `${name}=`
    const kept = (headers.cookie ?? '').split(/;\s*/).find((part) => part.startsWith(start))
    return kept === undefined ? [] : kept.slice(start.length).split('.').slice(0, maxPersons)
  }

  function sinceOf(request: WithHeaders, userId: string): Date | undefined {
    for (const entry of entriesOf(request)) {
      const [, since, code] = entryForm.exec(entry) ?? []
      if (since === undefined || code === undefined) continue
      const given = Buffer.from(code, 'base64url')
      if (isMadeUnder(config.keys.knownDevice, given, (key) => codeOf(key, userId, since))) return new Date(Number(since) * 1000)
    }
    return undefined
  }

  return {
    sinceOf,
    remember(request, reply, userId) {
      if (sinceOf(request, userId) !== undefined) return
      const since = String(Math.floor(clock.now() / 1000))
      const entry = `${since}-${codeOf(config.keys.knownDevice[0], userId, since).toString('base64url')}`
      const value = [entry, ...entriesOf(request).filter((other) => entryForm.test(other))].slice(0, maxPersons).join('.')
      const attributes = `Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
      void reply.header('set-cookie', `${name}=${value}; ${attributes}`)
    },
  }
}
