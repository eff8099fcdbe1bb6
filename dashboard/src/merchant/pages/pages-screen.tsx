/** The payment pages of a wallet, newest first: amount, state and totals. */
import { LinkButton, RowLink } from '../links.tsx'
import { Badge, Group, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconBan, IconLink, IconPlus, IconReceipt } from '../../ui/icons.ts'
import type { PaymentPage } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { asideColumn, oppositeFigureColumn, figureColumn, headingColumn, plainColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { AboveRow, type Column } from '../../ui/data-table.tsx'
import { count } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { pagesTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<PaymentPage>[] {
  const say = pagesTexts.use()
  return [
    headingColumn(
      say('page'),
      ({ id, title }) => (
        <RowLink to="./pages/$page" params={{ page: id }}>
          {title}
        </RowLink>
      ),
      ({ slug }) => <span className="code">/{slug}</span>,
    ),
    plainColumn(say('amount'), ({ amount, allow_custom_amount }) =>
      allow_custom_amount || amount === null ? <Note size="inherit">{say('payerChooses')}</Note> : <Money amount={amount} />,
    ),
    asideColumn(say('state'), ({ active, suspension }) =>
      suspension ? (
        <Badge color="red" leftSection={<IconBan size={13} aria-hidden />}>
          {say('suspended')}
        </Badge>
      ) : (
        <StatusBadge status={active ? 'active' : 'inactive'} />
      ),
    ),
    figureColumn(say('count'), ({ paid_count }) => count(paid_count)),
    {
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
    oppositeFigureColumn(say('link'), ({ url, title }) => (
      <AboveRow>
        <CopyButton value={url} label={say('linkOf', { title })} />
      </AboveRow>
    )),
  ]
}

export default function PagesScreen() {
  const say = pagesTexts.use()
  const { query } = useAccount()
  const pages = useList('GET /v1/merchant/payment-pages', { query: { ...query, limit: rowsAtOnce } }, { isLive: true })
  const columns = useColumns()
  // While it is unknown, the form says so itself.
  const make = useMay('pages') !== false && (
    <LinkButton to="./pages/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {say('make')}
    </LinkButton>
  )
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      actions={
        <Group>
          <LinkButton to="./pages/requests" variant="default" leftSection={<IconReceipt size={16} aria-hidden />}>
            {say('requests')}
          </LinkButton>
          {make}
        </Group>
      }
      list={pages}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconLink, title: say('none'), text: say('noneText'), action: make }}
    >
      <Barred what="pages" />
    </ListScreen>
  )
}
