/** The next step of a batch that is not paid yet: sent for approval, approved, refused, or taken back. */
import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconClock, IconSend, IconX } from '../../ui/icons.ts'
import { lazy, Suspense, useState } from 'react'
import type { Approval, PayoutBatch } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { money, momentText } from '../../ui/format.ts'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import classes from './payout-batch.module.css'
import { useLeft } from './summary.tsx'
import { useBatchStep } from './batch-step.ts'
import { payoutBatchTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

const PayDialog = lazy(() => import('./pay-dialog.tsx'))
const RefuseDialog = lazy(() => import('./refuse-dialog.tsx'))

/** Why the batch cannot be sent for approval as it is, or not be paid. */
function useHindrance(batch: PayoutBatch): { toSubmit: string | undefined; toPay: string | undefined } {
  const say = payoutBatchTexts.use()
  const known = useLeft(batch)
  const toSubmit =
    batch.rows_invalid > 0
      ? say('blockedInvalid')
      : batch.rows === 0
        ? say('blockedEmpty')
        : batch.fees === null
          ? say('blockedFees')
          : undefined
  return { toSubmit, toPay: toSubmit ?? (known && known.left < 0 ? say('blockedShort') : undefined) }
}

/** The amount above which another member must approve what this person made; undefined if no one else must. */
function useOthersNeeded({ requested_by: by, total }: PayoutBatch): number | undefined {
  const { owner, query } = useAccount()
  const can = useCan()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const isWanted = owner !== 'me' && can('rules.read') === true
  const rule = useAnswer('GET /v1/merchant/approval-rule', { query }, { isWanted }).data?.data.rule
  return rule && total > rule.above && by === me?.id ? rule.above : undefined
}

export function DraftDecision({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { owner, query } = useAccount()
  const can = useCan()
  const above = useOthersNeeded(batch)
  const { toSubmit, toPay } = useHindrance(batch)
  const [isPaying, { open, close }] = useDisclosure()
  const submit = useBatchStep('POST /v1/merchant/payout-batches/{id}/submit')
  const mayPay = can('payouts.approve') === true && above === undefined
  const maySubmit = owner !== 'me' && can('payouts.write') === true
  const send = (): void =>
    void submit
      .take({ params: { id: batch.id }, query }, () => {
        close()
        notifyDone(say('submitted'))
      })
      .catch(notifyProblem)
  if (!mayPay && !maySubmit) return undefined
  const hindrance = mayPay ? toPay : toSubmit
  return (
    <Paper p="lg" component="section" aria-label={say('decide')}>
      <Stack gap="sm">
        {above !== undefined && <Text>{above === 0 ? say('submitAlways') : say('submitRule', { above: money(above) })}</Text>}
        {!mayPay && <Text>{say('submitText')}</Text>}
        <div className={classes['decision']}>
          {mayPay && (
            <Button size="md" leftSection={<IconSend size={16} aria-hidden />} disabled={toPay !== undefined} onClick={open}>
              {say(owner === 'me' ? 'pay' : 'approve')}
            </Button>
          )}
          {maySubmit && (
            <Button
              size="md"
              variant={mayPay ? 'default' : 'filled'}
              disabled={toSubmit !== undefined}
              loading={submit.isPending}
              onClick={send}
            >
              {say('submit')}
            </Button>
          )}
        </div>
        {hindrance !== undefined && <Text c="dimmed">{hindrance}</Text>}
      </Stack>
      <Suspense>
        <PayDialog batch={batch} isOpen={isPaying} onClose={close} {...(maySubmit && { onSubmit: send })} />
      </Suspense>
    </Paper>
  )
}

export function WaitingDecision({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const can = useCan()
  const { toPay } = useHindrance(batch)
  const [shown, setShown] = useState<'pay' | 'refuse' | 'takeBack'>()
  const close = (): void => setShown(undefined)
  const entry = useAnswer(
    'GET /v1/merchant/approvals/{id}',
    { params: { id: batch.id }, query },
    { isLive: true, isWanted: can('rules.read') === true },
  ).data?.data
  const mayDecide = entry?.may_decide === true
  return (
    <Paper p="lg" component="section" aria-label={say('decide')}>
      <Stack gap="sm">
        <Title order={2}>{say('waiting')}</Title>
        {entry && (
          <>
            <Text>
              {say('waitingText', {
                name: entry.requested_by.name,
                when: momentText(entry.requested_at),
                until: momentText(entry.expires_at),
              })}
            </Text>
            <Votes entry={entry} />
            {entry.why_not !== null && entry.why_not !== 'own_role' && <Text c="dimmed">{say(`whyNot.${entry.why_not}`)}</Text>}
          </>
        )}
        <div className={classes['decision']}>
          {mayDecide && (
            <>
              <Button
                size="md"
                leftSection={<IconCheck size={16} aria-hidden />}
                disabled={toPay !== undefined}
                onClick={() => setShown('pay')}
              >
                {say('approve')}
              </Button>
              <Button
                size="md"
                variant="default"
                leftSection={<IconX size={16} aria-hidden />}
                onClick={() => setShown('refuse')}
              >
                {say('refuse')}
              </Button>
            </>
          )}
          {can('payouts.write') && (
            <Button size="md" variant="default" onClick={() => setShown('takeBack')}>
              {say('takeBack')}
            </Button>
          )}
        </div>
        {mayDecide && toPay !== undefined && <Text c="dimmed">{toPay}</Text>}
      </Stack>
      <Suspense>
        <PayDialog batch={batch} isOpen={shown === 'pay'} onClose={close} />
        <RefuseDialog batch={batch} isOpen={shown === 'refuse'} onClose={close} />
      </Suspense>
      <TakeBack batch={batch} isOpen={shown === 'takeBack'} onClose={close} />
    </Paper>
  )
}

function Votes({ entry: { approved_by: votes, approvers_needed: needed } }: { entry: Approval }) {
  const say = payoutBatchTexts.use()
  return (
    <div>
      <Text fw={600}>{say('given', { given: votes.length, needed })}</Text>
      {votes.map(({ user_id: id, name, at }) => (
        <Text key={id}>{say('approvedBy', { name, when: momentText(at) })}</Text>
      ))}
    </div>
  )
}

function TakeBack({ batch, isOpen, onClose }: { batch: PayoutBatch; isOpen: boolean; onClose(): void }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const stop = useBatchStep('POST /v1/merchant/payout-batches/{id}/stop')
  const form = useForm({
    send: () =>
      stop.take({ params: { id: batch.id }, query }, () => {
        onClose()
        notifyDone(say('takenBack'))
      }),
  })
  return (
    <ConfirmDialog isOpen={isOpen} onClose={onClose} title={say('takeBack')} action={say('takeBack')} of={form}>
      {say('takeBackText')}
    </ConfirmDialog>
  )
}

/** A batch that no one approved: who ended it, and why. */
export function NotApproved({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { query } = useAccount()
  const can = useCan()
  const entry = useAnswer(
    'GET /v1/merchant/approvals/{id}',
    { params: { id: batch.id }, query },
    { isWanted: can('rules.read') === true },
  ).data?.data
  const isRefused = batch.failure?.code === 'approval_refused'
  const reason = entry?.reason
  return (
    <Alert
      color={isRefused ? 'red' : 'yellow'}
      icon={isRefused ? <IconX aria-hidden /> : <IconClock aria-hidden />}
      title={say(isRefused ? 'refusedTitle' : 'expiredTitle')}
    >
      {typeof reason === 'string' && say('refusedFor', { reason })}
    </Alert>
  )
}
