/** A virus scanner for tests: clamd's INSTREAM protocol, one signature, and several modes. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** The test file that every scanner reports as malware (eicar.org), in two pieces so that no scanner reports this source. */
export const eicar = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}` + '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'

export type ClamdMood =
  | 'working'
  /** Accepts the file and does not answer. */
  | 'hanging'
  /** Ends the connection without a verdict. */
  | 'closing'
  /** Cuts the stream short, as for a file above StreamMaxLength. */
  | 'too_large'
  /** Answers something unexpected. */
  | 'odd'

export type Clamd = {
  url: string
  mood: ClamdMood
  /** Bytes of the files that were scanned. */
  scannedBytes: number[]
}

/** The content of a stream that is complete, else undefined. */
function readStream(received: Buffer): Buffer | undefined {
  const command = 'zINSTREAM\0'
  if (!received.toString('latin1', 0, command.length).startsWith(command)) return undefined
  const chunks: Buffer[] = []
  for (let at = command.length; at + 4 <= received.length;) {
    const length = received.readUInt32BE(at)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(received.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return undefined
}

export async function startClamd(t: TestContext): Promise<Clamd> {
  const clamd: Clamd = { url: '', mood: 'working', scannedBytes: [] }
  const sockets = new Set<Socket>()

  function receive(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => {
      if (clamd.mood === 'hanging') return
      if (clamd.mood === 'closing') return void socket.destroy()
      if (clamd.mood === 'too_large') return void socket.end('INSTREAM size limit exceeded. ERROR\0')
      pieces.push(piece)
      const content = readStream(Buffer.concat(pieces))
      if (content === undefined) return
      clamd.scannedBytes.push(content.length)
      const verdict = content.includes(eicar) ? 'Win.Test.EICAR_HDB-1 FOUND' : 'OK'
      socket.end(clamd.mood === 'odd' ? 'PONG\0' : `stream: ${verdict}\0`)
    })
  }

  const server = createServer(receive)
  await new Promise<void>((resolve, reject) => void server.on('error', reject).listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  clamd.url = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
  return clamd
}
