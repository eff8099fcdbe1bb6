/** Refunds a payment in one press: the amount in figures and words, its cost, and what the wallet will have left. */
import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { amountInWords } from '../../ui/amount-words.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { problemText } from '../../ui/problem-text.ts'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { refundTexts } from './refund-texts.ts'
import { useForm } from '../../ui/form.tsx'

type Props = { payment: MerchantPaymentWithTimeline; left: number; isOpen: boolean; onClose(): void }

export function RefundDialog({ payment, left, isOpen, onClose }: Props) {
  const say = refundTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  // Null until the person changes it: everything that is left.
  const [typed, setTyped] = useState<number | null | undefined>(null)
  const [reason, setReason] = useState('')
  const amount = typed === null ? left : (typed ?? 0)
  const [quotedAmount] = useDebouncedValue(amount, 250)
  const refund = useAction('POST /v1/merchant/payments/{reference}/refunds')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isWanted: isOpen }).data?.data
  const quote = useAnswer(
    'GET /v1/merchant/payouts/fee',
    { query: { ...query, amount: quotedAmount, payment: payment.reference } },
    { isWanted: isOpen && quotedAmount > 0 },
  )
  const fee = quote.data?.data.amount === amount ? quote.data.data : undefined
  const words = amount > 0 ? amountInWords(amount)[language] : ''
  const after = fee && balance && balance.available - fee.total_debited
  const problem =
    amount > left ? say('tooMuch', { amount: money(left, language) }) : quote.error ? problemText(quote.error) : undefined
  const form = useForm({
    send: async (_, idempotencyKey) => {
      const body = { amount, reason: reason.trim() || null }
      await refund.mutateAsync({ params: { reference: payment.reference }, query, body, idempotencyKey })
      setTyped(null)
      setReason('')
      notifyDone(say('done'))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={say('dialog')}
      action={say('refundAmount', { amount: money(amount, language) })}
      isReady={fee !== undefined && problem === undefined}
      of={form}
    >
      <Stack>
        <Text>{say('to', { phone: payment.customer.phone_masked })}</Text>
        <AmountInput
          label={say('amount')}
          description={say('left', { amount: money(left, language) })}
          required
          withAsterisk={false}
          value={typed === null ? left : typed}
          onChange={setTyped}
          error={problem}
        />
        <Text c="dimmed">{words}</Text>
        <TextInput
          label={optional(say('reason'))}
          description={say('reasonHint')}
          maxLength={140}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          autoComplete="off"
        />
        <Facts
          facts={[
            fee && [say('fee'), <Money key="fee" amount={fee.fee} />],
            fee && [say('total'), <Money key="total" amount={fee.total_debited} />],
            after !== undefined && after >= 0 && [say('after'), <Money key="after" amount={after} />],
          ]}
        />
        {after !== undefined && after < 0 && (
          <Alert color="red" role="alert">
            {say('notEnough')}
          </Alert>
        )}
      </Stack>
    </ConfirmDialog>
  )
}
