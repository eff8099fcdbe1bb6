/** The contact that payers of this merchant see. */
import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { SupportContact } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { supportTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

export default function SupportScreen() {
  const say = supportTexts.use()
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer('GET /v1/merchant/support-contact', { query })
  return (
    <Screen title={say('title')} text={say('text')}>
      {data ? (
        <Section title={say('seen')}>
          <ContactForm key={data.data.changed_at} contact={data.data} />
        </Section>
      ) : (
        <Unread of={{ error, refetch }} placeholder={320} />
      )}
    </Screen>
  )
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

function ContactForm({ contact }: { contact: SupportContact }) {
  const say = supportTexts.use()
  const { query } = useAccount()
  const isWritable = useCan()('business.write')
  const client = useQueryClient()
  const form = useForm({
    fields: { phone: contact.phone ?? '', whatsapp: contact.whatsapp ?? '', email: contact.email ?? '' },
    send: async ({ phone, whatsapp, email }) => {
      const body = { phone: orNull(phone), whatsapp: orNull(whatsapp), email: orNull(email) }
      await call('PUT /v1/merchant/support-contact', { query, body })
      await client.invalidateQueries()
      notifyDone(say('saved'))
    },
  })
  return (
    <Form of={form}>
      {!contact.is_set && <Alert>{say('none')}</Alert>}
      {!isWritable && <Alert color="gray">{say('readOnly')}</Alert>}
      <TextInput
        label={say('phone')}
        description={say('phoneHint')}
        type="tel"
        autoComplete="tel"
        disabled={!isWritable}
        {...form.field('phone')}
      />
      <TextInput
        label={say('whatsapp')}
        description={say('phoneHint')}
        type="tel"
        disabled={!isWritable}
        {...form.field('whatsapp')}
      />
      <TextInput label={say('email')} type="email" autoComplete="email" disabled={!isWritable} {...form.field('email')} />
      {isWritable && (
        <Group>
          <Button type="submit" loading={form.isBusy}>
            {say('save')}
          </Button>
        </Group>
      )}
    </Form>
  )
}
