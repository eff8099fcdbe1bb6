/** The runs of the comparison with the providers: times, results, and a warning if a run is late. */
import { Alert, Badge, Button, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconScale } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import type { OperationsOverview, ReconciliationDay, ReconciliationRun } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import {
  figureColumn,
  headingColumn,
  momentColumn,
  moneyColumn,
  oppositeColumn,
  oppositeFigureColumn,
  plainColumn,
} from '../../ui/columns.tsx'
import { ListSection, useList } from '../../ui/list-screen.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { today } from '../../ui/days.ts'
import { dayText } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { Screen } from '../../ui/screen.tsx'
import { environmentColumn } from '../environment-badge.tsx'
import { Balances } from './balances.tsx'
import { reconciliationTexts } from './texts.ts'
import { providerName } from '../provider-name.ts'

type Source = OperationsOverview['reconciliation'][number]

const shownDays = 14

function daysAgo(days: number): string {
  return new Date(Date.parse(today()) - days * 86_400_000).toISOString().slice(0, 10)
}

function useDateText(): (day: string) => string {
  const language = useLanguage()
  return (day) => dayText(`${day}T12:00:00+03:00`, language)
}

export default function ReconciliationScreen() {
  const say = reconciliationTexts.use()
  const overview = useAnswer('GET /v1/admin/overview', {}, { isLive: 'slowly' })
  return (
    <Screen title={say('title')} text={say('text')}>
      <Late sources={overview.data?.data.reconciliation.filter(({ late }) => late) ?? []} />
      <Runs sources={overview.data?.data.reconciliation ?? []} />
      <Days />
      <Balances sources={overview.data?.data.reconciliation ?? []} />
    </Screen>
  )
}

function Late({ sources }: { sources: readonly Source[] }) {
  const say = reconciliationTexts.use()
  if (sources.length === 0) return null
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={say('late')}>
      {say('lateText')}
      <List mt={4}>
        {sources.map(({ provider, environment, subject, last_ended_at }) => (
          <List.Item key={`${provider} ${environment} ${subject}`}>
            {providerName(provider)} · {say(`environment.${environment}`)} · {say(`subject.${subject}`)}:{' '}
            {last_ended_at === null ? say('never') : <Moment at={last_ended_at} ago />}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const stateColors = { planned: 'gray', running: 'blue', ended: 'green' } as const

const kindTexts = { recent: 'recent', late: 'lateSuccesses', weekly: 'weekly', balance: 'balance' } as const

function Runs({ sources }: { sources: readonly Source[] }) {
  const say = reconciliationTexts.use()
  const dateText = useDateText()
  const list = useList('GET /v1/admin/reconciliation/runs', { query: { limit: 20 } }, { isLive: true })
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
    headingColumn(
      say('kind'),
      ({ kind, day, subject }) =>
        `${say(`subject.${subject}`)} · ${kind === 'daily' ? say('daily', { day: day === null ? '' : dateText(day) }) : say(kindTexts[kind])}`,
    ),
    plainColumn(say('provider'), ({ provider }) => providerName(provider)),
    environmentColumn(say('money'), ({ environment }) => environment),
    momentColumn(say('began'), ({ started_at }) => started_at),
    figureColumn(say('seen'), ({ seen }) => seen),
    figureColumn(say('repaired'), ({ repaired }) => repaired),
    figureColumn(say('breaks'), ({ breaks }) => breaks),
    oppositeColumn(say('status'), ({ status }) => <Badge color={stateColors[status]}>{say(`state.${status}`)}</Badge>),
  ]
  return (
    <ListSection
      title={say('runs')}
      actions={
        <Button variant="default" onClick={() => void startAll()} loading={start.isPending} disabled={sources.length === 0}>
          {say('start')}
        </Button>
      }
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconScale, title: say('noRuns') }}
    />
  )
}

function Days() {
  const say = reconciliationTexts.use()
  const dateText = useDateText()
  const list = useAnswer('GET /v1/admin/reconciliation/days', {
    query: { from: daysAgo(shownDays), to: today() },
  })
  const columns: Column<ReconciliationDay>[] = [
    headingColumn(say('day'), ({ day, subject }) => `${dateText(day)} · ${say(`subject.${subject}`)}`),
    plainColumn(say('provider'), ({ provider }) => providerName(provider)),
    environmentColumn(say('money'), ({ environment }) => environment),
    { ...moneyColumn<ReconciliationDay>(say('theirs'), ({ provider_total }) => provider_total), key: 'theirs' },
    moneyColumn(say('ours'), ({ ledger_total }) => ledger_total),
    figureColumn(say('breaks'), ({ breaks }) => breaks),
    oppositeFigureColumn(say('difference'), ({ difference }) =>
      difference === 0 ? (
        <Money amount={0} />
      ) : (
        <Text c="red" span fw={600}>
          <Money amount={difference} />
        </Text>
      ),
    ),
  ]
  return (
    <ListSection
      title={say('days')}
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/breaks" {...props} />}>
          {say('toBreaks')}
        </Button>
      }
      list={list}
      columns={columns}
      rowKey={({ run_id }) => run_id}
      none={{ icon: IconScale, title: say('noDays') }}
    />
  )
}
