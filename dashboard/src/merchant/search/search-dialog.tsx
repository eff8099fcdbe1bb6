/** Finds anything of a wallet by a name, number or id, and opens it; without input it lists the sections. Keyboard is enough. */
import { Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconArrowBackUp,
  IconArrowsExchange,
  IconBell,
  IconLink,
  IconReceipt,
  IconSearch,
  IconSend,
  type Icon,
} from '../../ui/icons.ts'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { SearchResult } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Money } from '../../ui/money.tsx'
import { searchedText } from '../../ui/searched-text.ts'
import { useAccount } from '../account.ts'
import { sections } from '../sections.ts'
import { shellTexts } from '../shell-texts.ts'
import classes from './search.module.css'
import { searchTexts } from './texts.ts'

const typingMs = 150

const signs: Record<SearchResult['type'], Icon> = {
  payment: IconArrowsExchange,
  refund: IconArrowBackUp,
  payout: IconSend,
  payment_page: IconLink,
  transaction: IconReceipt,
  event: IconBell,
}

/** A target below the wallet in the address. */
type Goal = { key: string; to: string; group: string; title: string; icon: Icon; detail?: string; amount?: number }

/** A refund, a wallet line and an event open the payment that they belong to. */
function pathTo({ type, id, reference }: SearchResult): string {
  if (type === 'payment_page') return `/pages/${id}`
  if (type === 'payout') return `/payouts/${id}`
  return reference === null ? '/statement' : `/payments/${reference}`
}

function useGoals(typed: string): { goals: Goal[]; isSearched: boolean; error: unknown; isBusy: boolean } {
  const say = searchTexts.use()
  const sayShell = shellTexts.use()
  const { query } = useAccount()
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const isSearched = searchedText(q) !== undefined
  const found = useAnswer('GET /v1/merchant/search', { query: { ...query, q } }, { isWanted: isSearched })
  const named = sections
    .map(({ path, name, icon }): Goal => {
      const to = path.replace('/$owner/$environment', '')
      return { key: path, to, group: say('sections'), title: sayShell(name), icon }
    })
    .filter(({ title }) => title.toLowerCase().includes(typed.trim().toLowerCase()))
  const results = (isSearched ? (found.data?.data ?? []) : []).map((result): Goal => ({
    key: `${result.type} ${result.id}`,
    to: pathTo(result),
    group: say(`kinds.${result.type}`),
    title: result.title,
    icon: signs[result.type],
    ...(result.detail !== null && { detail: result.detail }),
    ...(result.amount !== null && { amount: result.amount }),
  }))
  return {
    goals: [...results, ...named],
    isSearched,
    error: isSearched ? found.error : null,
    isBusy: isSearched && (found.isFetching || q !== typed.trim()),
  }
}

export default function SearchDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const say = searchTexts.use()
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      centered={false}
      yOffset="12dvh"
      title={say('search')}
      transitionProps={{ duration: 0 }}
    >
      <SearchField onClose={onClose} />
    </Modal>
  )
}

function SearchField({ onClose }: { onClose(): void }) {
  const say = searchTexts.use()
  const { owner, environment } = useAccount()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { goals, isSearched, error, isBusy } = useGoals(typed)
  const at = Math.min(chosen, Math.max(0, goals.length - 1))
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not return.
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const go = (goal: Goal | undefined): void => {
    if (!goal) return
    onClose()
    void navigate({ to: `/${owner}/${environment}${goal.to}` })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, goals.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0))
    // The typed text is not yet searched: Enter would open a row of the previous search.
    else if (event.key === 'Enter' && !isBusy) go(goals[at])
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        data-autofocus
        aria-label={say('placeholder')}
        placeholder={say('placeholder')}
        leftSection={<IconSearch size={16} aria-hidden />}
        role="combobox"
        aria-expanded={goals.length > 0}
        aria-controls="search-results"
        aria-autocomplete="list"
        {...(goals.length > 0 && { 'aria-activedescendant': `search-result-${at}` })}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Text size="sm" c="dimmed" role="status" mt="xs" mih={20}>
        {isBusy ? say('searching') : isSearched ? say('found', { count: goals.length }) : ''}
      </Text>
      {Boolean(error) && <ErrorState error={error} />}
      <div id="search-results" role="listbox" aria-label={say('results')} className={classes['results']} ref={list}>
        {goals.map((goal, index) => (
          <div key={goal.key} role="presentation">
            {goal.group !== goals[index - 1]?.group && (
              <div className={classes['group']} role="presentation">
                {goal.group}
              </div>
            )}
            {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's, which keeps the focus */}
            <div
              id={`search-result-${index}`}
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              className={classes['result']}
              onPointerMove={() => setChosen(index)}
              onClick={() => go(goal)}
            >
              <goal.icon size={18} stroke={1.6} aria-hidden />
              <span className={classes['words']}>
                {goal.title}
                {goal.detail !== undefined && <div className={classes['detail']}>{goal.detail}</div>}
              </span>
              {goal.amount !== undefined && <Money amount={goal.amount} />}
            </div>
          </div>
        ))}
      </div>
    </>
  )
}
