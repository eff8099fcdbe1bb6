/** Checks that a host belongs to its merchant: a person who controls its DNS or its web server has published our token there. */
import { promises as dns } from 'node:dns'
import type { Egress } from '../../platform/outbound/egress.ts'
import { proofName, proofUrl, proofValue, type RedirectHost } from './redirect-host.ts'

export type HostProver = (host: Pick<RedirectHost, 'host' | 'token'>) => Promise<'dns' | 'file' | undefined>

export type TxtResolver = (name: string) => Promise<string[][]>

const deadlineMs = 5_000

function createTxtResolver(): TxtResolver {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return (name) => resolver.resolveTxt(name)
}

export function createHostProver(egress: Pick<Egress, 'get'>, resolveTxt: TxtResolver = createTxtResolver()): HostProver {
  async function isInDns(host: string, token: string): Promise<boolean> {
    // A name without such a record, or name servers that do not answer, prove nothing. The check can be repeated.
    const records = await resolveTxt(proofName(host)).catch((): string[][] => [])
    return records.some((parts) => parts.join('') === proofValue(token))
  }

  async function isInFile(host: string, token: string): Promise<boolean> {
    const limits = { deadlineMs, maxAnswerBytes: 1024, keptBytes: 1024 }
    const answer = await egress.get(proofUrl(host), { headers: {}, ...limits })
    return answer.kind === 'answered' && answer.status === 200 && answer.body.trim() === proofValue(token)
  }

  return async ({ host, token }) => {
    if (await isInDns(host, token)) return 'dns'
    return (await isInFile(host, token)) ? 'file' : undefined
  }
}
