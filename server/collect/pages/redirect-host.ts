/**
 * A host to which a merchant sends payers: its name, how it is shown, how it is proved. Invariant: a name that could be mistaken for
 * another, with letters of several scripts in one of its parts, is never a host.
 */
import { domainToUnicode } from 'node:url'
import { isIP } from 'node:net'
import type { HostProof } from '../../domain/redirect-host.ts'
import type { Environment } from '../../domain/environment.ts'

export type RedirectHost = {
  /** As browsers send it: ASCII, lower case, with a port if it is not the default. */
  host: string
  token: string
  provedBy: HostProof | null
  provedAt: Date | null
  createdAt: Date
}

/** The most hosts that one merchant may register in one environment. */
export const maxHosts = 20

const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Georgian',
  'Ethiopic',
  'Hangul',
]
const patterns = scripts.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'))
/** Japanese normally mixes three scripts. */
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const known = new RegExp(`^[\\d_\\-ー・${scripts.map((script) => `\\p{Script=${script}}`).join('')}\\p{M}]*$`, 'u')

function isOneScript(label: string): boolean {
  const count = [...patterns, eastAsian].filter((pattern) => pattern.test(label)).length
  return count <= 1 && (eastAsian.test(label) || known.test(label))
}

/** The name in readable letters; punycode decoded. */
export const displayed = (host: string): string => {
  const [name, port] = host.split(':') as [string, string | undefined]
  return domainToUnicode(name) + (port === undefined ? '' : `:${port}`)
}

/** Whether a host is a readable name: no address in numbers, no part in letters of several scripts, no broken punycode. */
export function isUnambiguousHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (isIP(name) !== 0) return false
  const shown = domainToUnicode(name)
  return shown !== '' && shown.split('.').every((label) => !label.startsWith('xn--') && isOneScript(label))
}

export const proofName = (host: string): string => `_malipo.${host.split(':')[0]!}`
export const proofValue = (token: string): string => `malipo-host=${token}`
export const proofUrl = (host: string): string => `https://${host}/.well-known/malipo-host.txt`

/** Whether a host must be proved before payers are sent to it. */
export function needsProof({ registeredHostsOnly }: { registeredHostsOnly: boolean }, environment: Environment): boolean {
  return registeredHostsOnly && environment === 'live'
}
