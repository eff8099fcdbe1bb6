/** The dialogs of the members: invite, change a role, cancel an invitation, remove, leave. */
import type { Member, Membership } from '../../api/operations.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAction } from '../../api/queries.ts'
import { ConfirmAction, ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { nameOf } from './members.tsx'
import { ChangeRole, Invite } from './role-forms.tsx'
import { teamTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

export type Asked =
  | { what: 'invite' }
  | { what: 'change'; member: Member }
  | { what: 'cancel' | 'remove'; member: Member }
  | { what: 'leave'; membership: Membership }

type Props = { asked: Asked; businessId: string; onClose(): void }

export default function Dialogs({ asked, businessId, onClose }: Props) {
  if (asked.what === 'invite') return <Invite businessId={businessId} onClose={onClose} />
  if (asked.what === 'change') return <ChangeRole member={asked.member} businessId={businessId} onClose={onClose} />
  if (asked.what === 'leave') return <Leave membership={asked.membership} onClose={onClose} />
  return <End what={asked.what} member={asked.member} businessId={businessId} onClose={onClose} />
}

type EndProps = { what: 'cancel' | 'remove'; member: Member; businessId: string; onClose(): void }

/** Ends an invitation, or the membership of another person, whose name must be typed. */
function End({ what, member, businessId, onClose }: EndProps) {
  const say = teamTexts.use()
  const end = useAction('DELETE /v1/businesses/{business_id}/members/{member_id}')
  const name = nameOf(member)
  const isRemoval = what === 'remove'
  return (
    <ConfirmAction
      isOpen
      onClose={onClose}
      title={isRemoval ? say('removeTitle', { name }) : say('cancel')}
      action={say(what)}
      isDanger
      {...(isRemoval && { name })}
      send={() => end.mutateAsync({ params: { business_id: businessId, member_id: member.id } })}
      done={isRemoval ? say('removed', { name }) : say('cancelled')}
    >
      {isRemoval ? say('removeText') : say('cancelText', { name })}
    </ConfirmAction>
  )
}

function Leave({ membership: { business, member_id: memberId }, onClose }: { membership: Membership; onClose(): void }) {
  const say = teamTexts.use()
  const navigate = useNavigate()
  const client = useQueryClient()
  // The data of this business is not read again: the person may not see it any more.
  const leave = useAction('DELETE /v1/businesses/{business_id}/members/{member_id}', [])
  const { name } = business
  const form = useForm({
    send: async () => {
      await leave.mutateAsync({ params: { business_id: business.id, member_id: memberId } })
      notifyDone(say('left', { name }))
      void navigate({ to: '/$owner/$environment', params: { owner: 'me', environment: 'test' } })
      void client.invalidateQueries({ queryKey: ['GET /v1/memberships'] })
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={say('leaveTitle', { name })}
      action={say('leave')}
      isDanger
      name={name}
      of={form}
    >
      {say('leaveText')}
    </ConfirmDialog>
  )
}
