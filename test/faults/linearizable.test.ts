/** The check of histories against histories whose verdict is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { walletModel, type Balance, type Begun } from '../cluster/wallet-history.ts'
import { checkLinearizable } from './linearizable.ts'

const never = Number.POSITIVE_INFINITY
const start: Balance = { available: 10, reserved: 0 }

const change = (kind: 'credit' | 'reserve' | 'leave' | 'return', amount: number, invoked: number, returned: number): Begun => ({
  effect: { kind, name: 'x', amount },
  invoked,
  returned,
})
const read = (available: number, reserved: number, invoked: number, returned: number): Begun => ({
  effect: { kind: 'read', name: 'x', available, reserved },
  invoked,
  returned,
})

const verdictOf = (history: Begun[], maxSteps?: number): string => checkLinearizable(walletModel, start, history, maxSteps).kind

const histories: [what: string, isAllowed: boolean, history: Begun[]][] = [
  ['nothing happens', true, []],
  [
    'a read between two changes',
    true,
    [change('credit', 5, 0, 1), read(15, 0, 2, 3), change('reserve', 4, 4, 5), read(11, 4, 6, 7)],
  ],
  ['two reads of one open credit, before and after it', true, [change('credit', 5, 0, 9), read(10, 0, 1, 2), read(15, 0, 3, 4)]],
  ['reads at once may see it in any order', true, [change('credit', 5, 0, 9), read(15, 0, 1, 4), read(10, 0, 2, 5)]],
  ['an unknown credit that took effect later', true, [change('credit', 5, 0, never), read(10, 0, 1, 2), read(15, 0, 90, 91)]],
  ['an unknown credit that never took effect', true, [change('credit', 5, 0, never), read(10, 0, 90, 91)]],
  [
    'a payout whose money leaves',
    true,
    [change('reserve', 10, 0, 1), read(0, 10, 2, 3), change('leave', 10, 0, 9), read(0, 0, 10, 11)],
  ],
  ['a payout whose money returns', true, [change('reserve', 10, 0, 1), change('return', 10, 0, 9), read(10, 0, 10, 11)]],
  ['a stale read', false, [change('credit', 5, 0, 1), read(10, 0, 2, 3)]],
  ['a read from the future', false, [read(15, 0, 0, 1), change('credit', 5, 2, 3)]],
  ['a lost update', false, [change('credit', 5, 0, 1), change('credit', 3, 0, 1), read(13, 0, 2, 3)]],
  ['a read that goes back', false, [change('credit', 5, 0, 9), read(15, 0, 1, 2), read(10, 0, 3, 4)]],
  ['an unknown credit that was seen and is gone', false, [change('credit', 5, 0, never), read(15, 0, 1, 2), read(10, 0, 90, 91)]],
  ['an unknown credit that took effect twice', false, [change('credit', 5, 0, never), read(20, 0, 90, 91)]],
  ['a doubled debit', false, [change('reserve', 4, 0, 1), read(2, 8, 2, 3)]],
  ['money that leaves before it is reserved', false, [change('leave', 4, 0, 1), change('reserve', 4, 2, 3), read(6, 0, 4, 5)]],
  ['a payout out of an empty wallet', false, [change('reserve', 11, 0, 1)]],
  ['half a step', false, [change('reserve', 4, 0, 9), read(6, 0, 1, 2), read(6, 4, 10, 11)]],
]

for (const [what, isAllowed, history] of histories) {
  test(`${what}: ${isAllowed ? 'linearizable' : 'not linearizable'}`, () => {
    assert.equal(verdictOf(history), isAllowed ? 'linearizable' : 'not linearizable')
  })
}

test('the operation that cannot be explained is named', () => {
  const stale = read(10, 0, 2, 3)
  const verdict = checkLinearizable(walletModel, start, [
    change('credit', 5, 0, 1),
    read(15, 0, 1.5, 1.6),
    stale,
    read(15, 0, 4, 5),
  ])
  assert.equal(verdict.kind === 'not linearizable' && verdict.unexplained, stale)
})

test('many equal open credits take few steps, and a search that would take too many says so', () => {
  const credits = (amounts: number[]): Begun[] => amounts.map((amount, index) => change('credit', amount, index / 100, never))
  const equal = checkLinearizable(walletModel, start, [...credits(Array.from({ length: 200 }, () => 5)), read(11, 0, 90, 91)])
  assert.equal(equal.kind, 'not linearizable')
  assert.ok(equal.steps < 1_000, `${equal.steps} steps`)
  const different = [...credits(Array.from({ length: 30 }, (_, index) => 2 ** index * 2)), read(11, 0, 90, 91)]
  assert.equal(verdictOf(different, 5_000), 'undecided')
})

/** One client does one thing after another; `at` is the moment of its effect, the rest is what it waited before and after. */
const deed = fc.record({
  kind: fc.constantFrom('credit', 'reserve', 'leave', 'read' as const),
  amount: fc.constantFrom<number>(2, 2, 3),
  pause: fc.integer({ min: 0, max: 20 }),
  before: fc.integer({ min: 0, max: 20 }),
  after: fc.integer({ min: 0, max: 20 }),
  isLost: fc.integer({ min: 0, max: 9 }).map((die) => die === 0),
})
const clients = fc.array(fc.array(deed, { maxLength: 12 }), { minLength: 1, maxLength: 4 })
type Deed = typeof deed extends fc.Arbitrary<infer One> ? One : never

