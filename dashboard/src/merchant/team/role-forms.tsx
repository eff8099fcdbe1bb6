/** Invites a person with a role, and changes the role of a member. Each role says what it may do. */
import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import type { Member } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { FormProblem } from '../../ui/form-problem.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { shared } from '../../ui/texts.ts'
import { useCan } from '../membership.ts'
import { roles, roleTexts, type Role } from '../roles.ts'
import { nameOf } from './members.tsx'
import { teamTexts } from './texts.ts'

type RoleChoiceProps = { value: Role | undefined; onChange(role: Role): void; error: string | undefined }

function RoleChoice({ value, onChange, error }: RoleChoiceProps) {
  const say = teamTexts.use()
  const sayRole = roleTexts.use()
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
          <Radio key={role} size="md" value={role} label={sayRole(`name.${role}`)} description={sayRole(`may.${role}`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

type FormProps = {
  title: string
  action: string
  isBusy: boolean
  isReady: boolean
  error: unknown
  onSend(): void
  onClose(): void
  children: ReactNode
}

function RoleForm({ title, action, isBusy, isReady, error, onSend, onClose, children }: FormProps) {
  const sayShared = shared.use()
  const hasField = Object.keys(fieldProblems(error)).length > 0
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          if (isReady) onSend()
        }}
      >
        <Stack>
          <FormProblem text={error && !hasField ? problemText(error) : undefined} />
          {children}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {sayShared('cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

export function Invite({ businessId, onClose }: { businessId: string; onClose(): void }) {
  const say = teamTexts.use()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>()
  const invite = useAction('POST /v1/businesses/{business_id}/members')
  const problems = fieldProblems(invite.error)
  return (
    <RoleForm
      title={say('inviteTitle')}
      action={say('send')}
      isBusy={invite.isPending}
      isReady={email.trim() !== '' && role !== undefined}
      error={invite.error}
      onClose={onClose}
      onSend={() =>
        invite.mutate(
          { params: { business_id: businessId }, body: { email: email.trim(), role: role! } },
          {
            onSuccess: ({ data }) => {
              onClose()
              notifyDone(say('sent', { email: data.email ?? email }))
            },
          },
        )
      }
    >
      <Text c="dimmed">{say('inviteText')}</Text>
      <TextInput
        label={say('email')}
        type="email"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={problems['email']}
        data-autofocus
      />
      <RoleChoice value={role} onChange={setRole} error={problems['role']} />
    </RoleForm>
  )
}

export function ChangeRole({ member, businessId, onClose }: { member: Member; businessId: string; onClose(): void }) {
  const say = teamTexts.use()
  const sayShared = shared.use()
  const [role, setRole] = useState<Role>(member.role)
  const change = useAction('PATCH /v1/businesses/{business_id}/members/{member_id}')
  const name = nameOf(member)
  return (
    <RoleForm
      title={say('changeTitle', { name })}
      action={sayShared('save')}
      isBusy={change.isPending}
      isReady={role !== member.role}
      error={change.error}
      onClose={onClose}
      onSend={() =>
        change.mutate(
          { params: { business_id: businessId, member_id: member.id }, body: { role } },
          {
            onSuccess: () => {
              onClose()
              notifyDone(say('changed', { name }))
            },
          },
        )
      }
    >
      <RoleChoice value={role} onChange={setRole} error={fieldProblems(change.error)['role']} />
    </RoleForm>
  )
}
