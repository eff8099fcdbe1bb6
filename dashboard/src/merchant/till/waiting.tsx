/** A request until its end: the code to scan, or the prompt on the customer's phone. It says "paid" and "failed" only as the API does. */
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import type { Checkout, PaymentRequest, PaymentStatus } from '../../api/operations.ts'
import { useAction, useAnswer, useOldSince } from '../../api/queries.ts'
import type { Draft } from '../../ui/draft.ts'
import { Problem } from '../../ui/form.tsx'
import { clockText, money } from '../../ui/format.ts'
import { IconCircleCheck } from '../../ui/icons.ts'
import { useFailureText } from '../../ui/payout-failures.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { shared } from '../../ui/texts.ts'
import { Unbroken } from '../../ui/unbroken.tsx'
import { useAccount } from '../account.ts'
import { WhatsAppButton } from '../whatsapp-button.tsx'
import { AnotherRequest } from './another-request.tsx'
import type { Asked } from './asked.ts'
import { tillTexts } from './texts.ts'
import classes from './till.module.css'

type Props = { made: PaymentRequest; sent: Checkout | undefined; asked: Draft<Asked> }

export function Waiting({ made, sent, asked }: Props) {
  const say = tillTexts.use()
  const { query } = useAccount()
  const ofRequest = useAnswer('GET /v1/merchant/payment-requests/{id}', { params: { id: made.id }, query }, { isLive: 'slowly' })
  const request = ofRequest.data?.data ?? made
  const reference = sent?.reference ?? ''
  const ofPrompt = useAnswer(
    'GET /v1/payments/{reference}/status',
    { params: { reference } },
    { isLive: 'slowly', isWanted: Boolean(sent) },
  )
  const prompt = ofPrompt.data?.data
  const oldSince = useOldSince([ofRequest, ofPrompt])
  const paid = request.payment ?? (prompt?.status === 'completed' ? prompt.reference : undefined)
  const latest = prompt ?? sent
  const isOpen = !paid && (latest?.status === 'pending' || latest?.status === 'processing') && !prompt?.cancel_requested
  const cancel = useAction('POST /v1/payments/{reference}/cancel', ['GET /v1/payments/{reference}/status'])
  const { change } = asked
  useEffect(() => {
    if (paid) change({ isEnded: true })
  }, [paid, change])
  return (
    <Stack align="center" gap="md" className={classes['request']!}>
      <Text className={classes['requested']!}>{money(request.amount)}</Text>
      {oldSince !== undefined && !paid && <AsOf at={oldSince} />}
      {paid ? (
        <Paid reference={paid} />
      ) : sent ? (
        <Prompted sent={sent} prompt={prompt} onAgain={() => asked.change({ sent: undefined })} />
      ) : (
        <Scanned request={request} />
      )}
      <Problem error={cancel.error} />
      <AnotherRequest
        open={latest && isOpen ? say('stillOpen', { phone: latest.phone_masked }) : undefined}
        cancel={{
          isPending: cancel.isPending,
          send: () =>
            cancel.mutate(
              { params: { reference }, body: { checkout_token: sent?.checkout_token ?? '' } },
              { onSuccess: asked.clear },
            ),
        }}
        onLeave={asked.clear}
      />
    </Stack>
  )
}

function AsOf({ at }: { at: number }) {
  const say = shared.use()
  return <Text fw={600}>{say('asOf', { time: clockText(at) })}</Text>
}

function Scanned({ request }: { request: PaymentRequest }) {
  const say = tillTexts.use()
  const isOpen = request.status === 'open'
  return (
    <>
      <div role="status" className={classes['outcome']}>
        {isOpen ? <InProgress text={say('waiting')} /> : say('over')}
      </div>
      {isOpen && (
        <>
          <QrCode value={request.url} label={say('page')} size={232} />
          <Text ta="center">{say('requestScan')}</Text>
          <WhatsAppButton of={{ ...request, allow_custom_amount: false }} />
        </>
      )}
    </>
  )
}

