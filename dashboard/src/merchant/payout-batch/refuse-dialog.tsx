/** Refuses a batch, with the reason that its maker reads. */
import { Modal, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { PayoutBatch } from '../../api/operations.ts'
import { notifyDone } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { useAccount } from '../account.ts'
import { ApprovalChanges, versionOf } from '../approval-changes.tsx'
import { useBatchStep } from './batch-step.ts'
import { payoutBatchTexts } from './texts.ts'

type Props = { batch: PayoutBatch; isOpen: boolean; onClose(): void }

export default function RefuseDialog({ batch, isOpen, onClose }: Props) {
  const say = payoutBatchTexts.use()
  return (
    <Modal opened={isOpen} onClose={onClose} title={say('refuse')}>
      {isOpen && <Question batch={batch} onClose={onClose} />}
    </Modal>
  )
}

function Question({ batch, onClose }: Pick<Props, 'batch' | 'onClose'>) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const [reason, setReason] = useState('')
  // The one that the person has read, also if the screen follows a change meanwhile.
  const [read] = useState(batch.version)
  const refuse = useBatchStep('POST /v1/merchant/payout-batches/{id}/refuse')
  const form = useForm({
    send: (): Promise<unknown> =>
      refuse.take(
        { params: { id: batch.id }, query, body: { version: versionOf(read, form.error), reason: reason.trim() } },
        () => {
          onClose()
          notifyDone(say('refused'))
        },
      ),
  })
  return (
    <Form of={form}>
      <ApprovalChanges error={form.error} />
      <Text>{say('refuseText')}</Text>
      <Textarea
        label={say('reason')}
        rows={3}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
      <DialogButtons of={form} onCancel={onClose} action={say('refuse')} isDanger isOff={reason.trim() === ''} />
    </Form>
  )
}
