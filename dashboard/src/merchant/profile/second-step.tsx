/** The second factor of sign-in: connect, connect again, or remove with a code. */
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldOff } from '../../ui/icons.ts'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { User } from '../../api/operations.ts'
import { call } from '../../api/call.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Note } from '../../ui/note.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { problemText } from '../../ui/problem-text.ts'
import classes from './profile.module.css'
import { profileTexts } from './texts.ts'

// Contains the QR code, so it is loaded only when needed.
const EnrollFactor = lazy(() => import('../../auth/enroll-factor.tsx').then((part) => ({ default: part.EnrollFactor })))

const fewCodes = 3

export function SecondStep({ me }: { me: User }) {
  const say = profileTexts.use()
  const client = useQueryClient()
  const [open, setOpen] = useState<'connect' | 'remove'>()
  const [hasCodes, setHasCodes] = useState(false)
  const { enabled, recovery_codes_left: left } = me.two_factor
  const Sign = enabled ? IconShieldCheck : IconShieldOff
  const end = (done: string): void => {
    setOpen(undefined)
    setHasCodes(false)
    notifyDone(done)
    void client.invalidateQueries()
  }
  return (
    <Stack>
      <Group gap="sm" wrap="nowrap" align="start">
        <Sign size={22} stroke={1.7} className={classes['sign']} aria-hidden />
        <div>
          <Text fw={600}>{say(enabled ? 'second.on' : 'second.off')}</Text>
          <Text c="dimmed">{say(enabled ? 'second.onText' : 'second.offText')}</Text>
          {enabled && (
            <Text c={left <= fewCodes ? 'var(--mantine-color-error)' : undefined}>
              {say('second.codesLeft', { count: left })}
            </Text>
          )}
        </div>
      </Group>
      <Group>
        <Button variant={enabled ? 'default' : 'filled'} onClick={() => setOpen('connect')}>
          {say(enabled ? 'second.replace' : 'second.connect')}
        </Button>
        {enabled && (
          <Button variant="default" onClick={() => setOpen('remove')}>
            {say('second.remove')}
          </Button>
        )}
      </Group>
      <Modal
        opened={open === 'connect'}
        onClose={() => {
          setOpen(undefined)
          // The step-up may have used a recovery code.
          void client.invalidateQueries({ queryKey: ['GET /v1/me'] })
        }}
        title={say(enabled ? 'second.replace' : 'second.connect')}
        closeOnClickOutside={false}
        // Recovery codes are shown once: an accidental click must not close them.
        closeOnEscape={!hasCodes}
        withCloseButton={!hasCodes}
      >
        {!hasCodes && <Note mb="sm">{say('second.after')}</Note>}
        <Suspense fallback={<Skeleton h={320} />}>
          {open === 'connect' && (
            <EnrollFactor onConfirmed={() => setHasCodes(true)} onDone={() => end(say('second.connected'))} />
          )}
        </Suspense>
      </Modal>
      <Modal opened={open === 'remove'} onClose={() => setOpen(undefined)} title={say('second.remove')}>
        {open === 'remove' && <Remove onDone={() => end(say('second.removed'))} onCancel={() => setOpen(undefined)} />}
      </Modal>
    </Stack>
  )
}

function Remove({ onDone, onCancel }: { onDone(): void; onCancel(): void }) {
  const say = profileTexts.use()
  const form = useForm({
    fields: { code: '' },
    send: async (body) => {
      await call('POST /v1/auth/2fa/disable', { body })
      onDone()
    },
    problemsOf: (error) => ({ code: problemText(error) }),
  })
  return (
    <Form of={form}>
      <Text>{say('second.removeText')}</Text>
      <Note>{say('second.after')}</Note>
      <CodeInput label={say('second.code')} description={say('second.codeHint')} {...form.control('code')} isText />
      <DialogButtons of={form} onCancel={onCancel} action={say('second.removeNow')} isDanger isOff={form.values.code === ''} />
    </Form>
  )
}