/** The history of clients whose operations each take effect at one moment, in the order of these moments. */
function trueHistory(all: Deed[][]): Begun[] {
  const planned = all.flatMap((deeds) => {
    let time = 0
    return deeds.map((one) => {
      const invoked = (time += one.pause)
      const at = (time += one.before)
      return { ...one, invoked, at, returned: (time += one.after) }
    })
  })
  let state = start
  const history: Begun[] = []
  // Two effects at one moment have the order of this list.
  for (const { kind, amount, invoked, returned, isLost } of planned.toSorted((a, b) => a.at - b.at)) {
    if (kind === 'read') {
      history.push(read(state.available, state.reserved, invoked, returned))
      continue
    }
    const begun = change(kind, amount, invoked, isLost ? never : returned)
    const next = walletModel.apply(state, begun.effect)
    if (!next) continue
    state = next
    history.push(begun)
  }
  return history
}

test('a history of a wallet that does one thing at a time is always linearizable', () => {
  fc.assert(fc.property(clients, (all) => verdictOf(trueHistory(all)) === 'linearizable'))
})

test('the same is refused when one read was answered with a shilling more', () => {
  // All amounts are even, so that no order of them explains an odd balance.
  const even = clients.map((all) => all.map((deeds) => deeds.map((one) => ({ ...one, amount: 2 }))))
  fc.assert(
    fc.property(even, fc.nat(), (all, at) => {
      const history = trueHistory(all)
      const reads = history.filter(({ effect }) => effect.kind === 'read')
      fc.pre(reads.length > 0)
      const wrong = reads[at % reads.length]!
      const { effect } = wrong
      if (effect.kind === 'read') wrong.effect = { ...effect, available: effect.available + 1 }
      assert.equal(verdictOf(history), 'not linearizable')
    }),
  )
})

/** Whether any order of the operations explains all of them: the definition, without a search that leaves anything out. */
function isExplained(state: Balance, left: readonly Begun[]): boolean {
  if (left.every(({ returned }) => returned === never)) return true
  return left.some((one, index) => {
    if (left.some(({ returned }) => returned < one.invoked)) return false
    const next = walletModel.apply(state, one.effect)
    return next !== undefined && isExplained(next, left.toSpliced(index, 1))
  })
}

test('of any few operations it says what the definition says', () => {
  const time = fc.integer({ min: 0, max: 12 })
  const length = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(never))
  const amount = fc.constantFrom(2, 3)
  const any = fc.oneof(
    fc
      .tuple(fc.constantFrom('credit', 'reserve', 'leave', 'return' as const), amount, time, length)
      .map(([kind, money, at, ms]) => change(kind, money, at, at + ms)),
    fc
      .tuple(fc.constantFrom(8, 10, 12, 13), fc.constantFrom(0, 2, 3), time, fc.integer({ min: 0, max: 8 }))
      .map(([available, reserved, at, ms]) => read(available, reserved, at, at + ms)),
  )
  const verdicts = new Set<boolean>()
  fc.assert(
    fc.property(fc.array(any, { maxLength: 6 }), (history) => {
      const isAllowed = isExplained(start, history)
      verdicts.add(isAllowed)
      assert.equal(verdictOf(history), isAllowed ? 'linearizable' : 'not linearizable')
    }),
    { numRuns: 2_000 },
  )
  assert.equal(verdicts.size, 2, 'both verdicts occurred')
})
