/** Passwords: their length in characters, their parameters, and the queue in front of the hashing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import type { Refusal } from '../platform/refusal.ts'
import { createPasswords, newPassword, triedPassword } from './password.ts'

test('a password is counted in characters, not in code units, and never cut', () => {
  const lengths = [11, 12, 128, 129].map((count) => newPassword.safeParse('😀'.repeat(count)).success)
  assert.deepEqual(lengths, [false, true, true, false])
  assert.deepEqual(
    [0, 1, 128, 129].map((count) => triedPassword.safeParse('ü'.repeat(count)).success),
    [false, true, true, false],
  )
})

test('a hash is argon2id with 19 MiB, two passes and one lane, and matches its password only', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('correct horse battery')
  assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(passwords.isOutdated(hashed), false)
  assert.equal(await passwords.matches(hashed, 'correct horse battery'), true)
  assert.equal(await passwords.matches(hashed, 'correct horse batterz'), false)
  assert.equal(await passwords.matches(undefined, 'correct horse battery'), false)
})

test('a composed and a decomposed form of one password are the same password', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('siri ya Zoé, kuu')
  assert.equal(await passwords.matches(hashed, 'siri ya Zoe\u0301, kuu'), true)
})

test('a hash of weaker parameters is outdated', async () => {
  const weak = await hash('correct horse battery', { memoryCost: 8192, timeCost: 1, parallelism: 1 })
  assert.equal(createPasswords().isOutdated(weak), true)
})

test('a flood of checks is refused beyond a short queue, and the queue is worked off', async () => {
  const passwords = createPasswords({ maxRunning: 1, maxWaiting: 2 })
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => passwords.matches(undefined, 'correct horse battery')))
  const refused = answers.filter((answer) => answer.status === 'rejected').map((answer) => answer.reason as Refusal)
  assert.equal(refused.length, 3)
  assert.ok(refused.every((refusal) => refusal.httpStatus === 503 && refusal.code === 'overloaded'))
  assert.equal(await passwords.matches(undefined, 'correct horse battery'), false)
})
