/**
 * Asks clamd whether a file is malware, with its INSTREAM command (clamd(8)). Invariant: a file is clean only when the scanner
 * has explicitly said so; any other answer, or none, leaves it unknown.
 */
import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'

export type ScanOutcome = { kind: 'clean' } | { kind: 'infected'; signature: string } | { kind: 'unknown'; cause: string }

const chunkBytes = 64 * 1024
const maxReplyBytes = 1024

/** `tcp://host:port` or `unix:/path`. */
function open(url: string): Socket {
  if (url.startsWith('unix:')) return connect({ path: url.slice('unix:'.length) })
  const { hostname, port } = new URL(url)
  return connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 3310 : port) })
}

function readVerdict(reply: string): ScanOutcome {
  const line = reply.replace(/[\0\n]+$/, '')
  if (line === 'stream: OK') return { kind: 'clean' }
  const found = /^stream: ([\x21-\x7e ]{1,200}) FOUND$/.exec(line)
  return found ? { kind: 'infected', signature: found[1]! } : { kind: 'unknown', cause: 'odd_answer' }
}

async function* inChunks(file: string): AsyncGenerator<Buffer> {
  yield Buffer.from('zINSTREAM\0')
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(chunk.length)
    yield Buffer.concat([length, chunk])
  }
  yield Buffer.alloc(4)
}

/** The scanner may answer and close before it has read everything, so this ends silently when the other side is gone. */
async function sendFile(socket: Socket, file: string): Promise<void> {
  for await (const piece of inChunks(file)) {
    if (socket.destroyed || !socket.writable) return
    if (socket.write(piece)) continue
    await new Promise<void>((resolve) => void socket.once('drain', resolve).once('close', resolve))
  }
}

/** `deadlineMs` covers everything: connection, file, verdict. */
export async function scanFile(url: string, file: string, deadlineMs: number): Promise<ScanOutcome> {
  const socket = addAbortSignal(AbortSignal.timeout(deadlineMs), open(url))
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()))
  let failure: string | undefined
  socket.on('error', (error: Error & { code?: string }) => (failure ??= error.code ?? error.name))
  let reply = ''
  socket.on('data', (chunk: Buffer) => {
    reply += chunk.toString('latin1')
    if (reply.length > maxReplyBytes || /[\0\n]/.test(reply)) socket.destroy()
  })
  const sending = sendFile(socket, file).catch((error: unknown) => {
    failure ??= error instanceof Error ? error.name : 'unknown'
    socket.destroy()
  })
  await Promise.all([sending, closed])
  // A verdict is one complete line; a connection that breaks after it does not matter.
  if (/[\0\n]$/.test(reply)) return readVerdict(reply)
  return { kind: 'unknown', cause: failure ?? (reply === '' ? 'closed' : 'odd_answer') }
}
