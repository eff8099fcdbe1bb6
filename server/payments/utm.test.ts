import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUtm } from './utm.ts'

const of = (values: Record<string, unknown>) => readUtm((name) => values[name])

test('the five names of a campaign are kept, cut to a length, without what cannot be seen; all else is not', () => {
  assert.deepEqual(of({ utm_source: ' whatsapp\u0000 ', utm_campaign: 'Muhula 2', utm_id: 'x', lang: 'en' }), {
    utm_source: 'whatsapp',
    utm_campaign: 'Muhula 2',
  })
  assert.equal(of({ utm_term: '😀'.repeat(200) })!.utm_term, '😀'.repeat(100))
  assert.equal(of({ utm_source: ['a', 'b'], utm_medium: '  ' }), null)
  assert.equal(of({}), null)
})
