/** The built dashboards as the service serves them. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { share, startTestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

/** Reads the raw bytes of the response: `fetch` would decompress it. */
function getRaw(url: string, encoding: string): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('every address of a dashboard returns its page, which cannot be cached or framed and runs only our scripts', async () => {
  const app = await sharedApp()
  const { api, storage } = app.config.urls
  const nonces = new Set<string>()
  for (const [path, face] of [
    ['/dashboard', 'merchant'],
    ['/dashboard/', 'merchant'],
    ['/dashboard/me/test/payments/pay_x', 'merchant'],
    ['/admin', 'admin'],
    ['/admin/businesses?status=pending', 'admin'],
  ] as const) {
    const response = await fetch(`${api}${path}`)
    const html = await response.text()
    assert.equal(response.status, 200, path)
    assert.match(html, new RegExp(`data-face="${face}"`))
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    const policy = response.headers.get('content-security-policy')!
    const nonce = /script-src 'self' 'nonce-([\w-]{24})'/.exec(policy)![1]!
    nonces.add(nonce)
    assert.ok(policy.startsWith("default-src 'none'; "), policy)
    for (const part of [
      `style-src 'self' 'nonce-${nonce}'`,
      "style-src-attr 'none'",
      `connect-src 'self' ${storage}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.split('; ').includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.ok(!html.includes('CSP_NONCE') && html.includes(`nonce="${nonce}"`))
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//)
  }
  assert.equal(nonces.size, 5, 'each answer has another nonce')
})

test('the files of a page are cached permanently, compressed, and come only from the build', async () => {
  const app = await sharedApp()
  const { api } = app.config.urls
  const html = await (await fetch(`${api}/dashboard`)).text()
  const paths = [...html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map((match) => match[1]!)
  assert.ok(paths.length >= 2)
  for (const path of paths) {
    const response = await fetch(`${api}${path}`)
    assert.equal(response.status, 200, path)
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('vary'), 'accept-encoding')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const [plain, gzip, br] = await Promise.all(['identity', 'gzip', 'gzip, br'].map((name) => getRaw(`${api}${path}`, name)))
    assert.deepEqual([plain!.encoding, gzip!.encoding, br!.encoding], [undefined, 'gzip', 'br'])
    assert.ok(gunzipSync(gzip!.bytes).equals(plain!.bytes) && brotliDecompressSync(br!.bytes).equals(plain!.bytes))
  }
  for (const name of ['x.js', '..%2fmerchant.html', '%2e%2e%2f.stamp', '.stamp', 'toString']) {
    assert.equal((await fetch(`${api}/dashboard/assets/${name}`)).status, 404, name)
  }
})
