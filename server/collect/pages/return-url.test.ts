import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReturnUrl, returnUrl } from './return-url.ts'

test('an address in numbers, and a name that mixes scripts or cannot be decoded, are always refused', () => {
  // Cyrillic а among Latin letters.
  const hosts = ['1.2.3.4', '0x7f.1', '[2606:4700::1111]', 'xn--pypal-4ve.example', 'xn--a.example']
  for (const host of hosts)
    assert.ok(!isReturnUrl(`https://${host}/`, 'local') && !isReturnUrl(`https://${host}/`, 'production'), host)
  assert.ok(isReturnUrl('https://xn--bcher-kva.example/', 'production'))
})

test('payers are sent to https, and to this machine in local mode only', () => {
  for (const url of ['https://shop.example', 'https://shop.example:8443/a?b=c#d']) {
    assert.ok(isReturnUrl(url, 'local') && isReturnUrl(url, 'production'), url)
  }
  for (const url of ['http://localhost:4000/thanks', 'http://127.0.0.1/', 'http://[::1]:3000/x']) {
    assert.deepEqual([isReturnUrl(url, 'local'), isReturnUrl(url, 'production')], [true, false], url)
  }
  for (const url of [
    'javascript:alert(1)',
    'JavaScript://shop.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    '//shop.example/x',
    '/pay/other',
    'http://shop.example/',
    'http://localhost.shop.example/',
    'http://127.0.0.1@shop.example/',
    'https://user:pw@shop.example/',
    'https://shop.example\\@evil.example/',
    'https://shop.example/ x',
    'https://shop.example/\nx',
    'https://localhost/',
    'https:shop.example',
    'ftp://shop.example/',
    '',
  ]) {
    assert.ok(!isReturnUrl(url, 'local'), url)
    assert.equal(returnUrl(url, 'pay_1', 'local'), undefined, url)
  }
})

test('the reference is added after the merchant’s own query and before its fragment', () => {
  const added = 'reference=pay_1&status=completed'
  for (const [url, expected] of [
    ['https://shop.example', `https://shop.example/?${added}`],
    ['https://shop.example/a?', `https://shop.example/a?${added}`],
    ['https://shop.example/a?b=c%20d+e&f', `https://shop.example/a?b=c%20d+e&f&${added}`],
    ['https://shop.example/a?b=c&', `https://shop.example/a?b=c&${added}`],
    ['https://shop.example/a#done?x=y', `https://shop.example/a?${added}#done?x=y`],
    ['https://shop.example/a?order=7#done', `https://shop.example/a?order=7&${added}#done`],
  ]) {
    assert.equal(returnUrl(url!, 'pay_1', 'production'), expected)
  }
  assert.equal(returnUrl(null, 'pay_1', 'production'), undefined)
})
