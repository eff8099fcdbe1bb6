/** The last look before a batch is paid: how many rows, how much in figures and words, and what the wallet will have. */
import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isRefusal } from '../../api/call.ts'
import type { PayoutBatch } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { amountInWords } from '../../ui/amount-words.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { ApprovalChanges, versionOf } from '../approval-changes.tsx'
import { useLeft } from './summary.tsx'
import { useBatchStep } from './batch-step.ts'
import { payoutBatchTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

type Props = {
  batch: PayoutBatch
  isOpen: boolean
  onClose(): void
  /** Asks other members, if this person may not approve it alone. */
  onSubmit?(): void
}

export default function PayDialog({ batch, isOpen, onClose, onSubmit }: Props) {
  const say = payoutBatchTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const known = useLeft(batch)
  const approve = useBatchStep('POST /v1/merchant/payout-batches/{id}/approve')
  const { rows, total, fees, total_debited: debited } = batch
  // The one that the person has read when the dialog opens, also if the screen follows a change meanwhile.
  const [read, setRead] = useState(batch.version)
  if (!isOpen && read !== batch.version) setRead(batch.version)
  const form = useForm({
    send: (): Promise<unknown> =>
      approve.take({ params: { id: batch.id }, query, body: { version: versionOf(read, form.error) } }, ({ data }) => {
        onClose()
        notifyDone(say(data.status === 'waiting' ? 'oneMore' : 'paying'))
      }),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={say('payTitle', { count: rows })}
      action={say('payAction', { amount: money(total, language) })}
      isReady={debited !== null && known !== undefined && known.left >= 0}
      of={form}
    >
      <Stack>
        <ApprovalChanges error={form.error} />
        <div>
          <Text fz={28} fw={650} lh={1.3}>
            <Money amount={total} />
          </Text>
          <Text>{amountInWords(total)[language]}</Text>
        </div>
        <Facts
          facts={[
            fees !== null && [say('fees'), <Money key="fees" amount={fees} />],
            debited !== null && [say('debit'), <Money key="debit" amount={debited} />],
            known !== undefined && [say('left'), <Money key="left" amount={known.left} />],
          ]}
        />
        <Text>{say('payText')}</Text>
        {onSubmit && isRefusal(form.error, 'self_approval_forbidden') && (
          <Button variant="default" onClick={onSubmit}>
            {say('submitInstead')}
          </Button>
        )}
      </Stack>
    </ConfirmDialog>
  )
}
