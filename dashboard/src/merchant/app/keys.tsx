/** The keys of an app: their visible data; create, change, roll and revoke. */
import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconBan, IconCheck, IconKey, IconListDetails, IconPencil, IconPlus, IconRefresh } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { App, Key } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ActionsMenu } from '../../ui/actions-menu.tsx'
import { ConfirmAction } from '../../ui/confirm-dialog.tsx'
import { asideColumn, headingColumn, momentColumn, oppositeFigureColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { momentText } from '../../ui/format.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Barred, useMay } from '../barred.tsx'
import { CreateKey } from './create-key.tsx'
import { EditKey } from './edit-key.tsx'
import { RollKey } from './roll-key.tsx'
import { appTexts } from './texts.ts'

type Doing = { what: 'create' } | { what: 'grant' | 'edit' | 'roll' | 'revoke'; key: Key }

export function Keys({ app }: { app: App }) {
  const say = appTexts.use()
  const may = useMay('keys')
  const [doing, setDoing] = useState<Doing>()
  const keys = useAnswer('GET /developers/keys', { query: { app_id: app.id, limit: 50 } })
  const close = (): void => setDoing(undefined)
  const create = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDoing({ what: 'create' })}>
      {say('createKey')}
    </Button>
  )
  const columns: Column<Key>[] = [
    headingColumn(
      say('keyName'),
      ({ key_name }) => (
        <Text span fw={550}>
          {key_name}
        </Text>
      ),
      ({ key_prefix, last4 }) => <span className="code nowrap">{`${key_prefix}…${last4}`}</span>,
    ),
    { title: say('scopes'), cell: (key) => <Scopes of={key} /> },
    momentColumn(say('lastUsed'), ({ last_used_at }) => last_used_at, { ago: true, never: say('notUsed') }),
    momentColumn(say('created'), ({ created_at }) => created_at, { ago: true, named: true }),
    asideColumn(say('status'), (key) => <KeyStatus of={key} />),
    oppositeFigureColumn('', (key) => <KeyMenu of={key} onChoose={setDoing} />),
  ]
  return (
    <ListSection
      title={say('keys')}
      actions={keys.data && keys.data.data.length > 0 && create}
      list={keys}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconKey, title: say('noKeys'), text: say('noKeysText'), action: create }}
    >
      <Barred what="keys" />
      <CreateKey app={app} isOpen={doing?.what === 'create'} onClose={close} />
      <EditKey of={doing?.what === 'edit' ? doing.key : undefined} onClose={close} />
      <RollKey of={doing?.what === 'roll' ? doing.key : undefined} onClose={close} />
      <GrantKey of={doing?.what === 'grant' ? doing.key : undefined} onClose={close} />
      <RevokeKey of={doing?.what === 'revoke' ? doing.key : undefined} onClose={close} />
    </ListSection>
  )
}

/** As the API says about `unkept_since`. */
const pauseHours = 72

const isAlive = ({ status }: Key): boolean => status === 'active' || status === 'expiring'

function Scopes({ of }: { of: Key }) {
  const say = appTexts.use()
  return (
    <Stack gap={2}>
      <Group gap={4}>
        {of.scopes.map((scope) => (
          <Badge
            key={scope}
            color="gray"
            size="sm"
            className="code"
            variant={of.waiting_scopes.includes(scope) ? 'outline' : undefined}
          >
            {scope}
          </Badge>
        ))}
      </Group>
      {of.unkept_since !== null && isAlive(of) && (
        <Text size="xs" c="red">
          {say(of.scopes.includes('payouts:write') ? 'unkept' : 'unkeptReading', {
            when: momentText(new Date(Date.parse(of.unkept_since) + pauseHours * 3_600_000).toISOString()),
          })}
        </Text>
      )}
      {of.waiting_scopes.length > 0 && <Text size="xs">{say('waitingScopes', { scopes: of.waiting_scopes.join(', ') })}</Text>}
      {of.allowed_ips.length > 0 && (
        <Note size="xs" className="code">
          {of.allowed_ips.join(', ')}
        </Note>
      )}
    </Stack>
  )
}

function KeyStatus({ of }: { of: Key }) {
  const say = appTexts.use()
  const ends = of.expires_at === null ? '' : say('ends', { when: momentText(of.expires_at) })
  return (
    <>
      <StatusBadge status={of.status} />
      {isAlive(of) && ends !== '' && (
        <Note size="xs" className="nowrap">
          {ends}
        </Note>
      )}
    </>
  )
}

function KeyMenu({ of, onChoose }: { of: Key; onChoose(doing: Doing): void }) {
  const say = appTexts.use()
  const grant = { what: 'grant', icon: IconCheck } as const
  const isKept = of.unkept_since === null
  const actions = [
    { what: 'edit', icon: IconPencil },
    { what: 'roll', icon: IconRefresh },
    { what: 'revoke', icon: IconBan },
  ] as const
  return (
    <ActionsMenu
      label={say('actions', { name: of.key_name })}
      actions={(!isAlive(of) ? [] : of.waiting_scopes.length > 0 || !isKept ? [grant, ...actions] : actions).map(
        ({ what, icon }) => ({
          text: say(what === 'grant' && !isKept ? 'keep' : what),
          icon,
          onChoose: () => onChoose({ what, key: of }),
        }),
      )}
    >
      <Menu.Item
        leftSection={<IconListDetails size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} from="/$owner/$environment" to="./developers/requests" search={{ app: of.app_id, key: of.id }} />
        )}
      >
        {say('requests')}
      </Menu.Item>
    </ActionsMenu>
  )
}

function GrantKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  const grant = useAction('POST /developers/keys/{id}/grant', ['GET /developers/keys'])
  const name = of?.key_name ?? ''
  return (
    <ConfirmAction
      isOpen={of !== undefined}
      onClose={onClose}
      title={say('grantTitle', { name })}
      action={say(of?.unkept_since ? 'keep' : 'grant')}
      send={() => grant.mutateAsync({ params: { id: of!.id } })}
      done={say('granted', { name })}
    >
      <ul>
        {(of?.unkept_since ? of.scopes : of?.waiting_scopes)?.map((scope) => (
          <li key={scope}>{say(`scope.${scope}`)}</li>
        ))}
      </ul>
    </ConfirmAction>
  )
}

function RevokeKey({ of, onClose }: { of: Key | undefined; onClose(): void }) {
  const say = appTexts.use()
  const revoke = useAction('DELETE /developers/keys/{id}', ['GET /developers/keys'])
  const name = of?.key_name ?? ''
  return (
    <ConfirmAction
      isOpen={of !== undefined}
      onClose={onClose}
      title={say('revokeTitle', { name })}
      action={say('revoke')}
      isDanger
      name={name}
      send={() => revoke.mutateAsync({ params: { id: of!.id } })}
      done={say('revoked', { name })}
    >
      {say('revokeText')}
    </ConfirmAction>
  )
}
