/** Sets or changes a webhook: its address and its events. */
import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { App, WebhookState } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { shared } from '../../ui/texts.ts'
import { choiceOf, EventChoiceField, eventsOf } from './event-choice.tsx'
import { appTexts } from './texts.ts'

type Props = { app: App; webhook: WebhookState | undefined; isOpen: boolean; onClose(): void }

export function SetWebhook({ isOpen, ...props }: Props) {
  const say = appTexts.use()
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={say(props.webhook === undefined ? 'setUrl' : 'changeUrl')}>
      {isOpen && <Form {...props} />}
    </Modal>
  )
}

function Form({ app, webhook, onClose }: Omit<Props, 'isOpen'>) {
  const say = appTexts.use()
  const sayShared = shared.use()
  const [address, setAddress] = useState(webhook?.url ?? 'https://')
  const [choice, setChoice] = useState(choiceOf(webhook?.events))
  const save = useAction('POST /developers/apps/{app_id}/webhook', ['GET /developers/apps/{app_id}/webhook/state'])
  const problems = fieldProblems(save.error)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(
          { params: { app_id: app.id }, body: { url: address.trim(), events: eventsOf(choice) } },
          {
            onSuccess: () => {
              onClose()
              notifyDone(say('saved'))
            },
          },
        )
      }}
    >
      <Stack>
        {save.error && problems['url'] === undefined && (
          <Alert color="red" role="alert">
            {problemText(save.error)}
          </Alert>
        )}
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
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {sayShared('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
