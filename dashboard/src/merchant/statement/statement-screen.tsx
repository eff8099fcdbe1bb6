/** A month of the wallet: opening and closing balance, and every line with a link to its cause. */
import { useSearch } from '@tanstack/react-router'
import { ActionIcon, Badge, Group, NativeSelect, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconChevronLeft, IconChevronRight, IconReceipt } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import type { Statement } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { amountColumn, figureColumn, headingColumn } from '../../ui/columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { monthBy, monthsToPick, thisMonth } from '../../ui/days.ts'
import { DownloadButton } from '../../ui/download-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { count, monthText } from '../../ui/format.ts'
import { ListSection, useList } from '../../ui/list-screen.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { StatementMail } from './statement-mail.tsx'
import { StatementLines } from './statement-lines.tsx'
import { statementTexts } from './texts.ts'

const rowsAtOnce = 50

export default function StatementScreen() {
  const say = statementTexts.use()
  const { query } = useAccount()
  const { month = thisMonth() } = useSearch({ from: '/signed-in/$owner/$environment/statement' })
  const isNow = month === thisMonth()
  const statement = useAnswer('GET /v1/merchant/statement', { query: { ...query, month } }, { isLive: isNow })
  const read = statement.data?.data.month === month ? statement.data.data : undefined
  const lines = useList(
    'GET /v1/merchant/transactions',
    {
      query: {
        ...query,
        direction: 'all',
        limit: rowsAtOnce,
        ...(read && { created_from: read.from, created_to: read.to }),
      },
    },
    { isLive: isNow, isWanted: read !== undefined },
  )
  const { change } = useFilter<{ month: string }>()
  const fetchFile = (accept: string) =>
    download('GET /v1/merchant/statement', { query: { ...query, month, csv_language: currentLanguage() }, accept })
  return (
    <Screen
      title={say('title')}
      text={say('text')}
      actions={
        <>
          <DownloadButton onFetch={() => fetchFile('application/pdf')}>PDF</DownloadButton>
          <DownloadButton onFetch={() => fetchFile('text/csv')}>CSV</DownloadButton>
        </>
      }
    >
      <MonthPicker
        month={month}
        first={statement.data?.data.first_month ?? month}
        onPick={(picked) => change({ month: picked })}
      />
      {statement.error && !read ? (
        <ErrorState error={statement.error} onRetry={statement.refetch} />
      ) : (
        <>
          <Balances statement={read} />
          <StatementMail />
          <Section title={say('lines')} isBare>
            <StatementLines list={{ ...lines, data: read && lines.data }} />
          </Section>
          {read && read.totals.length > 0 && <Totals totals={read.totals} />}
        </>
      )}
    </Screen>
  )
}

/** `first`: of the account; nothing was booked before it. */
function MonthPicker({ month, first, onPick }: { month: string; first: string; onPick(month: string): void }) {
  const say = statementTexts.use()
  return (
    <Group gap="xs">
      <ActionIcon
        size={42}
        variant="default"
        aria-label={say('before')}
        disabled={month <= first}
        onClick={() => onPick(monthBy(month, -1))}
      >
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <NativeSelect
        aria-label={say('month')}
        value={month}
        onChange={({ currentTarget }) => onPick(currentTarget.value)}
        data={monthsToPick(month, first).map((value) => ({ value, label: monthText(value) }))}
      />
      <ActionIcon
        size={42}
        variant="default"
        aria-label={say('after')}
        disabled={month >= thisMonth()}
        onClick={() => onPick(monthBy(month, 1))}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

function Balances({ statement }: { statement: Statement | undefined }) {
  const say = statementTexts.use()
  const figures = [
    ['opening', statement?.opening_balance],
    ['credits', statement?.total_credits],
    ['debits', statement && -statement.total_debits],
    ['closing', statement?.closing_balance],
  ] as const
  return (
    <Paper p="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }} verticalSpacing="md">
        {figures.map(([name, amount]) => (
          <div key={name}>
            <Note>{say(name)}</Note>
            {amount === undefined ? (
              <Skeleton h={24} w={120} mt={4} />
            ) : (
              <Text fz={{ base: 17, xs: 20 }} fw={650}>
                <Money amount={amount} />
              </Text>
            )}
          </div>
        ))}
      </SimpleGrid>
      {statement && (
        <Group gap="xs" mt="md">
          <Badge color={statement.is_final ? 'green' : 'yellow'}>{say(statement.is_final ? 'final' : 'notFinal')}</Badge>
          {!statement.is_final && (
            <Note size="xs">
              {say('asOf')} <Moment at={statement.as_of} />
            </Note>
          )}
        </Group>
      )}
    </Paper>
  )
}

function Totals({ totals }: { totals: Statement['totals'] }) {
  const say = statementTexts.use()
  const columns: Column<Statement['totals'][number]>[] = [
    headingColumn(say('kind'), ({ type }) => say(`types.${type}`)),
    figureColumn(say('count'), (total) => count(total.count)),
    amountColumn(say('amount'), ({ direction, amount }) => (direction === 'debit' ? -amount : amount)),
  ]
  return (
    <ListSection
      title={say('totals')}
      list={totals}
      columns={columns}
      rowKey={({ type, direction }) => `${type} ${direction}`}
      none={{ icon: IconReceipt, title: say('none') }}
    />
  )
}
