/** A customer: a phone that has paid a wallet, as the merchant sees it, with a masked number. */
import { z } from 'zod'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { networkSchema, type Network } from '../../domain/network.ts'
import { maskPhone } from '../../domain/phone.ts'
import { toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Customer = {
  home: number
  id: string
  environment: Environment
  /** E.164; a pseudonym after erasure. */
  phoneNumber: string
  name: string | null
  network: Network | null
  paidCount: number
  /** TZS. */
  paidTotal: number
  /** TZS. */
  refundedTotal: number
  firstPaidAt: Date
  lastPaidAt: Date
}

export const customerSchema = z
  .object({
    id: z.string().meta({ example: 'cus_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    name: z.string().nullable().meta({ description: 'The name of the last payment that had one.' }),
    phone_masked: z.string().meta({ example: '0754 ••• 789' }),
    network: networkSchema.nullable(),
    paid_count: z.int().meta({ description: 'How many payments of this phone were completed.' }),
    paid_total: z.int().meta({ description: 'TZS that were credited for them and not reversed. Refunds are not subtracted.' }),
    refunded_total: z
      .int()
      .meta({ description: 'TZS of refunds from the wallet that have not failed, including those in flight.' }),
    environment: environmentSchema,
    first_paid_at: z.iso.datetime(),
    last_paid_at: z.iso.datetime(),
  })
  .meta({ id: 'Customer' })

export function customerToJson(customer: Customer): z.infer<typeof customerSchema> {
  return answerOf(customerSchema, customer, {
    id: toWire('cus', customer.id),
    phone_masked: maskPhone(customer.phoneNumber),
  })
}
