/**
 * A connection between the service and a peer (database, provider, a merchant's receiver). A test can slow it down, block it in one
 * or both directions, or cut it. Blocked data is not lost: as on a real line, it arrives once the line works again.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type Way = 'to_server' | 'to_client'

export type TcpProxy = {
  port: number
  /** Blocks all data in these directions and keeps the connections open; new connections are accepted and receive nothing either. */
  partition(...ways: Way[]): void
  /** Lets blocked data through, and everything after it. */
  heal(): void
  /** Delays all data by this time. */
  slowDown(ms: number): void
  /** Ends all connections with a reset, and each new one until `heal`. */
  cut(): void
  /** Resets the next connection that sends an answer, after this many bytes of the answer. */
  truncateNextAnswer(bytes: number): void
  /** The number of connections made. */
  connections(): number
}

type Line = { client: Socket; server: Socket }

type Target = { port: number } | { path: string }

/** Forwards to a TCP port of this machine, or to a unix socket, which need not exist before the first connection. */
export async function startTcpProxy(t: TestContext, target: () => Target): Promise<TcpProxy> {
  const lines = new Set<Line>()
  const sockets = new Set<Socket>()
  const held = new Set<Way>()
  const waiting: { way: Way; pass(): void }[] = []
  let delayMs = 0
  let isCut = false
  let truncateAt: number | undefined
  let made = 0

  const reset = ({ client, server }: Line): void => {
    client.resetAndDestroy()
    // A unix socket has no reset.
    if (server.remoteAddress === undefined) server.destroy()
    else server.resetAndDestroy()
  }

  function carry(line: Line, way: Way): void {
    const [from, to] = way === 'to_server' ? [line.client, line.server] : [line.server, line.client]
    // In sequence, so that no data overtakes earlier blocked data.
    let turn = Promise.resolve()
    const inTurn = (work: () => void): void => {
      const dueAt = performance.now() + delayMs
      turn = turn.then(async () => {
        const leftMs = dueAt - performance.now()
        if (leftMs > 1) await new Promise((resolve) => setTimeout(resolve, leftMs))
        if (held.has(way)) await new Promise<void>((resolve) => waiting.push({ way, pass: resolve }))
        work()
      })
    }
    from.on('data', (chunk: Buffer) =>
      inTurn(() => {
        if (to.destroyed) return
        if (way === 'to_client' && truncateAt !== undefined) {
          const bytes = truncateAt
          truncateAt = undefined
          to.write(chunk.subarray(0, bytes), () => reset(line))
        } else to.write(chunk)
      }),
    )
    from.on('end', () => inTurn(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => inTurn(() => to.destroy()))
  }

  const listener = createServer((client) => {
    made += 1
    if (isCut) {
      client.on('error', () => undefined)
      client.resetAndDestroy()
      return
    }
    const server = connect(target())
    const line = { client, server }
    lines.add(line)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('close', () => lines.delete(line))
    carry(line, 'to_server')
    carry(line, 'to_client')
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    // A connection whose client has left may still be blocked.
    for (const socket of sockets) socket.destroy()
    listener.close()
  })

  return {
    port: (listener.address() as { port: number }).port,
    partition(...ways) {
      for (const way of ways) held.add(way)
    },
    heal() {
      isCut = false
      held.clear()
      for (const { pass } of waiting.splice(0)) pass()
    },
    slowDown(ms) {
      delayMs = ms
    },
    cut() {
      isCut = true
      for (const line of lines) reset(line)
    },
    truncateNextAnswer(bytes) {
      truncateAt = bytes
    },
    connections: () => made,
  }
}

/** The address of a test database, through its own proxy. */
export async function startDatabaseProxy(t: TestContext, databaseUrl: string): Promise<TcpProxy & { url: string }> {
  const { pathname, searchParams } = new URL(databaseUrl.replace(/^postgres(ql)?:\/\/\//, 'postgresql://socket/'))
  const path = `${searchParams.get('host')!}/.s.PGSQL.${searchParams.get('port') ?? '5432'}`
  const proxy = await startTcpProxy(t, () => ({ path }))
  const url = `postgresql://${searchParams.get('user')!}@127.0.0.1:${proxy.port}${pathname}?sslmode=disable`
  return { ...proxy, url }
}
