/** A thread that sends requests, so that the work of the client does not count as that of the service. */
import { once } from 'node:events'
import { parentPort, Worker } from 'node:worker_threads'

type Request = { url: string; method: string; headers: Record<string, string>; body: Uint8Array }

if (parentPort) {
  const port = parentPort
  port.on('message', (request: Request) => {
    const { url, ...init } = request
    void fetch(url, init as RequestInit).then(async (response) => {
      await response.arrayBuffer()
      port.postMessage(response.status)
    })
  })
}

export type Sender = { send(request: Request): Promise<number>; close(): Promise<number> }

/** One request at a time. The memory of its body goes to the thread. */
export function startSender(): Sender {
  const thread = new Worker(new URL(import.meta.url))
  const failed = once(thread, 'error').then(([error]) => Promise.reject(error as Error))
  return {
    async send(request) {
      const answered = once(thread, 'message')
      thread.postMessage(request, [request.body.buffer as ArrayBuffer])
      const [status] = (await Promise.race([answered, failed])) as [number]
      return status
    },
    close: () => thread.terminate(),
  }
}
