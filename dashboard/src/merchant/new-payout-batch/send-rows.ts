/** Sends the rows of a new batch as they are: the API reads and checks them. */
import { upload } from '../../api/call.ts'
import type { Answer, Input } from '../../api/call.ts'
import { sendBytes } from '../../api/send-bytes.ts'

const operation = 'POST /v1/merchant/payout-batches'

type Rows = Omit<Input<typeof operation>, 'body'> & { content: Blob; signal: AbortSignal; onProgress(sentShare: number): void }

/** Throws an `ApiError`. */
export function sendRows({ content, onProgress, ...input }: Rows): Promise<Answer<typeof operation>> {
  return upload(operation, {
    ...input,
    file: { content, type: 'text/csv' },
    send: (address, { method = 'POST', headers }) =>
      sendBytes(address, {
        method,
        headers: headers as Record<string, string>,
        body: content,
        signal: input.signal,
        onProgress,
      }),
  })
}
