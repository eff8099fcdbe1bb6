/** A merchant: identity, money, keys and webhooks; suspend and unsuspend with a reason. */
import { Alert, Badge, Button, Group, List, Paper, SimpleGrid, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconBan, IconCash, IconKey, IconWebhook } from '../../ui/icons.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatorMerchant, OperatorWebhookAttempt } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { amountColumn, headingColumn, momentColumn, oppositeColumn, statusColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import { RowLink } from '../../ui/data-table.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'
import { momentText, phoneText } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone, told } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { EnvironmentBadge, environmentColumn } from '../environment-badge.tsx'
import { Facts } from '../facts.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { ReasonDialog } from '../reason-dialog.tsx'
import { BrandPart } from './brand-part.tsx'
import { merchantTexts } from './texts.ts'

export default function MerchantScreen() {
  const say = merchantTexts.use()
  const { id } = useParams({ from: '/signed-in/merchants/$id' })
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/merchants/{merchant_id}', { params: { merchant_id: id } })
  if (!answer) return <UnreadScreen title={say('about')} of={{ error, refetch }} placeholder={480} />
  const merchant = answer.data
  return (
    <Screen title={merchant.display_name} text={merchant.id} actions={<Stop merchant={merchant} />}>
      {merchant.suspension && (
        <Alert color="red" icon={<IconBan aria-hidden />} role="status">
          {say('stopped', { since: momentText(merchant.suspension.since), reason: merchant.suspension.reason })}
        </Alert>
      )}
      {merchant.environments.map((money) => (
        <Standing key={money.environment} money={money} />
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <About merchant={merchant} />
        <Person merchant={merchant} />
      </SimpleGrid>
      <BrandPart merchantId={merchant.id} />
      <Payments merchant={merchant} />
      <Keys merchant={merchant} />
      <Webhooks merchant={merchant} />
      <Deliveries merchantId={merchant.id} />
    </Screen>
  )
}

type Part = { merchant: OperatorMerchant }

function Stop({ merchant: { id, display_name, suspension } }: Part) {
  const say = merchantTexts.use()
  const [isAsked, setIsAsked] = useState(false)
  const suspend = useAction('POST /v1/admin/merchants/{merchant_id}/suspend')
  const unsuspend = useAction('POST /v1/admin/merchants/{merchant_id}/unsuspend')
  const params = { merchant_id: id }
  const isStopped = suspension !== null
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        {say(isStopped ? 'unsuspend' : 'suspend')}
      </Button>
      <ReasonDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={say(isStopped ? 'unsuspendTitle' : 'suspendTitle', { name: display_name })}
        label={say(isStopped ? 'note' : 'reason')}
        action={say(isStopped ? 'unsuspend' : 'suspend')}
        isDanger={!isStopped}
        onConfirm={async (sentence) => {
          if (isStopped) await unsuspend.mutateAsync({ params, body: { note: sentence } })
          else await suspend.mutateAsync({ params, body: { reason: sentence } })
          setIsAsked(false)
          notifyDone(say('done'))
        }}
      >
        {say(isStopped ? 'unsuspendText' : 'suspendText')}
      </ReasonDialog>
    </>
  )
}

function Standing({ money: { environment, balance, volume, pages } }: { money: OperatorMerchant['environments'][number] }) {
  const say = merchantTexts.use()
  const name = operatorTexts.use()(`environment.${environment}`)
  return (
    <Section title={name} isBare>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
        <Figure title={say('available')} amount={balance.available} />
        <Figure title={say('reserved')} amount={balance.reserved} />
        <Figure
          title={say('volume', { days: volume.days })}
          amount={volume.amount}
          note={say('volumeCount', { count: volume.count })}
        />
        <Paper p={{ base: 'sm', xs: 'md' }}>
          <Text c="dimmed">{say('pages')}</Text>
          <Text mt={6}>{say('pagesText', pages)}</Text>
        </Paper>
      </SimpleGrid>
    </Section>
  )
}

function Figure({ title, amount, note }: { title: string; amount: number; note?: string }) {
  return (
    <Paper p={{ base: 'sm', xs: 'md' }}>
      <Text c="dimmed">{title}</Text>
      <Text fz={{ base: 16, xs: 20 }} fw={650}>
        <Money amount={amount} />
      </Text>
      {note !== undefined && <Note>{note}</Note>}
    </Paper>
  )
}

function About({ merchant: { id, status, business, represents, open_breaks } }: Part) {
  const say = merchantTexts.use()
  return (
    <Section title={say('about')}>
      <Facts
        facts={[
          [
            say('status'),
            <Group key="status" gap="xs">
              <StatusBadge status={status} />
              <Link to="/reviews/$id" params={{ id }}>
                {say('review')}
              </Link>
            </Group>,
          ],
          business && [say('registration'), business.registration_number],
          business && ['TIN', business.tax_identification_number],
          business && [say('phone'), phoneText(business.phone)],
          business && [say('email'), business.email],
          [
            say('represents'),
            represents.length === 0 ? null : (
              <List key="represents">
                {represents.map((one) => (
                  <List.Item key={one.id}>
                    <Link to="/merchants/$id" params={{ id: one.id }}>
                      {one.display_name}
                    </Link>
                  </List.Item>
                ))}
              </List>
            ),
          ],
          [
            say('breaks'),
            open_breaks.length === 0 ? null : (
              <List key="breaks">
                {open_breaks.map((one) => (
                  <List.Item key={one.id}>
                    <Link to="/breaks/$id" params={{ id: one.id }}>
                      {say(`breakKind.${one.kind}`)}
                    </Link>
                  </List.Item>
                ))}
              </List>
            ),
          ],
        ]}
      />
    </Section>
  )
}

function Person({ merchant: { person } }: Part) {
  const say = merchantTexts.use()
  const sayOperator = operatorTexts.use()
  return (
    <Section title={say('person')}>
      <Facts
        facts={[
          [
            sayOperator('person'),
            <Group key="person" gap="xs">
              <Link to="/merchants/$id" params={{ id: person.user_id }}>
                {person.full_name}
              </Link>
              <StatusBadge status={person.kyc_status} />
            </Group>,
          ],
          [say('email'), person.email],
          [say('phone'), person.phone_number && phoneText(person.phone_number)],
          [say('factor'), sayOperator(person.two_factor ? 'yes' : 'no')],
          [say('seen'), person.last_seen_at ? <Moment key="seen" at={person.last_seen_at} ago /> : sayOperator('never')],
        ]}
      />
    </Section>
  )
}

function Payments({ merchant: { environments } }: Part) {
  const say = merchantTexts.use()
  return (
    <ListSection<OperatorMerchant['environments'][number]['latest_payments'][number]>
      title={say('payments')}
      list={environments.flatMap(({ latest_payments }) => latest_payments)}
      rowKey={({ reference }) => reference}
      columns={[
        headingColumn(say('customer'), ({ reference, customer }) => (
          <RowLink to="/payments/$reference" params={{ reference }}>
            {customer.name ?? customer.phone_masked}
          </RowLink>
        )),
        statusColumn(say('status'), ({ status }) => status),
        environmentColumn(say('money'), ({ environment }) => environment),
        momentColumn(say('when'), ({ created_at }) => created_at, { ago: true }),
        amountColumn(say('amount'), ({ amount }) => amount),
      ]}
      none={{ icon: IconCash, title: say('noPayments') }}
    />
  )
}

function Keys({ merchant: { keys } }: Part) {
  const say = merchantTexts.use()
  return (
    <ListSection<OperatorMerchant['keys'][number]>
      title={say('keys')}
      list={keys}
      rowKey={({ id }) => id}
      columns={[
        headingColumn(say('key'), ({ key_prefix, last4 }) => <span className="code">{`${key_prefix}…${last4}`}</span>),
        { title: say('note'), cell: ({ key_name, app }) => `${app.name} · ${key_name}` },
        momentColumn(say('used'), ({ last_used_at }) => last_used_at, { ago: true, never: say('never') }),
        oppositeColumn(say('money'), ({ environment }) => <EnvironmentBadge environment={environment} />),
      ]}
      none={{ icon: IconKey, title: say('noKeys') }}
    />
  )
}

function Webhooks({ merchant: { webhooks } }: Part) {
  const say = merchantTexts.use()
  return (
    <ListSection<OperatorMerchant['webhooks'][number]>
      title={say('webhooks')}
      list={webhooks}
      rowKey={({ id }) => id}
      columns={[
        headingColumn(say('url'), ({ url }) => <span className="code">{url}</span>),
        { title: say('health'), cell: ({ attempts_24h, waiting }) => say('healthText', { ...attempts_24h, waiting }) },
        oppositeColumn(say('status'), ({ enabled }) =>
          enabled ? <StatusBadge status="active" /> : <Badge color="red">{say('switchedOff')}</Badge>,
        ),
      ]}
      none={{ icon: IconWebhook, title: say('noWebhooks') }}
    />
  )
}

function Deliveries({ merchantId }: { merchantId: string }) {
  const say = merchantTexts.use()
  const list = useAnswer(
    'GET /v1/admin/merchants/{merchant_id}/webhook-deliveries',
    { params: { merchant_id: merchantId }, query: { limit: 20 } },
    { isLive: true },
  )
  const resend = useAction('POST /v1/admin/events/{event_id}/resend', [
    'GET /v1/admin/merchants/{merchant_id}/webhook-deliveries',
  ])
  return (
    <ListSection<OperatorWebhookAttempt>
      title={say('deliveries')}
      list={list}
      rowKey={({ id }) => id}
      columns={[
        headingColumn(say('event'), ({ event_type }) => event_type),
        oppositeColumn(say('status'), ({ outcome }) => <StatusBadge status={outcome} />),
        {
          title: say('answer'),
          cell: ({ response_status, error: problem, duration_ms }) => (
            <>
              {response_status ?? (problem ? <span className="code">{problem.code}</span> : '–')} · {duration_ms} ms
            </>
          ),
        },
        { title: say('attempt'), cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}` },
        momentColumn(say('when'), ({ attempted_at }) => attempted_at, { ago: true }),
        {
          title: '',
          cell: ({ id, event_id, app_id, event_type }) => (
            <Button
              size="xs"
              variant="default"
              aria-label={`${say('resend')}: ${event_type}, ${id}`}
              loading={resend.isPending && resend.variables.params.event_id === event_id}
              onClick={() => resend.mutate({ params: { event_id }, body: { app_id } }, told(say('resent')))}
            >
              {say('resend')}
            </Button>
          ),
        },
      ]}
      none={{ icon: IconWebhook, title: say('noDeliveries') }}
    />
  )
}
