/** The front door: a page for people, JSON for programs, and the small files of each host. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { share, startTestApp } from '../../../../test/app.ts'
import { loadConfig } from '../../../config/config.ts'

const settings = {
  SECURITY_CONTACT: 'mailto:usalama@example.com',
  PAYMENT_EXPIRY_SECONDS: '5400',
  PAYOUT_APPROVAL_ABOVE: '2500000',
  WEBHOOK_SOURCE_ADDRESSES: '41.59.1.0/28, 2001:db8::7',
  LIVE_KEY_PAYOUT_WAIT_SECONDS: '7200',
  RATE_LIMIT_QUOTAS: 'prompts-burst=4/600,key=70/1',
}
const shared = share((ending) => startTestApp(ending, { settings }))

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('a browser gets a page in its language, with the ways into the service and the state of each network', async () => {
  const { config } = await shared()
  const page = (language: string, query = '') =>
    get(`${config.urls.api}/${query}`, { accept: 'text/html,*/*;q=0.8', 'accept-language': language })
  const [english, swahili, chosen] = await Promise.all([page('en-GB,en;q=0.9'), page('de'), page('en', '?lang=sw')])
  assert.match(english.text, /<html lang="en">.*Mobile money payments for Tanzania/)
  assert.match(swahili.text, /<html lang="sw">.*Malipo kwa simu nchini Tanzania/)
  assert.equal(chosen.text, swahili.text)
  for (const { status, headers, text } of [english, swahili]) {
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    const docs = text === english.text ? '/docs' : '/docs/sw'
    for (const address of ['/dashboard/', docs, '/reference', '/local', '/openapi.json', '/.well-known/security.txt'])
      assert.ok(text.includes(`href="${address}"`), address)
    assert.equal([...text.matchAll(/class="operational"/g)].length, 4)
    const [, style] = /<style>(.*?)<\/style>/s.exec(text)!
    const hash = createHash('sha256').update(style!).digest('base64')
    assert.match(headers.get('content-security-policy')!, new RegExp(`^default-src 'none'; style-src 'sha256-`))
    assert.ok(headers.get('content-security-policy')!.includes(`'sha256-${hash}'`))
    assert.doesNotMatch(text, /<script|style="|(?:src|href)="https?:/)
  }
})

test('prices and limits are those of the configuration, in both languages', async () => {
  const { config } = await shared()
  const [english, swahili] = await Promise.all(['en', 'sw'].map((language) => get(`${config.urls.api}/prices?lang=${language}`)))
  const cellsOf = ({ text }: { text: string }): Map<string, string> =>
    new Map(
      [...text.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)(?:<small>.*?)?<\/td>/g)].map(([, name, value]) => [name!, value!]),
    )
  const cells = cellsOf(english!)
  for (const [name, value] of [
    ['Fee for the merchant', 'None'],
    ['Smallest payment', 'TSh 500'],
    ['Largest payment', 'TSh 10,000,000'],
    ['Time to pay', '90 minutes'],
    ['Smallest payout', 'TSh 5,000'],
    ['Needs an approval above', 'TSh 2,500,000'],
    ['New live key without a second factor', 'First payout after 2 hours'],
    ['In 10 minutes', 'At most 4'],
    ['In 1 day', 'At most 20'],
    ['With one API key', '70 in 1 second'],
    ['Checkouts from one address', '600 in 1 minute'],
    ['Refund of a payment', 'No time limit'],
    ['Payouts and refunds of one wallet', '120 in 1 minute'],
    ['Body of a request', 'At most 256 KiB'],
    ['Attempts for one event', '5'],
    ['Time for your answer', '10 seconds'],
    ['They come from', '41.59.1.0/28, 2001:db8::7'],
    ['Webhooks of one merchant in one environment', 'At most 20'],
    ['Types', 'JPEG, PNG, PDF'],
    ['Size of one file', 'At most 10 MB'],
    ['Uploads', '30 in 1 hour'],
  ])
    assert.equal(cells.get(name!), value, name)
  assert.ok(!cells.has('First payout of a person to a recipient'), 'a wait that is off is not named')
  assert.equal(cellsOf(swahili!).size, cells.size)
  assert.equal(cellsOf(swahili!).get('Muda wa kulipa'), 'dakika 90')
  assert.match(swahili!.text, /<html lang="sw">/)
  assert.match(english!.headers.get('content-security-policy')!, /^default-src 'none'/)
})

