/** The apps of a wallet, each with its keys and its webhook. */
import { TextLink, RowLink } from '../links.tsx'
import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconApps, IconCircleCheck, IconCircleX, IconPlus } from '../../ui/icons.ts'
import type { App } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { headingColumn, momentColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { SignBadge } from '../../ui/status-badge.tsx'
import { ownerOf, useAccount } from '../account.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { CreateApp } from './create-app.tsx'
import { developersTexts } from './texts.ts'

export default function DevelopersScreen() {
  const say = developersTexts.use()
  const { owner, environment } = useAccount()
  const [isCreating, { open, close }] = useDisclosure()
  const query = { owner: ownerOf(owner), environment, limit: 20 }
  const apps = useList('GET /developers/apps', { query })
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {say('create')}
    </Button>
  )
  const columns: Column<App>[] = [
    headingColumn(say('name'), ({ id, name }) => (
      <RowLink to="./developers/apps/$appId" params={{ appId: id }}>
        {name}
      </RowLink>
    )),
    { title: say('description'), cell: ({ description }) => description ?? '–' },
    { title: say('webhook'), cell: ({ id }) => <Webhook of={id} /> },
    momentColumn(say('created'), ({ created_at }) => created_at, { named: true }),
  ]
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="developers" />}
      text={say('text')}
      actions={apps.data && apps.data.data.length > 0 && create}
      label={say('apps')}
      list={apps}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconApps, title: say('none'), text: say('noneText'), action: create }}
    >
      <UnkeptKeys apps={apps.data?.data ?? []} />
      <CreateApp isOpen={isCreating} onClose={close} />
    </ListScreen>
  )
}

/** The keys of these apps about which the owners are asked. */
function UnkeptKeys({ apps }: { apps: App[] }) {
  const say = developersTexts.use()
  const { environment } = useAccount()
  const keys = useAnswer('GET /developers/keys', { query: { environment, limit: 100 } }, { isWanted: environment === 'live' })
  const asked = keys.data?.data.filter(
    ({ app_id: id, status, unkept_since: since }) => since !== null && status !== 'revoked' && apps.some((app) => app.id === id),
  )
  if (!asked?.length) return undefined
  return (
    <Alert color="yellow" title={say('asked')}>
      {asked.map(({ id, app_id: appId, key_name: name }) => (
        <TextLink key={id} to="./developers/apps/$appId" params={{ appId }}>
          {name}
        </TextLink>
      ))}
    </Alert>
  )
}

/** Makes a disabled webhook easy to find among many apps. */
function Webhook({ of }: { of: string }) {
  const say = developersTexts.use()
  const webhook = useAnswer('GET /developers/apps/{app_id}/webhook/state', { params: { app_id: of } }).data?.data
  if (!webhook) return '–'
  const look = webhook.enabled ? (['green', IconCircleCheck] as const) : (['red', IconCircleX] as const)
  return <SignBadge look={look}>{say(webhook.enabled ? 'on' : 'off')}</SignBadge>
}
