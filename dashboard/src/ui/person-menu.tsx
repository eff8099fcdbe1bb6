/** The signed-in person, with sign-out; on a phone also the language. */
import { Avatar, Group, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconLogout, IconSelector } from './icons.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import { signOut } from '../api/session.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { clearDrafts } from './draft.ts'
import { notifyProblem } from './notify.ts'
import { ColorSwitch, LanguageSwitch } from './preferences.tsx'
import classes from './person-menu.module.css'

const texts = defineTexts('person', {
  en: { account: 'Your account', signOut: 'Sign out' },
  sw: { account: 'Akaunti yako', signOut: 'Toka' },
})

export function PersonMenu({ children }: { children?: React.ReactNode }) {
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
    clearDrafts()
    await navigate({ to: '/sign-in' })
  }

  return (
    <>
      <Group hiddenFrom="sm" pb="xs" justify="space-between">
        <LanguageSwitch />
        <ColorSwitch />
      </Group>
      <Menu width="target" position="top-start">
        <Menu.Target>
          <UnstyledButton className={classes['person']!}>
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
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
            {say('signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
