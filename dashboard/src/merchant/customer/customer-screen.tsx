/** One customer: the totals, the number for those who may see it, and the payments of the phone. */
import { BackLink, RowLink } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Skeleton, Stack } from '@mantine/core'
import type { MerchantPayment } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { amountColumn, headingColumn, momentColumn, statusColumn } from '../../ui/columns.tsx'
import { ListSection, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { count } from '../../ui/format.ts'
import { IconCash } from '../../ui/icons.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { PayerNumber } from '../payer-number.tsx'
import { customerTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

function useColumns(): Column<MerchantPayment>[] {
  const say = customerTexts.use()
  return [
    headingColumn(
      say('payment'),
      ({ reference, short_code, payment_page, description }) => (
        <RowLink to="./payments/$reference" params={{ reference }}>
          {description ?? payment_page?.title ?? short_code}
        </RowLink>
      ),
      ({ short_code }) => <span className="figures nowrap">{short_code}</span>,
    ),
    statusColumn(say('status'), ({ status }) => status),
    momentColumn(say('when'), ({ created_at }) => created_at),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
}

export default function CustomerScreen() {
  const say = customerTexts.use()
  const { customer: id } = useParams({ from: '/signed-in/$owner/$environment/payments/customers/$customer' })
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer('GET /v1/merchant/customers/{id}', { params: { id }, query }, { isLive: true })
  const payments = useList(
    'GET /v1/merchant/customers/{id}/payments',
    { params: { id }, query: { ...query, limit: 25 } },
    { isLive: true },
  )
  const columns = useColumns()
  const back = <BackLink to="./payments/customers">{say('back')}</BackLink>
  const customer = data?.data
  if (!customer)
    return (
      <UnreadScreen
        title={say('title')}
        back={back}
        of={{ error, refetch }}
        placeholder={
          <Stack role="status" aria-label={say('loading')}>
            <Skeleton h={28} w={220} />
            <Skeleton h={280} />
          </Stack>
        }
      />
    )
  const { name, phone_masked: masked, network, paid_count, paid_total, refunded_total } = customer
  return (
    <Screen title={name ?? masked} back={back}>
      <Section title={say('facts')}>
        <Facts
          facts={[
            [say('phone'), <PayerNumber key={id} of={{ customer: id }} masked={masked} name={name} side="start" />],
            network !== null && [say('network'), say(`network.${network}`)],
            [
              say('completed'),
              <span key="count" className="figures">
                {count(paid_count)}
              </span>,
            ],
            [say('total'), <Money key="total" amount={paid_total} />],
            refunded_total > 0 && [say('refunded'), <Money key="refunded" amount={refunded_total} />],
            [say('first'), <Moment key="first" at={customer.first_paid_at} />],
            [say('last'), <Moment key="last" at={customer.last_paid_at} />],
          ]}
        />
      </Section>
      <ListSection
        title={say('payments')}
        list={payments}
        columns={columns}
        rowKey={({ reference }) => reference}
        none={{ icon: IconCash, title: say('none'), text: say('noneText') }}
      />
    </Screen>
  )
}
