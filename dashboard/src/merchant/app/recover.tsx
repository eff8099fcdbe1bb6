/** Resends the events of a period: the undelivered ones, or all. */
import { Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import type { App, WebhookState } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { dayFromToday, dayOf } from '../../ui/days.ts'
import { notifyDone } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { appTexts } from './texts.ts'

/** The API refuses older events. */
const mostDaysBack = 30

type Props = { app: App; webhook: WebhookState; isOpen: boolean; onClose(): void }

export function Recover({ isOpen, ...props }: Props) {
  const say = appTexts.use()
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={say('recoverTitle')}>
      {isOpen && <Fields {...props} />}
    </Modal>
  )
}

/** A time in Dar es Salaam, in the format of the field. */
function momentOf(local: string): string {
  return new Date(`${local}:00+03:00`).toISOString()
}

/** From the day of the last accepted delivery, or from yesterday; never before the oldest event that can still be sent. */
function sinceDay({ last_success_at: last }: WebhookState): string {
  const days = [dayFromToday(-1), ...(last === null ? [] : [dayOf(last)])].toSorted()
  const [first, oldest] = [days[0]!, dayFromToday(1 - mostDaysBack)]
  return first < oldest ? oldest : first
}

function Fields({ app, webhook, onClose }: Omit<Props, 'isOpen'>) {
  const say = appTexts.use()
  const replay = useAction('POST /developers/apps/{app_id}/webhook/replay', [])
  const form = useForm({
    fields: { from: `${sinceDay(webhook)}T00:00`, to: `${dayFromToday(1)}T00:00`, which: 'undelivered' },
    required: ['from', 'to'],
    send: async ({ from, to, which }) => {
      const { data } = await replay.mutateAsync({
        params: { app_id: app.id },
        body: { from: momentOf(from), to: momentOf(to), undelivered_only: which === 'undelivered' },
      })
      onClose()
      notifyDone(data.queued === 0 ? say('nothingToRecover') : say('recovered', { count: data.queued }))
    },
  })
  return (
    <Form of={form}>
      <Text c="dimmed">{say('recoverText')}</Text>
      <Radio.Group label={say('which')} {...form.control('which')}>
        <Stack gap="xs" pt={6}>
          <Radio value="undelivered" label={say('undelivered')} />
          <Radio value="all" label={say('all')} />
        </Stack>
      </Radio.Group>
      <TextInput type="datetime-local" label={say('from')} {...form.field('from')} />
      <TextInput type="datetime-local" label={say('to')} {...form.field('to')} />
      <DialogButtons of={form} onCancel={onClose} action={say('recover')} />
    </Form>
  )
}
