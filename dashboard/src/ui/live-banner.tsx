/** Says since when the screen may be outdated. It goes by itself. */
import { Text } from '@mantine/core'
import { useOldestOnScreen } from '../api/queries.ts'
import { useLiveState } from '../api/use-live.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { clockText } from './format.ts'
import { IconWifiOff } from './icons.ts'
import classes from './shell.module.css'

const texts = defineTexts('live', {
  old: ['Not updated since {{time}}. Trying again.', 'Haijasasishwa tangu {{time}}. Inajaribu tena.'],
  paused: [
    'Paused at {{time}}, because no one used this page. It continues when you do.',
    'Imesitishwa {{time}}, kwa sababu hakuna aliyetumia ukurasa huu. Itaendelea ukiutumia.',
  ],
})

export function LiveBanner() {
  const say = texts.use()
  const { state, since } = useLiveState()
  const oldest = useOldestOnScreen()
  const isPaused = state === 'paused'
  const oldSince = isPaused || state === 'old' ? since : oldest
  const isShown = oldSince !== undefined
  // Always there, so that screen readers announce its text when it comes.
  return (
    <div role="status" data-stale={isShown || undefined} className={isShown ? classes['stale'] : undefined}>
      {isShown && (
        <>
          <IconWifiOff size={16} aria-hidden />
          <Text size="sm" fw={600} span>
            {say(isPaused ? 'paused' : 'old', { time: clockText(oldSince) })}
          </Text>
        </>
      )}
    </div>
  )
}
