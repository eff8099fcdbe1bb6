/** Reads a stream of changes as a client would: the events, the bytes, the end. */
import type { TestApp } from './app.ts'

export type Told = {
  cursor: string
  is_gap: boolean
  hints: { business_id: string | null; environment: 'test' | 'live' | null; subjects: string[] }[]
}

export type Reader = {
  headers: Headers
  told: Told[]
  /** Each subject once, with its wallet: `me/test/payments`. */
  subjects(): string[]
  bytes(): number
  /** The reason of the end; undefined while it is open, `cut` without a last event. */
  ended(): string | undefined
  close(): void
}

export async function readStream(
  app: TestApp,
  token: string,
  { path = '/v1/changes', cursor }: { path?: string; cursor?: string } = {},
): Promise<Reader> {
  const stop = new AbortController()
  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  const response = await fetch(`${app.config.urls.api}${path}${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: stop.signal,
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const told: Told[] = []
  let [bytes, end] = [0, undefined as string | undefined]
  void (async () => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body!) {
        bytes += chunk.length
        text += decoder.decode(chunk, { stream: true })
        for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
          const event = text.slice(0, at)
          text = text.slice(at + 2)
          const data = /^data: (.*)$/m.exec(event)?.[1]
          if (event.startsWith('event: end')) end = (JSON.parse(data!) as { reason: string }).reason
          else if (data !== undefined) told.push(JSON.parse(data) as Told)
        }
      }
    } catch {}
    end ??= 'cut'
  })()
  return {
    headers: response.headers,
    told,
    subjects: () => [
      ...new Set(
        told.flatMap(({ hints }) =>
          hints.flatMap(({ business_id, environment, subjects }) =>
            subjects.map((subject) => `${business_id ?? 'me'}/${environment ?? '*'}/${subject}`),
          ),
        ),
      ),
    ],
    bytes: () => bytes,
    ended: () => end,
    close: () => stop.abort(),
  }
}
