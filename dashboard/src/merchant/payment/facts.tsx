/** The data of a payment; each line can be copied or followed if useful. */
import { TextLink } from '../links.tsx'
import { Anchor, Group, Text } from '@mantine/core'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts as PlainFacts } from '../../ui/facts.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { PayerNumber } from '../payer-number.tsx'
import classes from './payment.module.css'
import { refundTexts } from './refund-texts.ts'
import { paymentTexts } from './texts.ts'

/** A text without spaces may be longer than a line. */
function Long({ text }: { text: string }) {
  return <span className={classes['breaks']}>{text}</span>
}

/** Of a long one, a line may end within it. */
function Id({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" justify="end">
      <span className={value.length > 20 ? 'code' : 'code nowrap'}>{value}</span>
      <CopyButton value={value} label={label} />
    </Group>
  )
}

/** The page that the payer has as the receipt, to open or to send. */
function Receipt({ reference }: { reference: string }) {
  const say = paymentTexts.use()
  const url = useAnswer('GET /v1/payments/{reference}/status', { params: { reference } }).data?.data.receipt_url
  if (!url) return '–'
  return (
    <Group gap={4} wrap="nowrap" justify="end">
      <Anchor href={url} target="_blank" rel="noreferrer">
        {say('openReceipt')}
      </Anchor>
      <CopyButton value={url} label={say('receipt')} />
    </Group>
  )
}

export function Facts({ payment }: { payment: MerchantPaymentWithTimeline }) {
  const say = paymentTexts.use()
  const sayRefund = refundTexts.use()
  const { reference, short_code, customer, payment_page: page, payment_request_id: request } = payment
  return (
    <PlainFacts
      className={classes['facts']}
      facts={[
        [say('amount'), <Money key="amount" amount={payment.amount} />],
        payment.amount_received !== null && [say('amountReceived'), <Money key="received" amount={payment.amount_received} />],
        payment.fee !== null && [say('fee'), <Money key="fee" amount={payment.fee} />],
        payment.net !== null && [
          say('net'),
          <Text key="net" span fw={650}>
            <Money amount={payment.net} />
          </Text>,
        ],
        payment.refunded_amount > 0 && [sayRefund('refunded'), <Money key="refunded" amount={payment.refunded_amount} />],
        [say('reference'), <Id key="reference" value={reference} label={say('reference')} />],
        [say('shortCode'), <Id key="shortCode" value={short_code} label={say('shortCode')} />],
        [
          say('networkReceipt'),
          payment.network_receipt === null ? (
            <Text key="receipt" span c="dimmed">
              {say('receiptUnknown')}
            </Text>
          ) : (
            <Id key="receipt" value={payment.network_receipt} label={say('networkReceipt')} />
          ),
        ],
        payment.merchant_reference !== null && [
          say('merchantReference'),
          <Id key="merchantReference" value={payment.merchant_reference} label={say('merchantReference')} />,
        ],
        payment.description !== null && [say('description'), <Long key="description" text={payment.description} />],
        customer.name !== null && [say('customer'), customer.name],
        [
          say('phone'),
          <PayerNumber key="phone" of={{ reference }} masked={customer.phone_masked} name={customer.name} side="end" />,
        ],
        customer.email !== null && [
          say('email'),
          <Group key="email" gap={4} wrap="nowrap" justify="end">
            <Long text={customer.email} />
            <CopyButton value={customer.email} label={say('email')} />
          </Group>,
        ],
        ...payment.custom_fields.map(
          ({ key, label, value }) => [label, <Long key={key} text={value} />, `field ${key}`] as const,
        ),
        [say('network'), payment.network && say(`network.${payment.network}`)],
        request !== null && [
          say('request'),
          <TextLink key="request" to="./pages/requests/$request" params={{ request }}>
            {payment.description ?? request}
          </TextLink>,
        ],
        page !== null && [
          say('page'),
          <TextLink key="page" to="./pages/$page" params={{ page: page.id }}>
            {page.title}
          </TextLink>,
        ],
        payment.status === 'completed' && [say('receipt'), <Receipt key="receipt-link" reference={reference} />],
        [say('started'), <Moment key="started" at={payment.created_at} />],
        payment.completed_at !== null && [say('completed'), <Moment key="completed" at={payment.completed_at} />],
        ...Object.entries(payment.metadata).map(([key, value]) => [`metadata.${key}`, <Long key={key} text={value} />] as const),
      ]}
    />
  )
}
