/**
 * The addresses that may use a key. Invariant: each network has one canonical form, so the stored, shown and compared text is the
 * same; an IPv4 address written inside IPv6 counts as IPv4.
 */
import { numberTyped } from '../../domain/typed.ts'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

const maxNetworks = 50

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]

const bitsOf = (address: Network[0]): number => (address.kind() === 'ipv4' ? 32 : 128)

function parseNetwork(text: string): Network | undefined {
  const [written, prefix, ...rest] = text.split('/')
  // Node refuses octal and short spellings, which ipaddr.js would accept; a zone is valid on one machine only.
  if (isIP(written!) === 0 || written!.includes('%') || rest.length > 0) return undefined
  const [parsed, address] = [ipaddr.parse(written!), ipaddr.process(written!)]
  if (prefix === undefined) return [address, bitsOf(address)]
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bitsOf(parsed)) return undefined
  // For IPv4 inside IPv6, the first 96 bits are not part of the address.
  const prefixLength = Number(prefix) - (bitsOf(parsed) - bitsOf(address))
  return prefixLength < 0 ? undefined : [address, prefixLength]
}

function firstOf([address, prefixLength]: Network): string {
  const cidr = `${address.toString()}/${prefixLength}`
  const first = address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return first.toString()
}

/** An address or a network in CIDR notation, in canonical form. A network that is not written with its first address is refused. */
const network = z
  .string()
  .overwrite(numberTyped)
  .max(64)
  .transform((text, context) => {
    const parsed = parseNetwork(text)
    if (!parsed) {
      context.addIssue({ code: 'custom', message: 'Use an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.' })
      return z.NEVER
    }
    const [address, prefixLength] = parsed
    const first = firstOf(parsed)
    if (first !== address.toString()) {
      // A caller who means one address must not open a whole network.
      context.addIssue({ code: 'custom', message: `Write the network with its first address: ${first}.` })
      return z.NEVER
    }
    return prefixLength === bitsOf(address) ? first : `${first}/${prefixLength}`
  })

export const allowedIps = z
  .array(network)
  .max(maxNetworks)
  .transform((networks) => [...new Set(networks)])
  .meta({
    description:
      'IPv4 or IPv6 addresses and networks (CIDR) that may use the key. Empty: any address. Write a network with its first address. An IPv4-mapped IPv6 address counts as IPv4.',
  })

/** Whether `address` may use a key with this list. */
export function isAllowed(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const caller = ipaddr.process(address)
  return networks.some((text) => {
    const parsed = parseNetwork(text)
    return parsed !== undefined && parsed[0].kind() === caller.kind() && caller.match(parsed)
  })
}
