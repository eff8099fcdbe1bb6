/** One payout batch: reviewed and corrected as a draft, approved, followed to its end. */
import { BackLink } from '../links.tsx'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { download } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import type { PayoutBatch } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { momentText } from '../../ui/format.ts'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { Screen } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { BatchStatus } from '../batch-status.tsx'
import { useCan } from '../membership.ts'
import { useRequester } from '../requester.ts'
import { DraftDecision, NotApproved, WaitingDecision } from './decision.tsx'
import { RemoveAll } from './remove-all.tsx'
import { Rows } from './rows.tsx'
import { Run } from './run.tsx'
import { Checks, Figures, LeftOut } from './summary.tsx'
import { useBatchStep } from './batch-step.ts'
import { payoutBatchTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function PayoutBatchScreen() {
  const { batchId } = useParams({ from: '/signed-in/$owner/$environment/payouts/batches/$batchId' })
  return <OneBatch key={batchId} batchId={batchId} />
}

const isOpen = ({ status }: PayoutBatch): boolean => status === 'draft' || status === 'waiting'

function OneBatch({ batchId }: { batchId: string }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const can = useCan()
  const requester = useRequester()
  // Nothing changes after the last row has ended.
  const [isOver, setIsOver] = useState(false)
  const { data, error, refetch } = useAnswer(
    'GET /v1/merchant/payout-batches/{id}',
    { params: { id: batchId }, query },
    { isLive: !isOver },
  )
  const batch = data?.data
  if (batch && !isOver && (batch.finished_at !== null || batch.failure !== null)) setIsOver(true)
  const back = <BackLink to="./payouts/batches">{say('back')}</BackLink>
  if (!batch) return <UnreadScreen title={say('title')} back={back} of={{ error, refetch }} placeholder={320} />
  const when = momentText(batch.created_at)
  const name = requester(batch.requested_by)
  const isDraft = batch.status === 'draft'
  return (
    <Screen
      title={batch.title ?? say('untitled', { when })}
      text={name === undefined ? say('made', { when }) : say('madeBy', { name, when })}
      back={back}
      mark={<BatchStatus batch={batch} />}
      actions={<Actions batch={batch} />}
    >
      {Boolean(error) && <ErrorState error={error} onRetry={refetch} />}
      {batch.failure && <NotApproved batch={batch} />}
      {!isOpen(batch) && !batch.failure && <Run batch={batch} />}
      <Figures batch={batch} isOpen={isOpen(batch)} />
      <LeftOut batch={batch} />
      {isOpen(batch) && <Checks batch={batch} removeAll={isDraft && can('payouts.write') && <RemoveAll batch={batch} />} />}
      {isDraft && <DraftDecision batch={batch} />}
      {batch.status === 'waiting' && <WaitingDecision batch={batch} />}
      <Rows batch={batch} mayChange={isDraft && can('payouts.write') === true} isLive={!isOver && !isDraft} />
    </Screen>
  )
}

function Actions({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const can = useCan()
  const mayWrite = can('payouts.write') === true
  const params = { id: batch.id }
  return (
    <>
      {mayWrite && batch.rows > batch.rows_invalid && <SaveRecipients batch={batch} />}
      <DownloadButton
        onFetch={() =>
          download('GET /v1/merchant/payout-batches/{id}/items', {
            params,
            query: { ...query, csv_language: currentLanguage() },
            accept: 'text/csv',
          })
        }
      >
        {say(isOpen(batch) ? 'download' : 'result')}
      </DownloadButton>
      {mayWrite && batch.status === 'draft' && <Delete batch={batch} />}
      {mayWrite && batch.status === 'running' && <Stop batch={batch} />}
    </>
  )
}

function SaveRecipients({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const save = useAction('POST /v1/merchant/payout-batches/{id}/recipients', ['GET /v1/merchant/recipients'])
  return (
    <Button
      variant="default"
      loading={save.isPending}
      onClick={() =>
        save.mutate(
          { params: { id: batch.id }, query },
          {
            onSuccess: ({ data: { saved } }) =>
              notifyDone(saved === 0 ? say('savedNone') : say('savedRecipients', { count: saved })),
            onError: notifyProblem,
          },
        )
      }
    >
      {say('saveRecipients')}
    </Button>
  )
}

function Delete({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { owner, environment, query } = useAccount()
  const navigate = useNavigate()
  const [isAsking, { open, close }] = useDisclosure()
  const remove = useAction('DELETE /v1/merchant/payout-batches/{id}', ['GET /v1/merchant/payout-batches'])
  const form = useForm({
    send: async () => {
      await remove.mutateAsync({ params: { id: batch.id }, query })
      notifyDone(say('deleted'))
      void navigate({ to: '/$owner/$environment/payouts/batches', params: { owner, environment }, replace: true })
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        {say('delete')}
      </Button>
      <ConfirmDialog isOpen={isAsking} onClose={close} title={say('deleteTitle')} action={say('delete')} isDanger of={form}>
        {say('deleteText')}
      </ConfirmDialog>
    </>
  )
}

function Stop({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const [isAsking, { open, close }] = useDisclosure()
  const stop = useBatchStep('POST /v1/merchant/payout-batches/{id}/stop')
  const form = useForm({
    send: () =>
      stop.take({ params: { id: batch.id }, query }, () => {
        close()
        notifyDone(say('stopped'))
      }),
  })
  return (
    <>
      <Button variant="default" color="red" onClick={open}>
        {say('stop')}
      </Button>
      <ConfirmDialog isOpen={isAsking} onClose={close} title={say('stopTitle')} action={say('stopAction')} isDanger of={form}>
        {say('stopText')}
      </ConfirmDialog>
    </>
  )
}
