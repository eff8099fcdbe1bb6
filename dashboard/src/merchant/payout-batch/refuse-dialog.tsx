/** Refuses a batch, with the reason that its maker reads. */
import { Modal, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { notifyDone } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { useAccount } from '../account.ts'
import { useBatchStep } from './batch-step.ts'
import { payoutBatchTexts } from './texts.ts'

type Props = { batchId: string; isOpen: boolean; onClose(): void }

export default function RefuseDialog({ batchId, isOpen, onClose }: Props) {
  const say = payoutBatchTexts.use()
  return (
    <Modal opened={isOpen} onClose={onClose} title={say('refuse')}>
      {isOpen && <Question batchId={batchId} onClose={onClose} />}
    </Modal>
  )
}

function Question({ batchId, onClose }: Pick<Props, 'batchId' | 'onClose'>) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const [reason, setReason] = useState('')
  const refuse = useBatchStep('POST /v1/merchant/payout-batches/{id}/refuse')
  const form = useForm({
    send: () =>
      refuse.take({ params: { id: batchId }, query, body: { reason: reason.trim() } }, () => {
        onClose()
        notifyDone(say('refused'))
      }),
  })
  return (
    <Form of={form}>
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
