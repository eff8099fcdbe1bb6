/** The data of a payment; each line can be copied or followed if useful. */
import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { shared } from '../../ui/texts.ts'
import { PayerNumber } from '../payer-number.tsx'
import classes from './payment.module.css'
import { refundTexts } from './refund-texts.ts'
import { paymentTexts } from './texts.ts'

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Id({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" justify="end">
      <span className="code">{value}</span>
      <CopyButton value={value} label={label} />
    </Group>
  )
}

export function Facts({ payment }: { payment: MerchantPaymentWithTimeline }) {
  const say = paymentTexts.use()
  const sayShared = shared.use()
  const sayRefund = refundTexts.use()
  const { customer, payment_page: page } = payment
  return (
    <dl className={classes['facts']}>
      <Fact name={say('amount')}>
        <Money amount={payment.amount} />
      </Fact>
      {payment.amount_received !== null && (
        <Fact name={say('amountReceived')}>
          <Money amount={payment.amount_received} />
        </Fact>
      )}
      {payment.fee !== null && (
        <Fact name={say('fee')}>
          <Money amount={payment.fee} />
        </Fact>
      )}
      {payment.net !== null && (
        <Fact name={say('net')}>
          <Text span fw={650}>
            <Money amount={payment.net} />
          </Text>
        </Fact>
      )}
      {payment.refunded_amount > 0 && (
        <Fact name={sayRefund('refunded')}>
          <Money amount={payment.refunded_amount} />
        </Fact>
      )}
      <Fact name={say('reference')}>
        <Id value={payment.reference} label={say('reference')} />
      </Fact>
      <Fact name={say('shortCode')}>
        <Id value={payment.short_code} label={say('shortCode')} />
      </Fact>
      <Fact name={say('networkReceipt')}>
        {payment.network_receipt === null ? (
          <Text span c="dimmed">
            {say('receiptUnknown')}
          </Text>
        ) : (
          <Id value={payment.network_receipt} label={say('networkReceipt')} />
        )}
      </Fact>
      {payment.merchant_reference !== null && (
        <Fact name={say('merchantReference')}>
          <Id value={payment.merchant_reference} label={say('merchantReference')} />
        </Fact>
      )}
      {payment.description !== null && (
        <Fact name={say('description')}>
          <span className={classes['breaks']}>{payment.description}</span>
        </Fact>
      )}
      {customer.name !== null && <Fact name={say('customer')}>{customer.name}</Fact>}
      <Fact name={say('phone')}>
        <PayerNumber of={{ reference: payment.reference }} masked={customer.phone_masked} name={customer.name} side="end" />
      </Fact>
      {customer.email !== null && (
        <Fact name={say('email')}>
          <Group gap={4} wrap="nowrap" justify="end">
            <span className={classes['breaks']}>{customer.email}</span>
            <CopyButton value={customer.email} label={say('email')} />
          </Group>
        </Fact>
      )}
      {payment.custom_fields.map(({ key, label, value }) => (
        <Fact key={`field ${key}`} name={label}>
          <span className={classes['breaks']}>{value}</span>
        </Fact>
      ))}
      <Fact name={say('network')}>{payment.network ? sayShared(`network.${payment.network}`) : '–'}</Fact>
      {payment.payment_request_id !== null && (
        <Fact name={say('request')}>
          <TextLink from="/$owner/$environment" to="./pages/requests/$request" params={{ request: payment.payment_request_id }}>
            {payment.description ?? payment.payment_request_id}
          </TextLink>
        </Fact>
      )}
      {page !== null && (
        <Fact name={say('page')}>
          <TextLink from="/$owner/$environment" to="./pages/$page" params={{ page: page.id }}>
            {page.title}
          </TextLink>
        </Fact>
      )}
      <Fact name={say('started')}>
        <Moment at={payment.created_at} />
      </Fact>
      {payment.completed_at !== null && (
        <Fact name={say('completed')}>
          <Moment at={payment.completed_at} />
        </Fact>
      )}
      {Object.entries(payment.metadata).map(([key, value]) => (
        <Fact key={key} name={`metadata.${key}`}>
          <span className={classes['breaks']}>{value}</span>
        </Fact>
      ))}
    </dl>
  )
}
