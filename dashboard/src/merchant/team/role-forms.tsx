/** Invites a person with a role, and changes the role of a member. Each role says what it may do. */
import { Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Member } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm, type FormState } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useCan } from '../membership.ts'
import { roles, type Role } from '../roles.ts'
import { nameOf } from './members.tsx'
import { teamTexts } from './texts.ts'

type RoleChoiceProps = { value: Role | undefined; onChange(role: Role): void; error: string | undefined }

function RoleChoice({ value, onChange, error }: RoleChoiceProps) {
  const say = teamTexts.use()
  const can = useCan()
  const offered = roles.filter((role) => role !== 'owner' || can('owners.write') === true)
  return (
    <Radio.Group
      label={say('role')}
      value={value ?? null}
      onChange={(chosen) => onChange(offered.find((role) => role === chosen)!)}
      error={error}
    >
      <Stack gap="sm" mt="xs">
        {offered.map((role) => (
          <Radio key={role} size="md" value={role} label={say(`name.${role}`)} description={say(`may.${role}`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

type FormProps = {
  title: string
  action: string
  isReady?: boolean
  of: FormState
  onClose(): void
  children: ReactNode
}

function RoleForm({ title, action, isReady = true, of, onClose, children }: FormProps) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <Form of={of}>
        {children}
        <DialogButtons of={of} onCancel={onClose} action={action} isOff={!isReady} />
      </Form>
    </Modal>
  )
}

export function Invite({ businessId, onClose }: { businessId: string; onClose(): void }) {
  const say = teamTexts.use()
  const invite = useAction('POST /v1/businesses/{business_id}/members')
  const form = useForm({
    fields: { email: '', role: undefined as Role | undefined },
    required: ['email', 'role'],
    send: async ({ email, role }) => {
      const { data } = await invite.mutateAsync({
        params: { business_id: businessId },
        body: { email: email.trim(), role: role! },
      })
      onClose()
      notifyDone(say('sent', { email: data.email ?? email }))
      if (data.pending_role !== null) notifyDone(say('asked'))
    },
  })
  return (
    <RoleForm title={say('inviteTitle')} action={say('send')} of={form} onClose={onClose}>
      <Text c="dimmed">{say('inviteText')}</Text>
      <TextInput
        label={say('email')}
        type="email"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.field('email')}
      />
      <RoleChoice {...form.control('role')} />
    </RoleForm>
  )
}

export function ChangeRole({ member, businessId, onClose }: { member: Member; businessId: string; onClose(): void }) {
  const say = teamTexts.use()
  const change = useAction('PATCH /v1/businesses/{business_id}/members/{member_id}')
  const name = nameOf(member)
  const form = useForm({
    fields: { role: member.role },
    send: async ({ role }) => {
      const { data } = await change.mutateAsync({ params: { business_id: businessId, member_id: member.id }, body: { role } })
      onClose()
      notifyDone(data.pending_role === null ? say('changed', { name }) : say('asked'))
    },
  })
  return (
    <RoleForm
      title={say('changeTitle', { name })}
      action={say('save')}
      isReady={form.values.role !== member.role}
      of={form}
      onClose={onClose}
    >
      <RoleChoice {...form.control('role')} />
    </RoleForm>
  )
}
