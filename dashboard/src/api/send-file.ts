/** Uploads a file to the address from the API and reports progress, which `fetch` cannot. */
import { ApiError, errorOf } from './api-error.ts'
import type { UploadAddress } from './operations.ts'

/** A dead connection reports nothing; after the upload the server needs longer to check the file. */
const quietMs = { sending: 45_000, checking: 120_000 }

type Options = { signal: AbortSignal; onProgress(sentShare: number): void }

/** Returns whether the file can be opened; throws an `ApiError`, or the reason of `signal`. */
export function sendFile(address: UploadAddress, file: Blob, { signal, onProgress }: Options): Promise<{ unreadable: boolean }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const unreachable = (): void => reject(new ApiError(0, { code: 'unreachable', message: 'The service cannot be reached.' }))
    let quiet: ReturnType<typeof setTimeout>
    const waitFor = (ms: number): void => {
      clearTimeout(quiet)
      quiet = setTimeout(() => {
        request.abort()
        unreachable()
      }, ms)
    }
    const onAbort = (): void => {
      request.abort()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort)
    request.upload.addEventListener('progress', ({ loaded }) => {
      waitFor(quietMs.sending)
      onProgress(file.size === 0 ? 1 : Math.min(1, loaded / file.size))
    })
    request.upload.addEventListener('load', () => {
      waitFor(quietMs.checking)
      onProgress(1)
    })
    request.addEventListener('error', unreachable)
    request.addEventListener('load', () => {
      const answer = new Response(request.responseText, { status: request.status })
      if (!answer.ok) void errorOf(answer).then(reject)
      else answer.json().then(({ data }: { data: { unreadable: boolean } }) => resolve(data), unreachable)
    })
    request.addEventListener('loadend', () => {
      clearTimeout(quiet)
      signal.removeEventListener('abort', onAbort)
    })
    request.open(address.method, address.upload_url)
    for (const [name, value] of Object.entries(address.headers)) request.setRequestHeader(name, value)
    waitFor(quietMs.sending)
    request.send(file)
  })
}
