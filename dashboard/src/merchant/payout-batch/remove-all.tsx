/** Removes all rows with errors, one after the other, because the API changes rows one by one. */
import { Button, Modal, Progress, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { PayoutBatch } from '../../api/operations.ts'
import { count } from '../../ui/format.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { useAccount, type Account } from '../account.ts'
import { payoutBatchTexts } from './texts.ts'

const pageOf = 100

type Removing = { batchId: string; query: Account['query']; signal: AbortSignal; onRemoved(): void }

async function removeInvalid({ batchId, query, signal, onRemoved }: Removing): Promise<void> {
  for (;;) {
    const asked = { params: { id: batchId }, query: { ...query, status: 'invalid' as const, limit: pageOf }, signal }
    const { data } = await call('GET /v1/merchant/payout-batches/{id}/items', asked)
    if (data.length === 0) return
    for (const { row } of data) {
      const params = { id: batchId, row: String(row) }
      await call('PATCH /v1/merchant/payout-batches/{id}/items/{row}', { params, query, body: { removed: true }, signal })
      onRemoved()
    }
  }
}

export function RemoveAll({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        {say('removeAll', { count: batch.rows_invalid })}
      </Button>
      <Modal opened={isOpen} onClose={close} title={say('removeAll', { count: batch.rows_invalid })}>
        {isOpen && <Question batch={batch} onClose={close} />}
      </Modal>
    </>
  )
}

function Question({ batch, onClose }: { batch: PayoutBatch; onClose(): void }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const client = useQueryClient()
  const [wanted] = useState(batch.rows_invalid)
  const [removed, setRemoved] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const removeAll = async (): Promise<void> => {
    const mine = new AbortController()
    running.current = mine
    setRemoved(0)
    try {
      const onRemoved = (): void => setRemoved((before = 0) => before + 1)
      await removeInvalid({ batchId: batch.id, query, signal: mine.signal, onRemoved })
      onClose()
    } catch (failure) {
      if (!mine.signal.aborted) throw failure
    } finally {
      await client.invalidateQueries()
    }
  }
  const form = useForm({ send: removeAll })
  return (
    <Form of={form}>
      <Text>{say('removeAllText', { count: wanted })}</Text>
      {removed !== undefined && (
        <>
          <Progress value={(removed / wanted) * 100} aria-label={say('progress')} />
          <Text role="status">{say('removing', { done: count(removed), count: count(wanted) })}</Text>
        </>
      )}
      <DialogButtons of={form} onCancel={onClose} action={say('remove')} isDanger />
    </Form>
  )
}
