/** The sessions of a person: this device first; each other session can be ended, or all at once. */
import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconDeviceDesktop, IconDeviceMobile } from '../../ui/icons.ts'
import { useState } from 'react'
import type { Session } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Moment } from '../../ui/moment.tsx'
import { notifyDone, told } from '../../ui/notify.ts'
import { Section } from '../../ui/screen.tsx'
import { deviceOf, isPhone } from './device.ts'
import classes from './profile.module.css'
import { profileTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'
import { Unread } from '../../ui/unread.tsx'

export function Sessions() {
  const say = profileTexts.use()
  const { data, error, refetch } = useAnswer('GET /v1/auth/sessions', { query: { limit: 100 } }, { isLive: true })
  const endAll = useAction('DELETE /v1/auth/sessions', ['GET /v1/auth/sessions'])
  const [isAsked, setIsAsked] = useState(false)
  const form = useForm({
    send: async () => {
      const { data: outcome } = await endAll.mutateAsync({})
      setIsAsked(false)
      notifyDone(say('sessions.ended', { count: outcome.ended }))
    },
  })
  const sessions = data?.data.toSorted((one, other) => Number(other.current) - Number(one.current))
  return (
    <Section
      title={say('sessions.title')}
      isBare
      actions={
        sessions &&
        sessions.length > 1 && (
          <Button variant="default" onClick={() => setIsAsked(true)}>
            {say('sessions.endAll')}
          </Button>
        )
      }
    >
      {sessions ? (
        <Paper>
          <ul className={classes['sessions']} aria-label={say('sessions.title')}>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        </Paper>
      ) : (
        <Unread of={{ error, refetch }} placeholder={140} />
      )}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={say('sessions.endAll')}
        action={say('sessions.endAllNow')}
        isDanger
        of={form}
      >
        {say('sessions.endAllText')}
      </ConfirmDialog>
    </Section>
  )
}

function SessionRow({ session }: { session: Session }) {
  const say = profileTexts.use()
  const { mutate, isPending } = useAction('DELETE /v1/auth/sessions/{id}', ['GET /v1/auth/sessions'])
  const { id, current, user_agent, created_at, last_used_at } = session
  const device = deviceOf(user_agent) ?? say('sessions.unknown')
  const Sign = isPhone(user_agent) ? IconDeviceMobile : IconDeviceDesktop
  return (
    <li>
      <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
        <Sign size={22} stroke={1.5} className={classes['sign']} aria-hidden />
        <Stack gap={0} miw={0}>
          <Group gap="xs">
            <Text fw={600}>{device}</Text>
            {current && <Badge color="green">{say('sessions.current')}</Badge>}
          </Group>
          <Note>
            {say('sessions.used')} <Moment at={last_used_at} ago /> · {say('sessions.since')} <Moment at={created_at} />
          </Note>
        </Stack>
      </Group>
      {!current && (
        <Button
          variant="default"
          size="xs"
          loading={isPending}
          aria-label={`${say('sessions.end')}: ${device}`}
          onClick={() => mutate({ params: { id } }, told(say('sessions.ended', { count: 1 })))}
        >
          {say('sessions.end')}
        </Button>
      )}
    </li>
  )
}
