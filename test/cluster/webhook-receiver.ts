/** The merchant's receiver of webhooks, which no fault reaches, and whether each event that happened came to it, once and unchanged. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { eventually } from '../app.ts'
import { readList, type Notes } from '../faults/model-clients.ts'
import { readReceived, type HeardEvent, type ReceivedRequest } from '../faults/model-receiver.ts'
import type { Machine } from './network.ts'

export const receivedTypes = ['payment.completed', 'payout.completed']

/** An event as the list shows it. */
type ListedEvent = { id: string; type: string; data: Record<string, unknown> }

export type WebhookReceiver = {
  url: string
  learn(secret: string): void
  /** Events with their first answer 2xx, and requests beyond that. */
  counts(): { delivered: number; again: number }
  /** What is wrong with the events of these ended payments and payouts, once all of them have arrived. */
  findings(scene: Notes, api: string, key: string, ended: readonly string[]): Promise<string[]>
}

/** The service sends to an address without a public name on its own machine only. */
const port = 4_010

/** Opens the port on a machine's own address for this process, which no fault of the machine ends. */
async function listenInside({ name }: Machine): Promise<Server> {
  const open = `const server = require('node:net').createServer()
    server.listen(${port}, '127.0.0.1', () => process.send('open', server, () => process.exit()))`
  const words = ['netns', 'exec', name, process.execPath, '-e', open]
  const child = spawn('ip', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const server = await new Promise<Server>((resolve, reject) => {
    child.once('message', (_, handle) => resolve(handle as Server))
    child.once('exit', (code) => reject(new Error(`no port was opened on ${name}: ${code}`)))
  })
  await new Promise((resolve) => child.once('exit', resolve))
  return server
}

/** Each so many events are refused once: only what was answered with 2xx is acknowledged. */
const refusedEvery = 20

export async function startWebhookReceiver(machines: readonly Machine[]): Promise<WebhookReceiver> {
  const secrets = new Set<string>()
  const received: ReceivedRequest[] = []
  const known = new Set<string>()
  const acknowledged = new Map<string, number>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      received.push({ path: request.url!, body, headers: request.headers })
      const { id } = JSON.parse(body) as { id: string }
      const isNew = !known.has(id)
      known.add(id)
      if (isNew && known.size % refusedEvery === 0) return response.writeHead(500).end('not now')
      acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1)
      return response.end('{"ok":true}')
    })
  })
  for (const machine of machines) {
    const own = await listenInside(machine)
    own.on('connection', (socket) => server.emit('connection', socket))
  }

  /** What the list has; retried while an answer is lost. */
  const listAll = (scene: Notes, api: string, key: string): Promise<ListedEvent[]> =>
    eventually('the events are listed', () => readList(scene, api, key, '/v1/events?'), 60_000)

  return {
    url: `http://127.0.0.1:${port}/hook`,
    learn: (secret) => void secrets.add(secret),
    counts: () => ({
      delivered: acknowledged.size,
      again: [...acknowledged.values()].reduce((sum, times) => sum + times - 1, 0),
    }),
    async findings(scene, api, key, ended) {
      const listed = (await listAll(scene, api, key)).filter(({ type }) => receivedTypes.includes(type))
      const missing = (): string[] => listed.filter(({ id }) => !acknowledged.has(id)).map(({ id, type }) => `${type} ${id}`)
      await eventually('all events are delivered', () => missing().length === 0, 120_000).catch(() => undefined)
      let heard: HeardEvent[] = []
      const found: string[] = missing().map((event) => `${event} was never delivered`)
      try {
        heard = readReceived(received, secrets, receivedTypes)
      } catch (error) {
        found.push((error as Error).message)
      }
      return [...found, ...compareEvents(listed, heard, [...acknowledged.keys()], ended)]
    },
  }
}

/** What was listed, what was heard, and what has happened must be the same, each once. */
function compareEvents(
  listed: readonly ListedEvent[],
  heard: readonly HeardEvent[],
  acknowledged: readonly string[],
  ended: readonly string[],
): string[] {
  const ids = new Set(listed.map(({ id }) => id))
  const subject = ({ data }: ListedEvent): string => String(data['reference'] ?? data['id'])
  const bySubject = Map.groupBy(listed, subject)
  const heardOf = new Map(heard.map((one) => [one.reference, one]))
  const happened = new Set(ended)
  return [
    ...acknowledged.filter((id) => !ids.has(id)).map((id) => `event ${id} was acknowledged and is lost`),
    ...ended.flatMap((id) => {
      const count = bySubject.get(id)?.length ?? 0
      return count === 1 ? [] : [`${id} was completed and has ${count} events`]
    }),
    ...[...bySubject.keys()].filter((id) => !happened.has(id)).map((id) => `${id} has an event and was not completed`),
    ...listed.flatMap((one) => {
      const sent = heardOf.get(subject(one))
      const isSame = sent === undefined || (sent.id === one.id && sent.type === one.type && sent.amount === one.data['amount'])
      return isSame ? [] : [`event ${one.id} is listed otherwise than it was sent: ${JSON.stringify([one, sent])}`]
    }),
  ]
}
