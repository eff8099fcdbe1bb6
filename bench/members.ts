/** Processes of the product for a bench: apis and workers on one database, and the shop that receives their webhooks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Sealer } from '../server/platform/crypto/secrets.ts'
import { startChild, type Child } from './child.ts'
import { createSealer, freePorts, loadConfig, serviceRole, testSettings, withLogin } from './product.ts'
import type { Scope } from './scope.ts'

export type Member = { url: string; child: Child }

export type Members = { apis: Member[]; workers: Member[]; providerSecret: string; sealer: Sealer }

/** The settings of the product on this database; it needs no provider. */
export function memberSettings(databaseUrl: string, changes: Record<string, string> = {}): Record<string, string> {
  return {
    ...testSettings(
      withLogin?.(databaseUrl, serviceRole) ?? databaseUrl,
      { api: 0, checkout: 0, storage: 0 },
      'http://127.0.0.1:9',
    ),
    // The generator is one client.
    RATE_LIMITS: 'off',
    ...changes,
  }
}

async function startMember(scope: Scope, role: 'api' | 'worker', settings: Record<string, string>): Promise<Member> {
  const [api, checkout, storage] = (await freePorts(3)) as [number, number, number]
  const ports = { PORT: String(api), CHECKOUT_PORT: String(checkout), STORAGE_PORT: String(storage) }
  return { url: `http://127.0.0.1:${api}`, child: await startChild(scope, ['server.ts', role], { ...settings, ...ports }) }
}

export const startApi = (scope: Scope, settings: Record<string, string>): Promise<Member> => startMember(scope, 'api', settings)

/** Starts this many apis and workers on the database; they share their keys, as the processes of one installation do. */
export async function startMembers(scope: Scope, databaseUrl: string, apis: number, workers: number): Promise<Members> {
  const shared = memberSettings(databaseUrl)
  const started: Member[] = []
  for (let index = 0; index < apis + workers; index += 1)
    started.push(await startMember(scope, index < apis ? 'api' : 'worker', shared))
  const { envelope } = loadConfig({ ...shared, PORT: '1', CHECKOUT_PORT: '2', STORAGE_PORT: '3' }, {}).keys
  return {
    apis: started.slice(0, apis),
    workers: started.slice(apis),
    providerSecret: shared['SNIPPE_LIVE_WEBHOOK_SECRETS']!,
    sealer: createSealer(envelope),
  }
}

export type Shop = {
  url: string
  /** Resolves with the time at which the webhook of this payment arrives. */
  receives(reference: string): Promise<number>
}

/** A receiver of webhooks that answers at once. */
export async function startShop(scope: Scope): Promise<Shop> {
  const awaited = new Map<string, (atMs: number) => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.end()
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { reference: string } }
      awaited.get(data.reference)?.(performance.now())
      awaited.delete(data.reference)
    })
  })
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await scope.use(listening, () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    receives: (reference) => new Promise((resolve) => awaited.set(reference, resolve)),
  }
}
