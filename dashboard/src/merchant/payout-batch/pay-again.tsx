/** Makes a new draft of the rows that did not arrive: their result file, read again by the API, which leaves out what was paid since. */
import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { download } from '../../api/call.ts'
import type { PayoutBatch } from '../../api/operations.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import { useForm } from '../../ui/form.tsx'
import { notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { sendRows } from '../new-payout-batch/send-rows.ts'
import { payoutBatchTexts } from './texts.ts'

/** The ends without money at the recipient. */
export const notArrived = ['failed', 'reversed', 'cancelled'] as const

type Props = { batch: PayoutBatch; status: (typeof notArrived)[number] }

export function PayAgain({ batch, status }: Props) {
  const say = payoutBatchTexts.use()
  const { owner, environment, query } = useAccount()
  const navigate = useNavigate()
  const signal = useRef(new AbortController().signal).current
  const form = useForm({
    send: async (_, idempotencyKey) => {
      const input = { params: { id: batch.id }, query: { ...query, status, csv_language: currentLanguage() }, accept: 'text/csv' }
      const { file } = await download('GET /v1/merchant/payout-batches/{id}/items', input)
      const title = batch.title ?? ''
      const { data } = await sendRows({
        query: { ...query, title },
        content: file,
        idempotencyKey,
        signal,
        onProgress: () => undefined,
      })
      await navigate({
        to: '/$owner/$environment/payouts/batches/$batchId',
        params: { owner, environment, batchId: data.id },
        search: {},
      })
    },
    problemsOf: (error) => {
      notifyProblem(error)
      return {}
    },
  })
  return (
    <Button size="sm" loading={form.isBusy} onClick={() => form.submit()}>
      {say('payAgain')}
    </Button>
  )
}
