/** Which addresses a list of addresses and networks allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedIps, isAllowed } from './allowed-ips.ts'

test('an address or network is stored once, in its canonical form', () => {
  const spellings: [string[], string[]][] = [
    [['203.0.113.7'], ['203.0.113.7']],
    [['203.0.113.7/32', ' 203.0.113.7 ', '::ffff:203.0.113.7', '::ffff:cb00:7107/128'], ['203.0.113.7']],
    [['10.0.0.0/8', '::ffff:10.0.0.0/104'], ['10.0.0.0/8']],
    [
      ['0.0.0.0/0', '::/0'],
      ['0.0.0.0/0', '::/0'],
    ],
    [['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'], ['2001:db8::1']],
    [['2001:0db8::/32'], ['2001:db8::/32']],
    [[], []],
  ]
  for (const [written, kept] of spellings) assert.deepEqual(allowedIps.parse(written), kept)
})

test('invalid addresses and networks, and networks not written with their first address, are refused', () => {
  const wrong = [
    '',
    'localhost',
    '203.0.113',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '203.0.113.256',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/',
    '203.0.113.0/024',
    '203.0.113.0/24/24',
    '203.0.113.0/255.255.255.0',
    '203.0.113.0-203.0.113.9',
    '203.0.113.7:443',
    '[2001:db8::1]',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:0:0/90',
    // Bits of the host part.
    '203.0.113.7/24',
    '10.0.0.1/0',
    '2001:db8::1/32',
    '::ffff:10.0.0.1/104',
  ]
  for (const text of wrong) assert.equal(allowedIps.safeParse([text]).success, false, text)
  const whyNot = (text: string) => allowedIps.safeParse([text]).error!.issues[0]!.message
  assert.match(whyNot('203.0.113.7/24'), / 203\.0\.113\.0\.$/)
  assert.match(whyNot('fe80::1%eth0'), /^Use an IPv4 or IPv6 address/)
})

test('a list has at most 50 entries', () => {
  const list = Array.from({ length: 51 }, (_, number) => `10.0.0.${number}`)
  assert.equal(allowedIps.safeParse(list.slice(1)).success, true)
  assert.equal(allowedIps.safeParse(list).success, false)
})

test('an address is allowed by an entry for itself, by a network around it, and by an empty list', () => {
  const cases: [string[], string, boolean][] = [
    [[], '198.51.100.1', true],
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['198.51.100.1', '203.0.113.0/24'], '203.0.113.9', true],
    [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    [['203.0.113.0/24'], '::ffff:203.0.114.9', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    // The families are separate: all addresses of one family match none of the other.
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '203.0.113.7', false],
    [['::/0'], '::ffff:203.0.113.7', false],
    [['0.0.0.0/0'], 'unknown', false],
    [['0.0.0.0/0'], '', false],
  ]
  for (const [list, address, expected] of cases) assert.equal(isAllowed(list, address), expected, `${list.join()} ${address}`)
})
