/** What a person reads whose payouts wait: it names what happened, and advises nothing that would make them wait longer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountWaitOf, payoutMustWait } from './account-wait.ts'

const now = new Date('2026-11-24T09:00:00Z')
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000)
const day = 86_400

test('a second factor that was connected now starts a wait, and one that is older than a day ends the wait of a new device', () => {
  const facts = { now, passwordResetAt: null, contactChangedAt: null, deviceSince: hoursAgo(1), hasShownFactor: true }
  assert.equal(accountWaitOf({ ...facts, factorChangedAt: hoursAgo(0) }, day)?.reason, 'new_second_factor')
  assert.equal(accountWaitOf({ ...facts, factorChangedAt: hoursAgo(25) }, day), undefined)
  for (const reason of ['new_device', 'password_reset', 'new_key'] as const) {
    assert.match(payoutMustWait(reason, now).message, /second factor that is older than a day/, reason)
  }
})

test('a new key says that it also waits for a change of the account that created it', () => {
  assert.match(payoutMustWait('new_key', now).message, /change of the account that created it/)
})

test('another member is promised only where there is one', () => {
  assert.match(payoutMustWait('new_device', now, 'approve this').message, /If there is another member with the same right/)
})
