/**
 * ClickPesa's tokens: issued for the keys, valid for an hour. Invariant: a token ends with the checksum setting under which it was
 * issued, and with this process.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { clickPesaAccounts, type ClickPesaAccount, type SimulatorConfig } from './config.ts'
import type { Switches } from './switches.ts'
import { ProviderRefusal } from './wire.ts'

type Given = { account: ClickPesaAccount; expiresAt: number; checksum: Switches['clickPesaChecksum'] }
type Deps = { config: SimulatorConfig; switches: Switches; now: () => number }

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export class ClickPesaTokens {
  readonly #deps: Deps
  readonly #given = new Map<string, Given>()
  readonly #key = randomBytes(32)

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The complete value for `Authorization`: it begins with "Bearer ". */
  give(clientId: string | undefined, apiKey: string | undefined): string {
    const { config, now, switches } = this.#deps
    const account = clickPesaAccounts.find(
      (name) => config.clickPesa[name].clientId === clientId && config.clickPesa[name].apiKey === apiKey,
    )
    if (!account) throw new ProviderRefusal('invalidKey', 'Invalid API Key or Client ID')
    const expiresAt = now() + switches.clickPesaTokenMs
    const payload = base64url({ sub: clientId, exp: Math.floor(expiresAt / 1000), jti: randomBytes(9).toString('base64url') })
    const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${payload}`
    const token = `${signed}.${createHmac('sha256', this.#key).update(signed).digest('base64url')}`
    this.#given.set(token, { account, expiresAt, checksum: switches.clickPesaChecksum })
    return `Bearer ${token}`
  }

  /** The account of an `Authorization` header. A second prefix before a text that already has one is not accepted. */
  account(authorization: string | undefined): ClickPesaAccount {
    const { now, switches } = this.#deps
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
    const given = token === undefined ? undefined : this.#given.get(token)
    const isGood = given !== undefined && now() < given.expiresAt && given.checksum === switches.clickPesaChecksum
    if (!isGood) throw new ProviderRefusal('invalidKey', 'Unauthorized')
    return given.account
  }
}
