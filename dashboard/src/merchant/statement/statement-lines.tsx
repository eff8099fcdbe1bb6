/** The lines of a statement, newest first: amount, cause and balance afterwards. */
import { RowLink } from '../links.tsx'
import { Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconReceipt } from '../../ui/icons.ts'
import type { Transaction } from '../../api/operations.ts'
import { amountColumn, headingColumn, momentColumn, moneyColumn, plainColumn } from '../../ui/columns.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { ListRows, type ReadRows } from '../../ui/list-screen.tsx'
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
  return cause === undefined ? <Text fw={550}>{name}</Text> : <RowLink to={cause}>{name}</RowLink>
}

/** The numbers that people quote; an id only where there is none. */
function Cause({ line: { payout_id, reference, id, short_code, network_receipt, merchant_reference } }: { line: Transaction }) {
  const quoted = [short_code, network_receipt, merchant_reference].filter((one) => one !== null).join(' · ')
  return quoted === '' ? <span className="code">{payout_id ?? reference ?? id}</span> : <Note size="xs">{quoted}</Note>
}

export function StatementLines({ list }: { list: ReadRows<Transaction> }) {
  const say = statementTexts.use()
  const columns: Column<Transaction>[] = [
    momentColumn(say('when'), ({ created_at }) => created_at),
    headingColumn(
      say('kind'),
      (line) => <What line={line} />,
      (line) => line.customer?.name ?? line.recipient_name ?? line.description,
    ),
    plainColumn(say('cause'), (line) => <Cause line={line} />),
    amountColumn(say('amount'), ({ direction, amount }) => (direction === 'debit' ? -amount : amount)),
    // On a phone below the amount, as on a bank's statement.
    { ...moneyColumn<Transaction>(say('balance'), ({ balance_after }) => balance_after), onCard: 'aside' },
  ]
  return (
    <ListRows
      label={say('lines')}
      list={list}
      columns={columns}
      rowKey={({ id, direction }) => `${id} ${direction}`}
      none={{ icon: IconReceipt, title: say('none'), text: say('noneText') }}
    />
  )
}
