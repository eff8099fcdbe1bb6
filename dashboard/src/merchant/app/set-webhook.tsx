/** Sets or changes a webhook: its address and its events. */
import { Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { App, WebhookState } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { notifyDone } from '../../ui/notify.ts'
import { changesOf } from '../../ui/changes-of.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { choiceOf, EventChoiceField, eventsOf } from './event-choice.tsx'
import { appTexts } from './texts.ts'

type Props = { app: App; webhook: WebhookState | undefined; isOpen: boolean; onClose(): void }

export function SetWebhook({ isOpen, ...props }: Props) {
  const say = appTexts.use()
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={say(props.webhook === undefined ? 'setUrl' : 'changeUrl')}>
      {isOpen && <Fields {...props} />}
    </Modal>
  )
}

function Fields({ app, webhook, onClose }: Omit<Props, 'isOpen'>) {
  const say = appTexts.use()
  const save = useAction('POST /developers/apps/{app_id}/webhook', ['GET /developers/apps/{app_id}/webhook/state'])
  const [first] = useState({ events: choiceOf(webhook?.events) })
  const form = useForm({
    fields: { ...first, url: webhook?.url ?? 'https://' },
    check: ({ url }) => needed({ url }),
    send: async ({ url, events }) => {
      const changed = changesOf({ events: eventsOf(first.events) }, { events: eventsOf(events) })
      await save.mutateAsync({ params: { app_id: app.id }, body: { url: url.trim(), ...changed } })
      onClose()
      notifyDone(say('saved'))
    },
  })
  return (
    <Form of={form}>
      <TextInput
        label={say('url')}
        description={say('urlHint')}
        inputMode="url"
        autoComplete="url"
        spellCheck={false}
        data-autofocus
        {...form.field('url')}
      />
      <EventChoiceField {...form.control('events')} />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}
