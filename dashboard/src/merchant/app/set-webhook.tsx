/** Sets or changes a webhook: its address and its events. */
import { Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { App, WebhookState } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { notifyDone } from '../../ui/notify.ts'
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
  const [address, setAddress] = useState(webhook?.url ?? 'https://')
  const [choice, setChoice] = useState(choiceOf(webhook?.events))
  const save = useAction('POST /developers/apps/{app_id}/webhook', ['GET /developers/apps/{app_id}/webhook/state'])
  const form = useForm({
    check: () => needed({ url: address }),
    send: async () => {
      await save.mutateAsync({ params: { app_id: app.id }, body: { url: address.trim(), events: eventsOf(choice) } })
      onClose()
      notifyDone(say('saved'))
    },
  })
  const { problems } = form
  return (
    <Form of={form}>
      <TextInput
        label={say('url')}
        description={say('urlHint')}
        inputMode="url"
        autoComplete="url"
        spellCheck={false}
        data-autofocus
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        error={problems['url']}
      />
      <EventChoiceField choice={choice} onChange={setChoice} error={problems['events']} />
      <DialogButtons of={form} onCancel={onClose} />
    </Form>
  )
}
