import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createContext, runInContext, Script } from 'node:vm'
import { brotliCompressSync } from 'node:zlib'
import { contentSecurityPolicy, extraStyles, scripts, style, type Extra } from './look.ts'

test('the policy names the style and the script as they are sent, the API for status requests, and nothing more', () => {
  const policy = contentSecurityPolicy('https://api.malipo.test/base')
  const names = (given: string, { text }: { text: string }): boolean => {
    const content = text.replace(/^<\w+>/, '').replace(/<\/\w+>$/, '')
    return given.includes(`'sha256-${createHash('sha256').update(content).digest('base64')}'`)
  }
  for (const part of [style, scripts.form, scripts.page]) assert.ok(names(policy, part))
  for (const [extra, part] of [
    ...Object.entries(extraStyles),
    ['amount', scripts.correct],
    ['errors', scripts.correct],
  ] as const) {
    assert.ok(!names(policy, part), 'only the pages that have it')
    assert.ok(names(contentSecurityPolicy('https://api.malipo.test/base', { extra: extra as Extra }), part))
  }
  assert.match(policy, /^default-src 'none'; /)
  assert.match(policy, /; connect-src https:\/\/api\.malipo\.test; /)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.ok(!/unsafe|\*/.test(policy))
})

test('the scripts work in browsers of 2012, and each is about 1 KB on the wire [C10]', () => {
  for (const [name, { text }] of Object.entries(scripts)) {
    const content = text.slice('<script>'.length, -'</script>'.length)
    // Throws if joining the lines has broken the script.
    new Script(content)
    assert.ok(!/=>|`|\b(let|const|class|async|await)\b/.test(content), name)
    const bytes = brotliCompressSync(content).length
    assert.ok(bytes <= 1_150, `${name}: ${bytes} bytes on the wire`)
  }
})

/** When the script of a page with this card asks for its status, in seconds of the browser, during three hours without a result or until it loads the page again. */
function askedAt(status: string, card: Record<string, string> = {}): number[] {
  let nowMs = 0
  const timers: { atMs: number; run: () => void }[] = []
  const asked: number[] = []
  let isLoadedAgain = false
  const attributes: Record<string, string> = { 'data-status': status, 'data-url': 'x', ...card }
  const nodes: Record<string, unknown> = { wait: { getAttribute: (name: string) => attributes[name] ?? null }, offline: {} }
  const browser: Record<string, unknown> = {
    document: { getElementById: (id: string) => nodes[id] ?? null, addEventListener() {} },
    navigator: {},
    addEventListener() {},
    clearTimeout() {},
    setTimeout: (run: () => void, ms: number) => timers.push({ atMs: nowMs + ms, run }),
    location: { replace: () => (isLoadedAgain = true) },
    XMLHttpRequest: class {
      readyState = 4
      status = 200
      responseText = JSON.stringify({ data: { status, resend_at: null } })
      onreadystatechange?: () => void
      open() {}
      send() {
        asked.push(nowMs / 1000)
        this.onreadystatechange!()
      }
    },
  }
  browser['window'] = browser
  runInContext(scripts.page.text.slice('<script>'.length, -'</script>'.length), createContext(browser))
  for (let next = timers.shift(); next && !isLoadedAgain && next.atMs <= 3 * 3_600_000; next = timers.shift()) {
    nowMs = next.atMs
    next.run()
  }
  return asked
}

test('a page that says that it asks goes on asking: after an hour, and on an expired payment, once a minute', () => {
  const open = askedAt('pending')
  assert.ok(open.at(-1)! > 3 * 3_600 - 61, `asked the last time after ${open.at(-1)} s`)
  assert.equal(open.filter((second) => second > 7_200).length, 60)
  assert.equal(open.filter((second) => second <= 60).length, 20)
  const expired = askedAt('expired')
  assert.deepEqual(expired.slice(0, 3), [3, 63, 123])
  assert.ok(expired.at(-1)! > 3 * 3_600 - 61)
})

test('a page whose request is not known to have been sent is loaded again, because a status does not say that it was', () => {
  assert.deepEqual(askedAt('pending', { 'data-unsent': '5' }), [3, 6, 9, 12, 15])
  assert.equal(askedAt('pending', { 'data-unsent': '10' }).at(-1), 30)
})

test('the style loads nothing and works without variables', () => {
  for (const { text } of [style, ...Object.values(extraStyles)]) assert.ok(!/url\(|@import|var\(/.test(text))
})
