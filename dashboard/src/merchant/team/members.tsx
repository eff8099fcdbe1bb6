/** The list of members and invitations, with the actions that the role of the reader allows. */
import { Text } from '@mantine/core'
import type { Member, Membership } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { ActionsMenu } from '../../ui/actions-menu.tsx'
import { oppositeFigureColumn, asideColumn, headingColumn, momentColumn, plainColumn } from '../../ui/columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { momentText } from '../../ui/format.ts'
import { IconBan, IconCheck, IconPencil, IconSend, IconTrash } from '../../ui/icons.ts'
import { ListSection, useList } from '../../ui/list-screen.tsx'
import { told } from '../../ui/notify.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useCan } from '../membership.ts'
import type { Asked } from './dialogs.tsx'
import { teamTexts } from './texts.ts'

type Props = { membership: Membership; onAsk(asked: Asked): void }

/** The name of a person who has joined, otherwise the address of the invitation. */
export const nameOf = ({ name, email }: Member): string => name ?? email ?? '…'

export function Members({ membership, onAsk }: Props) {
  const say = teamTexts.use()
  const can = useCan()
  const params = { business_id: membership.business.id }
  const list = useList('GET /v1/businesses/{business_id}/members', { params, query: { limit: 50 } }, { isLive: 'slowly' })
  const shown = list.data && { ...list.data, data: list.data.data.filter(({ status }) => status !== 'removed') }
  const isManager = can('members.write') === true
  const columns: Column<Member>[] = [
    headingColumn(say('member'), (member) => <Person of={member} isReader={member.id === membership.member_id} />),
    plainColumn(say('role'), ({ role }) => say(`name.${role}`)),
    asideColumn(say('status'), (member) => <Status of={member} />),
    momentColumn(say('since'), ({ joined_at: joinedAt, created_at: createdAt }) => joinedAt ?? createdAt),
  ]
  const menu: Column<Member> = oppositeFigureColumn('', (member) => {
    const isOther = member.id !== membership.member_id
    const isAllowed = isOther && (member.role !== 'owner' || can('owners.write') === true)
    return isAllowed && <MemberMenu of={member} businessId={membership.business.id} onAsk={onAsk} />
  })
  return (
    <ListSection
      title={say('members')}
      list={{ ...list, data: shown }}
      columns={[...columns, isManager && menu]}
      rowKey={({ id }) => id}
    />
  )
}

function Person({ of, isReader }: { of: Member; isReader: boolean }) {
  const say = teamTexts.use()
  const { name, email, invited_by: inviter, status } = of
  const notes = [name !== null && email, status !== 'active' && inviter && say('invitedBy', { name: inviter.name })]
  return (
    <>
      <Text fw={550} span>
        {nameOf(of)}
      </Text>
      {isReader && ` (${say('you')})`}
      {notes.map(
        (note) =>
          Boolean(note) && (
            <Text key={String(note)} size="sm" c="dimmed" fw={400}>
              {note}
            </Text>
          ),
      )}
    </>
  )
}

function Status({ of }: { of: Member }) {
  const { status, invitation_expires_at: expiresAt, pending_role: pending, power_from: from } = of
  const say = teamTexts.use()
  return (
    <>
      <StatusBadge status={status} />
      {status === 'invited' && expiresAt !== null && (
        <Note size="xs" className="nowrap">
          {say('until', { when: momentText(expiresAt) })}
        </Note>
      )}
      {from !== null && <Text size="xs">{say('activeFrom', { when: momentText(from) })}</Text>}
      {pending !== null && <Text size="xs">{say('pending', { role: say(`name.${pending.role}`) })}</Text>}
    </>
  )
}

function MemberMenu({ of, businessId, onAsk }: { of: Member; businessId: string; onAsk(asked: Asked): void }) {
  const say = teamTexts.use()
  const invite = useAction('POST /v1/businesses/{business_id}/members')
  const again = (): void =>
    invite.mutate(
      { params: { business_id: businessId }, body: { email: of.email!, role: of.role } },
      told(say('sent', { email: of.email! })),
    )
  const can = useCan()
  const confirm = useAction('POST /v1/businesses/{business_id}/members/{member_id}/confirm')
  const end = {
    text: say('confirm'),
    icon: IconCheck,
    onChoose: () =>
      confirm.mutate({ params: { business_id: businessId, member_id: of.id } }, told(say('confirmed', { name: nameOf(of) }))),
  }
  const change = { text: say('change'), icon: IconPencil, onChoose: () => onAsk({ what: 'change', member: of }) }
  const actions =
    of.status === 'active'
      ? [
          ...(of.power_from !== null && can('owners.write') === true ? [end] : []),
          change,
          { text: say('remove'), icon: IconTrash, onChoose: () => onAsk({ what: 'remove', member: of }) },
        ]
      : [
          { text: say('again'), icon: IconSend, onChoose: again },
          { text: say('cancel'), icon: IconBan, onChoose: () => onAsk({ what: 'cancel', member: of }) },
        ]
  return <ActionsMenu label={say('actions', { name: nameOf(of) })} actions={actions} />
}
