/** Asks before the decision of a member: what leaves, in figures and words, and what happens next. A refusal needs a reason. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import type { Approval, ApprovalOutcome } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { amountInWords } from '../../ui/amount-words.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { momentText } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount, type Account } from '../account.ts'
import { amountOf, ApprovalChanges, versionOf } from '../approval-changes.tsx'
import { Recipient, titleOf } from './approval-card.tsx'
import { refusalOf } from './refusal.ts'
import { ruleSentence } from './rule-sentence.ts'
import { approvalsTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

type Props = { entry: Approval; verdict: 'approve' | 'refuse'; onClose(): void }

/** What happens after the last approval: the operators' approval comes after the members'. */
async function readNext({ id, kind }: Approval, query: Account['query']) {
  const wanted = { params: { id }, query }
  const { data } =
    kind === 'refund' ? await call('GET /v1/merchant/refunds/{id}', wanted) : await call('GET /v1/merchant/payouts/{id}', wanted)
  return { isForOperators: data.approval === 'required', waitsUntil: 'waits_until' in data ? data.waits_until : null }
}

export default function Decision({ entry, verdict, onClose }: Props) {
  const say = approvalsTexts.use()
  const { query } = useAccount()
  const { hash } = useLocation()
  const approve = useAction('POST /v1/merchant/approvals/{id}/approve')
  const refuse = useAction('POST /v1/merchant/approvals/{id}/refuse')

  const announce = async (outcome: ApprovalOutcome['outcome']): Promise<void> => {
    onClose()
    if (outcome !== 'approved') return notifyDone(say(outcome))
    if (entry.kind === 'rule_change') return notifyDone(say('ruleHolds'))
    if (entry.kind === 'member_role') return notifyDone(say('roleGiven'))
    if (entry.method === 'outside') return notifyDone(say('recorded'))
    if (entry.kind === 'payout_batch') return notifyDone(say('sent'))
    // Without this answer, the approval is still done.
    const next = await readNext(entry, query).catch(() => undefined)
    if (next?.isForOperators) return notifyDone(say('operators'))
    const until = next?.waitsUntil
    return notifyDone(until ? say('later', { when: momentText(until) }) : say('sent'))
  }
  const params = { id: entry.id }
  const seen = (): number => versionOf(entry.version, form.error)
  const form = useForm({
    fields: { reason: '' },
    send: async ({ reason }) => {
      const { data } = await (verdict === 'approve'
        ? approve.mutateAsync({ params, query, body: { version: seen(), ...(entry.confirmed_by_mail && { token: hash }) } })
        : refuse.mutateAsync({ params, query, body: { version: seen(), reason: reason.trim() } }))
      await announce(data.outcome)
    },
  })
  const now = { ...entry, amount: amountOf(entry.amount, form.error) }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={say(verdict === 'approve' ? 'approveTitle' : 'refuseTitle', { what: titleOf(say, now) })}
      action={say(verdict)}
      isDanger={verdict === 'refuse'}
      isReady={verdict === 'approve' || form.values.reason.trim() !== ''}
      of={form}
    >
      <ApprovalChanges error={form.error} />
      {verdict === 'approve' ? (
        <Approving entry={now} />
      ) : (
        <Stack>
          <Text>{say(refusalOf(entry))}</Text>
          <TextInput
            label={say('reason')}
            description={say('reasonHint')}
            required
            withAsterisk={false}
            maxLength={500}
            {...form.field('reason')}
            autoComplete="off"
            data-autofocus
          />
        </Stack>
      )}
    </ConfirmDialog>
  )
}

function Approving({
  entry: { amount, approved_by: votes, approvers_needed: needed, kind, method, recipient, rule },
}: {
  entry: Approval
}) {
  const say = approvalsTexts.use()
  const language = useLanguage()
  const isLast = votes.length + 1 >= needed
  const money = method === 'outside' ? 'approveOutside' : 'approveLast'
  const next = kind === 'rule_change' ? 'approveRule' : kind === 'member_role' ? 'approveRole' : money
  return (
    <Stack gap="xs">
      {amount !== null && <Text c="dimmed">{amountInWords(amount)[language]}</Text>}
      {recipient !== null && (
        <Text>
          <Recipient {...recipient} />
        </Text>
      )}
      {kind === 'rule_change' && <Text>{ruleSentence(say, rule)}</Text>}
      <Text>{say(isLast ? next : 'approveMore')}</Text>
    </Stack>
  )
}
