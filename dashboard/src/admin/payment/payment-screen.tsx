/** One payment for operators: its state, the provider's messages, its money, and the possible actions. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { IconListSearch, IconMessage, IconRefresh } from '../../ui/icons.ts'
import type { OperatorPaymentWithHistory, PaymentQuery } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { placeOf } from '../../i18n/translator.ts'
import { oppositeFigureColumn, amountColumn, headingColumn, momentColumn, moneyColumn, statusColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import { RowLink } from '../../ui/data-table.tsx'
import { clockText, count, dayText, money } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { BreakPanel } from '../break-panel.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { Facts } from '../facts.tsx'
import { accountWords, transferWords } from '../ledger-words.ts'
import { Actor } from '../me.tsx'
import { ageText } from '../operator-texts.ts'
import { useProviderStatus } from '../provider-status.ts'
import { storyOf, type StoryFormat } from './story.ts'
import { paymentTexts } from './texts.ts'
import { Problem } from '../../ui/form.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'
import { providerName } from '../provider-name.ts'

export default function PaymentScreen() {
  const say = paymentTexts.use()
  const { reference } = useParams({ from: '/signed-in/payments/$reference' })
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/payments/{reference}', { params: { reference } }, { isLive: true })
  const ask = useAction('POST /v1/admin/payments/{reference}/query')
  if (!answer) return <UnreadScreen title={say('title')} of={{ error, refetch }} placeholder={420} />
  const payment = answer.data
  return (
    <Screen
      title={say('title')}
      text={payment.reference}
      actions={
        <Button
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={ask.isPending}
          onClick={() => ask.mutate({ params: { reference } })}
        >
          {say('ask')}
        </Button>
      }
    >
      <Problem error={ask.error} />
      {ask.data && <ProviderAnswer query={ask.data.data} />}
      <Story payment={payment} />
      <Standing payment={payment} />
      <Section title={say('breaks')} isBare>
        {payment.breaks.length === 0 ? (
          <Text c="dimmed">{say('noBreaks')}</Text>
        ) : (
          <Stack>
            {payment.breaks.map((one) => (
              <BreakPanel key={one.id} found={one} />
            ))}
          </Stack>
        )}
      </Section>
      <Refunds payment={payment} />
      <History payment={payment} />
    </Screen>
  )
}

function ProviderAnswer({ query }: { query: PaymentQuery }) {
  const say = paymentTexts.use()
  const statusOf = useProviderStatus()
  return (
    <Alert color={query.answer === 'found' ? 'green' : 'yellow'} role="status">
      {say(`answer.${query.answer}`, {
        status: statusOf(query.provider_status),
        amount: query.amount === null ? '–' : count(query.amount),
        outcome: query.outcome === null ? '' : say(`outcome.${query.outcome}`),
      })}
      {query.reason !== null && (
        <>
          {' '}
          <span className="code">{query.reason}</span>
        </>
      )}
    </Alert>
  )
}

function Story({ payment }: { payment: OperatorPaymentWithHistory }) {
  const say = paymentTexts.use()
  const language = useLanguage()
  const format: StoryFormat = {
    money: (amount) => money(amount, language),
    moment: (at) => say('moment', { day: dayText(at, language), time: clockText(Date.parse(at), language) }),
  }
  // Two refunds of the same minute have the same sentence.
  const lines = storyOf(payment, language, format).map((sentence, place) => ({ place, sentence }))
  return (
    <Section title={say('story')}>
      <Stack gap={6} component="ol" m={0} pl="lg">
        {lines.map(({ place, sentence }) => (
          <Text key={place} component="li">
            {sentence}
          </Text>
        ))}
      </Stack>
    </Section>
  )
}

function Standing({ payment }: { payment: OperatorPaymentWithHistory }) {
  const say = paymentTexts.use()
  const language = useLanguage()
  const { charge, breaks } = payment
  const isOver = !['pending', 'processing'].includes(payment.status)
  const isBroken = breaks.some(({ status }) => status !== 'resolved')
  return (
    <Section title={say('facts')}>
      <Facts
        facts={[
          [
            say('status'),
            <Group key="status" gap="xs">
              <StatusBadge status={payment.status} isOfPayment />
              <EnvironmentBadge environment={payment.environment} />
              {payment.under_review && say('underReview')}
              {payment.late && say('late')}
            </Group>,
          ],
          [
            say('merchant'),
            <Link key="merchant" to="/merchants/$id" params={{ id: payment.merchant.id }}>
              {payment.merchant.name}
            </Link>,
          ],
          [say('page'), payment.page && `${payment.page.title} · ${payment.page.slug}`],
          [say('payer'), payment.payer.name],
          [say('phone'), payment.payer.phone_masked],
          [say('amount'), <Money key="amount" amount={payment.amount} />],
          payment.refunded_amount > 0 && [say('refunded'), <Money key="refunded" amount={payment.refunded_amount} />],
          [say('network'), payment.network === null ? null : say(`network.${payment.network}`)],
          [say('shortCode'), payment.short_code],
          [say('networkReceipt'), payment.network_receipt],
          [say('age'), ageText(payment.age_seconds, language)],
          payment.support_cases.length > 0 && [
            say('cases'),
            <Stack key="cases" gap={2}>
              {payment.support_cases.map(({ id }) => (
                <Link key={id} to="/support-cases/$id" params={{ id }}>
                  {id}
                </Link>
              ))}
            </Stack>,
          ],
          payment.payment_request_id !== null && [say('paymentRequest'), payment.payment_request_id],
          [say('provider'), providerName(charge.provider)],
          [say('providerReference'), charge.provider_reference],
          [say('lastNews'), <Moment key="lastNews" at={charge.last_heard_at} ago />],
          [say('checks'), charge.checks],
          [
            say('next'),
            isBroken ? (
              say('nextBreak')
            ) : isOver ? (
              say('nextNone')
            ) : charge.next_check_at ? (
              <>
                {say('nextAt')}
                <Moment at={charge.next_check_at} />
              </>
            ) : (
              say('nextStopped')
            ),
          ],
        ]}
      />
    </Section>
  )
}

function Refunds({ payment: { refunds } }: { payment: OperatorPaymentWithHistory }) {
  const say = paymentTexts.use()
  if (refunds.length === 0) return null
  return (
    <ListSection<OperatorPaymentWithHistory['refunds'][number]>
      title={say('refunds')}
      list={refunds}
      rowKey={({ id }) => id}
      columns={[
        headingColumn(say('refund'), ({ id, payout_id }) =>
          payout_id === null ? (
            `${id} · ${say('outside')}`
          ) : (
            <RowLink to="/payouts/$id" params={{ id: payout_id }}>
              {id}
            </RowLink>
          ),
        ),
        statusColumn(say('status'), ({ status }) => status),
        moneyColumn(say('fee'), ({ fee }) => fee),
        momentColumn(say('requested'), ({ created_at }) => created_at),
        amountColumn(say('amount'), ({ amount }) => amount),
      ]}
    />
  )
}

function History({ payment }: { payment: OperatorPaymentWithHistory }) {
  const say = paymentTexts.use()
  const statusOf = useProviderStatus()
  const language = useLanguage()
  return (
    <>
      <ListSection<OperatorPaymentWithHistory['messages'][number]>
        title={say('messages')}
        list={payment.messages}
        rowKey={({ received_at, status }) => `${received_at} ${status}`}
        columns={[
          headingColumn(say('received'), ({ received_at }) => <Moment at={received_at} />),
          { title: say('word'), cell: ({ status }) => statusOf(status) },
          oppositeFigureColumn(say('amount'), ({ amount }) => (amount === null ? '–' : <Money amount={amount} />)),
        ]}
        none={{ icon: IconMessage, title: say('noMessages') }}
      />
      <ListSection<OperatorPaymentWithHistory['transfers'][number]>
        title={say('transfers')}
        list={payment.transfers}
        rowKey={({ id }) => id}
        columns={[
          headingColumn(say('kind'), ({ kind }) => transferWords[kind][placeOf[language]]),
          { title: say('from'), cell: ({ debit }) => accountWords[debit][placeOf[language]] },
          { title: say('to'), cell: ({ credit }) => accountWords[credit][placeOf[language]] },
          { title: say('by'), cell: ({ actor }) => <Actor id={actor} /> },
          momentColumn(say('when'), ({ created_at }) => created_at),
          amountColumn(say('amount'), ({ amount }) => amount),
        ]}
        none={{ icon: IconListSearch, title: say('noTransfers') }}
      />
    </>
  )
}