test('a program gets JSON with the same addresses, and each of them answers', async () => {
  const { config } = await shared()
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
    const { status, text, headers } = await get(`${config.urls.api}/`, { accept })
    assert.equal(status, 200)
    assert.match(headers.get('vary')!, /accept/)
    const { name, version, ...addresses } = JSON.parse(text).data
    assert.equal(name, 'Malipo')
    assert.match(version, /^\d+\.\d+\.\d+/)
    // The dashboards and the documentation answer 503 where they are not built.
    for (const [what, address] of Object.entries<string>(addresses))
      assert.ok([200, 503].includes((await get(address)).status), what)
  }
})

test('a browser at an address that does not exist gets a page, and a program the error as JSON', async () => {
  const { config } = await shared()
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const [path, words] of [
    ['/dokumentation', 'There is no such page'],
    ['/docs/guides/webhook', 'There is no such page'],
    ['/docs/sw/miongozo', 'Hakuna ukurasa huu'],
  ] as const) {
    const page = await get(`${config.urls.api}${path}`, { accept: browser, 'accept-language': 'en' })
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
    assert.ok(page.text.includes(`<h1>${words}</h1>`), path)
    assert.match(page.headers.get('content-security-policy')!, /^default-src 'none'/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const answer = await get(`${config.urls.api}${path}`, { accept })
      assert.deepEqual([answer.status, JSON.parse(answer.text).error.code], [404, 'not_found'], path)
    }
  }
  // An object that does not exist is no page: a browser reads the error that a program reads.
  const { status, text } = await get(`${config.urls.api}/v1/payments/none/status`, { accept: browser })
  assert.deepEqual([status, JSON.parse(text).error.code], [404, 'not_found'])
})

test('prices, drawings and small files come compressed, and not again to a browser that has them', async () => {
  const { config } = await shared()
  const files = ['/prices?lang=en', '/prices?lang=sw', '/docs/pictures/payment-states.svg', '/favicon.ico', '/robots.txt']
  const tags = await Promise.all(
    files.map(async (path) => {
      const first = await get(`${config.urls.api}${path}`, { 'accept-encoding': 'br' })
      assert.deepEqual([first.status, first.headers.get('content-encoding')], [200, 'br'], path)
      const etag = first.headers.get('etag')!
      const again = await get(`${config.urls.api}${path}`, { 'if-none-match': etag })
      assert.deepEqual([again.status, again.text], [304, ''], path)
      return etag
    }),
  )
  assert.equal(new Set(tags).size, files.length)
})

test('each host has an icon and says what crawlers may read', async () => {
  const { config } = await shared()
  for (const host of ['api', 'checkout', 'storage'] as const) {
    const icon = await get(`${config.urls[host]}/favicon.ico`)
    assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/x-icon'])
    const robots = await get(`${config.urls[host]}/robots.txt`)
    assert.equal(robots.status, 200)
    assert.match(robots.text, host === 'storage' ? /Disallow: \/\n/ : host === 'api' ? /Disallow: \/v1\// : /Allow: \/\n/)
  }
})

test('security.txt names the contact, and is always valid for less than a year', async () => {
  const { config } = await shared()
  for (const host of ['api', 'checkout'] as const) {
    const { text, headers } = await get(`${config.urls[host]}/.well-known/security.txt`)
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
    const fields = Object.fromEntries(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    )
    assert.equal(fields['Contact'], 'mailto:usalama@example.com')
    assert.equal(fields['Canonical'], `${config.urls[host]}/.well-known/security.txt`)
    const days = (Date.parse(fields['Expires']!) - Date.now()) / 86_400_000
    assert.ok(days > 179 && days <= 180, fields['Expires'])
  }
  assert.equal((await get(`${config.urls.storage}/.well-known/security.txt`)).status, 403, 'its other addresses are documents')
})

test('the contact is the privacy contact unless it is set, and its form and term are checked', async () => {
  const app = await shared()
  const { SECURITY_CONTACT: _, ...others } = app.settings
  const contactOf = (changes: Record<string, string>) => loadConfig({ ...others, ...changes }, {}).disclosure.contact
  assert.equal(contactOf({ PRIVACY_CONTACT: 'faragha@example.com' }), 'mailto:faragha@example.com')
  assert.equal(contactOf({ SECURITY_CONTACT: 'https://example.com/usalama' }), 'https://example.com/usalama')
  assert.throws(() => contactOf({ SECURITY_CONTACT: 'usalama@example.com' }), /SECURITY_CONTACT/)
  assert.throws(() => contactOf({ SECURITY_TXT_DAYS: '365' }), /SECURITY_TXT_DAYS/)
})
