/**
 * What each wallet should hold by the simulator's truth alone: what its payers paid, less the payouts and refunds that left. The run
 * knows which merchant asked for what, and what its operators have decided; our own books are not read for it.
 */
import { must, type YearMerchant } from './merchants.ts'
import type { Service } from './service.ts'

/** Null: no merchant. */
type Owner = YearMerchant | null

export type Truth = {
  /** Who asked for a payment or payout, by its wire id, also if a restore has lost it. */
  askedBy: Map<string, YearMerchant>
  /** Orders and charges at the provider that no merchant asked for. */
  foreign: Set<string>
  /** Payments without money whose payers pay later. */
  paysLater: Set<string>
  /** The last decision of operators on a record of the provider; undefined: it belongs to the merchant who asked for it. */
  decided: { reference: string; owner: Owner | undefined; at: number }[]
}

export const newTruth = (): Truth => ({ askedBy: new Map(), foreign: new Set(), paysLater: new Set(), decided: [] })

/** A restore loses decisions, too: operators find the same break again. */
export function forgetSince({ decided }: Truth, at: number): void {
  decided.splice(0, decided.length, ...decided.filter((one) => one.at <= at))
}

type Record = { reference: string; metadata: { malipo_payment?: string; malipo_payout?: string } }
type Charge = Record & { amount: number; money_moved: boolean }
type Payout = Record & { total: number; status: string }

function ownerOf({ askedBy, foreign, decided }: Truth, { reference, metadata }: Record): Owner {
  const decision = decided.findLast((one) => one.reference === reference)
  if (decision?.owner !== undefined) return decision.owner
  if (foreign.has(reference)) return null
  return askedBy.get(metadata.malipo_payment ?? metadata.malipo_payout ?? '') ?? null
}

/** The wallets that differ from the truth. A payout that has not ended is reserved, or lies in an order: `total` has both. */
export async function differFromTruth(service: Service, merchants: YearMerchant[], truth: Truth): Promise<string[]> {
  const { charges, payouts } = (await (await fetch(`${service.simulatorUrl}/__truth`)).json()) as {
    charges: Charge[]
    payouts: Payout[]
  }
  const sums = new Map<Owner, number>()
  const add = (owner: Owner, amount: number): void => void sums.set(owner, (sums.get(owner) ?? 0) + amount)
  for (const charge of charges) if (charge.money_moved) add(ownerOf(truth, charge), charge.amount)
  for (const payout of payouts) if (payout.status === 'completed') add(ownerOf(truth, payout), -payout.total)
  const found: string[] = []
  for (const merchant of merchants) {
    const { total, receivable } = await must(service, 200, 'GET', '/v1/balance', { key: merchant.key })
    const [here, there] = [total - receivable, sums.get(merchant) ?? 0]
    if (here !== there) found.push(`the wallet of ${merchant.name} has ${here} TZS, by the provider's truth it has ${there}`)
  }
  return found
}
