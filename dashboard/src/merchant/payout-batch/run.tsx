/** A batch on its way: how far it is, live, and how it ended. */
import { Group, Paper, Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { PayoutBatch } from '../../api/operations.ts'
import { count, money, momentText } from '../../ui/format.ts'
import classes from './payout-batch.module.css'
import { payoutBatchTexts } from './texts.ts'

const parts = [
  ['completed', 'green'],
  ['failed', 'red'],
  ['cancelled', 'gray.5'],
  ['sent', 'blue'],
  ['waiting', undefined],
] as const

export function Run({ batch }: { batch: PayoutBatch }) {
  const say = payoutBatchTexts.use()
  const { rows, progress, status, finished_at: finishedAt } = batch
  const ended = progress.completed + progress.failed + progress.cancelled
  const text = say('ended', { done: count(ended), rows: count(rows) })
  const state = status === 'stopped' ? 'state_stopped' : status === 'done' ? 'state_done' : 'state_running'
  return (
    <Paper p="lg" component="section" aria-label={say('progress')}>
      {/* The state, not each number: a screen reader would never be silent. */}
      <VisuallyHidden role="status">{say(state)}</VisuallyHidden>
      <Stack>
        <Group justify="space-between" gap="xs">
          <Text fw={600}>{text}</Text>
          <Text fw={600}>{say('paid', { amount: money(progress.paid_amount) })}</Text>
        </Group>
        <Progress.Root size="lg">
          {parts.map(
            ([part, color]) =>
              color && (
                <Progress.Section
                  key={part}
                  value={rows === 0 ? 0 : (progress[part] / rows) * 100}
                  color={color}
                  aria-label={say(`part.${part}`)}
                />
              ),
          )}
        </Progress.Root>
        <dl className={classes['parts']}>
          {parts.map(([part]) => (
            <div key={part}>
              <dt>{say(`part.${part}`)}</dt>
              <dd className="figures">{count(progress[part])}</dd>
            </div>
          ))}
        </dl>
        {finishedAt !== null && <Text c="dimmed">{say('finished', { when: momentText(finishedAt) })}</Text>}
      </Stack>
    </Paper>
  )
}
