/** The payer's phone, played by the simulator: the prompt of one test payment, and the message after its end. */
import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { call, isRefusal } from '../../api/call.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { money } from '../../ui/format.ts'
import { notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import classes from './try.module.css'
import { tryTexts } from './texts.ts'

type Props = {
  /** The payment whose prompt the phone shows or showed. */
  payment: MerchantPayment | undefined
  /** The payment has been requested, and is not in the list yet. */
  isComing: boolean
}

export function Phone({ payment, isComing }: Props) {
  const say = tryTexts.use()
  const isOpen = payment?.status === 'pending' || payment?.status === 'processing'
  const screen = useRef<HTMLDivElement>(null)
  const rings = isOpen ? payment.reference : undefined
  useEffect(() => {
    if (rings !== undefined) screen.current?.scrollIntoView({ block: 'nearest' })
  }, [rings])
  const amount = payment ? money(payment.amount) : ''
  return (
    <div ref={screen} className={classes['phone']} data-rings={isOpen || undefined}>
      <div className={classes['glass']}>
        {isComing ? (
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Text>{say('coming')}</Text>
          </Group>
        ) : payment === undefined ? (
          <Text c="dimmed" ta="center">
            {say('waiting')}
          </Text>
        ) : isOpen ? (
          <Prompt key={payment.reference} payment={payment} amount={amount} />
        ) : (
          <Text className={classes['message']!} role="status">
            {say(payment.status === 'completed' ? 'sms.completed' : 'sms.other', { amount })}
          </Text>
        )}
      </div>
    </div>
  )
}

type Action = 'approve' | 'wrong_pin' | 'insufficient' | 'cancel'

function Prompt({ payment: { reference, payment_page }, amount }: { payment: MerchantPayment; amount: string }) {
  const say = tryTexts.use()
  const { query } = useAccount()
  const [triesLeft, setTriesLeft] = useState<number>()
  const [isAnswered, setIsAnswered] = useState(false)
  const answer = async (wanted: Action): Promise<void> => {
    try {
      const { data } = await call('POST /v1/merchant/payments/{reference}/answer', {
        params: { reference },
        query,
        body: { action: wanted },
      })
      setTriesLeft(wanted === 'wrong_pin' ? data.tries_left : undefined)
      form.change({ pin: '' })
      if (wanted !== 'wrong_pin' || data.tries_left === 0) setIsAnswered(true)
    } catch (error) {
      // A number with a scenario has answered by itself, or the prompt is over: the status follows.
      if (!isRefusal(error, 'invalid_state')) throw error
      setIsAnswered(true)
    }
  }
  const form = useForm({
    fields: { pin: '' },
    check: ({ pin }): Problems => (/^\d{4}$/.test(pin) ? {} : { pin: say('pinForm') }),
    // The PIN itself is not sent.
    send: ({ pin }) => answer(pin === '0000' ? 'wrong_pin' : 'approve'),
  })
  const [isBusy, setIsBusy] = useState(false)
  const press = async (wanted: Action): Promise<void> => {
    setIsBusy(true)
    await answer(wanted).catch(notifyProblem)
    setIsBusy(false)
  }
  if (isAnswered) {
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text>{say('answered')}</Text>
      </Group>
    )
  }
  return (
    <Form of={form} gap="sm">
      <Text fw={600} role="status">
        {say('ask', { amount, title: payment_page?.title ?? 'MALIPO' })}
      </Text>
      <TextInput
        label={say('pin')}
        description={say('pinHint')}
        type="password"
        inputMode="numeric"
        autoComplete="off"
        data-1p-ignore
        maxLength={4}
        // As on a phone: the person has just asked for it.
        autoFocus
        value={form.values.pin}
        onChange={({ currentTarget }) => form.change({ pin: currentTarget.value.replaceAll(/\D/g, '') })}
        error={form.problems['pin'] ?? (triesLeft !== undefined && say('wrongPin', { count: triesLeft }))}
      />
      <Button type="submit" size="md" loading={form.isBusy}>
        {say('send')}
      </Button>
      <Stack gap={6}>
        <Button variant="default" disabled={isBusy} onClick={() => void press('cancel')}>
          {say('refuse')}
        </Button>
        <Button variant="subtle" disabled={isBusy} onClick={() => void press('insufficient')}>
          {say('poor')}
        </Button>
      </Stack>
    </Form>
  )
}
