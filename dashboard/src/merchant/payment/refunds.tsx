/** The refunds of a payment, and the button for another one. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { MerchantPaymentWithTimeline, Refund } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { momentColumn, moneyColumn, oppositeColumn } from '../../ui/columns.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { IconArrowBackUp } from '../../ui/icons.ts'
import { Money } from '../../ui/money.tsx'
import { Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useMay } from '../barred.tsx'
import { useFailureText } from '../../ui/payout-failures.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { refundTexts } from './refund-texts.ts'

function useColumns(): Column<Refund>[] {
  const say = refundTexts.use()
  const failureText = useFailureText()
  return [
    { title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'heading' },
    oppositeColumn(say('status'), ({ status }) => <StatusBadge status={status} isOfPayment />),
    moneyColumn(say('fee'), ({ fee }) => fee),
    {
      title: say('reason'),
      cell: ({ reason, method, failure, approval, approval_by: by, status }) => {
        if (failure) return failureText(failure)
        if (status === 'pending' && approval === 'required') return say(`waits.${by ?? 'operators'}`)
        return method === 'outside' ? `${say('byMerchant')}: ${reason ?? '–'}` : (reason ?? '–')
      },
    },
    momentColumn(say('when'), ({ created_at }) => created_at),
  ]
}

export function Refunds({ payment }: { payment: MerchantPaymentWithTimeline }) {
  const say = refundTexts.use()
  const { query } = useAccount()
  const columns = useColumns()
  const may = useMay('refunds')
  const me = useAnswer('GET /v1/me', {}).data?.data
  const [isOpen, setIsOpen] = useState(false)
  const { reference, refundable } = payment
  const list = useAnswer('GET /v1/merchant/payments/{reference}/refunds', { params: { reference }, query }, { isLive: true })
  const refunds = list.data?.data ?? []
  const canRefund = may === true && refundable > 0 && !payment.under_review
  if (payment.status !== 'completed' || (refunds.length === 0 && !canRefund)) return null
  return (
    <Section
      title={say('title')}
      isBare
      actions={
        canRefund && (
          <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
            {say('refund')}
          </Button>
        )
      }
    >
      {refunds.length > 0 && (
        <DataTable label={say('title')} rows={refunds} rowKey={({ id }) => id} columns={columns} empty={null} />
      )}
      {me && (
        <RefundDialog
          payment={payment}
          left={refundable}
          sendable={payment.refundable_now}
          draftKey={`refund ${me.id} ${reference}`}
          isOpen={isOpen}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Section>
  )
}
