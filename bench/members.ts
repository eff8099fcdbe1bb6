/** Processes of the service for a bench: apis and workers on one database, and the shop that receives their webhooks. */
import { fork, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../server/config.ts'
import { servingLogin, withLogin } from '../server/platform/db/logins.sql.ts'
import { createSealer, type Sealer } from '../server/platform/crypto/secrets.ts'
import { freePorts, testSettings } from '../test/app.ts'

export type Usage = { cpuMs: number; residentMb: number }

export type Member = { url: string; usage(): Promise<Usage>; stop(): Promise<void> }

export type Members = {
  apis: Member[]
  workers: Member[]
  providerSecret: string
  sealer: Sealer
  stop(): Promise<void>
}

async function startMember(role: 'api' | 'worker', settings: Record<string, string>): Promise<Member> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), [role], {
    env: { PATH: process.env['PATH'], ...settings },
    serialization: 'advanced',
  })
  const nextMessage = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`The ${role} ended with ${code}.`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.off('exit', ended)
        resolve(message as Message)
      })
    })
  await nextMessage()
  return {
    url: `http://127.0.0.1:${settings['PORT']}`,
    usage() {
      const answer = nextMessage<Usage>()
      child.send('usage')
      return answer
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await exited
    },
  }
}

/** Starts this many apis and workers on the database; they share their keys, as the processes of one installation do. */
export async function startMembers(databaseUrl: string, apis: number, workers: number): Promise<Members> {
  const shared = testSettings(withLogin(databaseUrl, servingLogin), { api: 0, checkout: 0, storage: 0 }, 'http://127.0.0.1:9')
  const start = async (role: 'api' | 'worker'): Promise<Member> => {
    const [api, checkout, storage] = (await freePorts(3)) as [number, number, number]
    const ports = { PORT: String(api), CHECKOUT_PORT: String(checkout), STORAGE_PORT: String(storage) }
    // The generator is one client.
    return startMember(role, { ...shared, ...ports, RATE_LIMITS: 'off' })
  }
  const started: Member[] = []
  for (let index = 0; index < apis + workers; index += 1) started.push(await start(index < apis ? 'api' : 'worker'))
  const { envelope } = loadConfig({ ...shared, PORT: '1', CHECKOUT_PORT: '2', STORAGE_PORT: '3' }, {}).keys
  return {
    apis: started.slice(0, apis),
    workers: started.slice(apis),
    providerSecret: shared['SNIPPE_LIVE_WEBHOOK_SECRETS']!,
    sealer: createSealer(envelope),
    async stop() {
      await Promise.all(started.map((member) => member.stop()))
    },
  }
}

export type Shop = {
  url: string
  /** Resolves with the time at which the webhook of this payment arrives. */
  receives(reference: string): Promise<number>
  stop(): void
}

/** A receiver of webhooks that answers at once. */
export async function startShop(): Promise<Shop> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    receives: (reference) => new Promise((resolve) => awaited.set(reference, resolve)),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
