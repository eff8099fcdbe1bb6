/** Load and its measurements: closed loops for a window of time, a bare HTTP/1.1 client. */
import { connect, type Socket } from 'node:net'
import { percentile } from './ratios.ts'

export type Window = { perSecond: number; p50Ms: number; p99Ms: number }

/**
 * Runs `operation` in `clients` closed loops for `durationMs`, or until it returns undefined because no work is left. Operations
 * that began in time are awaited and counted.
 */
export async function runWindow(
  clients: number,
  durationMs: number,
  operation: (client: number) => Promise<unknown> | undefined,
): Promise<Window> {
  const latenciesMs: number[] = []
  const startedAt = performance.now()
  let failure: unknown
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let now = performance.now(); failure === undefined && now - startedAt < durationMs; now = performance.now()) {
        const work = operation(client)
        if (work === undefined) return
        try {
          await work
        } catch (error) {
          // The others finish what they began: their connections are used again.
          failure = error
          return
        }
        latenciesMs.push(performance.now() - now)
      }
    }),
  )
  if (failure !== undefined) throw failure
  return windowOf(latenciesMs, performance.now() - startedAt)
}

export function windowOf(latenciesMs: number[], elapsedMs: number): Window {
  return {
    perSecond: (latenciesMs.length / elapsedMs) * 1000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }
}

export type HttpAnswer = { status: number; body: string }

export type HttpClient = {
  /** One request at a time; the answer must carry a Content-Length. */
  send(method: 'GET' | 'POST', path: string, headers?: Record<string, string>, body?: string): Promise<HttpAnswer>
  close(): void
}

/**
 * One keep-alive connection; it opens again when the server has closed it between two requests. It does very little, so that the
 * processor time goes to the measured server.
 */
export async function openHttpClient(url: string): Promise<HttpClient> {
  const { hostname, port } = new URL(url)
  let received = ''
  let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined
  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  const open = async (): Promise<Socket> => {
    const opened = await new Promise<Socket>((resolve, reject) => {
      const opening = connect(Number(port), hostname, () => resolve(opening)).once('error', reject)
    })
    opened.setNoDelay(true)
    received = ''
    opened.on('error', fail).on('close', () => fail(new Error('The server closed the connection.')))
    // Latin-1 keeps one character a byte, so that Content-Length counts characters; the bodies are ASCII.
    return opened.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))
      if (!length) return fail(new Error(`An answer without Content-Length: ${received.slice(0, headEnd)}`))
      if (received.length < headEnd + 4 + Number(length[1])) return
      const answer = { status: Number(received.slice(9, 12)), body: received.slice(headEnd + 4) }
      received = ''
      waiting?.resolve(answer)
      waiting = undefined
    })
  }
  let socket = await open()
  return {
    async send(method, path, headers = {}, body = '') {
      if (!socket.writable) socket = await open()
      const lines = Object.entries({ host: `${hostname}:${port}`, 'content-length': Buffer.byteLength(body), ...headers })
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`)
      })
    },
    close: () => socket.removeAllListeners('close').destroy(),
  }
}
