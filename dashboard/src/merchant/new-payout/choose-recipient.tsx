/** Chooses one of the saved recipients, found by name or number. */
import { Modal, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Recipient } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { momentText, phoneText } from '../../ui/format.ts'
import { IconSearch } from '../../ui/icons.ts'
import { searchedText } from '../../ui/searched-text.ts'
import { useAccount } from '../account.ts'
import classes from './new-payout.module.css'
import { newPayoutTexts } from './texts.ts'

type Props = { isOpen: boolean; onClose(): void; onChoose(recipient: Recipient): void }

export default function ChooseRecipient({ isOpen, onClose, onChoose }: Props) {
  const say = newPayoutTexts.use()
  return (
    <Modal opened={isOpen} onClose={onClose} title={say('choose')}>
      {isOpen && <List onClose={onClose} onChoose={onChoose} />}
    </Modal>
  )
}

function List({ onClose, onChoose }: Omit<Props, 'isOpen'>) {
  const say = newPayoutTexts.use()
  const { query } = useAccount()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 300)
  const q = searchedText(text)
  const { data, error, refetch } = useAnswer('GET /v1/merchant/recipients', {
    query: { ...query, limit: 20, ...(q !== undefined && { q }) },
  })
  const recipients = data?.data
  return (
    <Stack>
      <TextInput
        type="search"
        aria-label={say('search')}
        placeholder={say('search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        data-autofocus
      />
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!recipients && !error && <Skeleton h={120} />}
      {recipients?.length === 0 && <Text c="dimmed">{say(q === undefined ? 'noneSaved' : 'noneFound')}</Text>}
      {recipients && recipients.length > 0 && (
        <ul className={classes['list']} aria-label={say('choose')}>
          {recipients.map((recipient) => (
            <li key={recipient.id}>
              <UnstyledButton
                className={classes['one']!}
                onClick={() => {
                  onChoose(recipient)
                  onClose()
                }}
              >
                <Text fw={600}>{recipient.name}</Text>
                <Note className="figures">
                  {phoneText(recipient.phone_number)}
                  {recipient.last_paid_at !== null && ` · ${say('lastPaid', { when: momentText(recipient.last_paid_at) })}`}
                </Note>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}
