/** How often the statement comes by mail, and in which language. */
import { Modal, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import type { StatementMail } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { statementMailTexts } from './mail-texts.ts'

const frequencies = ['daily', 'weekly', 'monthly'] as const

type Props = { mail: StatementMail; email: string; onClose(): void }

export default function MailDialog({ mail, email, onClose }: Props) {
  const say = statementMailTexts.use()
  const shownLanguage = useLanguage()
  const { query } = useAccount()
  const save = useAction('PUT /v1/merchant/statement-mail', ['GET /v1/merchant/statement-mail'])
  const form = useForm({
    fields: { frequency: mail.frequency ?? 'monthly', language: mail.language ?? shownLanguage },
    send: async (body) => {
      await save.mutateAsync({ query, body })
      onClose()
      notifyDone(say('saved'))
    },
  })
  return (
    <Modal opened onClose={onClose} title={say('title')}>
      <Form of={form}>
        <Text size="sm">{say('text', { email })}</Text>
        <Radio.Group
          label={say('frequency')}
          {...form.control('frequency')}
          onChange={(value) => form.change({ frequency: frequencies.find((one) => one === value)! })}
        >
          <Stack gap="xs" mt="xs">
            {frequencies.map((one) => (
              <Radio key={one} value={one} label={say(one)} />
            ))}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label={say('language')}
          {...form.field('language')}
          data={[
            { value: 'sw', label: 'Kiswahili' },
            { value: 'en', label: 'English' },
          ]}
        />
        <DialogButtons of={form} onCancel={onClose} />
      </Form>
    </Modal>
  )
}
