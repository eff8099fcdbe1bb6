/** What waits for the approval of members, and the rule that makes it wait. */
import { Skeleton, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Approval } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { IconUserCheck } from '../../ui/icons.ts'
import { ListPages } from '../../ui/list-pages.tsx'
import { useList } from '../../ui/list-screen.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { ApprovalCard } from './approval-card.tsx'
import { ApproveAll, togetherOf } from './approve-all.tsx'
import classes from './approvals.module.css'
import { Rule } from './rule.tsx'
import { approvalsTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

const Decision = lazy(() => import('./decision.tsx'))

export default function ApprovalsScreen() {
  const say = approvalsTexts.use()
  const { query } = useAccount()
  const rule = useAnswer('GET /v1/merchant/approval-rule', { query }, { isLive: true })
  const waiting = useList('GET /v1/merchant/approvals', { query: { ...query, limit: 20 } }, { isLive: true })
  const entries = waiting.data?.data
  // Not in the card: a decided entry leaves the queue before its dialog has ended.
  const [deciding, setDeciding] = useState<{ entry: Approval; verdict: 'approve' | 'refuse' }>()
  return (
    <Screen title={say('title')} text={say('text')}>
      <Section title={say('queue')} isBare>
        {Boolean(waiting.error) && <ErrorState error={waiting.error} onRetry={waiting.refetch} />}
        {entries === undefined && !waiting.error && <Skeleton h={220} />}
        {entries?.length === 0 && (
          <EmptyState
            icon={IconUserCheck}
            title={say('none')}
            {...(rule.data && { text: say(rule.data.data.rule === null ? 'noneNoRule' : 'noneText') })}
          />
        )}
        {entries && <ApproveAll entries={togetherOf(entries)} />}
        {entries && entries.length > 0 && (
          <Stack component="ul" gap="md" className={classes['queue']!} aria-label={say('queue')}>
            {entries.map((entry) => (
              <ApprovalCard key={entry.id} entry={entry} onDecide={(verdict) => setDeciding({ entry, verdict })} />
            ))}
          </Stack>
        )}
        <ListPages onOlder={waiting.onOlder} onNewest={waiting.onNewest} />
      </Section>
      <Section title={say('rule.title')}>
        {rule.data ? <Rule current={rule.data.data} /> : <Unread of={rule} placeholder={60} />}
      </Section>
      {deciding && (
        <Suspense>
          <Decision {...deciding} onClose={() => setDeciding(undefined)} />
        </Suspense>
      )}
    </Screen>
  )
}