function InProgress({ text }: { text: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Loader size="sm" aria-hidden />
      <Unbroken text={text} />
    </Group>
  )
}

/** Who paid, as elsewhere: the name if they gave one, and the number with its middle hidden. */
function Paid({ reference }: { reference: string }) {
  const say = tillTexts.use()
  const { query } = useAccount()
  const { data } = useAnswer('GET /v1/merchant/payments/{reference}', { params: { reference }, query }, { isLive: true })
  const payment = data?.data
  return (
    <div role="status" className={classes['outcome']}>
      <Group gap="xs" className={classes['paid']!} justify="center">
        <IconCircleCheck size={40} aria-hidden />
        {say('paid')}
      </Group>
      {payment && (
        <Stack gap={4} mt="sm" align="center">
          {payment.amount_received !== null && <Text fw={600}>{money(payment.amount_received)}</Text>}
          {payment.customer.name !== null && <Text size="lg">{payment.customer.name}</Text>}
          <Text size="lg" className="figures">
            {[payment.customer.phone_masked, payment.network && say(`network.${payment.network}`)].filter(Boolean).join(' · ')}
          </Text>
          <Text>{say('code', { code: payment.short_code })}</Text>
          {payment.network_receipt !== null && <Text>{say('receipt', { receipt: payment.network_receipt })}</Text>}
        </Stack>
      )}
    </div>
  )
}

type PromptedProps = { sent: Checkout; prompt: PaymentStatus | undefined; onAgain(): void }

function Prompted({ sent, prompt, onAgain }: PromptedProps) {
  const say = tillTexts.use()
  const failureText = useFailureText()
  const { status, phone_masked: phone } = prompt ?? sent
  const confirm = (prompt ?? sent).next_step?.url
  if (confirm !== undefined) {
    return (
      <>
        <Text role="status" ta="center">
          {say('confirm')}
        </Text>
        <QrCode value={confirm} label={say('page')} size={232} />
      </>
    )
  }
  if (status === 'pending' || status === 'processing') return <OpenPrompt sent={sent} prompt={prompt} />
  const failure = prompt?.failure
  return (
    <>
      <Alert
        color={status === 'expired' ? 'yellow' : 'red'}
        role="alert"
        w="100%"
        title={say(status === 'voided' ? 'cancelled' : 'notPaid')}
      >
        <Text>{failure ? failureText(failure) : say(status === 'expired' ? 'noAnswer' : 'again', { phone })}</Text>
      </Alert>
      <Button size="lg" fullWidth onClick={onAgain}>
        {say('tryAgain')}
      </Button>
    </>
  )
}

/** The prompt is on the phone, or on its way there. */
function OpenPrompt({ sent, prompt }: Pick<PromptedProps, 'sent' | 'prompt'>) {
  const say = tillTexts.use()
  const params = { reference: sent.reference }
  const body = { checkout_token: sent.checkout_token }
  const resend = useAction('POST /v1/payments/{reference}/resend', ['GET /v1/payments/{reference}/status'])
  const cancel = useAction('POST /v1/payments/{reference}/cancel', ['GET /v1/payments/{reference}/status'])
  const { network, phone_masked: phone } = prompt ?? sent
  const isCancelled = prompt?.cancel_requested ?? false
  return (
    <>
      <div role="status" className={classes['outcome']}>
        <InProgress
          text={say(isCancelled ? 'cancelling' : 'onPhone', { phone, network: network ? say(`network.${network}`) : '' })}
        />
      </div>
      <Text ta="center">{say(isCancelled ? 'cancellingText' : 'enterPin')}</Text>
      <Problem error={resend.error ?? cancel.error} />
      {!isCancelled && prompt?.can_resend && (
        <Button variant="default" fullWidth loading={resend.isPending} onClick={() => resend.mutate({ params, body })}>
          {say('resend')}
        </Button>
      )}
      {!isCancelled && (
        <Button variant="default" fullWidth loading={cancel.isPending} onClick={() => cancel.mutate({ params, body })}>
          {say('cancelPrompt')}
        </Button>
      )}
    </>
  )
}
