/** The webhook of an app: address, events, state and secret; test and resend. */
import { Alert, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconSend, IconWebhook } from '../../ui/icons.ts'
import type { App, WebhookState } from '../../api/operations.ts'
import { isRefusal } from '../../api/call.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Moment } from '../../ui/moment.tsx'
import { told } from '../../ui/notify.ts'
import { Section } from '../../ui/screen.tsx'
import { Recover } from './recover.tsx'
import { SetWebhook } from './set-webhook.tsx'
import { appTexts } from './texts.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { useForm } from '../../ui/form.tsx'
import { Unread } from '../../ui/unread.tsx'

const state = 'GET /developers/apps/{app_id}/webhook/state'

export function WebhookSection({ app }: { app: App }) {
  const say = appTexts.use()
  const [isSetting, { open, close }] = useDisclosure()
  const params = { app_id: app.id }
  const { data, error, refetch } = useAnswer(state, { params }, { isLive: true })
  const isNone = isRefusal(error, 'not_found')
  const webhook = isNone ? undefined : data?.data
  return (
    <Section title={say('webhook')} isBare>
      {webhook ? (
        <Configured app={app} webhook={webhook} onChange={open} />
      ) : (
        <Paper>
          {isNone ? (
            <EmptyState
              icon={IconWebhook}
              title={say('noWebhook')}
              text={say('noWebhookText')}
              action={<Button onClick={open}>{say('setUrl')}</Button>}
            />
          ) : (
            <Unread of={{ error, refetch }} placeholder={160} />
          )}
        </Paper>
      )}
      <SetWebhook app={app} webhook={webhook} isOpen={isSetting} onClose={close} />
    </Section>
  )
}

type ConfiguredProps = { app: App; webhook: WebhookState; onChange(): void }

function Configured({ app, webhook, onChange }: ConfiguredProps) {
  const say = appTexts.use()
  return (
    <Stack gap="sm">
      {!webhook.enabled && <Disabled app={app} webhook={webhook} />}
      <Paper p="lg">
        <Facts
          facts={[
            [
              say('url'),
              <span key="url" className="code">
                {webhook.url}
              </span>,
            ],
            [say('events'), <Events key="events" events={webhook.events} />],
            [say('status'), <OnOff key="status" isOn={webhook.enabled} />],
            [say('lastSuccess'), <At key="success" moment={webhook.last_success_at} />],
            [say('lastFailure'), <At key="failure" moment={webhook.last_failure_at} />],
            [say('secret'), <WebhookSecret key="secret" app={app} rotatedAt={webhook.secret_rotated_at} />],
          ]}
        />
        <Actions app={app} webhook={webhook} onChange={onChange} />
      </Paper>
    </Stack>
  )
}

function Events({ events }: Pick<WebhookState, 'events'>) {
  const say = appTexts.use()
  return events.includes('*') ? say('choice.all') : <span className="code">{events.join(', ')}</span>
}

function At({ moment }: { moment: string | null }) {
  const say = appTexts.use()
  return moment === null ? <Text c="dimmed">{say('notYet')}</Text> : <Moment at={moment} ago />
}

function OnOff({ isOn }: { isOn: boolean }) {
  const say = appTexts.use()
  const Sign = isOn ? IconCircleCheck : IconCircleX
  return (
    <Badge miw="max-content" color={isOn ? 'green' : 'red'} leftSection={<Sign size={13} aria-hidden />}>
      {say(isOn ? 'on' : 'off')}
    </Badge>
  )
}

/** Disabled by us: the reason, the effect, and how to enable it again. */
function Disabled({ app, webhook }: Omit<ConfiguredProps, 'onChange'>) {
  const say = appTexts.use()
  const save = useAction('POST /developers/apps/{app_id}/webhook', [state])
  const { disabled_reason: reason } = webhook
  const why = reason === 'endpoint_gone' || reason === 'endpoint_failing' ? reason : 'other'
  const switchOn = (): void => save.mutate({ params: { app_id: app.id }, body: { url: webhook.url } }, told(say('switchedOn')))
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say(`disabled.${why}`)}>
      <Stack gap="xs" align="start">
        <Text>{say('disabledText')}</Text>
        <Button variant="default" onClick={switchOn} loading={save.isPending}>
          {say('switchOn')}
        </Button>
      </Stack>
    </Alert>
  )
}

function Actions({ app, webhook, onChange }: ConfiguredProps) {
  const say = appTexts.use()
  const [isRecovering, recovering] = useDisclosure()
  const [isRemoving, removing] = useDisclosure()
  const params = { app_id: app.id }
  const test = useAction('POST /developers/apps/{app_id}/webhook/test', [])
  const remove = useAction('DELETE /developers/apps/{app_id}/webhook', [state])
  const removal = useForm({
    send: async () => {
      await remove.mutateAsync({ params })
      removing.close()
    },
  })
  return (
    <Group gap="xs" mt="md">
      {app.environment === 'live' ? (
        <Note w="100%">{say('testOnly')}</Note>
      ) : (
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          loading={test.isPending}
          disabled={!webhook.enabled}
          onClick={() => test.mutate({ params }, told(say('testSent')))}
        >
          {say('sendTest')}
        </Button>
      )}
      <Button variant="default" onClick={recovering.open} disabled={!webhook.enabled}>
        {say('recover')}
      </Button>
      <Button variant="default" onClick={onChange}>
        {say('changeUrl')}
      </Button>
      <Button variant="default" onClick={removing.open}>
        {say('removeWebhook')}
      </Button>
      <Recover app={app} webhook={webhook} isOpen={isRecovering} onClose={recovering.close} />
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={removing.close}
        title={say('removeWebhook')}
        action={say('removeWebhook')}
        isDanger
        of={removal}
      >
        {say('removeWebhookText')}
      </ConfirmDialog>
    </Group>
  )
}
