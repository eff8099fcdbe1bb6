/** A bare `node:http` server on the bare tables: the floor of everything over HTTP. `POST /hook` receives webhooks. */
import { createServer } from 'node:http'
import { serveParent } from './child.ts'
import { insertBare, readBareBalance, readBareLines, readBareStatus, settleBare, type BareCheckout } from './floor.ts'
import { openBenchDb } from './postgres.ts'

const db = openBenchDb(process.env['DATABASE_URL']!)

type Handler = (first: string, second: string, third: string, body: string) => Promise<unknown>

const gets: Record<string, Handler> = {
  status: (id) => readBareStatus(db, id),
  balance: (account) => readBareBalance(db, account),
  page: (account) => readBareLines(db, account),
}
const posts: Record<string, Handler> = {
  hook: async () => ({}),
  checkout: async (_first, _second, _third, body) => ({
    reference: await insertBare(db, JSON.parse(body) as BareCheckout),
    status: 'pending',
  }),
  settle: async (id, wallet, clearing) => {
    await settleBare(db, { id, wallet }, clearing)
    return {}
  },
}

const server = createServer((request, response) => {
  const answer = (status: number, value: unknown) => {
    const body = JSON.stringify(value)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
  }
  const [, face = '', first = '', second = '', third = ''] = request.url!.split('/')
  const handler = (request.method === 'POST' ? posts : gets)[face]
  const handle = (body: string) => {
    if (!handler) return answer(404, {})
    handler(first, second, third, body).then(
      (value) => answer(value === undefined ? 404 : 200, value ?? {}),
      (error: unknown) => answer(500, { error: String(error) }),
    )
  }
  if (request.method !== 'POST') return handle('')
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => handle(Buffer.concat(chunks).toString()))
})
server.listen(Number(process.env['PORT']), '127.0.0.1', () => serveParent())
