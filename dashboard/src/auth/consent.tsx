/** The consent to a form that asks for personal data, with a link to the privacy notice. */
import { Note } from '../ui/note.tsx'
import { Anchor } from '@mantine/core'
import { defineTexts } from '../i18n/define-texts.ts'
import { currentLanguage } from '../i18n/current-language.ts'

const consentTexts = defineTexts('consent', {
  register: [
    'By registering you agree that we use this data to run your account.',
    'Kwa kujisajili unakubali tutumie taarifa hizi kutunza akaunti yako.',
  ],
  identify: [
    'By sending this you agree that we check it and keep it as long as the law requires.',
    'Kwa kutuma unakubali tuzikague na kuzitunza kwa muda ambao sheria inataka.',
  ],
  notice: ['How we use your data', 'Tunavyotunza taarifa zako'],
})

export function Consent({ to }: { to: 'register' | 'identify' }) {
  const say = consentTexts.use()
  return (
    <Note>
      {say(to)}{' '}
      <Anchor href={`/privacy?lang=${currentLanguage()}`} target="_blank" rel="noreferrer" underline="always">
        {say('notice')}
      </Anchor>
    </Note>
  )
}
