/** Opens the search by a click or by Ctrl+K; its code is loaded then. */
import { ActionIcon, Text, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '../../ui/icons.ts'
import { lazy, Suspense, useState } from 'react'
import classes from './search.module.css'
import { searchTexts } from './texts.ts'

const SearchDialog = lazy(() => import('./search-dialog.tsx'))

export const searchKeys = /Mac|iP(hone|ad|od)/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** One dialog for all buttons. */
export function Search({ isOpen, onOpen, onClose }: { isOpen: boolean; onOpen(): void; onClose(): void }) {
  const [wasWanted, setWasWanted] = useState(false)
  if (isOpen && !wasWanted) setWasWanted(true)
  // Also works while the focus is in a field.
  useHotkeys([['mod+K', onOpen]], [])
  return (
    wasWanted && (
      <Suspense>
        <SearchDialog isOpen={isOpen} onClose={onClose} />
      </Suspense>
    )
  )
}

/** `isWide` beside the sections; otherwise an icon on the bar of a phone. */
export function SearchButton({ onOpen, isWide = false }: { onOpen(): void; isWide?: boolean }) {
  const say = searchTexts.use()
  if (!isWide) {
    return (
      <ActionIcon aria-label={say('search')} onClick={onOpen} size={44} hiddenFrom="md">
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
    )
  }
  return (
    <UnstyledButton className={classes['button']!} onClick={onOpen}>
      <IconSearch size={16} aria-hidden />
      <Text span flex={1}>
        {say('search')}
      </Text>
      <kbd className={classes['keys']}>{searchKeys}</kbd>
    </UnstyledButton>
  )
}
