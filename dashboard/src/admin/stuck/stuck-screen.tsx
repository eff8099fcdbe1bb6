/** Payments with an unknown outcome, by network, oldest first. */
import { Link, useSearch } from '@tanstack/react-router'
import { Group, SegmentedControl, Select } from '@mantine/core'
import { IconHourglassLow } from '../../ui/icons.ts'
import type { OperatorPayment } from '../../api/operations.ts'
import { amountColumn, asideColumn, headingColumn, plainColumn } from '../../ui/columns.tsx'
import { AboveRow, RowLink, type Column } from '../../ui/data-table.tsx'
import { ListRows, useList } from '../../ui/list-screen.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Note } from '../../ui/note.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { EnvironmentFilter } from '../environment-filter.tsx'
import { QueueAge, useOpenWork, waitedColumn } from '../open-work.tsx'
import { networks } from '../../ui/networks.ts'
import type { StuckFilter } from '../searches.ts'
import classes from './stuck.module.css'
import { stuckTexts } from './texts.ts'

/** The characters of a reference that tell two payments of one payer apart. */
const shownAtEnd = 6

export default function StuckScreen() {
  const say = stuckTexts.use()
  const work = useOpenWork('stuck_payments')
  const { which, network, environment, minutes, cursor } = useSearch({ from: '/signed-in/stuck' })
  const list = useList(
    'GET /v1/admin/payments/stuck',
    {
      query: {
        limit: 100,
        ...(which === undefined && { outcome: 'unknown' as const }),
        ...(network && { network }),
        ...(environment && { environment }),
        // Without it, the API uses five minutes.
        older_than_seconds: (minutes ?? 0) * 60,
      },
    },
    { isLive: 'slowly' },
  )
  const { change } = useFilter<StuckFilter>()
  const rows = list.data?.data
  const groups = rows ? [...networks, null].map((of) => [of, rows.filter((row) => row.network === of)] as const) : []
  const filled = groups.filter(([, of]) => of.length > 0)
  const columns: Column<OperatorPayment>[] = [
    headingColumn(say('payer'), ({ reference, payer }) => (
      <RowLink to="/payments/$reference" params={{ reference }}>
        {payer.name ?? payer.phone_masked}
        <span className={`code ${classes['reference']} ${classes['onWide']}`}>{reference}</span>
        <span className={`code ${classes['onPhone']}`}> …{reference.slice(-shownAtEnd)}</span>
      </RowLink>
    )),
    plainColumn(say('phone'), ({ payer }) => <span className="figures nowrap">{payer.phone_masked}</span>),
    waitedColumn(say('age'), ({ age_seconds }) => age_seconds, work),
    plainColumn(say('merchant'), ({ merchant, page }) => (
      <>
        <AboveRow>
          <Link to="/merchants/$id" params={{ id: merchant.id }}>
            {merchant.name}
          </Link>
        </AboveRow>
        {page && <Note>{page.title}</Note>}
      </>
    )),
    plainColumn(say('state'), ({ charge }) => say(`charge.${charge.state}`)),
    {
      title: say('next'),
      cell: ({ charge }) => (
        <>
          {charge.next_check_at ? <Moment at={charge.next_check_at} ago /> : say('notAgain')}
          <Note className={classes['onWide']!}>
            {charge.checks === 0 ? say('notAsked') : say('asked', { count: charge.checks })}
          </Note>
        </>
      ),
    },
    asideColumn(say('money'), (one) => <EnvironmentBadge environment={one.environment} />),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  // The ways to other pages are below the last table.
  const table = (label: string, of: OperatorPayment[], isLast: boolean) => (
    <ListRows
      label={label}
      list={
        isLast ? { ...list, data: list.data && { data: of } } : { data: { data: of }, error: undefined, refetch: list.refetch }
      }
      columns={columns}
      rowKey={({ reference }) => reference}
      none={{ icon: IconHourglassLow, title: say('empty'), text: say('emptyText') }}
    />
  )
  return (
    <Screen title={say('title')} text={say('text')}>
      <QueueAge work={work} />
      <Group align="end">
        <SegmentedControl
          aria-label={say('which')}
          value={which ?? 'unknown'}
          onChange={(value) => change({ which: value === 'all' ? 'all' : undefined })}
          data={(['unknown', 'all'] as const).map((value) => ({ value, label: say(`whichOf.${value}`) }))}
        />
        <Select
          label={say('network')}
          clearable
          placeholder={say('all')}
          w={150}
          value={network ?? null}
          onChange={(value) => change({ network: networks.find((one) => one === value) })}
          data={networks.map((value) => ({ value, label: say(`network.${value}`) }))}
        />
        <EnvironmentFilter value={environment} onChange={(value) => change({ environment: value })} />
        <SegmentedControl
          aria-label={say('older')}
          value={String(minutes ?? 0)}
          onChange={(value) => change({ minutes: Number(value) || undefined })}
          data={[
            { value: '0', label: say('minutes.any') },
            { value: '5', label: say('minutes.five') },
            { value: '30', label: say('minutes.thirty') },
            { value: '60', label: say('minutes.hour') },
            { value: '1440', label: say('minutes.day') },
          ]}
        />
      </Group>
      {filled.length === 0
        ? table(say('title'), rows ?? [], true)
        : filled.map(([of, inIt], place) => {
            const name = of === null ? say('unclear') : say(`network.${of}`)
            return (
              <Section key={name} title={list.data?.has_more || cursor !== undefined ? name : `${name} · ${inIt.length}`} isBare>
                {table(name, inIt, place === filled.length - 1)}
              </Section>
            )
          })}
    </Screen>
  )
}
