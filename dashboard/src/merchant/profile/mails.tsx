/** The mails that a person receives; each setting is saved when it is switched. */
import { Stack, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { NotificationPreferences } from '../../api/operations.ts'
import { queryKeyOf } from '../../api/ahead.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { profileTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

const kinds = [
  'payment_received',
  'payout_finished',
  'webhook_disabled',
  'new_device',
] as const satisfies readonly (keyof NotificationPreferences)[]

export function Mails() {
  const say = profileTexts.use()
  const client = useQueryClient()
  const { data, error, refetch } = useAnswer('GET /v1/me/notifications', {})
  const { mutate, isPending, variables } = useAction('PATCH /v1/me/notifications', [])
  if (!data) return <Unread of={{ error, refetch }} placeholder={160} />
  return (
    <Stack>
      {kinds.map((kind) => (
        <Switch
          key={kind}
          label={say(`mails.${kind}`)}
          description={say(`mails.${kind}_text`)}
          // Shows the API's value: a setting appears as saved only after it is saved.
          checked={data.data[kind]}
          disabled={isPending && variables.body?.[kind] !== undefined}
          onChange={({ currentTarget: { checked } }) =>
            mutate(
              { body: { [kind]: checked } },
              {
                onSuccess: (answer) => {
                  client.setQueryData(queryKeyOf('GET /v1/me/notifications', {}), answer)
                  notifyDone(say('saved'))
                },
                onError: notifyProblem,
              },
            )
          }
        />
      ))}
      <Note>{say('mails.text')}</Note>
    </Stack>
  )
}
