/** An amount, typed on large keys, becomes a code that the customer scans; the screen says when it is paid. */
import { WhatsAppButton } from '../whatsapp-button.tsx'
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { PaymentRequest } from '../../api/operations.ts'
import { call } from '../../api/call.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { money } from '../../ui/format.ts'
import { newIdempotencyKey } from '../../ui/idempotency-key.ts'
import { IconBackspace, IconCircleCheck } from '../../ui/icons.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { tillTexts } from './texts.ts'
import classes from './till.module.css'

/** Nine digits are more than any network moves at once. */
const longest = 9

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '000', '0'] as const

function Keypad({ value, onChange }: { value: string; onChange(next: string): void }) {
  const say = tillTexts.use()
  return (
    <div className={classes['keys']} role="group" aria-label={say('digit')}>
      {keys.map((key) => (
        <Button
          key={key}
          variant="default"
          className={classes['key']!}
          onClick={() => onChange(`${value}${key}`.replace(/^0+/, '').slice(0, longest))}
        >
          {key}
        </Button>
      ))}
      <Button
        variant="default"
        className={classes['key']!}
        aria-label={say('delete')}
        disabled={value === ''}
        onClick={() => onChange(value.slice(0, -1))}
      >
        <IconBackspace size={24} aria-hidden />
      </Button>
    </div>
  )
}

/** By keyboard: digits, backspace and Enter. */
function AmountForm({ onMade }: { onMade(request: PaymentRequest): void }) {
  const say = tillTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const [typed, setTyped] = useState('')
  // Another amount is another request, also while the outcome of the last one is not known.
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey)
  const form = useForm({
    check: () => needed({ amount: typed }),
    send: async () => {
      const body = { amount: Number(typed), title: say('requestTitle'), language }
      onMade((await call('POST /v1/merchant/payment-requests', { query, body, idempotencyKey })).data)
    },
  })
  const change = (next: string): void => {
    setTyped(next)
    setIdempotencyKey(newIdempotencyKey())
    form.reset()
  }
  return (
    <Form of={form} className={classes['request']!} gap="sm">
      <label className={classes['typed']}>
        <span>{say('amount')}</span>
        <input
          className="figures"
          inputMode="none"
          autoComplete="off"
          data-autofocus
          value={typed === '' ? '' : money(Number(typed), language)}
          placeholder={money(0, language)}
          aria-invalid={form.problems['amount'] !== undefined}
          onChange={({ currentTarget }) => change(currentTarget.value.replace(/\D/g, '').replace(/^0+/, '').slice(0, longest))}
        />
      </label>
      <Keypad value={typed} onChange={change} />
      <Button type="submit" size="lg" fullWidth loading={form.isBusy}>
        {say('make')}
      </Button>
    </Form>
  )
}

function Waiting({ made, onAnother }: { made: PaymentRequest; onAnother(): void }) {
  const say = tillTexts.use()
  const { query } = useAccount()
  const { data } = useAnswer('GET /v1/merchant/payment-requests/{id}', { params: { id: made.id }, query }, { isLive: true })
  const request = data?.data ?? made
  const amount = money(request.amount)
  return (
    <Stack align="center" gap="md" className={classes['request']!}>
      <Text className={classes['requested']!}>{amount}</Text>
      <div role="status" className={classes['outcome']}>
        {request.status === 'paid' ? (
          <Group gap="xs" className={classes['paid']!}>
            <IconCircleCheck size={40} aria-hidden />
            {say('paid')}
          </Group>
        ) : request.status === 'open' ? (
          <Group gap="xs">
            <Loader size="sm" aria-hidden />
            {say('waiting')}
          </Group>
        ) : (
          say('over')
        )}
      </div>
      {request.status === 'open' && (
        <>
          <QrCode value={request.url} label={say('page')} size={232} />
          <Text ta="center">{say('requestScan')}</Text>
          <WhatsAppButton of={{ ...request, allow_custom_amount: false }} />
        </>
      )}
      <Button variant="default" onClick={onAnother}>
        {say('another')}
      </Button>
    </Stack>
  )
}

export function NewRequest() {
  const may = useMay('requests')
  const [made, setMade] = useState<PaymentRequest>()
  if (made) return <Waiting made={made} onAnother={() => setMade(undefined)} />
  return (
    <>
      <Barred what="requests" />
      {may && <AmountForm onMade={setMade} />}
    </>
  )
}
