/** The signed-in person, with sign-out; on a phone also the language. */
import { Avatar, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconKeyboard, IconLogout, IconSelector } from './icons.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import { signOut } from '../api/session.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { notifyProblem } from './notify.ts'
import { PopupMenu, type MenuEntry } from './popup-menu.tsx'
import { ColorSwitch, LanguageSwitch } from './preferences.tsx'
import classes from './person-menu.module.css'

const texts = defineTexts('person', {
  account: ['Your account', 'Akaunti yako'],
  keys: ['Keyboard shortcuts', 'Mikato ya kibodi'],
  signOut: ['Sign out', 'Toka'],
})

/** `items` come first. */
export function PersonMenu({ items = [], onShortcuts }: { items?: readonly MenuEntry[]; onShortcuts(): void }) {
  const say = texts.use()
  const navigate = useNavigate()
  const client = useQueryClient()
  const me = useAnswer('GET /v1/me', {}).data?.data

  const leave = async (): Promise<void> => {
    try {
      await signOut()
    } catch (error) {
      notifyProblem(error)
      return
    }
    client.clear()
    await navigate({ to: '/sign-in' })
  }

  return (
    <>
      <Group hiddenFrom="sm" pb="xs" justify="space-between">
        <LanguageSwitch />
        <ColorSwitch />
      </Group>
      <PopupMenu
        position="top-start"
        className={classes['person']}
        items={[
          ...items,
          {
            key: 'keys',
            left: <IconKeyboard size={16} aria-hidden />,
            text: say('keys'),
            onChoose: onShortcuts,
          },
          {
            key: 'sign-out',
            left: <IconLogout size={16} aria-hidden />,
            text: say('signOut'),
            onChoose: () => void leave(),
          },
        ]}
        label={
          <>
            <VisuallyHidden>{say('account')}: </VisuallyHidden>
            <Avatar name={me?.full_name ?? ''} size={32} radius="xl" color="green" aria-hidden />
            <span className={classes['name']}>
              <Text size="sm" fw={600} truncate>
                {me?.full_name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {me?.email}
              </Text>
            </span>
            <IconSelector size={16} aria-hidden />
          </>
        }
      />
    </>
  )
}
