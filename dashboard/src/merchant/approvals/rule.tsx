/** The approval rule of a wallet in one sentence, its pending change, and its buttons. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import type { ApprovalRule } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { money, momentText } from '../../ui/format.ts'
import { IconClock } from '../../ui/icons.ts'
import { notifyDone, told } from '../../ui/notify.ts'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { ruleSentence } from './rule-sentence.ts'
import { approvalsTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

const RuleForm = lazy(() => import('./rule-form.tsx'))

export function Rule({ current: { rule, pending_change: pending } }: { current: ApprovalRule }) {
  const say = approvalsTexts.use()
  const { environment } = useAccount()
  const mayChange = useCan()('rules.write') === true
  const [isEditing, editing] = useDisclosure()
  const [isRemoving, removing] = useDisclosure()
  return (
    <Stack>
      <div>
        <Text fw={600}>{ruleSentence(say, rule)}</Text>
        <Text c="dimmed">{say(environment === 'test' ? 'rule.inTest' : 'rule.inLive')}</Text>
      </div>
      {pending && (
        <Alert color="yellow" icon={<IconClock aria-hidden />} title={say('rule.pending')}>
          <Text>{pending.rule === null ? say('rule.pendingNone') : ruleSentence(say, pending.rule)}</Text>
          <Text>{say('rule.pendingUntil', { when: momentText(pending.expires_at) })}</Text>
        </Alert>
      )}
      {mayChange && rule?.asks_total && !pending && <AskTotal rule={rule} />}
      {mayChange && (
        <Group gap="xs">
          <Button variant={rule === null ? 'filled' : 'default'} onClick={editing.open}>
            {say(rule === null ? 'rule.set' : 'rule.change')}
          </Button>
          {rule !== null && (
            <Button variant="default" onClick={removing.open}>
              {say('rule.remove')}
            </Button>
          )}
        </Group>
      )}
      {isEditing && (
        <Suspense>
          <RuleForm rule={rule} onClose={editing.close} />
        </Suspense>
      )}
      <RemoveRule isOpen={isRemoving} onClose={removing.close} />
    </Stack>
  )
}

/** Once, for a rule that is older than the limit of the day. */
function AskTotal({ rule: { above, approvers } }: { rule: NonNullable<ApprovalRule['rule']> }) {
  const say = approvalsTexts.use()
  const { query } = useAccount()
  const set = useAction('POST /v1/merchant/approval-rule')
  const answer = (total: number | null): void =>
    set.mutate({ query, body: { above, above_total: total, approvers } }, told(say('rule.holds')))
  return (
    <Alert color="yellow" title={say('rule.asksTotal')}>
      <Text>{say('rule.asksTotalText')}</Text>
      <Group gap="xs" mt="xs">
        <Button loading={set.isPending} onClick={() => answer(5 * above)}>
          {say('rule.setTotal', { amount: money(5 * above) })}
        </Button>
        <Button variant="default" disabled={set.isPending} onClick={() => answer(null)}>
          {say('rule.noTotal')}
        </Button>
      </Group>
    </Alert>
  )
}

function RemoveRule({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const say = approvalsTexts.use()
  const { query } = useAccount()
  const remove = useAction('DELETE /v1/merchant/approval-rule')
  const form = useForm({
    send: async () => {
      const { data } = await remove.mutateAsync({ query })
      onClose()
      notifyDone(say(data.pending_change ? 'rule.waits' : 'rule.removed'))
    },
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={say('rule.removeTitle')}
      action={say('rule.remove')}
      isDanger
      of={form}
    >
      {say('rule.removeText')}
    </ConfirmDialog>
  )
}
