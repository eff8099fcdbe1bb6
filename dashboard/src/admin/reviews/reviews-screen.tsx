/** The queue of reviews: waiting cases with their age and reviewer; besides, decided cases. */
import { useSearch } from '@tanstack/react-router'
import { Badge, Button, Group, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconUserCheck } from '../../ui/icons.ts'
import type { ReviewCounts } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { headingColumn, momentColumn, oppositeColumn } from '../../ui/columns.tsx'
import { AboveRow, RowLink, type Columns } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { KeySwitch } from '../../ui/key-switch.tsx'
import { ListRows } from '../../ui/list-screen.tsx'
import { useFilter, useListPages } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { notifyProblem } from '../../ui/notify.ts'
import { Screen } from '../../ui/screen.tsx'
import { StatusBadge, type Status } from '../../ui/status-badge.tsx'
import { useActorName } from '../me.tsx'
import { Waited } from '../open-work.tsx'
import { operatorTexts } from '../operator-texts.ts'
import type { CaseKind } from '../review/read-case.ts'
import { useRowKeys } from '../row-keys.ts'
import type { ReviewFilter } from '../searches.ts'
import { reviewsTexts } from './texts.ts'

type Row = {
  id: string
  kind: CaseKind
  name: string
  status: Status
  submittedAt: string | null
  waiting?: { ageSeconds: number; isOverdue: boolean; isOwn: boolean; claim: { reviewer: { id: string; name: string } } | null }
}

type Rows<Of> = {
  data: { data: Of[]; has_more: boolean; next_cursor: string | null } | undefined
  error: unknown
  refetch(): unknown
}

function rowsOf<Of>({ data, error, refetch }: Rows<Of>, rowOf: (one: Of) => Row): Rows<Row> {
  return { data: data && { ...data, data: data.data.map(rowOf) }, error, refetch }
}

/** Waiting cases are one list; decided cases are two lists, people and businesses. */
function useRows({ status, kind, claimed, overdue, cursor }: ReviewFilter & { cursor?: string }): Rows<Row> {
  const place = { limit: 50, ...(cursor !== undefined && { cursor }) }
  const isWaiting = status === undefined
  const waiting = useAnswer(
    'GET /v1/admin/reviews',
    { query: { ...place, ...(kind && { kind }), ...(claimed && { claimed }), ...(overdue && { overdue: 'true' as const }) } },
    { isLive: true, isWanted: isWaiting },
  )
  const people = useAnswer(
    'GET /v1/admin/kyc',
    { query: { ...place, ...(status && { status }) } },
    { isWanted: !isWaiting && kind === 'person' },
  )
  const businesses = useAnswer(
    'GET /v1/admin/businesses',
    { query: { ...place, ...(status && { status }) } },
    { isWanted: !isWaiting && kind !== 'person' },
  )
  if (isWaiting) {
    return rowsOf(waiting, ({ id, kind: of, name, submitted_at, age_seconds, overdue: isOverdue, self_review, claim }) => ({
      id,
      kind: of,
      name,
      status: 'pending',
      submittedAt: submitted_at,
      waiting: { ageSeconds: age_seconds, isOverdue, isOwn: self_review, claim },
    }))
  }
  if (kind === 'person') {
    return rowsOf(people, ({ user_id: id, full_name: name, status: of, review }) => ({
      id,
      kind,
      name,
      status: of,
      submittedAt: review.submitted_at,
    }))
  }
  return rowsOf(businesses, ({ id, legal_name: name, status: of, review }) => ({
    id,
    kind: 'business',
    name,
    status: of,
    submittedAt: review.submitted_at,
  }))
}

