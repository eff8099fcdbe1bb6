/** The runs of the comparison with the providers: times, results, and a warning if a run is late. */
import { Alert, Badge, Button, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconScale } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import type { OperationsOverview, ReconciliationDay, ReconciliationRun } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { today } from '../../ui/days.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { dayText } from '../../ui/format.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { reconciliationRoute } from '../routes.ts'
import { reconciliationTexts } from './texts.ts'

type Source = OperationsOverview['reconciliation'][number]

const shownDays = 14

function daysAgo(days: number): string {
  return new Date(Date.parse(today()) - days * 86_400_000).toISOString().slice(0, 10)
}

function useDateText(): (day: string) => string {
  const language = useLanguage()
  return (day) => dayText(`${day}T12:00:00+03:00`, language)
}

export function ReconciliationScreen() {
  const say = reconciliationTexts.use()
  const overview = useAnswer('GET /v1/admin/overview', {}, { isLive: 'slowly' })
  return (
    <Screen title={say('title')} text={say('text')}>
      <Late sources={overview.data?.data.reconciliation.filter(({ late }) => late) ?? []} />
      <Runs sources={overview.data?.data.reconciliation ?? []} />
      <Days />
    </Screen>
  )
}

function Late({ sources }: { sources: readonly Source[] }) {
  const say = reconciliationTexts.use()
  const sayOperator = operatorTexts.use()
  if (sources.length === 0) return null
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={say('late')}>
      {say('lateText')}
      <List mt={4}>
        {sources.map(({ provider, environment, subject, last_ended_at }) => (
          <List.Item key={`${provider} ${environment} ${subject}`}>
            {provider} · {sayOperator(`environment.${environment}`)} · {say(`subject.${subject}`)}:{' '}
            {last_ended_at === null ? sayOperator('never') : <Moment at={last_ended_at} ago />}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const stateColors = { planned: 'gray', running: 'blue', ended: 'green' } as const

const kindTexts = { recent: 'recent', late: 'lateSuccesses' } as const

function Runs({ sources }: { sources: readonly Source[] }) {
  const say = reconciliationTexts.use()
  const sayOperator = operatorTexts.use()
  const dateText = useDateText()
  const { cursor } = reconciliationRoute.useSearch()
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer(
    'GET /v1/admin/reconciliation/runs',
    { query: { limit: 20, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  const { onOlder, onNewest } = useListSearch(answer)
  const start = useAction('POST /v1/admin/reconciliation/runs')
  const startAll = async (): Promise<void> => {
    try {
      for (const { environment, provider, subject } of sources) {
        await start.mutateAsync({ body: { kind: 'recent', environment, provider, subject } })
      }
      notifyDone(say('started'))
    } catch (problem) {
      notifyProblem(problem)
    }
  }
  const columns: Column<ReconciliationRun>[] = [
    {
      key: 'kind',
      title: say('kind'),
      onCard: 'heading',
      cell: ({ kind, day, subject }) =>
        `${say(`subject.${subject}`)} · ${kind === 'daily' ? say('daily', { day: day === null ? '' : dateText(day) }) : say(kindTexts[kind])}`,
    },
    { key: 'provider', title: sayOperator('provider'), cell: ({ provider }) => provider },
    {
      key: 'environment',
      title: sayOperator('money'),
      cell: ({ environment }) => <EnvironmentBadge environment={environment} />,
    },
    { key: 'began', title: say('began'), cell: ({ started_at }) => (started_at ? <Moment at={started_at} /> : '–') },
    { key: 'ended', title: say('ended'), cell: ({ ended_at }) => (ended_at ? <Moment at={ended_at} ago /> : '–') },
    { key: 'seen', title: say('seen'), isFigure: true, cell: ({ seen }) => seen },
    { key: 'repaired', title: say('repaired'), isFigure: true, cell: ({ repaired }) => repaired },
    { key: 'breaks', title: say('breaks'), isFigure: true, cell: ({ breaks }) => breaks },
    {
      key: 'state',
      title: sayOperator('status'),
      onCard: 'opposite',
      cell: ({ status }) => <Badge color={stateColors[status]}>{say(`state.${status}`)}</Badge>,
    },
  ]
  return (
    <Section
      title={say('runs')}
      isBare
      actions={
        <Button variant="default" onClick={() => void startAll()} loading={start.isPending} disabled={sources.length === 0}>
          {say('start')}
        </Button>
      }
    >
      <DataTable
        label={say('runs')}
        columns={columns}
        rows={answer?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={refetch}
        onOlder={onOlder}
        onNewest={onNewest}
        empty={<EmptyState icon={IconScale} title={say('noRuns')} />}
      />
    </Section>
  )
}

function Days() {
  const say = reconciliationTexts.use()
  const sayOperator = operatorTexts.use()
  const dateText = useDateText()
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/reconciliation/days', {
    query: { from: daysAgo(shownDays), to: today() },
  })
  const columns: Column<ReconciliationDay>[] = [
    {
      key: 'day',
      title: say('day'),
      onCard: 'heading',
      cell: ({ day, subject }) => `${dateText(day)} · ${say(`subject.${subject}`)}`,
    },
    { key: 'provider', title: sayOperator('provider'), cell: ({ provider }) => provider },
    {
      key: 'environment',
      title: sayOperator('money'),
      cell: ({ environment }) => <EnvironmentBadge environment={environment} />,
    },
    { key: 'theirs', title: say('theirs'), isFigure: true, cell: ({ provider_total }) => <Money amount={provider_total} /> },
    { key: 'ours', title: say('ours'), isFigure: true, cell: ({ ledger_total }) => <Money amount={ledger_total} /> },
    { key: 'breaks', title: say('breaks'), isFigure: true, cell: ({ breaks }) => breaks },
    {
      key: 'difference',
      title: say('difference'),
      isFigure: true,
      onCard: 'opposite',
      cell: ({ difference }) =>
        difference === 0 ? (
          <Money amount={0} />
        ) : (
          <Text c="red" span fw={600}>
            <Money amount={difference} />
          </Text>
        ),
    },
  ]
  return (
    <Section
      title={say('days')}
      isBare
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/breaks" {...props} />}>
          {say('toBreaks')}
        </Button>
      }
    >
      <DataTable
        label={say('days')}
        columns={columns}
        rows={answer?.data}
        rowKey={({ run_id }) => run_id}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon={IconScale} title={say('noDays')} />}
      />
    </Section>
  )
}
