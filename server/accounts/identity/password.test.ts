/** Passwords: their length in characters, their hash parameters, and the queue for hashing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import type { Refusal } from '../../platform/refusal.ts'
import { createPasswords, newPassword, triedPassword, type Caller } from './password.ts'

test('a password is counted in characters, not in code units, and never cut', () => {
  const lengths = [11, 12, 128, 129].map((count) => newPassword.safeParse('😀'.repeat(count)).success)
  assert.deepEqual(lengths, [false, true, true, false])
  assert.deepEqual(
    [0, 1, 128, 129].map((count) => triedPassword.safeParse('ü'.repeat(count)).success),
    [false, true, true, false],
  )
})

test('a hash is argon2id with 19 MiB, two passes and one lane, and matches only its password', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('correct horse battery', {})
  assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(passwords.isOutdated(hashed), false)
  assert.equal(await passwords.matches(hashed, 'correct horse battery', {}), true)
  assert.equal(await passwords.matches(hashed, 'correct horse batterz', {}), false)
  assert.equal(await passwords.matches(undefined, 'correct horse battery', {}), false)
})

test('the composed and the decomposed form of a password are the same password', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('siri ya Zoé, kuu', {})
  assert.equal(await passwords.matches(hashed, 'siri ya Zoe\u0301, kuu', {}), true)
})

test('a hash with weaker parameters is outdated', async () => {
  const weak = await hash('correct horse battery', { memoryCost: 8192, timeCost: 1, parallelism: 1 })
  assert.equal(createPasswords().isOutdated(weak), true)
})

test('a flood of checks is refused beyond a short queue, and the queue is processed', async () => {
  const passwords = createPasswords({ maxRunning: 1, maxWaiting: 2 })
  const answers = await Promise.allSettled(
    Array.from({ length: 6 }, () => passwords.matches(undefined, 'correct horse battery', {})),
  )
  const refused = answers.filter((answer) => answer.status === 'rejected').map((answer) => answer.reason as Refusal)
  assert.equal(refused.length, 3)
  assert.ok(refused.every((refusal) => refusal.httpStatus === 503 && refusal.code === 'overloaded'))
  assert.equal(await passwords.matches(undefined, 'correct horse battery', {}), false)
})

test('a flood from one address, or for one account, waits behind all other callers', async () => {
  const passwords = createPasswords({ maxRunning: 1, maxWaiting: 100 })
  const order: string[] = []
  const check = async (name: string, caller: Caller) => {
    await passwords.matches(undefined, 'correct horse battery', caller)
    order.push(name)
  }
  const floodOf = (count: number) =>
    Array.from({ length: count }, (_, n) => check('flood', { account: `unknown ${count}.${n}`, address: '41.59.1.1' }))
  const flood = floodOf(20)
  await flood[0]
  const other = check('other address', { account: 'asha', address: '41.59.2.2' })
  // Among equals the newest runs first. These calls are not equal, although each names a different account.
  flood.push(...floodOf(10))
  await other
  assert.ok(order.indexOf('other address') <= 2, order.join())
  await check('same address', { account: 'juma', address: '41.59.1.1' })
  assert.ok(order.indexOf('same address') <= 4, order.join())
  await Promise.all(flood)
})

test('the answers to many wrong passwords of one address are held back, and a right one never is', async () => {
  const passwords = createPasswords()
  const address = '41.59.1.1'
  const known = await passwords.hash('correct horse battery', {})
  const tries = Array.from({ length: 24 }, (_, n) =>
    passwords.matches(undefined, 'wrong horse battery', { account: `${n}`, address }),
  )
  let answered = 0
  for (const one of tries) void one.then(() => (answered += 1))
  const startedAt = performance.now()
  assert.equal(await passwords.matches(known, 'correct horse battery', { account: 'asha', address }), true)
  const rightMs = performance.now() - startedAt
  await Promise.all(tries)
  const allMs = performance.now() - startedAt
  assert.ok(allMs >= 2_000 && rightMs < allMs - 1_000, `${rightMs} ms, ${allMs} ms`)
  assert.equal(answered, 24)
})

test('wrong passwords at one account, and very many over all, are held back wherever they come from', async () => {
  const wrongBeforeDelay = { account: 2, address: 100, all: 100 }
  const timeOf = async (limits: typeof wrongBeforeDelay, callerOf: (turn: number) => Caller): Promise<number> => {
    const passwords = createPasswords({ wrongBeforeDelay: limits })
    const startedAt = performance.now()
    const tries = Array.from({ length: 6 }, (_, turn) => passwords.matches(undefined, 'wrong horse battery', callerOf(turn)))
    await Promise.all(tries)
    return performance.now() - startedAt
  }
  const atOneAccount = (turn: number): Caller => ({ account: 'asha', address: `41.59.1.${turn}` })
  const everywhere = (turn: number): Caller => ({ account: `${turn}`, address: `41.59.1.${turn}` })
  assert.ok((await timeOf(wrongBeforeDelay, atOneAccount)) >= 1_900)
  assert.ok((await timeOf({ account: 100, address: 100, all: 2 }, everywhere)) >= 1_900)
})
