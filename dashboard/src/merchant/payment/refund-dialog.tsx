/**
 * Refunds a payment in one press: the amount in figures and words, its cost, and what the wallet will have left. Or records that the
 * merchant gave the money back itself.
 */
import { Alert, Anchor, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { amountInWords } from '../../ui/amount-words.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { doubtText } from '../../ui/doubt-text.ts'
import { useDraft } from '../../ui/draft.ts'
import { Facts } from '../../ui/facts.tsx'
import { agoText, money } from '../../ui/format.ts'
import { useNow } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { problemText } from '../../ui/problem-text.ts'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { refundTexts } from './refund-texts.ts'
import { Problem, useForm } from '../../ui/form.tsx'

/** `sendable`: TZS of what is left that can be sent from the wallet now. */
type Props = {
  payment: MerchantPaymentWithTimeline
  left: number
  sendable: number
  draftKey: string
  isOpen: boolean
  onClose(): void
}

/** `amount`: null until the person changes it: everything that is left. */
const nothing = {
  amount: null as number | null | undefined,
  reason: '',
  isOutside: false,
  key: undefined as string | undefined,
}

export function RefundDialog({ payment, left, sendable, draftKey, isOpen, onClose }: Props) {
  const say = refundTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const draft = useDraft(draftKey, nothing, { survivesReload: true })
  const { amount: typed, reason, key } = draft.value
  // What is too little to be sent can still be given back by hand.
  const isOutside = draft.value.isOutside || (key === undefined && sendable === 0)
  const amount = typed === null ? left : (typed ?? 0)
  const [quotedAmount] = useDebouncedValue(amount, 250)
  const refund = useAction('POST /v1/merchant/payments/{reference}/refunds')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isWanted: isOpen }).data?.data
  const quote = useAnswer(
    'GET /v1/merchant/payouts/fee',
    { query: { ...query, amount: quotedAmount, payment: payment.reference } },
    { isWanted: isOpen && quotedAmount > 0 && !isOutside },
  )
  const fee =
    !isOutside && quote.data?.data.amount === amount && (quote.isFetchedAfterMount || !quote.isFetching)
      ? quote.data.data
      : undefined
  const now = useNow()
  const words = amount > 0 ? amountInWords(amount)[language] : ''
  // Once it is sent, the balance may already be without it.
  const after = key === undefined && fee && balance ? balance.available - fee.total_debited : undefined
  const problem =
    amount > left
      ? say('tooMuch', { amount: money(left, language) })
      : !isOutside && quote.error
        ? problemText(quote.error)
        : undefined
  const form = useForm({
    keptKey: draft,
    send: async (_, idempotencyKey) => {
      // What is left changes when it is sent: the same request is repeated with the same amount.
      draft.change({ amount })
      const body = { amount, reason: reason.trim() || null, method: isOutside ? ('outside' as const) : ('provider' as const) }
      await refund.mutateAsync({ params: { reference: payment.reference }, query, body, idempotencyKey })
      draft.clear()
      notifyDone(say(isOutside ? 'recorded' : 'done'))
      onClose()
    },
  })
  // It was sent, and its end is not known: it is only asked for again, as it was.
  const isOpenEnded = key !== undefined && !form.isBusy
  const before = key === undefined ? fee?.duplicate_of : null
  const isRestLost = key === undefined && fee?.warnings.some(({ code }) => code === 'rest_below_minimum') === true
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={say('dialog')}
      action={
        isOpenEnded
          ? say('askAgain')
          : say(isOutside ? 'recordAmount' : before ? 'refundAgain' : isRestLost ? 'refundAllTheSame' : 'refundAmount', {
              amount: money(amount, language),
            })
      }
      isReady={isOpenEnded || ((isOutside ? amount > 0 && reason.trim() !== '' : fee !== undefined) && problem === undefined)}
      of={isOpenEnded ? { ...form, refusal: undefined } : form}
    >
      <Stack>
        <Radio.Group
          label={say('how')}
          value={isOutside ? 'outside' : 'provider'}
          onChange={(way) => draft.change({ isOutside: way === 'outside' })}
        >
          <Stack gap="xs" pt="xs">
            <Radio value="provider" label={say('ways.provider')} disabled={isOpenEnded || sendable === 0} />
            <Radio value="outside" label={say('ways.outside')} disabled={isOpenEnded} />
          </Stack>
        </Radio.Group>
        <Text>{isOutside ? say('outside') : say('to', { phone: payment.customer.phone_masked })}</Text>
        <AmountInput
          label={say('amount')}
          description={say('left', { amount: money(left, language) })}
          required
          withAsterisk={false}
          value={typed === null ? left : typed}
          onChange={(value) => draft.change({ amount: value })}
          error={isOpenEnded ? undefined : problem}
          disabled={isOpenEnded}
        />
        <Text c="dimmed">{words}</Text>
        <TextInput
          label={isOutside ? say('reason') : optional(say('reason'))}
          description={say(isOutside ? 'outsideHint' : 'reasonHint')}
          required={isOutside}
          withAsterisk={false}
          maxLength={140}
          value={reason}
          onChange={(event) => draft.change({ reason: event.currentTarget.value })}
          autoComplete="off"
          disabled={isOpenEnded}
        />
        <Facts
          facts={[
            fee && [say('fee'), <Money key="fee" amount={fee.fee} />],
            fee && [say('total'), <Money key="total" amount={fee.total_debited} />],
            after !== undefined && after >= 0 && [say('after'), <Money key="after" amount={after} />],
          ]}
        />
        {isRestLost && (
          <Alert color="yellow" role="alert" title={say('rest', { amount: money(left - amount, language) })}>
            {say('restText', { amount: money(left, language) })}
          </Alert>
        )}
        {before && (
          <Alert color="yellow" role="alert" title={say('again')}>
            {say('againText', { amount: money(amount, language), when: agoText(before.created_at, language, now) })}
          </Alert>
        )}
        <Problem
          error={isOpenEnded ? (form.error ?? true) : undefined}
          title={say('unsure')}
          text={doubtText(say('unsureText'), form.error)}
          isDoubt
        />
        {isOpenEnded && (
          <Anchor
            component="button"
            type="button"
            onClick={() => {
              draft.clear()
              form.reset()
            }}
          >
            {say('startAgain')}
          </Anchor>
        )}
        {after !== undefined && after < 0 && (
          <Alert color="red" role="alert">
            {say('notEnough')}
          </Alert>
        )}
      </Stack>
    </ConfirmDialog>
  )
}
