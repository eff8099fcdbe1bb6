/** What the editor sends of a page that others may change while it is open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentPage } from '../../api/operations.ts'
import { changedSettings, draftOf, type Draft } from './draft.ts'

/** As the API shows a page with a fixed amount that was made by a program. */
const page = {
  type: 'payment',
  slug: 'duka',
  title: 'Duka',
  description: null,
  allow_custom_amount: false,
  amount: 5000,
  min_amount: 1000,
  max_amount: 90_000,
  max_payments: null,
  expires_at: '2027-01-31T20:59:59.000Z',
  language: 'auto',
  success_message: null,
  redirect_url: null,
  custom_fields: [{ key: 'meza', label: 'Meza', type: 'choice', required: true, choices: ['1', '2'] }],
} as unknown as PaymentPage

const sent = (typed: Partial<Draft>) => changedSettings(draftOf(page), { ...draftOf(page), ...typed })

test('a page that is saved as it was keeps everything, also what the form cannot show', () => {
  assert.deepEqual(sent({}), {})
})

test('only what was typed is sent: an amount that others have changed meanwhile stays', () => {
  assert.deepEqual(sent({ title: ' Duka la Asha ' }), { title: 'Duka la Asha' })
  assert.deepEqual(sent({ expires_at: '' }), { expires_at: null })
  const [field] = draftOf(page).custom_fields
  assert.deepEqual(sent({ custom_fields: [{ ...field!, choices: '1\n\n3' }] }), {
    custom_fields: [{ key: 'meza', label: 'Meza', type: 'choice', required: true, choices: ['1', '3'] }],
  })
})

test('the limits of an amount are sent with the choice that shows them, and removed with it', () => {
  assert.deepEqual(sent({ allow_custom_amount: true }), { allow_custom_amount: true, min_amount: 1000, max_amount: 90_000 })
  const custom = { ...draftOf(page), allow_custom_amount: true }
  assert.deepEqual(changedSettings(custom, { ...custom, allow_custom_amount: false }), {
    allow_custom_amount: false,
    min_amount: 500,
    max_amount: null,
  })
})
