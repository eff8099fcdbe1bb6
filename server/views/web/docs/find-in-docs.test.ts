/** The search of the documentation on a few pages, and its queries that people really type on the real pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finderOf, type Hit } from './find-in-docs.ts'
import { mustBeNone, mustFit } from '../../../../test/must-match.ts'
import { operatorPages } from './contents.ts'
import { renderMarkdown, textOf } from './markdown.ts'
import { saidAlso } from './said-also.ts'
import { home, readSites, type Page, type Site } from './site.ts'

function siteOf(texts: Record<string, string>, language: 'en' | 'sw' = 'en'): Site {
  const pages = Object.entries(texts).map(([path, markdown]): [string, Page] => {
    const context = { file: `docs/${path}.md`, addressOf: () => undefined, pictureOf: () => undefined, language }
    const rendered = renderMarkdown(markdown, context)
    return [path, { ...rendered, path, language, title: rendered.headings[0]!.text, about: '', markdown }]
  })
  return { language, pages: new Map(pages), pictures: new Map() }
}

const addresses = (hits: readonly Hit[]): string[] => hits.map(({ address }) => address)

test('a word in a title counts more than in the text, and each section is found under its own heading', async () => {
  const find = await finderOf(
    siteOf({
      money: '# Money\n\nA refund returns it. A refund is a payout. Refund, refund.\n\n## Limits\n\nNone.',
      refunds: '# Refunds\n\nHow to give it back.\n\n## Trying it\n\nWith a test number.',
    }),
  )
  assert.deepEqual(addresses(find('refund')).slice(0, 2), ['/docs/refunds', '/docs/refunds#trying-it'])
  assert.ok(addresses(find('refund')).includes('/docs/money'))
  assert.deepEqual(addresses(find('limits')), ['/docs/money#limits'])
  assert.deepEqual(find('limits')[0]!.title, 'Money: Limits')
})

test('a beginning, another form and a misspelling find a word, and the excerpt marks what was found', async () => {
  const text = `${'Before it. '.repeat(30)}We retry the webhook five times.`
  const find = await finderOf(siteOf({ a: `# One\n\n${text}`, b: '# Two\n\nNothing of it.' }))
  for (const [question, marked] of [
    ['webho', ['webhook']],
    ['webook', ['webhook']],
    ['webhooks retried', ['retry', 'webhook']],
    ['WEBHOOK', ['webhook']],
  ] as const) {
    const [hit, ...more] = find(question)
    assert.equal(more.length, 0, question)
    assert.deepEqual(
      hit!.excerpt.filter(({ isFound }) => isFound).map((piece) => piece.text),
      marked,
      question,
    )
    assert.match(hit!.excerpt.map((piece) => piece.text).join(''), /^… .*We retry the webhook five times\.$/)
  }
})

test('Swahili words are found by their beginning and misspelled, and code by its parts', async () => {
  const find = await finderOf(
    siteOf(
      { marejesho: '# Kurudisha pesa\n\nMteja anarudishiwa `merchant_reference`.\n\n## Namba ya simu\n\nAndika 0754.' },
      'sw',
    ),
  )
  assert.deepEqual(addresses(find('kurudi')), ['/docs/sw/marejesho', '/docs/sw/marejesho#namba-ya-simu'])
  assert.equal(addresses(find('kurudsha'))[0], '/docs/sw/marejesho')
  assert.deepEqual(addresses(find('simu')), ['/docs/sw/marejesho#namba-ya-simu'])
  assert.deepEqual(addresses(find('merchant reference')), ['/docs/sw/marejesho'])
})

const sites = await readSites('http://127.0.0.1:3000')

test('the questions of integrators lead to their page', async () => {
  const find = await finderOf(sites!.en)
  for (const [question, address] of [
    ['webhook retry', '/docs/guides/webhooks'],
    ['webook', '/docs/guides/webhooks'],
    ['phone format', '/docs/guides/phone-numbers'],
    ['phone number format', '/docs/guides/phone-numbers'],
    ['network prefix', '/docs/guides/phone-numbers'],
    ['refund', '/docs/guides/refunds'],
    ['idempotency', '/docs/concepts/idempotency'],
    ['test key', '/docs/quick-start'],
    ['go live', '/docs/guides/go-live'],
    ['insufficient_funds', '/docs/guides/test-numbers'],
  ] as const) {
    const top = addresses(find(question)).slice(0, 3)
    assert.ok(
      top.some((one) => one.split('#')[0] === address),
      `${question}: ${top.join(' ')}`,
    )
  }
})

test('what people call it otherwise leads to the section that answers, first of all, in both languages', async () => {
  for (const language of ['en', 'sw'] as const) {
    const find = await finderOf(sites![language])
    for (const [question, address] of [
      ['stk push', 'concepts/payments#payments-that-your-server-makes'],
      ['push ussd', 'concepts/payments#payments-that-your-server-makes'],
      ['sandbox', 'concepts/test-and-live'],
      ['retry', 'guides/webhooks#when-your-server-was-down'],
      ['postman', 'guides/questions#can-i-try-it-in-postman-or-bruno'],
      ['cors', 'guides/questions#can-a-browser-or-an-app-call-the-api'],
      ['golang', 'guides/from-order-to-fulfilment#go'],
      ['customer paid but pending', 'guides/questions#the-customer-has-paid-but-the-payment-is-pending'],
      ['whsec', 'guides/webhooks#create-your-webhook-and-get-its-secret'],
      ['ip whitelist', 'guides/webhooks#from-which-addresses-they-come'],
      ['minor units', 'guides/questions#are-amounts-in-cents'],
    ] as const) {
      const [first, ...more] = addresses(find(question))
      assert.equal(first, `${home[language]}/${address}`, `${language}, ${question}: then ${more.slice(0, 4).join(' ')}`)
    }
  }
})

test('every other word belongs to a page or section that exists', async () => {
  const { pages } = sites!.en
  const missing = Object.keys(saidAlso).filter((key) => {
    const [path, id] = key.split('#')
    const page = pages.get(path!)
    return !page || (id !== undefined && !page.headings.some((heading) => heading.id === id))
  })
  mustBeNone(missing, 'Correct these keys of server/views/web/docs/said-also.ts')
})

test('pages for merchants come before those for operators', async () => {
  const find = await finderOf(sites!.en)
  const isForOperators = (address: string): boolean => operatorPages.has(address.split('#')[0]!.replace('/docs/', ''))
  for (const question of ['keys', 'webhook', 'limits', 'test payment', 'start', 'monitoring webhooks', 'payout']) {
    const found = addresses(find(question))
    assert.equal(isForOperators(found[0]!), false, `${question}: ${found.slice(0, 5).join(' ')}`)
  }
  // They are found all the same.
  assert.ok(isForOperators(addresses(find('restore a backup of the database'))[0]!))
})

test('the texts of the index are bounded', () => {
  for (const language of ['en', 'sw'] as const) {
    const size = [...sites![language].pages.values()].reduce((sum, { html }) => sum + textOf(html).length, 0)
    const advice = 'Shorten pages: the index of both languages is in the memory of every process, and takes about 4 MB for each'
    mustFit(`the texts of the documentation (${language})`, { size, limit: 400_000, unit: 'characters' }, advice)
  }
})
