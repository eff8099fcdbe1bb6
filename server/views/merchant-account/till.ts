/**
 * The till: what was credited today and the last payments, for a screen at a counter. Invariant: both are read from the ledger, so a
 * payment is in the total when it is in the list.
 */
import { z } from 'zod'
import { currencySchema } from '../../domain/currency.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { shortCodeSchema } from '../../domain/payment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { seqBefore, totalCreditsByDay } from '../../money/ledger/transfer.sql.ts'
import { dayOf } from '../../platform/http/csv.ts'
import type { Cursors } from '../../platform/http/page.ts'
import type { Db } from '../../platform/db/db.ts'
import { lineKinds, listTransactions, outOfOrderMs, transactionToJson, type Transaction } from './list-transactions.ts'

const paymentsShown = 10

const tillPaymentSchema = z
  .object({
    reference: z.string(),
    short_code: shortCodeSchema.nullable(),
    network_receipt: z.string().nullable().meta({ description: 'The number in the network’s message to the payer.' }),
    amount: z.int().meta({ description: 'TZS credited to the wallet.' }),
    network: networkSchema.nullable(),
    customer: z.object({ name: z.string().nullable(), phone_masked: z.string() }).nullable(),
    credited_at: z.iso.datetime(),
  })
  .meta({ id: 'TillPayment' })

export const tillSchema = z
  .object({
    environment: environmentSchema,
    currency: currencySchema,
    as_of: z.iso.datetime(),
    today: z.object({ volume: z.int().meta({ description: 'TZS credited since midnight in Tanzania.' }), count: z.int() }),
    payments: z.array(tillPaymentSchema).meta({
      description: `The last ${paymentsShown} payments, the latest credit first. A cashier gets those of today only.`,
    }),
  })
  .meta({ id: 'Till' })

type Till = z.infer<typeof tillSchema>

function paymentOf(transaction: Transaction): z.infer<typeof tillPaymentSchema> {
  const { reference, short_code, network_receipt, amount, network, customer, created_at } = transactionToJson(transaction)
  return { reference: reference!, short_code, network_receipt, amount, network, customer, credited_at: created_at }
}

export async function readTill(deps: { db: Db; cursors: Cursors }, owner: Owner): Promise<Till> {
  const { merchant, environment } = owner
  const { home } = merchant
  const { accountId, asOf } = await readWallet(deps.db, { merchantId: merchant.id, home, environment })
  const from = new Date(`${dayOf(asOf)}T00:00:00+03:00`)
  const sumToday = async (): Promise<Till['today']> => {
    if (accountId === null) return { volume: 0, count: 0 }
    const afterSeq = await seqBefore(deps.db, { home, accountId }, new Date(from.getTime() - outOfOrderMs))
    const [today] = await totalCreditsByDay(deps.db, { home, accountId }, { afterSeq, from, kinds: lineKinds.payment })
    return { volume: today?.amount ?? 0, count: today?.count ?? 0 }
  }
  const [today, { items }] = await Promise.all([
    sumToday(),
    listTransactions(deps, owner, {
      direction: 'credit',
      type: 'payment',
      limit: paymentsShown,
      ...(owner.seesOnlyToday && { createdFrom: from.toISOString() }),
    }),
  ])
  return { environment, currency: 'TZS', as_of: asOf.toISOString(), today, payments: items.map(paymentOf) }
}
