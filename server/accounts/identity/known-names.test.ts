/** A name that resembles a network's or a bank's name is recognised in every spelling. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resembledName } from './known-names.ts'

test('[A89] names of networks, banks and offices are recognised in every disguise', () => {
  const disguised: [name: string, of: string][] = [
    ['M-Pesa', 'M-Pesa'],
    ['M PESA Tanzania Ltd', 'M-Pesa'],
    ['М-Реѕа', 'M-Pesa'],
    ['rn-pe5a', 'M-Pesa'],
    ['Vodac0m', 'Vodacom'],
    ['VODACOM customer care', 'Vodacom'],
    ['Аirtеl', 'Airtel'],
    ['AirteI', 'Airtel'],
    ['ＮＭＢ Bank', 'NMB'],
    ['C R D B', 'CRDB'],
    ['Hál​otel', 'Halotel'],
  ]
  for (const [name, of] of disguised) assert.deepEqual(resembledName(name), { name: of, isExact: true }, name)
})

test('a name that contains a trusted name is shown to reviewers, and an ordinary name resembles none', () => {
  for (const name of ['Wakala wa M-Pesa Mwenge', 'Duka la Vodacom Kariakoo', 'CRDB Wakala Asha'])
    assert.equal(resembledName(name)?.isExact, false, name)
  for (const name of [
    'Mwenge Traders Limited',
    'Asha Juma',
    'Mama Pesa Kuku',
    'Yasin Omari',
    'Tigonza Stores',
    'Nbcom',
    'Duka la Asha',
    'Mpemba Sauti',
    'Huduma Ltd',
    'Commercial Traders',
    '',
  ])
    assert.equal(resembledName(name), undefined, name)
})
