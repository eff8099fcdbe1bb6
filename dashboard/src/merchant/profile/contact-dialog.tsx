/** Changes the e-mail address or the phone number: the new value first, then the mailed code. Reopened, it continues with the code. */
import { Anchor, Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { queryKeyOf } from '../../api/ahead.ts'
import { call, isRefusal } from '../../api/call.ts'
import type { User } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { CodeInput } from '../../ui/code-input.tsx'
import { phoneText } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems } from '../../ui/problem-text.ts'
import { profileTexts } from './texts.ts'

export type ContactField = 'email' | 'phone_number'

type Props = { me: User; field: ContactField; onClose(): void }

export default function ContactDialog({ me, field, onClose }: Props) {
  const say = profileTexts.use()
  const waiting = me.contact_change?.[field]
  const open = waiting && (field === 'phone_number' ? phoneText(waiting) : waiting)
  const [isCode, setIsCode] = useState(Boolean(open))
  return (
    <Modal opened onClose={onClose} title={say(`contact.${field}.title`)}>
      {isCode && open ? (
        <CodeForm me={me} field={field} value={open} onAgain={() => setIsCode(false)} onClose={onClose} />
      ) : (
        <ValueForm me={me} field={field} onSent={() => setIsCode(true)} onClose={onClose} />
      )}
    </Modal>
  )
}

function ValueForm({ me, field, onSent, onClose }: Props & { onSent(): void }) {
  const say = profileTexts.use()
  const client = useQueryClient()
  const form = useForm({
    fields: { value: '' },
    check: ({ value }): Problems => (value.trim() === '' ? { [field]: say('person.needed') } : {}),
    send: async ({ value }) => {
      const answer = await call('POST /v1/auth/contact/change', { body: { [field]: value } })
      client.setQueryData(queryKeyOf('GET /v1/me', {}), answer)
      onSent()
    },
    problemsOf: (error): Problems =>
      isRefusal(error, 'invalid_state') ? { [field]: say('contact.same') } : fieldProblems(error),
  })
  return (
    <Form of={form}>
      <Text>{say(`contact.${field}.text`, { email: me.email })}</Text>
      <TextInput
        label={say(`contact.${field}.label`)}
        type={field === 'email' ? 'email' : 'tel'}
        autoComplete={field === 'email' ? 'email' : 'tel'}
        {...(field === 'phone_number' && { placeholder: '0754 123 456' })}
        {...form.field('value')}
        error={form.problems[field]}
        data-autofocus
      />
      <Note>{say('contact.after')}</Note>
      <DialogButtons of={form} onCancel={onClose} action={say('contact.send')} />
    </Form>
  )
}

function CodeForm({ me, field, value, onAgain, onClose }: Props & { value: string; onAgain(): void }) {
  const say = profileTexts.use()
  const client = useQueryClient()
  const form = useForm({
    fields: { code: '' },
    check: ({ code }): Problems => (/^\d{6}$/.test(code) ? {} : { code: say('contact.sixDigits') }),
    send: async (body) => {
      await call('POST /v1/auth/contact/confirm', { body })
      onClose()
      notifyDone(say(`contact.${field}.done`))
      await client.invalidateQueries()
    },
    problemsOf: (error): Problems => (isRefusal(error, 'token_invalid') ? { code: say('contact.wrong') } : fieldProblems(error)),
  })
  return (
    <Form of={form}>
      <Text>{say(`contact.${field}.sent`, { value, email: me.email })}</Text>
      <CodeInput label={say('contact.code')} {...form.control('code')} />
      <Group justify="space-between">
        <Anchor component="button" type="button" onClick={onAgain}>
          {say('contact.again')}
        </Anchor>
        <Group>
          <Button variant="default" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button type="submit" loading={form.isBusy}>
            {say('contact.confirm')}
          </Button>
        </Group>
      </Group>
    </Form>
  )
}
