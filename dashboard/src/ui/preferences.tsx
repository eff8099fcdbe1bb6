/** The two choices that everybody has, signed in or not: the language, and light or dark. */
import { ActionIcon, Menu, SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun, type Icon } from '@tabler/icons-react'
import { defineTexts, useLanguage } from '../i18n/define-texts.ts'
import { changeLanguage, type Language } from '../i18n/language.ts'

const texts = defineTexts('preferences', {
  en: { language: 'Language', colors: 'Light or dark', light: 'Light', dark: 'Dark', auto: 'As the device' },
  sw: { language: 'Lugha', colors: 'Mwanga au giza', light: 'Mwanga', dark: 'Giza', auto: 'Kama kifaa' },
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
  const [, Sign] = schemes.find(([scheme]) => scheme === colorScheme)!
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={say('colors')}>
          <Sign size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, Choice]) => (
          <Menu.Item key={scheme} leftSection={<Choice size={16} aria-hidden />} onClick={() => setColorScheme(scheme)}>
            {say(scheme)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
