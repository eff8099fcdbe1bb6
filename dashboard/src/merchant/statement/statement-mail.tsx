/** Whether the person gets the statement of this wallet by mail; stopped with one click. */
import { Button, Group, Paper, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useRef, useState } from 'react'
import { useAction, useAnswer } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { dayText } from '../../ui/format.ts'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { statementMailTexts } from './mail-texts.ts'

const MailDialog = lazy(() => import('./mail-dialog.tsx'))

export function StatementMail() {
  const say = statementMailTexts.use()
  const { query } = useAccount()
  const chosen = useAnswer('GET /v1/merchant/statement-mail', { query })
  const me = useAnswer('GET /v1/me', {}).data?.data
  const stop = useAction('DELETE /v1/merchant/statement-mail', ['GET /v1/merchant/statement-mail'])
  const [isOpen, setIsOpen] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  if (chosen.error && !chosen.data) return <ErrorState error={chosen.error} onRetry={chosen.refetch} />
  const mail = chosen.data?.data
  const end = (): void =>
    stop.mutate(
      { query },
      {
        onSuccess: () => {
          // Its button is gone.
          edit.current?.focus()
          notifyDone(say('stopped'))
        },
        onError: notifyProblem,
      },
    )
  return (
    <Paper p="lg" component="section" aria-label={say('title')}>
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>{say('title')}</Text>
          {mail === undefined ? (
            <Skeleton h={18} w={220} mt={4} />
          ) : (
            <Note>
              {mail.frequency === null || mail.next_on === null
                ? say('off')
                : `${say(`on.${mail.frequency}`, { email: me?.email ?? '' })} ${say('next', { day: dayText(`${mail.next_on}T12:00:00+03:00`) })}`}
            </Note>
          )}
        </div>
        {mail !== undefined && (
          <Group gap="xs">
            <Button ref={edit} variant="default" onClick={() => setIsOpen(true)}>
              {say(mail.frequency === null ? 'begin' : 'change')}
            </Button>
            {mail.frequency !== null && (
              <Button variant="default" loading={stop.isPending} onClick={end}>
                {say('stop')}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {isOpen && mail && (
        <Suspense>
          <MailDialog mail={mail} email={me?.email ?? ''} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </Paper>
  )
}
