/** The account of a person: data, sign-in, sessions, mails. */
import { Group, Stack, Text } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { ColorSwitch, LanguageSwitch } from '../../ui/preferences.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { browserNoticeTexts } from '../browser-notices/texts.ts'
import { BrowserNotices } from './browser-notices.tsx'
import { Mails } from './mails.tsx'
import { PasswordForm } from './password-form.tsx'
import { PersonForm } from './person-form.tsx'
import { SecondStep } from './second-step.tsx'
import { Sessions } from './sessions.tsx'
import { profileTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

export default function ProfileScreen() {
  const say = profileTexts.use()
  const sayNotices = browserNoticeTexts.use()
  const { data, error, refetch } = useAnswer('GET /v1/me', {})
  const me = data?.data
  return (
    <Screen title={say('title')} text={say('text')}>
      {me ? (
        <>
          <Section title={say('person.title')}>
            <PersonForm key={me.id} me={me} />
          </Section>
          <Section title={say('second.title')}>
            <SecondStep me={me} />
          </Section>
          <Section title={say('password.title')}>
            <PasswordForm email={me.email} />
          </Section>
          <Sessions />
          <Section title={say('mails.title')}>
            <Mails />
          </Section>
          <Section title={sayNotices('title')}>
            <BrowserNotices />
          </Section>
          <Section title={say('look.title')}>
            <Group gap="xl">
              <Stack gap={6}>
                <Text fw={500}>{say('look.language')}</Text>
                <LanguageSwitch />
              </Stack>
              <Stack gap={6}>
                <Text fw={500}>{say('look.colors')}</Text>
                <ColorSwitch />
              </Stack>
            </Group>
          </Section>
        </>
      ) : (
        <Unread of={{ error, refetch }} placeholder={420} />
      )}
    </Screen>
  )
}
