/** Sets the approval rule: above which sums, and how many approvals. */
import { LinkButton } from '../links.tsx'
import { Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isRefusal } from '../../api/call.ts'
import type { ApprovalRule } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { useKept } from '../../ui/fields.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { approvalsTexts } from './texts.ts'

type Props = { rule: ApprovalRule['rule']; onClose(): void }

export default function RuleForm({ rule, onClose }: Props) {
  const say = approvalsTexts.use()
  return (
    <Modal opened onClose={onClose} title={say('rule.form')}>
      <Fields rule={rule} onClose={onClose} />
    </Modal>
  )
}

function Fields({ rule, onClose }: Props) {
  const say = approvalsTexts.use()
  const { query } = useAccount()
  const typed = useKept({ above: rule?.above, approvers: rule?.approvers ?? (1 as const) })
  const { above } = typed.value
  // Until someone types it, it follows from the other amount.
  const [typedTotal, setTypedTotal] = useState<{ total: number | undefined } | undefined>(
    rule && !rule.asks_total ? { total: rule.above_total ?? undefined } : undefined,
  )
  const total = typedTotal ? typedTotal.total : above === undefined ? undefined : 5 * above
  const set = useAction('POST /v1/merchant/approval-rule')
  const form = useForm({
    kept: typed,
    required: ['above'],
    send: async ({ above, approvers }) => {
      const { data } = await set.mutateAsync({ query, body: { above: above!, above_total: total ?? null, approvers } })
      onClose()
      notifyDone(say(data.pending_change ? 'rule.waits' : 'rule.holds'))
    },
  })
  return (
    <Form of={form}>
      <Text c="dimmed">{say('rule.formText')}</Text>
      {isRefusal(form.error, 'approvers_missing') && (
        <LinkButton variant="default" to="./team">
          {say('rule.toTeam')}
        </LinkButton>
      )}
      <AmountInput label={say('rule.above')} description={say('rule.aboveHint')} data-autofocus {...form.control('above')} />
      <AmountInput
        label={say('rule.aboveTotal')}
        description={say('rule.aboveTotalHint')}
        value={total}
        onChange={(value) => setTypedTotal({ total: value })}
        error={form.problems['above_total']}
      />
      <Radio.Group
        label={say('rule.approvers')}
        value={String(form.values.approvers)}
        onChange={(value) => form.change({ approvers: value === '2' ? 2 : 1 })}
      >
        <Stack gap="xs" mt="xs">
          <Radio size="md" value="1" label={say('rule.one')} description={say('rule.oneHint')} />
          <Radio size="md" value="2" label={say('rule.two')} description={say('rule.twoHint')} />
        </Stack>
      </Radio.Group>
      <DialogButtons of={form} onCancel={onClose} action={say('rule.save')} />
    </Form>
  )
}
