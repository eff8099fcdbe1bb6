/** One merchant's payments and payouts, the model of its clients, and the provider's own books. */
import { fromWire, toWire } from '../../server/platform/ids.ts'
import type { TestApp } from '../app.ts'
import { payoutFee, type Order, type PayoutOrder } from '../faults/model.ts'
import { readInTheEnd } from './clients.ts'
import type { Balance } from './wallet-history.ts'

type Kept = Pick<Order | PayoutOrder, 'name' | 'id' | 'progress'>

/** What one table has of what the merchant's clients were told, and nothing else. */
export async function compareTable(
  app: TestApp,
  userId: string,
  table: 'payments' | 'payouts',
  orders: readonly Kept[],
): Promise<string[]> {
  const { rows } = await readInTheEnd(() =>
    app.owner.pool.query<{ id: string; status: string }>(`select id, status from ${table} where merchant_id = $1`, [
      fromWire('usr', userId),
    ]),
  )
  const statuses = new Map(rows.map(({ id, status }) => [toWire(table === 'payments' ? 'pay' : 'po', id), status]))
  const known = new Set(orders.map(({ id }) => id))
  return orders
    .flatMap(({ name, id, progress }) => {
      if (id === undefined) return [`${name} was never answered`]
      const status = statuses.get(id)
      if (status === undefined) return [`${name}, accepted as ${id}, is lost`]
      return progress.has('completed') && status !== 'completed' ? [`${name}, ${id}, was completed and is ${status}`] : []
    })
    .concat([...statuses.keys()].filter((id) => !known.has(id)).map((id) => `${id} of ${table} was never asked for`))
}

type Moved = { amount: number; money_moved: boolean; prompts: number; metadata: Record<string, string> }

/** The merchant's wallet and the provider's books: each order was sent there once, and what moved there is in the wallet. */
export async function compareWithProvider(
  app: TestApp,
  payments: readonly Order[],
  payouts: readonly PayoutOrder[],
  { available, reserved }: Balance,
): Promise<string[]> {
  const truth = (await app.truth()) as { charges: Moved[]; payouts: Moved[] }
  const charges = Map.groupBy(truth.charges, ({ metadata }) => metadata['malipo_payment'])
  const sent = Map.groupBy(truth.payouts, ({ metadata }) => metadata['malipo_payout'])
  const moved = (all: Moved[], fee: number): number =>
    all.reduce((sum, { amount, money_moved }) => sum + (money_moved ? amount + fee : 0), 0)
  const expected =
    moved(
      payments.flatMap(({ id }) => charges.get(id) ?? []),
      0,
    ) -
    moved(
      payouts.flatMap(({ id }) => sent.get(id) ?? []),
      payoutFee,
    )
  return [
    ...(available + reserved === expected ? [] : [`the wallet has ${available + reserved}, by the provider's books ${expected}`]),
    ...[...charges, ...sent]
      .filter(([, all]) => all.length !== 1)
      .map(([id, all]) => `the provider has ${id} ${all.length} times`),
    ...truth.charges.filter(({ prompts }) => prompts !== 1).map(({ prompts }) => `one payment prompted ${prompts} times`),
  ]
}
