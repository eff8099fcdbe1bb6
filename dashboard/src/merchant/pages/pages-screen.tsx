/** The payment pages of a wallet, newest first: amount, state and totals. */
import { Badge, Group, Text } from '@mantine/core'
import { IconBan, IconLink, IconPlus, IconReceipt } from '../../ui/icons.ts'
import type { PaymentPage } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { AboveRow, DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Money } from '../../ui/money.tsx'
import { Screen } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { pagesRoute } from '../routes.ts'
import { pagesTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<PaymentPage>[] {
  const say = pagesTexts.use()
  const language = useLanguage()
  return [
    {
      key: 'title',
      title: say('page'),
      cell: ({ id, title, slug }) => (
        <>
          <RowLink from="/$owner/$environment" to="./pages/$page" params={{ page: id }}>
            {title}
          </RowLink>
          <Text size="xs" c="dimmed" className="code">
            /{slug}
          </Text>
        </>
      ),
      onCard: 'heading',
    },
    {
      key: 'amount',
      title: say('amount'),
      cell: ({ amount, allow_custom_amount }) =>
        allow_custom_amount || amount === null ? <Text c="dimmed">{say('payerChooses')}</Text> : <Money amount={amount} />,
    },
    {
      key: 'state',
      title: say('state'),
      cell: ({ active, suspension }) =>
        suspension ? (
          <Badge color="red" leftSection={<IconBan size={13} aria-hidden />}>
            {say('suspended')}
          </Badge>
        ) : (
          <StatusBadge status={active ? 'active' : 'inactive'} />
        ),
    },
    { key: 'count', title: say('count'), cell: ({ paid_count }) => count(paid_count, language), isFigure: true },
    {
      key: 'total',
      title: say('total'),
      // Null for a cashier, who does not see what a page earned.
      cell: ({ paid_total }) =>
        paid_total === null ? (
          '–'
        ) : (
          <Text span fw={600}>
            <Money amount={paid_total} />
          </Text>
        ),
      isFigure: true,
    },
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

export function PagesScreen() {
  const say = pagesTexts.use()
  const { query } = useAccount()
  const { cursor } = pagesRoute.useSearch()
  const pages = useAnswer(
    'GET /v1/merchant/payment-pages',
    { query: { ...query, limit: rowsAtOnce, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  const list = useListSearch(pages.data)
  const columns = useColumns()
  // While it is unknown, the form says so itself.
  const make = useMay('pages') !== false && (
    <LinkButton from="/$owner/$environment" to="./pages/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {say('make')}
    </LinkButton>
  )
  return (
    <Screen
      title={say('title')}
      text={say('text')}
      actions={
        <Group>
          <LinkButton
            from="/$owner/$environment"
            to="./pages/requests"
            variant="default"
            leftSection={<IconReceipt size={16} aria-hidden />}
          >
            {say('requests')}
          </LinkButton>
          {make}
        </Group>
      }
    >
      <Barred what="pages" />
      <DataTable
        label={say('title')}
        columns={columns}
        rows={pages.data?.data}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.refetch}
        empty={<EmptyState icon={IconLink} title={say('none')} text={say('noneText')} action={make} />}
        onOlder={list.onOlder}
        onNewest={list.onNewest}
      />
    </Screen>
  )
}
