import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Script } from 'node:vm'
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

test('the style loads nothing and works without variables', () => {
  for (const { text } of [style, ...Object.values(extraStyles)]) assert.ok(!/url\(|@import|var\(/.test(text))
})
