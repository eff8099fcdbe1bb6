/** A proxy between the service and the provider that changes the provider's answers. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type ProviderAnswer = { status: number; body: string }

export type ProviderProxy = {
  url: string
  /** Changes answers from now on; undefined passes them on unchanged. */
  change(change: ((method: string, path: string, answer: ProviderAnswer) => ProviderAnswer) | undefined): void
  /** The requests so far, each with its `traceparent`. */
  asked: { method: string; path: string; traceparent: string | undefined }[]
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export async function startProviderProxy(t: TestContext, upstream: () => string): Promise<ProviderProxy> {
  let changed: Parameters<ProviderProxy['change']>[0]
  const asked: ProviderProxy['asked'] = []
  const server = createServer((request, response) => {
    void (async () => {
      const traceparent = request.headers['traceparent'] as string | undefined
      asked.push({ method: request.method!, path: request.url!, traceparent })
      const body = await readAll(request)
      const headers = Object.entries(request.headers).filter(([name]) => !/^(host|connection|content-length)$/.test(name))
      const answered = await fetch(`${upstream()}${request.url}`, {
        method: request.method!,
        headers: headers as [string, string][],
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      })
      const answer = { status: answered.status, body: await answered.text() }
      const changedAnswer = changed ? changed(request.method!, request.url!, answer) : answer
      response.writeHead(changedAnswer.status, { 'content-type': 'application/json' }).end(changedAnswer.body)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change: (change) => void (changed = change),
    asked,
  }
}
