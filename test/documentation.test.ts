/**
 * The documentation site: every page exists and is in the menu, every link has a target, and no page runs another script than ours or
 * loads anything from elsewhere.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisedEndings, written } from '../scripts/write-docs.ts'
import { entries } from '../server/views/web/docs/contents.ts'
import { codeLanguageOf } from '../server/views/web/docs/highlight.ts'
import { renderMarkdown, targetOf } from '../server/views/web/docs/markdown.ts'
import { exampleApiUrl } from '../server/views/web/docs/site.ts'
import { codeBlocksOf, notInstallable, notRun, ranBy, runnable } from './code-blocks.ts'
import { crawl, publicStarts } from './crawl.ts'
import { startTestApp } from './app.ts'
import { mustBeNone, mustFit, mustMatch } from './must-match.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Markdown in `docs/` that is not a page of the site, with the reason. */
const noPages: [folder: string, why: string][] = [
  ['docs/decisions/', 'for those who change the code'],
  ['docs/sw/', 'the Swahili of other pages: test/swahili-docs.test.ts'],
  ['docs/runbooks/', 'needed when the service is down, and of use to an attacker: read in the repository'],
]

async function openDocs(t: TestContext) {
  const app = await startTestApp(t)
  const get = async (path: string): Promise<{ status: number; text: string; headers: Headers }> => {
    const response = await fetch(`${app.config.urls.api}${path}`)
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { app, get }
}

const addressOf = (path: string): string => (path === '' ? '/docs' : `/docs/${path}`)

test('each page that leads to live says that the site to which customers return must be proved first', () => {
  const pages = ['guides/go-live', 'guides/from-order-to-fulfilment', 'guides/payment-requests', 'concepts/test-and-live']
  mustBeNone(
    pages.map((page) => `docs/${page}.md`).filter((file) => !read(file).includes('`host_not_registered`')),
    'Name the refusal `host_not_registered` in these pages',
  )
})

test('every Markdown file of the documentation is a page, and every page has a file and a unique title', () => {
  const files = globSync('docs/**/*.md', { cwd: root }).filter((file) => !noPages.some(([folder]) => file.startsWith(folder)))
  const listed = entries.map(({ file }) => file)
  mustMatch(
    files,
    listed.filter((file) => file.startsWith('docs/')),
    {
      add: () => 'write its line into server/views/web/docs/contents.ts',
      remove: () => 'remove its line from server/views/web/docs/contents.ts',
    },
  )
  const titles = listed.map((file) => /^# (.+)/.exec(read(file))?.[1])
  const paths = entries.map(({ path }) => path)
  mustBeNone(
    listed.filter((_, place) => titles[place] === undefined || titles.indexOf(titles[place]) !== place),
    'Begin these pages with a title of their own: # Title',
  )
  mustBeNone(
    paths.filter((path, place) => paths.indexOf(path) !== place),
    'Two lines of server/views/web/docs/contents.ts have these addresses',
  )
})

test('every code block with a language has colours', () => {
  for (const { file } of entries) {
    for (const { language, line } of codeBlocksOf(file))
      assert.ok(
        language === '' || codeLanguageOf(language),
        `${file}:${line}: add ${language} to server/views/web/docs/highlight.ts`,
      )
  }
})

test('every code block of the site and of the README is run by a test', () => {
  const missing = [...entries.map(({ file }) => file), 'README.md']
    .flatMap((file) => codeBlocksOf(file).map((block) => ({ file, ...block })))
    // A block without a language is only for reading.
    .filter((block) => block.language !== '' && runnable(block).trim() !== '')
    .filter(({ file, language }) => !ranBy.some(([name, one]) => name === file && (one === '' || one === language)))
    .map(({ file, line }) => `${file}:${line}`)
  mustBeNone(
    missing,
    'Run these code blocks in a test and write it into ranBy of test/code-blocks.ts, or their lines into notRun',
  )
  for (const [file, , by] of ranBy) {
    // The script that the test runs reads the quick start.
    if (by === 'test/quickstart.long.test.ts') continue
    assert.ok(
      read(by).includes(file.startsWith('docs/') ? file.slice('docs/'.length) : 'README.md'),
      `test/code-blocks.ts says that ${by} runs ${file}, which it does not name`,
    )
  }
  for (const line of Object.keys(notRun)) {
    assert.ok(
      entries.some(({ file }) => read(file).includes(line)),
      `${line} is not in the documentation any more: remove it from notRun of test/code-blocks.ts`,
    )
  }
})

test('no page installs a package that is not published: ours are files of a release or of a clone', () => {
  const pages = [...entries.map(({ file }) => file), ...globSync('docs/sw/**/*.md', { cwd: root }), 'README.md']
  mustBeNone(
    pages.flatMap((file) => notInstallable(read(file)).map((name) => `${file}: ${name}`)),
    'Install a file (./malipo-sdk-*.tgz), or write a package of others that exists into publishedByOthers of test/code-blocks.ts',
  )
  for (const [line, by] of Object.entries(notRun)) assert.ok(read(by).includes(line), `${by} does not run ${line}`)
})

test('a runbook fits on a page, has its six parts, and is in the list', () => {
  const list = read('docs/runbooks/README.md')
  const pages = globSync('docs/runbooks/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'))
  assert.ok(pages.length >= 12)
  for (const file of pages) {
    const text = read(file)
    const name = basename(file)
    assert.ok(list.includes(`](${name})`), `docs/runbooks/README.md: write a line for ${name}`)
    assert.ok(
      text.split('\n').length <= 65 && text.length <= 4000,
      `${file} is ${text.split('\n').length} lines, ${text.length} characters: shorten it to 65 and 4000`,
    )
    const parts = ['**Symptoms.**', '**Impact.**', '## Diagnose', '## Act', '## Resolved when', '## Afterwards']
    mustBeNone(
      parts.filter((part) => !text.includes(part)),
      `${file}: write these parts`,
    )
  }
})

/** The commands of the operator's command line, each as its fixed words. */
function operatorCommands(): string[][] {
  const { stderr } = spawnSync('node', ['server/start/ops.ts'], { cwd: root, encoding: 'utf8' })
  return [...stderr.matchAll(/^ {2}([a-z].*?)(?: {2}|$)/gm)].map(([, words]) =>
    words!
      .split(/ [<([-]/)[0]!
      .trim()
      .split(' '),
  )
}

test('every command that a page of operations or a runbook names exists', () => {
  const known = operatorCommands()
  assert.ok(known.length > 8)
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const file of globSync('{README.md,CONTRIBUTING.md,docs/{operations,runbooks}/*.md}', { cwd: root })) {
    const text = read(file)
    for (const [, words] of text.matchAll(/(?<!\/)\bmalipo-ops ([a-z][^`\n]*)/g)) {
      const given = words!.split(' ')
      const isThere = known.some((command) => command.every((word, index) => given[index] === word))
      // The name alone may stand for all of its commands.
      assert.ok(
        isThere || known.some(([first]) => given.length === 1 && first === given[0]),
        `${file}: there is no command malipo-ops ${words}`,
      )
    }
    for (const [, name] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      assert.ok(name! in scripts, `${file}: package.json has no script ${name}`)
    for (const [, path] of text.matchAll(/\bnode ((?:server|scripts)\/[\w./-]+)/g))
      assert.ok(existsSync(join(root, path!)), `${file}: there is no file ${path}`)
  }
})

test('statements about the code match the code', () => {
  for (const [file, text] of Object.entries(written)) {
    assert.equal(read(file), text(), `${file}: run node scripts/write-docs.ts`)
  }
})

test('a link of any Markdown file leads to an existing file', () => {
  const files = globSync('{*.md,docs/**/*.md,{sdk,cli,simulator,dashboard,examples/*}/README.md}', { cwd: root })
  for (const file of files) {
    const text = read(file).replaceAll(/```[\s\S]*?```/g, '')
    for (const [, href] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const target = targetOf(href!, { file, addressOf: () => undefined })
      if ('file' in target) assert.ok(existsSync(join(root, target.file)), `${file} links to ${href}, which does not exist`)
      // An address belongs to the service: nothing but the service has a name on this host.
      else if (target.address.startsWith('/'))
        assert.match(target.address, /^\/(?:$|reference|prices|openapi(?:-merchants)?\.json|dashboard|admin|docs)/, file)
    }
  }
})

test('HTML in Markdown is text, and a link to anything but a page, the service or https is a bug', () => {
  const render = (markdown: string): string =>
    renderMarkdown(markdown, { file: 'docs/x.md', addressOf: () => undefined, pictureOf: () => undefined, language: 'en' }).html
  assert.equal(render('a <img src=x onerror=alert(1)> b'), '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n')
  assert.equal(render('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n')
  assert.equal(render('<!-- note -->'), '<p>&lt;!-- note --&gt;</p>\n')
  assert.throws(() => render('[x](javascript:alert(1))'))
  assert.throws(() => render('[x](http://elsewhere.example/)'))
  assert.throws(() => render('![x](https://elsewhere.example/x.svg)'))
})

test('the documentation as it is served', async (t) => {
  const { app, get } = await openDocs(t)
  await t.test(
    'each page is public, runs only our script, loads nothing from another host, and links to all other pages',
    async () => {
      for (const { path } of entries) {
        const { status, text, headers } = await get(addressOf(path))
        assert.equal(status, 200, path)
        assert.match(headers.get('content-type')!, /^text\/html/)
        assert.equal(headers.get('cache-control'), 'public, max-age=300')
        const policy = headers.get('content-security-policy')!
        assert.ok(policy.startsWith("default-src 'none'; style-src 'self'; script-src 'self'; "), policy)
        assert.match(policy, /connect-src 'self';/)
        assert.doesNotMatch(policy, /unsafe|\*|https?:/)
        const own = /<script src="\/docs\/script\.js\?v=\w{16}" defer><\/script>/
        assert.match(text, own)
        assert.doesNotMatch(text.replace(own, ''), /<script|<iframe|\sstyle=|\son\w+=|\ssrc=/i)
        for (const other of entries) assert.ok(text.includes(`href="${addressOf(other.path)}"`), `${path} leads to ${other.path}`)
        assert.equal(text.match(/aria-current="page"/g)?.length, 1)
        assert.equal(text.match(/<h1 /g)?.length, 1, path)
        assert.ok(!text.includes(exampleApiUrl), `${path} has the address of this service`)
      }
      const style = await get('/docs/style.css')
      assert.match(style.headers.get('content-type')!, /^text\/css/)
      assert.doesNotMatch(style.text, /url\(|@import/)
    },
  )

  await t.test(
    'a process of another version answers for a file that it does not have, and no cache keeps its own instead',
    async () => {
      const { text } = await get('/docs')
      const [address] = /\/docs\/script\.js\?v=\w{16}/.exec(text)!
      assert.match((await get(address)).headers.get('cache-control')!, /immutable/)
      for (const file of ['style.css', 'script.js', 'send.css', 'send.js']) {
        for (const version of ['', '?v=0123456789abcdef']) {
          const { status, headers } = await get(`/docs/${file}${version}`)
          assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'], file + version)
        }
      }
    },
  )

  await t.test(
    'a page with its style and script is at most 16 KB on the wire, and a browser that has it loads nothing',
    async (t) => {
      const weigh = async (path: string): Promise<{ bytes: number; etag: string }> => {
        const { headers } = await fetch(`${app.config.urls.api}${path}`, { headers: { 'accept-encoding': 'br' } })
        assert.equal(headers.get('content-encoding'), 'br', path)
        return { bytes: Number(headers.get('content-length')), etag: headers.get('etag')! }
      }
      const shared = (await weigh('/docs/style.css')).bytes + (await weigh('/docs/script.js')).bytes
      const weights = await Promise.all(entries.map(async ({ path }) => ({ path, ...(await weigh(addressOf(path))) })))
      const heaviest = weights.toSorted((one, other) => other.bytes - one.bytes)[0]!
      t.diagnostic(`style and script: ${shared} bytes; the heaviest page, ${heaviest.path}: ${heaviest.bytes} bytes`)
      for (const { path, bytes, etag } of weights) {
        assert.ok(bytes > 500, path)
        const advice = 'Divide the page, or shorten server/views/web/docs/style.css. The limit is in test/documentation.test.ts'
        mustFit(`/docs/${path} with its style and script`, { size: bytes + shared, limit: 16_000, unit: 'bytes' }, advice)
        const again = await fetch(`${app.config.urls.api}${addressOf(path)}`, { headers: { 'if-none-match': etag } })
        assert.deepEqual([again.status, (await again.text()).length], [304, 0])
      }
    },
  )

  await t.test('every link of the pages, the front door, the dashboards and a checkout has a target', async (t) => {
    const { api, checkout } = app.config.urls
    const page = await app.page(await app.student())
    const { faults, ...numbers } = await crawl(publicStarts(api, checkout, page.slug), { [api]: api, [checkout]: checkout })
    t.diagnostic(JSON.stringify(numbers))
    assert.deepEqual(faults, [])
    // The languages of every page, as HTML and as Markdown.
    assert.ok(numbers.pages > 2 * entries.length && numbers.links > 1000 && numbers.anchors > 100)
  })

  await t.test('a page is also served as its source, and the list for programs names each', async () => {
    const list = await get('/llms.txt')
    assert.match(list.headers.get('content-type')!, /^text\/plain/)
    assert.match(list.text, /^# Malipo\n\n> /)
    assert.ok(list.text.includes(`${app.config.urls.api}/openapi-merchants.json`))
    assert.ok((await get('/docs')).text.includes('href="/openapi-merchants.json"'))
    for (const { path, file } of entries) {
      const address = `${addressOf(path || 'index')}.md`
      assert.ok(list.text.includes(`(${app.config.urls.api}${address}): `), address)
      const raw = await get(address)
      assert.match(raw.headers.get('content-type')!, /^text\/plain/)
      assert.equal(raw.text.split('\n')[0], read(file).split('\n')[0])
    }
    const guide = await get('/docs/guides/payouts.md')
    assert.match(guide.text, /\]\(\/docs\/sdk\.md#pay-out\)/)
    assert.match(guide.text, /\]\(\/docs\/pictures\/payout-states\.svg\)/)
    assert.match((await get('/docs/pictures/payout-states.svg')).headers.get('content-type')!, /^image\/svg/)
    for (const path of [
      '/docs/decisions/0001-node-from-a-package',
      '/docs/runbooks/restore',
      '/docs/..%2f.env.example',
      '/docs/pictures/..%2findex.md',
    ]) {
      assert.equal((await get(path)).status, 404, path)
    }
  })

  await t.test('pages about a local start have the ports of this one', async () => {
    const { text } = await get('/docs/operations/local')
    for (const own of [
      app.config.urls.api,
      app.config.urls.checkout,
      app.config.urls.storage,
      app.config.providers.test.snippe!.baseUrl,
    ])
      assert.ok(text.includes(`${own}`), own)
    assert.doesNotMatch(text, /127\.0\.0\.1:300[0-3]/)
    for (const path of ['/docs/guides/test-numbers', '/docs/sw/guides/test-numbers', '/docs/quick-start'])
      assert.doesNotMatch((await get(path)).text, /127\.0\.0\.1:300[1-3]/, path)
  })

  await t.test('a refusal links to the text about its code', async () => {
    const { body } = await app.call('POST', '/v1/payments/checkout', { body: {} })
    const address = new URL(body.error.doc_url)
    assert.equal(address.hash, '#validation_error')
    assert.ok((await get(address.pathname)).text.includes('<tr id="validation_error">'))
    // The example on that page has the shape of a real document.
    const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(read('docs/errors.md'))![1]!)
    assert.deepEqual(Object.keys(example.error).toSorted(), Object.keys(body.error).toSorted())
    assert.equal(example.error.message, body.error.message)
  })

  await t.test('the search finds the text of a page, best match first, and shows the search words as text', async () => {
    const found = async (words: string): Promise<string[]> => {
      const { text } = await get(`/docs/search?q=${encodeURIComponent(words)}`)
      const hits = text.split('<ul class="hits">')[1]?.split('</ul>')[0] ?? ''
      return [...hits.matchAll(/<li><a href="([^"]+)">/g)].map((match) => match[1]!)
    }
    assert.ok((await found('late success')).some((address) => address === '/docs/concepts/payments#late-success'))
    assert.ok((await found('phone_busy')).includes('/docs/errors#codes'))
    // A misspelled word, another form of a word, a beginning of a word, and a word that is in no page beside one that is.
    const isOnWebhooks = (address: string): boolean => address.startsWith('/docs/guides/webhooks')
    for (const words of ['webook retry', 'webhooks retried', 'webho', 'webhook laravel'])
      assert.ok((await found(words)).slice(0, 6).some(isOnWebhooks), words)
    assert.equal((await found('phone format'))[0], '/docs/guides/phone-numbers#accepted-formats')
    for (const words of ['prices', 'fee for the merchant'])
      assert.ok((await found(words)).slice(0, 6).includes('/prices?lang=en'), words)
    for (const words of ['limits', 'rate limit'])
      assert.ok(
        (await found(words)).slice(0, 6).some((address) => address.startsWith('/docs/limits')),
        words,
      )
    const none = await get('/docs/search?q=zzzz')
    assert.match(none.text, /Nothing was found/)
    const hostile = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    assert.equal(hostile.status, 200)
    assert.doesNotMatch(hostile.text, /<script>/)
    assert.ok(hostile.text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
    assert.equal((await get(`/docs/search?q=${'x'.repeat(101)}`)).status, 400)
  })

  await t.test('each test number ends a payment as its table says', async () => {
    const page = await app.page(await app.student())
    await Promise.all(
      Object.entries(promisedEndings).map(async ([digits, [status, failure]]) => {
        const { body } = await app.checkout(page.slug, { phone_number: `0754000${digits}`, idempotency_key: digits })
        const settled = await app.settled(body.data.reference)
        assert.deepEqual([settled.status, settled.failure?.code ?? ''], [status, failure], digits)
      }),
    )
  })
})
