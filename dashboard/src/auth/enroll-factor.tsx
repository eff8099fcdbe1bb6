/** Connects an authenticator app: a QR code or a secret, a code that proves it, and recovery codes. */
import { Button, Checkbox, Code, Group, List, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { CodeInput } from '../ui/code-input.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { problemText } from '../ui/problem-text.ts'
import { QrCode } from '../ui/qr-code.tsx'
import { shared } from '../ui/texts.ts'
import { Form, useForm } from '../ui/form.tsx'

const texts = defineTexts('enroll', [shared], {
  scan: [
    'Scan this picture with an authenticator app, such as Aegis, Google Authenticator or 1Password.',
    'Skani picha hii kwa programu ya uthibitisho, kama Aegis, Google Authenticator au 1Password.',
  ],
  picture: ['QR code of the secret', 'Msimbo wa QR wa siri'],
  orType: ['Or type this secret into the app:', 'Au andika siri hii kwenye programu:'],
  secret: ['Secret', 'Siri'],
  code: ['The six digits that the app shows', 'Tarakimu sita zinazoonyeshwa na programu'],
  connect: ['Connect', 'Unganisha'],
  keep: [
    'Keep these codes in a place that you can reach without your phone. Each code works once, and they are shown only now.',
    'Tunza misimbo hii mahali utakapoipata bila simu yako. Kila mmoja unakuingiza mara moja, na inaonyeshwa sasa tu.',
  ],
  codes: ['Recovery codes', 'Misimbo ya akiba'],
  kept: ['I have saved them', 'Nimeitunza'],
})

type Enrolment = { secret: string; otpauth_url: string }

type Props = {
  onDone(): void
  /** It is active, and its recovery codes are shown for the only time. */
  onConfirmed?: () => void
}

export function EnrollFactor({ onDone, onConfirmed }: Props) {
  const say = texts.use()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [failure, setFailure] = useState<unknown>()
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>()
  const form = useForm({
    fields: { code: '' },
    send: async (body) => {
      const { data } = await call('POST /v1/auth/2fa/confirm', { body })
      setRecoveryCodes(data.recovery_codes)
      onConfirmed?.()
    },
    problemsOf: (error) => ({ code: problemText(error) }),
  })

  useEffect(() => {
    // Started once per visit of the screen: a second start would create another secret.
    const visit = new AbortController()
    call('POST /v1/auth/2fa/enroll', { signal: visit.signal }).then(
      ({ data }) => setEnrolment(data),
      (error: unknown) => visit.signal.aborted || setFailure(error),
    )
    return () => visit.abort()
  }, [])

  if (failure !== undefined) return <ErrorState error={failure} />
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onDone={onDone} />
  return (
    <Form of={form}>
      <Text>{say('scan')}</Text>
      {enrolment ? (
        <>
          <Group justify="center">
            <QrCode value={enrolment.otpauth_url} label={say('picture')} />
          </Group>
          <div>
            <Text c="dimmed">{say('orType')}</Text>
            <Group gap="xs" wrap="nowrap">
              <Code className="code">{enrolment.secret}</Code>
              <CopyButton value={enrolment.secret} label={say('secret')} />
            </Group>
          </div>
        </>
      ) : (
        <Skeleton h={240} />
      )}
      <CodeInput label={say('code')} {...form.control('code')} />
      <Button type="submit" size="md" loading={form.isBusy} disabled={form.values.code === '' || !enrolment}>
        {say('connect')}
      </Button>
    </Form>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const say = texts.use()
  const [areKept, setAreKept] = useState(false)
  return (
    <Stack>
      <Text>{say('keep')}</Text>
      <List listStyleType="none" aria-label={say('codes')} className="code">
        {codes.map((code) => (
          <List.Item key={code}>{code}</List.Item>
        ))}
      </List>
      <Group>
        <CopyButton value={codes.join('\n')} label={say('copy')} isWide />
      </Group>
      <Checkbox label={say('kept')} checked={areKept} onChange={(event) => setAreKept(event.currentTarget.checked)} />
      <Button size="md" disabled={!areKept} onClick={onDone}>
        {say('continue')}
      </Button>
    </Stack>
  )
}
