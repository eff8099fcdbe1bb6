/** A recipient that a merchant has saved, as its owner sees it. */
import { z } from 'zod'
import type { Environment } from '../../domain/environment.ts'
import { networkSchema, type Network } from '../../domain/network.ts'
import { toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** The most payouts that one recipient's count includes: a number that is paid more often reads as this many. */
export const countedPayouts = 1_000

export type Recipient = {
  home: number
  id: string
  environment: Environment
  name: string
  /** E.164. */
  phoneNumber: string
  network: Network | null
  lastPaidAt: Date | null
  /** At most `countedPayouts`. */
  paidCount: number
  /** The name of the last completed payout to this number. */
  lastPaidName: string | null
  createdAt: Date
}

export const recipientSchema = z
  .object({
    id: z.string().meta({ example: 'rcp_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    name: z.string(),
    phone_number: z.string().meta({ example: '+255754123789' }),
    network: networkSchema.nullable().meta({
      description: 'The network of the last completed payout to this number; before it, the one that the prefix suggests.',
    }),
    last_paid_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the last completed payout of this wallet reached the number. Refunds do not count.' }),
    paid_count: z.int().meta({
      description: `How many completed payouts of this wallet reached the number; ${countedPayouts.toLocaleString('en')} means at least as many.`,
    }),
    last_paid_name: z.string().nullable().meta({ description: 'The name of the last completed payout to this number.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Recipient' })

export function recipientToJson(recipient: Recipient): z.infer<typeof recipientSchema> {
  return answerOf(recipientSchema, recipient, {
    id: toWire('rcp', recipient.id),
  })
}
