/** Pairs about a payout batch: its draft, its approval, its stop, and the balance that it needs. */
import assert from 'node:assert/strict'
import { erasePayer } from '../../server/operations/data-lifecycle/erase-payer.ts'
import { quoteFees } from '../../server/pay-out/payout-batches/quote-fees.ts'
import { checkLane } from '../../server/pay-out/payouts/send-payout.ts'
import { fromWire, homeOfId } from '../../server/platform/ids.ts'
import { pair, type Met, type Pair, type UseCase } from './pair.ts'
import type { Business, World } from './world.ts'

type Batch = Met & Business & { wireId: string; version: number }

const item = (amount: number, phone: string) => ({ amount, phone_number: phone, recipient_name: 'Asha Mushi' })

function keyOf({ wireId }: Pick<Batch, 'wireId'>): { home: number; id: string } {
  const id = fromWire('pb', wireId)!
  return { home: homeOfId(id), id }
}

/** A draft of two rows whose fees are known. */
async function draftOf({ app }: World, business: Business, phone = '0754001123'): Promise<Batch> {
  const { shop, owner } = business
  const made = await shop.as(owner, 'POST', '/payout-batches', {
    items: [item(10_000, '0754000123'), item(10_000, phone)],
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const wireId: string = made.body.data.id
  await app.deps.backgroundDone()
  await quoteFees(app.deps, 1, keyOf({ wireId }))
  return { ...business, wireId, version: await versionOf(business, wireId) }
}

async function versionOf({ shop, owner }: Business, wireId: string): Promise<number> {
  const { body } = await shop.as(owner, 'GET', `/payout-batches/${wireId}`)
  assert.notEqual(body.data.fees, null)
  return body.data.version
}

const ruled = (world: World): Promise<Business> => world.fundedBusiness({ above: 0, approvers: 1 })
const free = (world: World): Promise<Business> => world.fundedBusiness()

const draft = async (world: World): Promise<Batch> => draftOf(world, await free(world))
const draftUnderRule = async (world: World): Promise<Batch> => draftOf(world, await ruled(world))

const act =
  (who: 'owner' | 'approver' | 'second', action: string, body: (batch: Batch) => unknown = () => ({})): UseCase<Batch> =>
  (side, batch) =>
    side.as(batch, batch[who], 'POST', `/payout-batches/${batch.wireId}/${action}`, body(batch))

const seen = ({ version }: Batch) => ({ version })
const approve = (who: 'owner' | 'approver' | 'second') => act(who, 'approve', seen)
const refuse = act('second', 'refuse', ({ version }) => ({ version, reason: 'Not this one.' }))
const submit = act('owner', 'submit')
const stop = act('owner', 'stop')

/** The fees are asked for again, in the background. */
const edit: UseCase<Batch> = (side, batch) =>
  side.as(batch, batch.owner, 'PATCH', `/payout-batches/${batch.wireId}/items/1`, { amount: 15_000 })
const discard: UseCase<Batch> = (side, batch) => side.as(batch, batch.owner, 'DELETE', `/payout-batches/${batch.wireId}`)

/** A draft that was sent to its approvers. */
async function submitted(world: World): Promise<Batch> {
  const batch = await draftUnderRule(world)
  const { status, body } = await batch.shop.as(batch.owner, 'POST', `/payout-batches/${batch.wireId}/submit`, {})
  assert.equal(status, 200, JSON.stringify(body))
  return { ...batch, version: await versionOf(batch, batch.wireId) }
}

/**
 * The accountant takes it back, pays more, and sends it again; once more, if its fees were not known yet: a batch that the other side has
 * locked is left to the worker.
 */
const changeAndSubmit: UseCase<Batch> = async (side, batch) => {
  const answers = [await stop(side, batch), await edit(side, batch)]
  await side.deps.backgroundDone()
  const sent = await submit(side, batch)
  if (sent === '200') return [...answers, sent].join(', ')
  await quoteFees(side.deps, 1, keyOf(batch))
  return [...answers, await submit(side, batch)].join(', ')
}

/** A batch whose rows are due, and none was sent. */
async function running(world: World): Promise<Batch> {
  const batch = await draft(world)
  const { status, body } = await batch.shop.as(batch.owner, 'POST', `/payout-batches/${batch.wireId}/approve`, {
    version: batch.version,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return batch
}

/** A draft that takes more than half of what its business has. */
async function dear(world: World): Promise<Batch> {
  const batch = await draftOf(world, await world.business())
  for (const row of [1, 2])
    assert.equal(
      (await batch.shop.as(batch.owner, 'PATCH', `/payout-batches/${batch.wireId}/items/${row}`, { amount: 60_000 })).status,
      200,
    )
  await world.app.deps.backgroundDone()
  await quoteFees(world.app.deps, 1, keyOf(batch))
  return { ...batch, version: await versionOf(batch, batch.wireId) }
}

const pay: UseCase<Batch> = (side, batch) =>
  side.as(batch, batch.owner, 'POST', '/payouts', item(120_000, '+255754000123'), `${batch.wireId} ${side.name}`)

const sendRows: UseCase<Batch> = async ({ deps }) =>
  String(await checkLane(deps, { provider: 'snippe', environment: 'test', isSent: false }, 10))

let people = 0

/** A draft that pays a person who was never paid before, and wants to be erased. */
async function personal(world: World): Promise<Batch & { phone: string }> {
  people += 1
  const phone = `+2557${55 + Math.floor(people / 1000)}${String(people % 1000).padStart(3, '0')}123`
  return { ...(await draftOf(world, await free(world), phone)), phone }
}

const erase: UseCase<Batch & { phone: string }> = async ({ deps }, { phone }) => {
  await erasePayer(deps, phone)
  return 'done'
}

export const batchPairs: readonly Pair[] = [
  pair({ name: 'batch-approve-approve', prepare: draft, first: approve('owner'), second: approve('owner') }),
  pair({ name: 'batch-approve-edit', prepare: draft, first: approve('owner'), second: edit, inParts: ['2'] }),
  pair({ name: 'batch-approve-discard', prepare: draft, first: approve('owner'), second: discard }),
  pair({ name: 'batch-approve-payout', prepare: dear, first: approve('owner'), second: pay }),
  pair({ name: 'batch-approve-erase', prepare: personal, first: approve('owner'), second: erase }),
  pair({ name: 'batch-submit-submit', prepare: draftUnderRule, first: submit, second: submit }),
  pair({ name: 'batch-submit-edit', prepare: draftUnderRule, first: submit, second: edit, inParts: ['2'] }),
  pair({ name: 'batch-edit-edit', prepare: draft, first: edit, second: edit, inParts: ['1', '2'] }),
  pair({ name: 'batch-submit-stop', prepare: draftUnderRule, first: submit, second: stop }),
  pair({ name: 'batch-submit-approve', prepare: draftUnderRule, first: submit, second: approve('approver') }),
  pair({ name: 'batch-stop-edit', prepare: submitted, first: stop, second: edit, inParts: ['2'] }),
  pair({ name: 'batch-submit-discard', prepare: draftUnderRule, first: submit, second: discard }),
  pair({ name: 'batch-approved-approved', prepare: submitted, first: approve('approver'), second: approve('second') }),
  pair({ name: 'batch-approved-refused', prepare: submitted, first: approve('approver'), second: refuse }),
  pair({ name: 'batch-approved-stop', prepare: submitted, first: approve('approver'), second: stop }),
  pair({
    name: 'batch-approved-changed',
    prepare: submitted,
    first: approve('approver'),
    second: changeAndSubmit,
    isLossless: true,
    refusals: ['409 invalid_state', '409 approval_changed'],
  }),
  pair({ name: 'batch-stop-stop', prepare: running, first: stop, second: stop }),
  pair({ name: 'batch-send-stop', prepare: running, first: sendRows, second: stop, isLossless: true }),
]
