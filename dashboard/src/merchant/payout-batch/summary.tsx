/** What a batch costs and what it leaves in the wallet, and what to look at before it is paid. */
import { TextLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Alert, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan, IconCopy, IconEye } from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import type { PayoutBatch } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { count, money, momentText } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { useAccount } from '../account.ts'
import classes from './payout-batch.module.css'
import { payoutBatchTexts } from './texts.ts'

/** TZS that the wallet has after the batch; negative if it does not have enough, undefined while that is not known. */
export function useLeft({ total_debited: debited }: PayoutBatch): { left: number; available: number } | undefined {
  const { query } = useAccount()
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true }).data?.data
  return balance && debited !== null ? { left: balance.available - debited, available: balance.available } : undefined
}

function Figure({ title, children, isShort = false }: { title: string; children: ReactNode; isShort?: boolean }) {
  return (
    <div>
      <Text c="dimmed">{title}</Text>
      <Text fz={20} fw={650} lh={1.4} component="div" {...(isShort && { className: classes['short']! })}>
        {children}
      </Text>
    </div>
  )
}

/** `isOpen`: it can still be paid, so that what the wallet will have matters. */
export function Figures({ batch, isOpen }: { batch: PayoutBatch; isOpen: boolean }) {
  const say = payoutBatchTexts.use()
  const known = useLeft(batch)
  const isShort = known !== undefined && known.left < 0
  const { rows, total, fees, total_debited: debited } = batch
  return (
    <Paper p="lg" component="section" aria-label={say('figures')}>
      <div className={classes['figures']}>
        <Figure title={say('rows')}>
          <span className="figures">{count(rows)}</span>
        </Figure>
        <Figure title={say('total')}>
          <Money amount={total} />
        </Figure>
        <Figure title={say('fees')}>
          {fees === null ? <Text role="status">{say('asking')}</Text> : <Money amount={fees} />}
        </Figure>
        <Figure title={say('debit')}>{debited === null ? '–' : <Money amount={debited} />}</Figure>
        {isOpen && (
          <Figure title={say(isShort ? 'short' : 'left')} isShort={isShort}>
            {known ? <Money amount={Math.abs(known.left)} /> : debited === null ? '–' : <Skeleton h={24} w={120} mt={4} />}
          </Figure>
        )}
      </div>
      {isOpen && isShort && (
        <Text c="red" mt="sm">
          {say('shortText', { available: money(known.available), missing: money(-known.left) })}
        </Text>
      )}
    </Paper>
  )
}

/** Rows of an earlier file that this batch does not pay, also once it is under way. */
export function LeftOut({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { show } = useSearch({ from: '/signed-in/$owner/$environment/payouts/batches/$batchId' })
  if (batch.rows_left_out === 0) return undefined
  return (
    <Alert color="blue" icon={<IconBan aria-hidden />} title={say('leftOut', { count: batch.rows_left_out })}>
      <Stack gap={4} align="start">
        <Text>
          {say('leftOutText')} {batch.status === 'draft' && say('leftOutBack')}
        </Text>
        {show !== 'removed' && (
          <TextLink from="/$owner/$environment/payouts/batches/$batchId" to="." search={{ show: 'removed' }} fw={600}>
            {say('seeThem')}
          </TextLink>
        )}
      </Stack>
    </Alert>
  )
}

type ChecksProps = { batch: PayoutBatch; /** Removes all rows with errors. */ removeAll: ReactNode }

export function Checks({ batch, removeAll }: ChecksProps) {
  const say = payoutBatchTexts.use()
  const { show } = useSearch({ from: '/signed-in/$owner/$environment/payouts/batches/$batchId' })
  const isShown = show === 'check' || (show === undefined && batch.rows_invalid === 0)
  const { rows_invalid: invalid, rows_with_warnings: warned, warnings } = batch
  return (
    <>
      {warnings.map(({ batch_id: batchId, created_at: at }) => (
        <Alert key={batchId} color="yellow" icon={<IconCopy aria-hidden />} title={say('sameFile')}>
          <Stack gap={4} align="start">
            <Text>{say('sameFileText', { when: momentText(at) })}</Text>
            <TextLink to="./payouts/batches/$batchId" params={{ batchId }} fw={600}>
              {say('seeIt')}
            </TextLink>
          </Stack>
        </Alert>
      ))}
      {invalid > 0 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say('invalid', { count: invalid })}>
          <Stack gap="xs" align="start">
            <Text>{say('invalidText')}</Text>
            {removeAll}
          </Stack>
        </Alert>
      )}
      {warned > 0 && (
        <Alert color="yellow" icon={<IconEye aria-hidden />} title={say('warned', { count: warned })}>
          <Stack gap={4} align="start">
            <Text>{say('warnedText')}</Text>
            {!isShown && (
              <TextLink from="/$owner/$environment/payouts/batches/$batchId" to="." search={{ show: 'check' }} fw={600}>
                {say('seeThem')}
              </TextLink>
            )}
          </Stack>
        </Alert>
      )}
    </>
  )
}
