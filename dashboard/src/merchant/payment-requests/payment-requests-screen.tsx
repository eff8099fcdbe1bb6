/** The payment requests of a wallet, newest first. */
import { BackLink, LinkButton, RowLink } from '../links.tsx'
import type { PaymentRequest } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { asideColumn, oppositeFigureColumn, headingColumn, momentColumn, moneyColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { AboveRow, type Column } from '../../ui/data-table.tsx'
import { IconPlus, IconReceipt } from '../../ui/icons.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { RequestStatus } from '../request-status.tsx'
import { paymentRequestsTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<PaymentRequest>[] {
  const say = paymentRequestsTexts.use()
  return [
    headingColumn(
      say('request'),
      ({ id, title }) => (
        <RowLink to="./pages/requests/$request" params={{ request: id }}>
          {title}
        </RowLink>
      ),
      ({ merchant_reference }) => merchant_reference !== null && <span className="code">{merchant_reference}</span>,
    ),
    asideColumn(say('status'), ({ status }) => <RequestStatus status={status} />),
    momentColumn(say('when'), ({ created_at }) => created_at),
    moneyColumn(say('amount'), ({ amount }) => amount),
    oppositeFigureColumn(say('link'), ({ url, title }) => (
      <AboveRow>
        <CopyButton value={url} label={say('linkOf', { title })} />
      </AboveRow>
    )),
  ]
}

export default function PaymentRequestsScreen() {
  const say = paymentRequestsTexts.use()
  const { query } = useAccount()
  const requests = useList('GET /v1/merchant/payment-requests', { query: { ...query, limit: rowsAtOnce } }, { isLive: 'slowly' })
  const columns = useColumns()
  const make = useMay('requests') !== false && (
    <LinkButton to="./pages/requests/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {say('make')}
    </LinkButton>
  )
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      actions={make}
      back={<BackLink to="./pages">{say('back')}</BackLink>}
      list={requests}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconReceipt, title: say('none'), text: say('noneText'), action: make }}
    >
      <Barred what="requests" />
    </ListScreen>
  )
}