export default function ReviewsScreen() {
  const say = reviewsTexts.use()
  const sayShared = operatorTexts.use()
  const nameOf = useActorName()
  const search = useSearch({ from: '/signed-in/reviews' })
  const rows = useRows(search)
  const pages = useListPages(rows.data)
  const { filter, change } = useFilter<ReviewFilter>()
  const claim = useAction('POST /v1/admin/reviews/{merchant_id}/claim', ['GET /v1/admin/reviews', 'GET /v1/admin/reviews/counts'])
  const take = (id: string) => claim.mutate({ params: { merchant_id: id }, body: {} }, { onError: notifyProblem })
  const list = useRowKeys({ t: take })
  const isWaiting = filter.status === undefined

  const columns: Columns<Row> = [
    headingColumn(say('name'), ({ id, name }) => (
      <RowLink to="/reviews/$id" params={{ id }} data-row={id}>
        {name}
      </RowLink>
    )),
    { title: say('kind'), cell: ({ kind }) => sayShared(kind) },
    momentColumn(say('submitted'), ({ submittedAt }) => submittedAt),
    isWaiting &&
      oppositeColumn(
        say('age'),
        ({ waiting }) => waiting && <Waited seconds={waiting.ageSeconds} overdueAfter={waiting.isOverdue ? 0 : undefined} />,
      ),
    isWaiting && {
      title: say('reviewer'),
      cell: ({ id, name, waiting }) => {
        if (waiting?.claim) return nameOf(waiting.claim.reviewer.id, waiting.claim.reviewer.name)
        if (waiting?.isOwn) return <Badge color="gray">{say('selfReview')}</Badge>
        return (
          <AboveRow>
            <Button size="xs" variant="default" onClick={() => take(id)} aria-label={`${say('take')}: ${name}`}>
              {say('take')}
            </Button>
          </AboveRow>
        )
      },
    },
    !isWaiting && oppositeColumn(sayShared('status'), ({ status }) => <StatusBadge status={status} />),
  ]
  return (
    <Screen title={say('title')} text={say('text')}>
      <Counts />
      <Stack gap="sm">
        <Group gap="md">
          <SegmentedControl
            aria-label={say('status')}
            value={filter.status ?? 'waiting'}
            onChange={(value) =>
              change({
                status: value === 'waiting' ? undefined : (value as 'verified' | 'rejected'),
                kind: value === 'waiting' ? filter.kind : (filter.kind ?? 'business'),
                claimed: undefined,
                overdue: undefined,
              })
            }
            data={(['waiting', 'verified', 'rejected'] as const).map((value) => ({ value, label: say(value) }))}
          />
          <SegmentedControl
            aria-label={say('kind')}
            value={filter.kind ?? (isWaiting ? 'all' : 'business')}
            onChange={(value) => change({ kind: value === 'all' ? undefined : (value as CaseKind) })}
            data={[
              ...(isWaiting ? [{ value: 'all', label: sayShared('all') }] : []),
              { value: 'person', label: sayShared('people') },
              { value: 'business', label: sayShared('businesses') },
            ]}
          />
          {isWaiting && (
            <Switch
              checked={filter.overdue === true}
              onChange={(event) => change({ overdue: event.currentTarget.checked || undefined })}
              label={say('onlyOverdue')}
            />
          )}
          {isWaiting && (
            <SegmentedControl
              aria-label={say('claimed')}
              value={filter.claimed ?? 'anybody'}
              onChange={(value) => change({ claimed: value === 'anybody' ? undefined : (value as 'me' | 'none') })}
              data={[
                { value: 'anybody', label: say('anybody') },
                { value: 'me', label: say('mine') },
                { value: 'none', label: say('nobody') },
              ]}
            />
          )}
        </Group>
        <div ref={list}>
          <ListRows
            label={say('title')}
            list={{ ...rows, ...pages }}
            columns={columns}
            rowKey={({ id }) => id}
            none={
              isWaiting && filter.kind === undefined && filter.claimed === undefined && filter.overdue === undefined
                ? { icon: IconUserCheck, title: say('empty'), text: say('emptyText') }
                : { icon: IconUserCheck, title: say('noneSuch') }
            }
          />
        </div>
        <KeySwitch visibleFrom="sm" label={say('keys')} />
      </Stack>
    </Screen>
  )
}

function Counts() {
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/reviews/counts', {}, { isLive: 'slowly' })
  if (error && !answer) return <ErrorState error={error} onRetry={refetch} />
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {answer
        ? answer.data.map((counts) => <Count key={counts.kind} {...counts} />)
        : [1, 2].map((key) => <Skeleton key={key} h={118} />)}
    </SimpleGrid>
  )
}

function Count({ kind, waiting, claimed, overdue, oldest_submitted_at, verified, rejected }: ReviewCounts) {
  const say = reviewsTexts.use()
  const written = (value: number) => count(value)
  const title = say(`of.${kind}.waiting`)
  const counts = { claimed: written(claimed), overdue: written(overdue) }
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Group justify="space-between">
        <Text c="dimmed">{title}</Text>
        {overdue > 0 && <Badge color="red">{say(`of.${kind}.late`, counts)}</Badge>}
      </Group>
      <Text fz={26} fw={650} lh={1.4} className="figures">
        {written(waiting)}
      </Text>
      <Note>
        {say(`of.${kind}.count`, counts)}
        {oldest_submitted_at !== null && (
          <>
            {' · '}
            {say(`of.${kind}.oldest`)}
            <Moment at={oldest_submitted_at} ago />
          </>
        )}
      </Note>
      <Note>{say(`of.${kind}.decided`, { verified: written(verified), rejected: written(rejected) })}</Note>
    </Paper>
  )
}
