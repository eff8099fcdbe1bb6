/** One app: its keys, its webhook and its deliveries. */
import { BackLink } from '../links.tsx'
import { Badge, Skeleton, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '../../ui/icons.ts'
import { Navigate, useNavigate, useParams } from '@tanstack/react-router'
import type { App } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ActionsMenu } from '../../ui/actions-menu.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Screen } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { shellTexts } from '../shell-texts.ts'
import { Deliveries } from './deliveries.tsx'
import { Keys } from './keys.tsx'
import { Snippets } from './snippets.tsx'
import { appTexts } from './texts.ts'
import { WebhookSection } from './webhook-section.tsx'
import { useForm } from '../../ui/form.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function AppScreen() {
  const say = appTexts.use()
  const { appId } = useParams({ from: '/signed-in/$owner/$environment/developers/apps/$appId' })
  const { owner, environment } = useAccount()
  const { data, error, refetch } = useAnswer('GET /developers/apps/{id}', { params: { id: appId } })
  const app = data?.data
  const back = <BackLink to="./developers">{say('back')}</BackLink>
  if (!app || app.id !== appId)
    return <UnreadScreen title={say('app')} back={back} of={{ error, refetch }} placeholder={<Waiting />} />
  const at = { owner: app.business_id ?? 'me', environment: app.environment, appId }
  // Under the address of another wallet or environment it would seem to belong there.
  if (at.owner !== owner || at.environment !== environment)
    return <Navigate to="/$owner/$environment/developers/apps/$appId" params={at} replace />
  return (
    <Screen
      title={app.name}
      text={app.description ?? undefined}
      back={back}
      mark={<EnvironmentMark environment={app.environment} />}
      actions={<More app={app} />}
    >
      <Keys app={app} />
      <WebhookSection app={app} />
      <Deliveries app={app} />
      <Snippets />
    </Screen>
  )
}

function EnvironmentMark({ environment }: Pick<App, 'environment'>) {
  const say = shellTexts.use()
  return <Badge color={environment === 'test' ? 'yellow' : 'green'}>{say(environment)}</Badge>
}

function More({ app }: { app: App }) {
  const say = appTexts.use()
  const navigate = useNavigate()
  const [isRemoving, { open, close }] = useDisclosure()
  const remove = useAction('DELETE /developers/apps/{id}', ['GET /developers/apps'])
  const { owner, environment } = useAccount()
  const form = useForm({
    send: async () => {
      await remove.mutateAsync({ params: { id: app.id } })
      notifyDone(say('removed'))
      void navigate({ to: '/$owner/$environment/developers', params: { owner, environment } })
    },
  })
  return (
    <>
      <ActionsMenu
        variant="default"
        label={say('actions', { name: app.name })}
        actions={[{ text: say('remove'), icon: IconTrash, onChoose: open }]}
      />
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={close}
        title={say('remove')}
        action={say('remove')}
        isDanger
        name={app.name}
        of={form}
      >
        {say('removeText')}
      </ConfirmDialog>
    </>
  )
}

function Waiting() {
  return (
    <Stack>
      <Skeleton h={180} />
      <Skeleton h={220} />
    </Stack>
  )
}
