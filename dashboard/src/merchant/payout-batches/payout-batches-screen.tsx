/** The payout batches of a wallet: drafts, those that wait, run and have ended. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Text } from '@mantine/core'
import type { PayoutBatch } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { amountColumn, asideColumn, figureColumn, headingColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { count, momentText } from '../../ui/format.ts'
import { IconPlus, IconTable } from '../../ui/icons.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { BatchStatus } from '../batch-status.tsx'
import { useCan } from '../membership.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { useRequester } from '../requester.ts'
import { payoutBatchesTexts } from './texts.ts'

function useColumns(): Column<PayoutBatch>[] {
  const say = payoutBatchesTexts.use()
  const requester = useRequester()
  return [
    headingColumn(say('batch'), ({ id, title, created_at }) => (
      <RowLink to="./payouts/batches/$batchId" params={{ batchId: id }}>
        {title ?? say('untitled', { when: momentText(created_at) })}
      </RowLink>
    )),
    asideColumn(say('status'), (batch) => <BatchStatus batch={batch} />),
    figureColumn(say('rows'), ({ rows, rows_invalid, status, progress }) => (
      <>
        <span className="figures">{count(rows)}</span>
        {status === 'draft' && rows_invalid > 0 && (
          <Text size="sm" c="red">
            {say('errors', { count: rows_invalid })}
          </Text>
        )}
        {status === 'running' && <Note>{say('arrived', { done: count(progress.completed), rows: count(rows) })}</Note>}
      </>
    )),
    {
      title: say('made'),
      cell: ({ created_at, requested_by }) => {
        const name = requester(requested_by)
        return (
          <>
            <Moment at={created_at} ago />
            {name !== undefined && <Note>{say('by', { name })}</Note>}
          </>
        )
      },
    },
    amountColumn(say('total'), ({ total }) => total),
  ]
}

export default function PayoutBatchesScreen() {
  const say = payoutBatchesTexts.use()
  const { query } = useAccount()
  const search = useSearch({ from: '/signed-in/$owner/$environment/payouts/batches' })
  const can = useCan()
  const may = useMay('payouts') && can('payouts.write')
  const batches = useList('GET /v1/merchant/payout-batches', { query: { ...query, ...search, limit: 20 } }, { isLive: true })
  const columns = useColumns()
  const make = may && (
    <LinkButton leftSection={<IconPlus size={16} aria-hidden />} from="/$owner/$environment" to="./payouts/batches/new">
      {say('make')}
    </LinkButton>
  )
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="payouts" />}
      text={say('text')}
      actions={make}
      list={batches}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconTable, title: say('none'), text: say('noneText'), action: make }}
    >
      <Barred what="payouts" />
    </ListScreen>
  )
}
