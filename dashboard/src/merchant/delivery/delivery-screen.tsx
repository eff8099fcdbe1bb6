/** One webhook attempt: the request as sent, the answer as received, and a resend. */
import { BackLink, TextLink, RowLink } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconSend } from '../../ui/icons.ts'
import type { WebhookDeliveryAttempt, WebhookDeliveryDetail } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { headingColumn, momentColumn, oppositeColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { milliseconds } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { told } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { deliveryTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function DeliveryScreen() {
  const say = deliveryTexts.use()
  const { appId, deliveryId } = useParams({
    from: '/signed-in/$owner/$environment/developers/apps/$appId/deliveries/$deliveryId',
  })
  const params = { app_id: appId, id: deliveryId }
  const { data, error, refetch } = useAnswer('GET /developers/apps/{app_id}/webhook/deliveries/{id}', { params })
  const delivery = data?.data
  const resend = useAction('POST /developers/apps/{app_id}/webhook/deliveries/{id}/resend', [])
  const back = (
    <BackLink to="./developers/apps/$appId" params={{ appId }}>
      {say('back')}
    </BackLink>
  )
  if (!delivery) return <UnreadScreen title={say('title')} back={back} of={{ error, refetch }} placeholder={320} />
  return (
    <Screen
      title={delivery.event_type}
      back={back}
      mark={<StatusBadge status={delivery.outcome} />}
      actions={
        <Button
          leftSection={<IconSend size={16} aria-hidden />}
          loading={resend.isPending}
          onClick={() => resend.mutate({ params }, told(say('resent')))}
        >
          {say('resend')}
        </Button>
      }
    >
      <Failure of={delivery} />
      <Section title={say('title')}>
        <About delivery={delivery} />
      </Section>
      <Attempts appId={appId} of={delivery} />
      <Section title={say('request')}>
        <Request of={delivery} />
      </Section>
      <Section title={say('response')}>
        <Response of={delivery} />
      </Section>
    </Screen>
  )
}

function Failure({ of }: { of: WebhookDeliveryDetail }) {
  const say = deliveryTexts.use()
  if (!of.error) return undefined
  const known = `error.${of.error.code}`
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say(deliveryTexts.has(known) ? known : 'error.other')}>
      <span className="code">{of.error.code}</span>
    </Alert>
  )
}

function About({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const say = deliveryTexts.use()
  const { next_attempt_at: next } = delivery
  return (
    <Facts
      facts={[
        [
          say('url'),
          <span key="url" className="code">
            {delivery.url}
          </span>,
        ],
        [
          say('event'),
          <span key="event" className="code">
            {delivery.event_id}
          </span>,
        ],
        [say('attempt'), say('attemptOf', { attempt: delivery.attempt, most: delivery.max_attempts })],
        [say('why'), say(`trigger.${delivery.trigger}`)],
        [say('when'), <Moment key="when" at={delivery.attempted_at} />],
        [say('duration'), milliseconds(delivery.duration_ms)],
        [say('http'), delivery.response_status ?? say('nothing')],
        [
          say('next'),
          next === null ? say(delivery.outcome === 'succeeded' ? 'needless' : 'last') : <Moment key="next" at={next} />,
        ],
      ]}
    />
  )
}

/** Every attempt of the same event, including resends. */
function Attempts({ appId, of }: { appId: string; of: WebhookDeliveryDetail }) {
  const say = deliveryTexts.use()
  const attempts = useAnswer(
    'GET /developers/apps/{app_id}/webhook/deliveries',
    { params: { app_id: appId }, query: { event_id: of.event_id, limit: 20 } },
    { isLive: true },
  )
  const columns: Column<WebhookDeliveryAttempt>[] = [
    oppositeColumn(say('result'), ({ outcome }) => <StatusBadge status={outcome} />),
    headingColumn(say('attempt'), ({ id, attempt, max_attempts: most }) =>
      id === of.id ? (
        <Text fw={550}>{say('thisOne', { attempt, most })}</Text>
      ) : (
        <RowLink to="./developers/apps/$appId/deliveries/$deliveryId" params={{ appId, deliveryId: id }}>
          {say('attemptOf', { attempt, most })}
        </RowLink>
      ),
    ),
    { title: say('why'), cell: ({ trigger }) => say(`trigger.${trigger}`) },
    { title: say('http'), cell: ({ response_status }) => response_status ?? say('nothing') },
    momentColumn(say('when'), ({ attempted_at }) => attempted_at, { hasSeconds: true }),
  ]
  return (
    <ListSection
      title={say('attempts')}
      actions={
        attempts.data?.has_more && (
          <TextLink to="./developers/apps/$appId" params={{ appId }} search={{ event: of.event_id }} size="sm">
            {say('allAttempts')}
          </TextLink>
        )
      }
      list={attempts}
      columns={columns}
      rowKey={({ id }) => id}
    />
  )
}

function Request({ of: { request } }: { of: WebhookDeliveryDetail }) {
  const say = deliveryTexts.use()
  return (
    <Stack>
      {!request.is_signature_shown && <Text c="dimmed">{say('noSignature')}</Text>}
      <div role="group" aria-label={say('headers')}>
        <Text fw={550} mb={6}>
          {say('headers')}
        </Text>
        <Facts
          facts={Object.entries(request.headers).map(([name, value]) => [
            name,
            <span key={name} className="code">
              {value}
            </span>,
          ])}
        />
      </div>
      <div>
        <Text fw={550} mb={4}>
          {say('body')}
        </Text>
        <CodeBlock label={say('body')} code={request.body} />
      </div>
    </Stack>
  )
}

function Response({ of }: { of: WebhookDeliveryDetail }) {
  const say = deliveryTexts.use()
  if (of.response_status === null) return <Text c="dimmed">{say('nothing')}</Text>
  return (
    <Stack gap="xs">
      <Text>{`HTTP ${of.response_status}`}</Text>
      {of.response_body ? (
        <>
          <CodeBlock label={say('response')} code={of.response_body} />
          <Note>{say('firstOfIt')}</Note>
        </>
      ) : (
        <Text c="dimmed">{say('emptyResponse')}</Text>
      )}
    </Stack>
  )
}
