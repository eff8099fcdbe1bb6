/** What a person agrees to by sending a form that asks for personal data, and the way to all that there is to say about it. */
import { Anchor, Text } from '@mantine/core'
import { currentLanguage } from '../i18n/language.ts'
import { consentTexts } from './consent-texts.ts'

export function Consent({ to }: { to: 'register' | 'identify' }) {
  const say = consentTexts.use()
  return (
    <Text size="sm" c="dimmed">
      {say(to)}{' '}
      <Anchor href={`/privacy?lang=${currentLanguage()}`} target="_blank" rel="noreferrer" underline="always">
        {say('notice')}
      </Anchor>
    </Text>
  )
}
