/** One payment request: its link to send, its status, and the payment that paid it. */
import { phoneText } from '../../ui/format.ts'
import { WhatsAppButton } from '../whatsapp-button.tsx'
import { BackLink, LinkButton } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PaymentRequest } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ConfirmAction } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { IconAlertTriangle, IconBan } from '../../ui/icons.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { RequestStatus } from '../request-status.tsx'
import { paymentRequestTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

function Cancel({ request }: { request: PaymentRequest }) {
  const say = paymentRequestTexts.use()
  const { query } = useAccount()
  const [isAsking, setIsAsking] = useState(false)
  const { mutateAsync } = useAction('POST /v1/merchant/payment-requests/{id}/cancel')
  return (
    <>
      <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        {say('cancel')}
      </Button>
      <ConfirmAction
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={say('cancelTitle')}
        action={say('cancel')}
        isDanger
        send={() => mutateAsync({ params: { id: request.id }, query })}
        done={say('cancelled')}
      >
        {say('cancelText')}
      </ConfirmAction>
    </>
  )
}

function Share({ request }: { request: PaymentRequest }) {
  const say = paymentRequestTexts.use()
  return (
    <Section title={say('share')}>
      <Stack>
        <TextInput label={say('link')} value={request.url} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
        <Group gap="xs">
          <CopyButton value={request.url} label={say('copyLink')} isWide />
          <WhatsAppButton of={{ ...request, allow_custom_amount: false }} />
        </Group>
      </Stack>
    </Section>
  )
}

function Details({ request }: { request: PaymentRequest }) {
  const say = paymentRequestTexts.use()
  const { customer } = request
  return (
    <Section title={say('facts')}>
      <Facts
        facts={[
          [say('amount'), <Money key="amount" amount={request.amount} />],
          request.merchant_reference !== null && [say('reference'), request.merchant_reference],
          customer.name !== null && [say('name'), customer.name],
          customer.phone_masked !== null && [
            say('phone'),
            customer.phone_number ? phoneText(customer.phone_number) : customer.phone_masked,
          ],
          customer.email !== null && [say('email'), customer.email],
          [say('createdAt'), <Moment key="created" at={request.created_at} />],
          request.expires_at !== null && [say('endsAt'), <Moment key="expires" at={request.expires_at} />],
          request.paid_at !== null && [say('paidAt'), <Moment key="paid" at={request.paid_at} />],
        ]}
      />
    </Section>
  )
}

export default function PaymentRequestScreen() {
  const say = paymentRequestTexts.use()
  const { request: id } = useParams({ from: '/signed-in/$owner/$environment/pages/requests/$request' })
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer(
    'GET /v1/merchant/payment-requests/{id}',
    { params: { id }, query },
    { isLive: 'slowly' },
  )
  const request = data?.data
  const can = useCan()
  const back = <BackLink to="./pages/requests">{say('back')}</BackLink>
  if (!request)
    return (
      <UnreadScreen
        title={say('title')}
        back={back}
        of={{ error, refetch }}
        placeholder={<Skeleton h={260} role="status" aria-label={say('loading')} />}
      />
    )
  return (
    <Screen
      title={request.title}
      text={request.description ?? undefined}
      back={back}
      mark={<RequestStatus status={request.status} />}
      actions={
        <>
          {request.status === 'open' && can('requests.write') && <Cancel request={request} />}
          {request.payment !== null && can('payments.read') && (
            <LinkButton to="./payments/$reference" params={{ reference: request.payment }}>
              {say('payment')}
            </LinkButton>
          )}
        </>
      }
    >
      {request.paid_count > 1 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say('paidTwice')}>
          {say('paidTwiceText')}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
        {request.status === 'open' && <Share request={request} />}
        <Details request={request} />
      </SimpleGrid>
    </Screen>
  )
}
