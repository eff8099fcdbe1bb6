/**
 * The till: what was taken at the counter today, for a screen there. Invariant: total and list are read from the ledger in one statement,
 * so a payment is in the total when it is in the list.
 */
import { z } from 'zod'
import { currencySchema } from '../../domain/currency.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { tillChannel } from '../../domain/page.ts'
import { shortCodeSchema } from '../../domain/payment.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findPage } from '../../collect/pages/page.sql.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { momentOfSeq, seqBefore } from '../../money/ledger/transfer.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { outOfOrderMs } from './list-transactions.ts'
import { dayOf, startOf } from './period.ts'
import { listTillPayments, type TillPayment } from './till.sql.ts'

const paymentsShown = 10
/** The newest lines of the wallet that one answer reads, so that a refresh costs the same on any day. */
const linesRead = 5_000

export const tillDescription = `What was credited today for payment requests that were made at the till (\`metadata.channel\` is \`${tillChannel}\`), and on the page whose code the till shows (\`payment_page_id\`). All from the ledger.`

const tillPaymentSchema = z
  .object({
    reference: z.string(),
    short_code: shortCodeSchema,
    network_receipt: z.string().nullable().meta({ description: 'The number in the network’s message to the payer.' }),
    amount: z.int().meta({ description: 'TZS credited to the wallet.' }),
    network: networkSchema.nullable(),
    customer: z.object({ name: z.string().nullable(), phone_masked: z.string() }),
    credited_at: z.iso.datetime(),
  })
  .meta({ id: 'TillPayment' })

export const tillSchema = z
  .object({
    environment: environmentSchema,
    currency: currencySchema,
    as_of: z.iso.datetime(),
    payment_page: z
      .object({ id: z.string(), title: z.string() })
      .nullable()
      .meta({ description: 'The page whose payments are counted, too. Null without one.' }),
    today: z.object({
      volume: z.int().meta({ description: 'TZS credited since midnight in Tanzania.' }),
      count: z.int(),
      counted_after: z.iso
        .datetime()
        .nullable()
        .meta({
          description: `Null: the whole day is counted. Otherwise only what was credited after this time, because the wallet has more than ${linesRead.toLocaleString('en')} entries today.`,
        }),
    }),
    payments: z.array(tillPaymentSchema).meta({
      description: `The last ${paymentsShown} payments of today, the latest credit first.`,
    }),
  })
  .meta({ id: 'Till' })

type Till = z.infer<typeof tillSchema>

function paymentToJson(payment: TillPayment): z.infer<typeof tillPaymentSchema> {
  return answerOf(tillPaymentSchema, payment, {
    reference: toWire('pay', payment.paymentId),
    customer: { name: payment.customerName, phone_masked: maskPhone(payment.phoneNumber) },
  })
}

type Taken = { payments: TillPayment[]; countedAfter: Date | null }

/** `shownPage`: the page whose code this till shows, as sent. Another owner's is none. */
export async function readTill({ db }: { db: Db }, owner: Owner, shownPage: string | undefined): Promise<Till> {
  const { merchant, environment } = owner
  const { home } = merchant
  const pageId = shownPage === undefined ? undefined : fromWire('page', shownPage)
  const [{ accountId, asOf, lines }, page] = await Promise.all([
    readWallet(db, { merchantId: merchant.id, home, environment }),
    pageId === undefined ? undefined : findPage(db, owner, { id: pageId }),
  ])
  const from = startOf(dayOf(asOf))
  const taken = async (account: { home: number; accountId: string }): Promise<Taken> => {
    const beforeDay = await seqBefore(db, account, new Date(from.getTime() - outOfOrderMs))
    const afterSeq = Math.max(beforeDay, lines - linesRead)
    const [payments, countedAfter] = await Promise.all([
      listTillPayments(db, account, { afterSeq, from, pageId: page?.id ?? null }, paymentsShown),
      afterSeq > beforeDay ? momentOfSeq(db, account, afterSeq) : null,
    ])
    return { payments, countedAfter: countedAfter !== null && countedAfter >= from ? countedAfter : null }
  }
  const { payments, countedAfter } = accountId === null ? { payments: [], countedAfter: null } : await taken({ home, accountId })
  return {
    environment,
    currency: 'TZS',
    as_of: asOf.toISOString(),
    payment_page: page ? { id: toWire('page', page.id), title: page.title } : null,
    today: {
      volume: payments[0]?.volume ?? 0,
      count: payments[0]?.count ?? 0,
      counted_after: countedAfter?.toISOString() ?? null,
    },
    payments: payments.map(paymentToJson),
  }
}
