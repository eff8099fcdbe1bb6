/** The language and the theme (light or dark), with or without a session. */
import { SegmentedControl, useMantineColorScheme, VisuallyHidden, type MantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun, type Icon } from './icons.ts'
import { defineTexts, useLanguage } from '../i18n/define-texts.ts'
import classes from './preferences.module.css'
import { changeLanguage, type Language } from '../i18n/language.ts'

const texts = defineTexts('preferences', {
  language: ['Language', 'Lugha'],
  colors: ['Light or dark', 'Mwanga au giza'],
  light: ['Light', 'Mwanga'],
  dark: ['Dark', 'Giza'],
  auto: ['Same as the device', 'Kama kifaa'],
})

export function LanguageSwitch() {
  const say = texts.use()
  return (
    <SegmentedControl
      size="xs"
      aria-label={say('language')}
      value={useLanguage()}
      onChange={(language) => changeLanguage(language as Language)}
      data={[
        { value: 'sw', label: <span lang="sw">Kiswahili</span> },
        { value: 'en', label: <span lang="en">English</span> },
      ]}
    />
  )
}

const schemes: readonly [MantineColorScheme, Icon][] = [
  ['light', IconSun],
  ['dark', IconMoon],
  ['auto', IconDeviceDesktop],
]

export function ColorSwitch() {
  const say = texts.use()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      size="xs"
      aria-label={say('colors')}
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      data={schemes.map(([scheme, Sign]) => ({
        value: scheme,
        label: (
          <span className={classes['sign']} title={say(scheme)}>
            <Sign size={15} stroke={1.8} aria-hidden />
            <VisuallyHidden>{say(scheme)}</VisuallyHidden>
          </span>
        ),
      }))}
    />
  )
}
