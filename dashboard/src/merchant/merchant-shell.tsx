/** The frame of the merchants' dashboard: wallet, environment, sections, person. */
import { Box, Group, Text } from '@mantine/core'
import { IconFlask2, IconUserCog } from '../ui/icons.ts'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { LanguageSwitch, ColorSwitch } from '../ui/preferences.tsx'
import { PersonMenu } from '../ui/person-menu.tsx'
import { DockLink, SectionLink, Shell } from '../ui/shell.tsx'
import { useCommand } from '../ui/shortcut-keys.ts'
import { useAccount } from './account.ts'
import { EnvironmentSwitch } from './environment-switch.tsx'
import classes from './merchant-shell.module.css'
import { Search, SearchButton } from './search/search-button.tsx'
import { showsNotices } from './browser-notices/setting.ts'
import { useCan } from './membership.ts'
import { rememberPlace } from './place.ts'
import { NotYours, useIsClosed } from './not-yours.tsx'
import { shellTexts } from './shell-texts.ts'
import { useShownSections } from './shown-sections.ts'
import { WaitingCount } from './waiting-count.tsx'
import { WalletSwitch } from './wallet-switch.tsx'

const loadShortcuts = () => import('./shortcuts.tsx')
const Shortcuts = lazy(loadShortcuts)

const Announcer = lazy(() => import('./browser-notices/announcer.tsx'))

export function MerchantShell() {
  const say = shellTexts.use()
  const { owner, environment } = useAccount()
  const can = useCan()
  const sections = useShownSections()
  const everyDay = sections.filter(({ isEveryDay }) => isEveryDay)
  const { command, run } = useCommand(loadShortcuts)
  const maySearch = can('statements.read') === true
  const isClosed = useIsClosed()
  const [isSearching, { open: openSearch, close: closeSearch }] = useDisclosure()
  useEffect(() => rememberPlace({ owner, environment }), [owner, environment])
  return (
    <Shell
      top={
        <>
          <WalletSwitch />
          <Box hiddenFrom="md">
            <EnvironmentSwitch />
          </Box>
          <div className={classes['search']}>{maySearch && <SearchButton onOpen={openSearch} isWide />}</div>
        </>
      }
      sections={sections.map(({ path, name, icon }) => (
        <SectionLink
          key={path}
          to={path}
          params={{ owner, environment }}
          activeOptions={{ exact: path === '/$owner/$environment' }}
          icon={icon}
        >
          {say(name)}
          {name === 'sections.approvals' && <WaitingCount />}
        </SectionLink>
      ))}
      bottom={
        <PersonMenu
          onShortcuts={() => run('?')}
          items={[
            {
              key: 'profile',
              left: <IconUserCog size={16} aria-hidden />,
              text: say('profile'),
              to: '/profile',
            },
          ]}
        />
      }
      dock={
        everyDay.length > 1 &&
        everyDay.map(({ path, name, icon }) => (
          <DockLink
            key={path}
            to={path}
            params={{ owner, environment }}
            activeOptions={{ exact: path === '/$owner/$environment' }}
            icon={icon}
          >
            {say(name)}
          </DockLink>
        ))
      }
      banner={
        environment === 'test' && (
          <div className={classes['test']} role="status">
            <IconFlask2 size={16} aria-hidden />
            <Text size="sm" fw={600} span>
              {say('testBanner')}
            </Text>
          </div>
        )
      }
      bar={
        <>
          <div className={classes['onPhone']}>
            <WalletSwitch />
          </div>
          {maySearch && <SearchButton onOpen={openSearch} />}
          <Box visibleFrom="md">
            <EnvironmentSwitch />
          </Box>
          <Group gap="xs" ml="auto" wrap="nowrap" visibleFrom="sm">
            <LanguageSwitch />
            <ColorSwitch />
          </Group>
        </>
      }
    >
      {isClosed ? <NotYours /> : <Outlet />}
      {!isClosed && showsNotices() && (
        <Suspense>
          <Announcer key={`${owner} ${environment}`} />
        </Suspense>
      )}
      {command && (
        <Suspense>
          <Shortcuts command={command} onSearch={maySearch ? openSearch : undefined} />
        </Suspense>
      )}
      {maySearch && <Search isOpen={isSearching} onOpen={openSearch} onClose={closeSearch} />}
    </Shell>
  )
}
