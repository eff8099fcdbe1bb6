/** An amount, and the customer's number or a code to scan: one request, of which the till shows the end. */
import { Alert, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { isUnsure } from '../../api/api-error.ts'
import { call, isRefusal } from '../../api/call.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import type { Draft } from '../../ui/draft.ts'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { money, phoneText } from '../../ui/format.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { AnotherRequest } from './another-request.tsx'
import type { Asked } from './asked.ts'
import { Keypad } from './keypad.tsx'
import { tillTexts } from './texts.ts'
import classes from './till.module.css'
import { Waiting } from './waiting.tsx'

/** Nine digits are more than any network moves at once. */
const longestAmount = 9
/** `+255` and nine digits, with room for spaces that were pasted. */
const longestPhone = 16

const amountOf = (typed: string): string => typed.replaceAll(/\D/g, '').replace(/^0+/, '').slice(0, longestAmount)
const phoneOf = (typed: string): string => typed.replaceAll(/[^\d+]/g, '').slice(0, longestPhone)

/** The API checks the number with the request and with the prompt: both concern one field. */
function problemsOf(error: unknown): Record<string, string> {
  const { 'customer.phone_number': ofRequest, phone_number: phone = ofRequest, ...problems } = fieldProblems(error)
  return phone === undefined ? problems : { ...problems, phone_number: phone }
}

/** By keyboard: digits, backspace and Enter. */
function AskForm({ asked }: { asked: Draft<Asked> }) {
  const say = tillTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const { amount, phone, made, key } = asked.value
  const [typesPhone, setTypesPhone] = useState(made !== undefined)
  const send = async (idempotencyKey: string): Promise<void> => {
    const body = {
      amount: Number(amount),
      title: say('requestTitle'),
      language,
      metadata: { channel: 'till' },
      ...(phone !== '' && { customer: { phone_number: phone } }),
    }
    const request = made ?? (await call('POST /v1/merchant/payment-requests', { query, body, idempotencyKey })).data
    asked.change({ made: request })
    if (phone === '') return asked.change({ key: undefined })
    const prompt = { params: { id: request.id }, query, body: { phone_number: phone }, idempotencyKey }
    try {
      asked.change({ sent: (await call('POST /v1/merchant/payment-requests/{id}/prompt', prompt)).data, key: undefined })
    } catch (error) {
      if (!isRefusal(error, 'request_paid')) throw error
      // Paid in another way: the end of the request is shown.
      asked.change({ phone: '', key: undefined })
    }
  }
  const form = useForm({
    keptKey: asked,
    check: () => needed({ amount }),
    problemsOf,
    textOf: (error) => (isUnsure(error) ? say('unsure') : problemText(error)),
    send: (_, idempotencyKey) => send(idempotencyKey),
  })
  // Another amount or number under the key of a request that may be there would be refused.
  // A refused prompt was never sent: another number may be typed.
  const isUnsureNow = key !== undefined && !form.isBusy && !isRefusal(form.error, 'network_unavailable', 'provider_unavailable')
  const isFixed = isUnsureNow || form.isBusy
  const changeAmount = (typed: string): void => {
    asked.change({ amount: amountOf(typed), made: undefined })
    form.reset()
  }
  const changePhone = (typed: string): void => {
    asked.change({ phone: phoneOf(typed) })
    form.reset()
  }
  const phoneProblem = form.problems['phone_number']
  return (
    <Form of={form} isDoubt={isUnsureNow} className={classes['request']!} gap="sm">
      {isUnsureNow && !form.refusal && (
        <Alert color="yellow" role="alert">
          {say('unsure')}
        </Alert>
      )}
      <label className={classes['typed']} data-active={!typesPhone}>
        <span>{say('amount')}</span>
        <input
          className="figures"
          inputMode="none"
          autoComplete="off"
          data-autofocus={!typesPhone || undefined}
          readOnly={isFixed}
          value={amount === '' ? '' : money(Number(amount), language)}
          placeholder={money(0, language)}
          aria-invalid={form.problems['amount'] !== undefined}
          onFocus={() => setTypesPhone(false)}
          onChange={({ currentTarget }) => changeAmount(currentTarget.value)}
        />
      </label>
      <label className={classes['typed']} data-active={typesPhone}>
        <span>{say('number')}</span>
        <input
          className="figures"
          type="tel"
          inputMode="none"
          autoComplete="off"
          data-autofocus={typesPhone || undefined}
          readOnly={isFixed}
          value={phoneText(phone)}
          placeholder="0754 222 444"
          aria-invalid={phoneProblem !== undefined}
          aria-describedby="till-number"
          onFocus={() => setTypesPhone(true)}
          onChange={({ currentTarget }) => changePhone(currentTarget.value)}
        />
        <Text id="till-number" size="sm" c={phoneProblem === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
          {phoneProblem ?? say('numberHint')}
        </Text>
      </label>
      {!isFixed && <Keypad value={typesPhone ? phone : amount} onChange={typesPhone ? changePhone : changeAmount} />}
      <Button type="submit" size="lg" fullWidth loading={form.isBusy}>
        {say(isUnsureNow ? 'sendAgainOnce' : phone === '' ? 'make' : 'send')}
      </Button>
      {(isUnsureNow || made) && (
        <AnotherRequest
          open={isUnsureNow && phone !== '' ? say('mayBeOpen', { phone: phoneText(phone) }) : undefined}
          isOff={form.isBusy}
          onLeave={() => {
            asked.clear()
            form.reset()
            setTypesPhone(false)
          }}
        />
      )}
    </Form>
  )
}

export function NewRequest({ asked }: { asked: Draft<Asked> }) {
  const may = useMay('requests')
  const { made, sent, phone } = asked.value
  if (made && (sent || phone === '')) return <Waiting key={made.id} made={made} sent={sent} asked={asked} />
  return (
    <>
      <Barred what="requests" />
      {may && <AskForm asked={asked} />}
    </>
  )
}
