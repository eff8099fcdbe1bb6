/** What people call a payment: who is paid, who pays, and for what. A payer who was erased has no name. */
import { z } from 'zod'
import { wireIdOf } from '../../accounts/identity/merchant.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { readPaymentNames, type PaymentNames } from './payment-names.sql.ts'

type Names = z.infer<typeof paymentNamesSchema>

export const paymentNamesSchema = z
  .object({
    merchant: z.object({ id: z.string().meta({ example: 'biz_06g2v1d1p5fz9b7q4w5w1y2k3m' }), name: z.string() }),
    payer: z.object({
      name: z.string().nullable().meta({ description: 'As the payer gave it. Null: not given, or erased.' }),
      phone_masked: z.string().meta({ example: '0754 ••• 789' }),
    }),
    page: z
      .object({ id: z.string(), title: z.string(), slug: z.string() })
      .nullable()
      .meta({ description: 'Null for a payment request and for a payment that its merchant created directly.' }),
  })
  .meta({ id: 'PaymentNames' })

export function paymentNamesToJson(of: Omit<PaymentNames, 'id'>): Names {
  return {
    merchant: { id: wireIdOf({ id: of.merchantId, kind: of.merchantKind }), name: of.merchantName },
    payer: { name: of.phoneNumber.startsWith('+') ? of.customerName : null, phone_masked: maskPhone(of.phoneNumber) },
    page: of.isPageHidden ? null : { id: toWire('page', of.pageId), title: of.pageTitle, slug: of.pageSlug },
  }
}

/** The names of the payments of one page of a list, by its rows; null for a row about no payment. */
export async function namesOfRows<Row extends { paymentId: string | null }>(
  db: Runner,
  rows: Row[],
): Promise<(row: Row) => Names | null> {
  const names = await readPaymentNames(
    db,
    rows.flatMap(({ paymentId }) => paymentId ?? []),
  )
  return ({ paymentId }) => {
    const found = paymentId === null ? undefined : names.get(paymentId)
    return found ? paymentNamesToJson(found) : null
  }
}

/** `Duka la Asha · Neema Juma · Kiingilio`, as the console writes it. */
export function paymentNamesInLine(of: PaymentNames): string {
  const { merchant, payer, page } = paymentNamesToJson(of)
  return [merchant.name, payer.name ?? payer.phone_masked, page?.title].filter(Boolean).join(' · ')
}
