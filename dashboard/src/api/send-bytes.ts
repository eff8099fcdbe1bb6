/** Sends a request and reports the progress of its body, which `fetch` cannot. */
import { unreachable } from './api-error.ts'

/** A dead connection reports nothing; after the upload the server needs longer to check the file. */
const quietMs = { sending: 45_000, checking: 120_000 }

type Options = {
  method: string
  headers: Readonly<Record<string, string>>
  body: Blob
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress(sentShare: number): void
}

/** Throws an `ApiError` if there is no answer, or the reason of `signal`. */
export function sendBytes(address: string, { method, headers, body, signal, onProgress }: Options): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const lose = (): void => reject(unreachable())
    let quiet: ReturnType<typeof setTimeout>
    const waitFor = (ms: number): void => {
      clearTimeout(quiet)
      quiet = setTimeout(() => {
        request.abort()
        lose()
      }, ms)
    }
    const onAbort = (): void => {
      request.abort()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort)
    request.upload.addEventListener('progress', ({ loaded }) => {
      waitFor(quietMs.sending)
      onProgress(body.size === 0 ? 1 : Math.min(1, loaded / body.size))
    })
    request.upload.addEventListener('load', () => {
      waitFor(quietMs.checking)
      onProgress(1)
    })
    request.addEventListener('error', lose)
    request.addEventListener('load', () => {
      const retryAfter = request.getResponseHeader('retry-after')
      const kept = retryAfter === null ? {} : { headers: { 'retry-after': retryAfter } }
      resolve(new Response(request.responseText, { status: request.status, ...kept }))
    })
    request.addEventListener('loadend', () => {
      clearTimeout(quiet)
      signal.removeEventListener('abort', onAbort)
    })
    request.open(method, address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    waitFor(quietMs.sending)
    request.send(body)
  })
}
