/** The Swahili pages of the documentation say what the English ones say: the same parts in the same order, from the current English text. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingInSwahili, usedInSwahili } from '../scripts/docs-in-swahili.ts'
import { swahiliWords } from '../scripts/swahili-words.ts'
import { written } from '../scripts/write-docs.ts'
import { entries } from '../server/views/web/docs/contents.ts'
import { renderMarkdown, textOf } from '../server/views/web/docs/markdown.ts'
import { withCodeOf } from '../server/views/web/docs/site.ts'
import { startTestApp } from './app.ts'
import { mustBeNone, mustMatch } from './must-match.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const translated = entries.flatMap(({ file: english, swahiliFile }) =>
  swahiliFile === undefined ? [] : [{ english, swahili: swahiliFile }],
)

/** Code without its comments, which may be translated. */
const withoutComments = (code: string): string => code.replaceAll(/(?:^|\s+)(?:#|\/\/) .*$/gm, '')

/** What a page and its translation have in common. */
function skeletonOf(file: string, language: 'en' | 'sw', markdown: string) {
  const { html } = renderMarkdown(markdown, {
    file,
    language,
    addressOf: (target) => (target.endsWith('.svg') ? undefined : `/${target.replace(/^docs\/sw\//, 'docs/')}`),
    pictureOf: () => '<svg >',
  })
  const blocks = [...html.matchAll(/<(h[1-6]|p|ul|ol|li|table|tr|td|th|pre|svg)\b/g)].map(([, name]) => name!)
  const prose = html.replaceAll(/<pre>[\s\S]*?<\/pre>/g, '')
  return {
    blocks,
    code: [...html.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, code]) => withoutComments(textOf(code!))),
    words: [...new Set([...prose.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(([, word]) => textOf(word!)))].toSorted(),
    links: [...prose.matchAll(/<a href="([^"]+)"/g)].map(([, address]) => address!).toSorted(),
  }
}

/** Of the text without its code, which a translation takes from its original. */
function hashOf(text: string): string {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return createHash('sha256').update(prose).digest('hex').slice(0, 16)
}

test('each page for merchants has a Swahili file', () => {
  const missing = translated.filter(({ swahili }) => !existsSync(join(root, swahili)))
  mustBeNone(
    missing.map(({ english, swahili }) => `${english} → ${swahili}`),
    'Translate these pages',
  )
})

test('a Swahili page has the headings, lists, tables, code, code words and links of the English page', () => {
  for (const { english, swahili } of translated) {
    const text = read(english)
    const [original, translation] = [skeletonOf(english, 'en', text), skeletonOf(swahili, 'sw', withCodeOf(text, read(swahili)))]
    for (const part of ['blocks', 'code', 'words', 'links'] as const) {
      const at = Array.from({ length: 1 + original[part].length + translation[part].length }).findIndex(
        (_, place) => original[part][place] !== translation[part][place],
      )
      const difference = `its ${part} have ${translation[part][at]} where ${english} has ${original[part][at]} (number ${at + 1})`
      assert.deepEqual(translation[part], original[part], `${swahili}: ${difference}`)
    }
  }
})

test('a Swahili page is a translation of the current English text', () => {
  const changed = translated.flatMap(({ english, swahili }) => {
    const line = `[english]: # "${hashOf(read(english))}"`
    return swahili in written || read(swahili).endsWith(`\n${line}\n`)
      ? []
      : [`${english} has changed: translate the change in ${swahili}, then make this its last line: ${line}`]
  })
  mustBeNone(changed, 'Bring the Swahili pages up to date')
  const missing = Object.values(written).flatMap((text) => (text(), [...missingInSwahili]))
  mustBeNone(missing, 'Write the Swahili of these sentences into scripts/swahili-words.ts')
  const unused = Object.keys(swahiliWords).filter((english) => !usedInSwahili.has(english))
  mustBeNone(unused, 'Remove these sentences from scripts/swahili-words.ts')
})

test('a Swahili page links to Swahili pages where there are any, and every Swahili file belongs to a page', () => {
  for (const { swahili } of translated) {
    renderMarkdown(read(swahili), {
      file: swahili,
      language: 'sw',
      addressOf(target) {
        const other = translated.find(({ english }) => english === target)
        assert.equal(other, undefined, `${swahili} should link to ${other?.swahili}, not to ${target}`)
        return target.endsWith('.svg') ? undefined : `/${target}`
      },
      pictureOf: () => '<svg >',
    })
  }
  const files = globSync('docs/sw/**/*.md', { cwd: root })
  mustMatch(
    files,
    translated.map(({ swahili }) => swahili),
    {
      add: () => 'name it as swahiliFile of its page in server/views/web/docs/contents.ts, or remove it',
      remove: (file) => `write ${file}`,
    },
  )
})

test('the documentation in Swahili as it is served', async (t) => {
  const app = await startTestApp(t)
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${app.config.urls.api}${path}`, { headers, redirect: 'manual' })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const addressOf = (path: string, home = '/docs'): string => (path === '' ? home : `${home}/${path}`)
  const idsOf = (html: string): string[] => [...html.matchAll(/<(?:h[1-6]|tr) id="([^"]+)"/g)].map(([, id]) => id!)

  await t.test('each page has a Swahili address with the same anchors, and links to the other language', async () => {
    for (const entry of entries) {
      const [english, swahili] = [await get(addressOf(entry.path)), await get(addressOf(entry.path, '/docs/sw'))]
      assert.equal(swahili.status, 200, entry.path)
      assert.match(swahili.text, /^<!doctype html>\n<html lang="sw">/)
      assert.doesNotMatch(swahili.text, /<script>|\sstyle=|\son\w+=|\ssrc="(?!\/docs\/script\.js\?)/i)
      assert.deepEqual(idsOf(swahili.text), idsOf(english.text), entry.path)
      assert.ok(
        swahili.text.includes(
          `href="${addressOf(entry.path)}?lang=en" lang="en" hreflang="en"><b>EN </b><span>English</span></a>`,
        ),
      )
      assert.ok(
        english.text.includes(
          `href="${addressOf(entry.path, '/docs/sw')}?lang=sw" lang="sw" hreflang="sw"><b>SW </b><span>Kiswahili</span></a>`,
        ),
      )
      for (const other of entries) assert.ok(swahili.text.includes(`href="${addressOf(other.path, '/docs/sw')}"`))
      const isTranslated = translated.some(({ english: file }) => file === entry.file)
      assert.equal(swahili.text.includes('<link rel="alternate" hreflang="en"'), isTranslated)
      assert.equal(swahili.text.includes('Ukurasa huu upo kwa Kiingereza tu.'), !isTranslated)
      assert.equal(swahili.text.includes(`<div lang="en"><h1 `), !isTranslated)
      const raw = await get(`${addressOf(entry.path || 'index', '/docs/sw')}.md`)
      for (const [, href] of raw.text.matchAll(/\]\((\/docs\/[^)#]+)/g))
        assert.equal((await get(href!)).status, 200, `${entry.path}.md: ${href}`)
    }
  })

  await t.test('a chosen language is remembered: English addresses then lead to Swahili, until English is chosen', async () => {
    const chosen = await get('/docs/errors?lang=sw')
    assert.deepEqual([chosen.status, chosen.headers.get('location')], [303, '/docs/sw/errors'])
    assert.match(chosen.headers.get('set-cookie')!, /^docs_language=sw; Path=\/docs; Max-Age=31536000; HttpOnly; SameSite=Lax/)
    const cookie = 'other=1; docs_language=sw'
    const led = await get('/docs/errors', { cookie })
    assert.deepEqual([led.status, led.headers.get('location')], [302, '/docs/sw/errors'])
    assert.equal((await get('/docs/errors.md', { cookie })).status, 200)
    const plain = await get('/docs/errors')
    assert.deepEqual([plain.status, plain.headers.get('vary')], [200, 'cookie, accept-encoding'])
    const back = await get('/docs/sw/errors?lang=en', { cookie })
    assert.deepEqual([back.status, back.headers.get('location')], [303, '/docs/errors'])
    assert.match(back.headers.get('set-cookie')!, /^docs_language=sw; Path=\/docs; Max-Age=0;/)
    assert.equal((await get('/docs/errors', { cookie: 'docs_language=xx' })).status, 200)
  })

  await t.test('the search of the Swahili pages is in Swahili', async () => {
    const none = await get('/docs/sw/search?q=zzzz')
    assert.match(none.text, /Hakuna kilichopatikana/)
    const { text } = await get('/docs/sw/search?q=webhook')
    assert.match(text, /<html lang="sw">[\s\S]*Matokeo \d+\.[\s\S]*<li><a href="\/docs\/sw\//)
    const searched = async (words: string): Promise<string[]> => {
      const hits = await get(`/docs/sw/search?q=${encodeURIComponent(words)}`)
      const list = hits.text.split('<ul class="hits">')[1]!.split('</ul>')[0]!
      return [...list.matchAll(/<a href="([^"]+)">/g)].map(([, address]) => address!)
    }
    assert.match((await searched('malipo'))[0]!, /^\/docs\/sw\/(?:$|#|guides|concepts)/, 'a page in Swahili comes first')
    assert.doesNotMatch((await get('/docs/sw/search?q=curl')).text, /&amp;#/)
    // Another form of a word, a misspelled word, and a word of both languages.
    for (const [words, page] of [
      ['anarudisha fedha', '/docs/sw/guides/refunds'],
      ['yalilipwa kwa kuchelewa', '/docs/sw/concepts/payments#late-success'],
      ['kushindikna kwa webhook', '/docs/sw/guides/webhooks'],
      ['laravel', '/docs/sw/guides/webhooks#in-your-framework'],
      ['phone_busy', '/docs/sw/errors#codes'],
    ] as const)
      assert.ok(
        (await searched(words)).slice(0, 5).some((address) => address.startsWith(page)),
        words,
      )
    const turned = await get('/docs/sw/search?q=a%20b&lang=en')
    assert.deepEqual([turned.status, turned.headers.get('location')], [303, '/docs/search?q=a%20b'])
  })

  await t.test('the drawings of both languages have addresses', async () => {
    assert.match((await get('/docs/sw/pictures/payment-states.svg')).text, /mlipaji anaombwa/)
    assert.match((await get('/docs/pictures/payment-states.svg')).text, /the payer is asked/)
  })
})
