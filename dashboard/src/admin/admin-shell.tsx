/** The frame of the operators' console. */
import { Group } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Outlet } from '@tanstack/react-router'
import { Brand } from '../ui/brand.tsx'
import { PersonMenu } from '../ui/person-menu.tsx'
import { ColorSwitch, LanguageSwitch } from '../ui/preferences.tsx'
import { SectionLink, Shell } from '../ui/shell.tsx'
import { useCommand } from '../ui/shortcut-keys.ts'
import { sections } from './sections.ts'
import { shellTexts } from './shell-texts.ts'

const loadShortcuts = () => import('./shortcuts.tsx')
const Shortcuts = lazy(loadShortcuts)

export function AdminShell() {
  const say = shellTexts.use()
  const { command, run } = useCommand(loadShortcuts)
  return (
    <Shell
      note={say('operators')}
      sections={sections.map(({ path, name, icon }) => (
        <SectionLink key={path} to={path} activeOptions={{ exact: path === '/' }} icon={icon}>
          {say(name)}
        </SectionLink>
      ))}
      bottom={<PersonMenu onShortcuts={() => run('?')} />}
      bar={
        <>
          <Group hiddenFrom="md">
            <Brand note={say('operators')} />
          </Group>
          <Group gap="xs" ml="auto" wrap="nowrap" visibleFrom="sm">
            <LanguageSwitch />
            <ColorSwitch />
          </Group>
        </>
      }
    >
      <Outlet />
      {command && (
        <Suspense>
          <Shortcuts command={command} />
        </Suspense>
      )}
    </Shell>
  )
}
