/** The payment requests of a wallet, newest first. */
import { Text } from '@mantine/core'
import type { PaymentRequest } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { AboveRow, DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPlus, IconReceipt } from '../../ui/icons.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { RequestStatus } from '../request-status.tsx'
import { paymentRequestsRoute } from '../routes.ts'
import { paymentRequestsTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<PaymentRequest>[] {
  const say = paymentRequestsTexts.use()
  return [
    {
      key: 'title',
      title: say('request'),
      cell: ({ id, title, merchant_reference }) => (
        <>
          <RowLink from="/$owner/$environment" to="./pages/requests/$request" params={{ request: id }}>
            {title}
          </RowLink>
          {merchant_reference !== null && (
            <Text size="xs" c="dimmed" className="code">
              {merchant_reference}
            </Text>
          )}
        </>
      ),
      onCard: 'heading',
    },
    { key: 'status', title: say('status'), cell: ({ status }) => <RequestStatus status={status} /> },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true },
    {
      key: 'link',
      title: say('link'),
      cell: ({ url, title }) => (
        <AboveRow>
          <CopyButton value={url} label={say('linkOf', { title })} />
        </AboveRow>
      ),
      isFigure: true,
      onCard: 'opposite',
    },
  ]
}

export function PaymentRequestsScreen() {
  const say = paymentRequestsTexts.use()
  const { query } = useAccount()
  const { cursor } = paymentRequestsRoute.useSearch()
  const requests = useAnswer(
    'GET /v1/merchant/payment-requests',
    { query: { ...query, limit: rowsAtOnce, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  const list = useListSearch(requests.data)
  const columns = useColumns()
  const make = useMay('requests') !== false && (
    <LinkButton from="/$owner/$environment" to="./pages/requests/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {say('make')}
    </LinkButton>
  )
  return (
    <Screen
      title={say('title')}
      text={say('text')}
      actions={make}
      back={
        <BackLink from="/$owner/$environment" to="./pages">
          {say('back')}
        </BackLink>
      }
    >
      <Barred what="requests" />
      <DataTable
        label={say('title')}
        columns={columns}
        rows={requests.data?.data}
        rowKey={({ id }) => id}
        error={requests.error}
        onRetry={requests.refetch}
        empty={<EmptyState icon={IconReceipt} title={say('none')} text={say('noneText')} action={make} />}
        onOlder={list.onOlder}
        onNewest={list.onNewest}
      />
    </Screen>
  )
}
