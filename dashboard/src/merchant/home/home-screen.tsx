/** A wallet at a glance: what is in it, and who has paid. */
import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconCash } from '@tabler/icons-react'
import { useAnswer } from '../../api/queries.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { homeTexts } from './texts.ts'

export function HomeScreen() {
  const say = homeTexts.use()
  const { query } = useAccount()
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true })
  const payments = useAnswer('GET /v1/merchant/payments', { query: { ...query, limit: 8 } }, { isLive: true })
  const columns: Column<MerchantPayment>[] = [
    { key: 'customer', title: say('customer'), cell: ({ customer }) => customer.name, onCard: 'heading' },
    { key: 'page', title: say('page'), cell: ({ payment_page }) => payment_page.title },
    { key: 'status', title: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} ago /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
  return (
    <Screen title={say('title')}>
      {balance.error && !balance.data ? (
        <ErrorState error={balance.error} onRetry={balance.refetch} />
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Figure title={say('available')} amount={balance.data?.data.available} />
          <Figure title={say('reserved')} amount={balance.data?.data.reserved} />
        </SimpleGrid>
      )}
      <Section title={say('recent')} isBare>
        <DataTable
          label={say('recent')}
          columns={columns}
          rows={payments.data?.data}
          rowKey={({ reference }) => reference}
          error={payments.error}
          onRetry={payments.refetch}
          empty={<EmptyState icon={IconCash} title={say('noPayments')} text={say('noPaymentsText')} />}
        />
      </Section>
    </Screen>
  )
}

function Figure({ title, amount }: { title: string; amount: number | undefined }) {
  return (
    <Paper p="lg">
      <Text c="dimmed">{title}</Text>
      {amount === undefined ? (
        <Skeleton h={30} w={160} mt={6} />
      ) : (
        <Text fz={26} fw={650} lh={1.4}>
          <Money amount={amount} />
        </Text>
      )}
    </Paper>
  )
}
