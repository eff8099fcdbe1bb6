/** Uploads a file to the address from the API. */
import { errorOf, jsonOf } from './api-error.ts'
import type { UploadAddress } from './operations.ts'
import { sendBytes } from './send-bytes.ts'

type Options = { signal: AbortSignal; onProgress(sentShare: number): void }

/** Returns whether the file can be opened; throws an `ApiError`, or the reason of `signal`. */
export async function sendFile(address: UploadAddress, file: Blob, options: Options): Promise<{ unreadable: boolean }> {
  const { method, upload_url, headers } = address
  const answer = await sendBytes(upload_url, { method, headers, body: file, ...options })
  if (!answer.ok) throw await errorOf(answer)
  return ((await jsonOf(answer)) as { data: { unreadable: boolean } }).data
}
