/** Approves all of a list that the person has read, one after the other, each in the version that was shown. */
import { Button, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Approval } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { amountInWords } from '../../ui/amount-words.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useForm } from '../../ui/form.tsx'
import { money } from '../../ui/format.ts'
import { IconCheck } from '../../ui/icons.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { titleOf } from './approval-card.tsx'
import { approvalsTexts } from './texts.ts'

/** What of the list can be approved together: money, and not what guards it. */
export const togetherOf = (entries: readonly Approval[]): Approval[] =>
  entries.filter(({ may_decide: mayDecide, amount }) => mayDecide && amount !== null)

export function ApproveAll({ entries }: { entries: Approval[] }) {
  const say = approvalsTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const client = useQueryClient()
  const approve = useAction('POST /v1/merchant/approvals/{id}/approve', [])
  // As it was shown: what arrives meanwhile is not approved.
  const [shown, setShown] = useState<Approval[]>()
  const sum = (shown ?? entries).reduce((total, { amount }) => total + (amount ?? 0), 0)
  const form = useForm({
    send: async () => {
      try {
        for (const { id, version } of shown ?? []) {
          await approve.mutateAsync({ params: { id }, query, body: { version } })
          setShown((left) => left?.filter((one) => one.id !== id))
        }
        setShown(undefined)
        notifyDone(say('allApproved'))
      } finally {
        void client.invalidateQueries()
      }
    },
  })
  return (
    <>
      {entries.length > 1 && (
        <Button variant="default" leftSection={<IconCheck size={16} aria-hidden />} onClick={() => setShown(entries)}>
          {say('approveAll', { count: entries.length, amount: money(sum) })}
        </Button>
      )}
      <ConfirmDialog
        isOpen={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={say('approveAllTitle', { count: shown?.length ?? 0 })}
        action={say('approve')}
        of={form}
      >
        <Stack gap="xs">
          <Text fw={600}>{money(sum)}</Text>
          <Text c="dimmed">{amountInWords(sum)[language]}</Text>
          <ul>
            {shown?.map((entry) => (
              <li key={entry.id}>{titleOf(say, entry)}</li>
            ))}
          </ul>
        </Stack>
      </ConfirmDialog>
    </>
  )
}
