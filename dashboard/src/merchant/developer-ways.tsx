/** The links within the developers' section. */
import { defineTexts } from '../i18n/define-texts.ts'
import { Way, Ways } from '../ui/ways.tsx'

const texts = defineTexts('developer-ways', {
  en: { label: 'For developers', apps: 'Apps and keys', requests: 'Requests', quickStart: 'Quick start' },
  sw: {
    label: 'Kwa watengenezaji programu',
    apps: 'Programu na funguo',
    requests: 'Maombi',
    quickStart: 'Anza haraka',
  },
})

export function DeveloperWays() {
  const say = texts.use()
  return (
    <Ways label={say('label')}>
      <Way from="/$owner/$environment" to="./developers" activeOptions={{ exact: true }}>
        {say('apps')}
      </Way>
      <Way from="/$owner/$environment" to="./developers/requests">
        {say('requests')}
      </Way>
      <Way from="/$owner/$environment" to="./developers/quick-start">
        {say('quickStart')}
      </Way>
    </Ways>
  )
}
