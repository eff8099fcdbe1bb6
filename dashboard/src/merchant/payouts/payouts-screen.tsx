/** The payouts of a wallet, the available balance, and a link to a new payout. */
import { phoneText } from '../../ui/format.ts'
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Alert, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconLock, IconSend } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import type { Payout } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { amountColumn, asideColumn, headingColumn, momentColumn, moneyColumn } from '../../ui/columns.tsx'
import { ListRows, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { WalletNav } from '../wallet-nav.tsx'
import { ListTotal, useDays, useTotals } from '../list-totals.tsx'
import { useCan } from '../membership.ts'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, type PayoutsFilter } from './filter.ts'
import { payoutsTexts } from './texts.ts'

const rowsAtOnce = 20

export default function PayoutsScreen() {
  const say = payoutsTexts.use()
  const { query } = useAccount()
  const { cursor, ...inAddress } = useSearch({ from: '/signed-in/$owner/$environment/payouts' })
  const asked = { ...query, ...queryOf(inAddress) }
  const can = useCan()
  const may = useMay('payouts')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true })
  const hold = balance.data?.data.hold
  const onHold = hold ? (`onHoldBecause.${hold.reason}` as const) : undefined
  const payouts = useList('GET /v1/merchant/payouts', { query: { ...asked, limit: rowsAtOnce } }, { isLive: true })
  const totals = useTotals('GET /v1/merchant/payouts/totals', asked, cursor === undefined ? undefined : payouts.data?.data[0])
  const days = useDays<Payout>({ of: 'payouts', totals })
  const { change } = useFilter<PayoutsFilter>()
  const isFiltered = Object.keys(inAddress).length > 0 || cursor !== undefined
  // An empty list has the button below its text.
  const isEmpty = payouts.data?.data.length === 0 && !isFiltered
  const payOut = may && (
    <LinkButton leftSection={<IconSend size={16} aria-hidden />} from="/$owner/$environment" to="./payouts/new">
      {say('payOut')}
    </LinkButton>
  )
  const columns: Column<Payout>[] = [
    headingColumn(
      say('recipient'),
      ({ id, recipient_name }) => (
        <RowLink to="./payouts/$payoutId" params={{ payoutId: id }}>
          {recipient_name}
        </RowLink>
      ),
      ({ phone_number }) => <span className="figures nowrap">{phoneText(phone_number)}</span>,
    ),
    asideColumn(say('status'), ({ status, approval, approval_by: by }) => (
      <>
        <StatusBadge status={status} />
        {status === 'pending' && approval === 'required' && <Note size="xs">{say(`waits.${by ?? 'operators'}`)}</Note>}
      </>
    )),
    momentColumn(say('when'), ({ created_at }) => created_at, { isOfDay: true }),
    { ...moneyColumn<Payout>(say('fee'), ({ fee }) => fee), onCard: 'hidden' },
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  return (
    <Screen title={say('title')} nav={<WalletNav of="payouts" />} actions={!isEmpty && payOut}>
      <Barred what="payouts" />
      {onHold !== undefined && (
        <Alert color="yellow" icon={<IconLock aria-hidden />} title={say('onHold')}>
          {payoutsTexts.has(onHold) && say(onHold)}
        </Alert>
      )}
      {balance.error && !balance.data ? (
        <ErrorState error={balance.error} onRetry={balance.refetch} />
      ) : (
        <SimpleGrid cols={2} spacing={{ base: 8, xs: 'md' }}>
          <Figure title={say('available')} amount={balance.data?.data.available} />
          <Figure title={say('reserved')} amount={balance.data?.data.reserved} />
          {balance.data && balance.data.data.receivable > 0 && (
            <Figure title={say('receivable')} amount={balance.data.data.receivable} />
          )}
        </SimpleGrid>
      )}
      <Section
        title={say('sent')}
        isBare
        actions={
          can('statements.read') && (
            <DownloadButton
              onFetch={() =>
                download('GET /v1/merchant/payouts', { query: { ...asked, csv_language: currentLanguage() }, accept: 'text/csv' })
              }
            >
              {say('export')}
            </DownloadButton>
          )
        }
      >
        <FilterBar filter={inAddress} onChange={change} />
        <ListTotal of="payouts" totals={totals} />
        <ListRows
          label={say('title')}
          list={payouts}
          groups={days}
          columns={columns}
          rowKey={({ id }) => id}
          noneYet={{ title: say('noneYet'), text: say('noneYetText'), action: say('lookOn') }}
          noneFound={isFiltered && { title: say('noneFound'), text: say('noneFoundText') }}
          none={{ icon: IconSend, title: say('none'), text: say('noneText'), action: payOut }}
        />
      </Section>
    </Screen>
  )
}

function Figure({ title, amount }: { title: string; amount: number | undefined }) {
  return (
    <Paper px={{ base: 12, xs: 'lg' }} py={{ base: 8, xs: 'lg' }}>
      <Text c="dimmed">{title}</Text>
      {amount === undefined ? (
        <Skeleton h={30} w={160} mt={6} />
      ) : (
        <Text fz={{ base: 18, xs: 26 }} fw={650} lh={1.4}>
          <Money amount={amount} />
        </Text>
      )}
    </Paper>
  )
}
