/** What the question before a refusal says about the money. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Approval } from '../../api/operations.ts'
import { refusalOf } from './refusal.ts'

// What the language of the page is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
const texts = (await import(join(import.meta.dirname, 'texts.ts'))) as { approvalsTexts: { say(key: string): string } }
const { say } = texts.approvalsTexts

const said = (kind: Approval['kind'], method: Approval['method']) => say(refusalOf({ kind, method }))

test('only a single payout or refund of the wallet returns money when it is refused', () => {
  const returns = 'It is cancelled, and the money returns to the wallet.'
  assert.deepEqual([said('payout', 'provider'), said('refund', 'provider')], [returns, returns])
  assert.equal(said('payout_batch', null), 'Nothing is paid.')
  assert.equal(said('refund', 'outside'), 'The return is not recorded.')
  assert.equal(said('rule_change', null), 'The present rule stays.')
  assert.match(said('member_role', null), /does not get the role/)
})
