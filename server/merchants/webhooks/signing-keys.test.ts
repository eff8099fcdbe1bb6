import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { newSecret } from './endpoint.ts'
import { signingKeyOf } from './signature.ts'
import { createSigningKeys } from './signing-keys.ts'

test('a secret is opened once while it is in use, opened again after it was replaced, and not kept for long', () => {
  const secrets = new Map([
    ['one', newSecret()],
    ['two', newSecret()],
  ])
  const opened: string[] = []
  const sealer = {
    open(sealed, context) {
      opened.push(`${context} ${sealed}`)
      return secrets.get(sealed)!
    },
  } as Sealer
  let now = 1_000_000
  const keys = createSigningKeys(sealer, { now: () => now })
  const isKeyOf = (sealed: string) => keys.open('e', 'secret', sealed).service.equals(signingKeyOf(secrets.get(sealed)!).service)
  assert.ok(isKeyOf('one') && isKeyOf('one') && isKeyOf('two') && isKeyOf('one'))
  assert.deepEqual(opened, ['webhook_endpoints|e|secret one', 'webhook_endpoints|e|secret two'])
  keys.open('e', 'previous_secret', 'one')
  keys.open('f', 'secret', 'one')
  assert.deepEqual(opened.slice(2), ['webhook_endpoints|e|previous_secret one', 'webhook_endpoints|f|secret one'])
  keys.clear()
  assert.ok(isKeyOf('one'))
  assert.equal(opened.length, 5)
  for (const step of [10_001, -10_001]) {
    now += step
    assert.ok(isKeyOf('one'))
  }
  assert.equal(opened.length, 7)
})
