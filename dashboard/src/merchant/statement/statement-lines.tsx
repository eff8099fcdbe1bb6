/** The lines of a statement, newest first: amount, cause and balance afterwards. */
import { Text } from '@mantine/core'
import { IconReceipt } from '../../ui/icons.ts'
import type { Transaction } from '../../api/operations.ts'
import { DataTable, RowLink, type Column, type DataTableProps } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { statementTexts } from './texts.ts'

/** The cause of a line, below the wallet in the address: its payout, otherwise its payment. */
function causeOf({ payout_id, reference }: Transaction): string | undefined {
  if (payout_id !== null) return `./payouts/${payout_id}`
  return reference === null ? undefined : `./payments/${reference}`
}

function What({ line }: { line: Transaction }) {
  const say = statementTexts.use()
  const cause = causeOf(line)
  const name = say(`types.${line.type}`)
  return (
    <>
      {cause === undefined ? (
        <Text fw={550}>{name}</Text>
      ) : (
        <RowLink from="/$owner/$environment" to={cause}>
          {name}
        </RowLink>
      )}
      <Text size="xs" c="dimmed">
        {line.customer?.name ?? line.description}
      </Text>
    </>
  )
}

function Cause({ line: { payout_id, reference, id, short_code, network_receipt, merchant_reference } }: { line: Transaction }) {
  return (
    <>
      <span className="code">{payout_id ?? reference ?? id}</span>
      <Text size="xs" c="dimmed">
        {[short_code, network_receipt, merchant_reference].filter((one) => one !== null).join(' · ')}
      </Text>
    </>
  )
}

type Props = Pick<DataTableProps<Transaction>, 'rows' | 'error' | 'onRetry' | 'onOlder' | 'onNewest'>

export function StatementLines(props: Props) {
  const say = statementTexts.use()
  const columns: Column<Transaction>[] = [
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { key: 'what', title: say('kind'), cell: (line) => <What line={line} />, onCard: 'heading' },
    {
      key: 'cause',
      title: say('cause'),
      cell: (line) => <Cause line={line} />,
    },
    {
      key: 'amount',
      title: say('amount'),
      cell: ({ direction, amount }) => <Money amount={direction === 'debit' ? -amount : amount} />,
      isFigure: true,
      onCard: 'opposite',
    },
    { key: 'balance', title: say('balance'), cell: ({ balance_after }) => <Money amount={balance_after} />, isFigure: true },
  ]
  return (
    <DataTable
      label={say('lines')}
      columns={columns}
      rowKey={({ id, direction }) => `${id} ${direction}`}
      empty={<EmptyState icon={IconReceipt} title={say('none')} text={say('noneText')} />}
      {...props}
    />
  )
}
