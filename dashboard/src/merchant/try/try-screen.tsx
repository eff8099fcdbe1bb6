/** The first test payment in one screen: the customer's page, the payer's phone beside it, and the payment as it arrives. */
import { TextLink } from '../links.tsx'
import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconCircleCheck, IconFlask2 } from '../../ui/icons.ts'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { MerchantPayment, PaymentPage, User } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { money } from '../../ui/format.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { Barred } from '../barred.tsx'
import { Phone } from './phone.tsx'
import classes from './try.module.css'
import { tryTexts } from './texts.ts'

export default function TryScreen() {
  const say = tryTexts.use()
  const { owner, environment } = useAccount()
  return (
    <Screen title={say('title')} text={say('text')}>
      {environment === 'live' ? (
        <Alert color="yellow" icon={<IconFlask2 aria-hidden />} title={say('onlyTest')}>
          <TextLink fw={600} to="/$owner/$environment/try" params={{ owner, environment: 'test' }}>
            {say('toTest')}
          </TextLink>
        </Alert>
      ) : (
        <Trial key={owner} />
      )}
    </Screen>
  )
}

/** A page on which the payer chooses the amount is the test page of a new account; otherwise the newest open one. */
function pageToTry(pages: readonly PaymentPage[]): PaymentPage | undefined {
  const open = pages.filter(({ active }) => active)
  return open.find(({ allow_custom_amount }) => allow_custom_amount) ?? open[0]
}

function Trial() {
  const say = tryTexts.use()
  const { query } = useAccount()
  const pages = useAnswer('GET /v1/merchant/payment-pages', { query: { ...query, limit: 100 } })
  const me = useAnswer('GET /v1/me', {})
  const failed = [pages, me].find(({ error, data }) => error && !data)
  if (failed) return <ErrorState error={failed.error} onRetry={failed.refetch} />
  if (!pages.data || !me.data) return <Skeleton h={420} />
  const page = pageToTry(pages.data.data)
  if (page) return <Sides page={page} me={me.data.data} />
  return (
    <>
      <Text>{say('noPage')}</Text>
      <Barred what="pages" />
      <TextLink to=".">{say('home')}</TextLink>
    </>
  )
}

function Sides({ page, me }: { page: PaymentPage; me: User }) {
  const say = tryTexts.use()
  const { query } = useAccount()
  const [requested, setRequested] = useState<string>()
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...query, payment_page_id: page.id, limit: 5 } },
    { isLive: true },
  )
  const recent = payments.data?.data ?? []
  // The newest payment comes first, of any payer.
  const [payment] = recent
  const isComing = requested !== undefined && !recent.some(({ reference }) => reference === requested)
  return (
    <div className={classes['sides']}>
      <Section title={say('page')}>
        <Customer
          page={page}
          me={me}
          isAgain={payment !== undefined}
          onPaid={(reference) => {
            setRequested(reference)
            void payments.refetch()
          }}
        />
      </Section>
      <Section title={say('phone')} isBare>
        <Phone payment={payment} isComing={isComing} />
      </Section>
      <Section title={say('result')}>
        {payment && !isComing ? <Result payment={payment} /> : <Text c="dimmed">{say('resultText')}</Text>}
      </Section>
    </div>
  )
}

type CustomerProps = { page: PaymentPage; me: User; isAgain: boolean; onPaid(reference: string): void }

function Customer({ page, me, isAgain, onPaid }: CustomerProps) {
  const say = tryTexts.use()
  const { title, url, slug, allow_custom_amount: isFree, min_amount: least } = page
  const amount = isFree ? Math.max(1_000, least) : (page.amount ?? least)
  const form = useForm({
    send: async (_, key) => {
      const { data } = await call('POST /v1/payments/checkout', {
        body: {
          slug,
          ...(isFree && { amount }),
          phone_number: '+255754000111',
          customer_name: me.full_name,
          customer_email: me.email,
          idempotency_key: key,
        },
      })
      onPaid(data.reference)
    },
  })
  return (
    <div className={classes['page']}>
      <Stack gap="sm">
        <Text>{say('pageText')}</Text>
        <Group gap="xs" wrap="nowrap">
          <Anchor href={url} target="_blank" rel="noreferrer" className={classes['address']!}>
            {url}
          </Anchor>
          <CopyButton value={url} label={title} />
        </Group>
        <Form of={form} gap={4} align="start">
          <Button type="submit" size="md" loading={form.isBusy} variant={isAgain ? 'default' : 'filled'}>
            {isAgain ? say('again') : say('pay', { amount: money(amount) })}
          </Button>
          <Note>{say('payText')}</Note>
        </Form>
      </Stack>
      <div className={classes['code']}>
        <QrCode value={url} label={say('qr', { title })} size={148} />
      </div>
    </div>
  )
}

function Result({ payment: { reference, status, amount } }: { payment: MerchantPayment }) {
  const say = tryTexts.use()
  const { owner, environment } = useAccount()
  const isPaid = status === 'completed'
  const isOpen = status === 'pending' || status === 'processing'
  return (
    <Stack gap="sm" align="start">
      <Group gap="sm" role="status">
        {isPaid && <IconCircleCheck size={24} color="var(--mantine-color-green-text)" aria-hidden />}
        <Text fw={600} size="lg" className="figures">
          {money(amount)}
        </Text>
        <StatusBadge status={status} isOfPayment />
      </Group>
      {!isOpen && <Text fw={isPaid ? 600 : 400}>{say(isPaid ? 'done' : 'ended')}</Text>}
      <Group gap="md">
        <TextLink to="/$owner/$environment/payments/$reference" params={{ owner, environment, reference }}>
          {say('see')}
        </TextLink>
        {isPaid && (
          <TextLink to="/$owner/$environment/developers/quick-start" params={{ owner, environment }}>
            {say('next')}
          </TextLink>
        )}
        <TextLink to="/$owner/$environment" params={{ owner, environment }}>
          {say('home')}
        </TextLink>
      </Group>
    </Stack>
  )
}
