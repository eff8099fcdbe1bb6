/** The translator of the dashboards, and the texts of all screens: both languages complete, with the same values. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTranslator, type KeyOf, type Pair, type Texts } from '../dashboard/src/i18n/translator.ts'

const ns = 'shop'

function shop() {
  const texts = createTranslator('en')
  texts.add(ns, {
    hello: ['Hello {{name}}, {{name}}!', 'Habari {{name}}, {{name}}!'],
    rows_one: ['{{count}} row', 'safu moja'],
    rows_other: ['{{count}} rows', 'safu {{count}}'],
    plain: ['Rows', 'Safu'],
    state: { open: ['Open', 'Wazi'], 'pages:read': ['Read pages', 'Kusoma kurasa'], 'payment.completed': ['Paid', 'Imelipwa'] },
  })
  return texts
}

test('a count chooses between one and all other numbers, in both languages as Unicode has it', () => {
  const texts = shop()
  const rows = (count: number): string => texts.t('rows', { ns, count })
  assert.deepEqual([0, 1, 2, 1.5, 21].map(rows), ['0 rows', '1 row', '2 rows', '1.5 rows', '21 rows'])
  texts.change('sw')
  assert.deepEqual([0, 1, 2].map(rows), ['safu 0', 'safu moja', 'safu 2'])
  for (const language of ['en', 'sw']) {
    const rules = new Intl.PluralRules(language)
    for (const count of [0, 1, 1.5, 2, 11, 21, 100])
      assert.equal(rules.select(count) === 'one', count === 1, `${language} ${count}`)
  }
})

test('a text without forms is the same for every count', () => {
  assert.equal(shop().t('plain', { ns, count: 1 }), 'Rows')
})

test('every place of a value is filled, with the value as it is', () => {
  const texts = shop()
  assert.equal(texts.t('hello', { ns, name: '<b>$& {{name}}' }), 'Hello <b>$& {{name}}, <b>$& {{name}}!')
  assert.equal(texts.t('hello', { ns, name: 0 }), 'Hello 0, 0!')
  assert.equal(texts.t('hello', { ns, name: ['Asha', 'Juma'] }), 'Hello Asha, Juma, Asha, Juma!')
  assert.equal(texts.t('hello', { ns }), 'Hello , !')
})

test('keys of the API with dots and colons are found, and a word without a text is shown as it is', () => {
  const texts = shop()
  assert.equal(texts.t('state.payment.completed', { ns }), 'Paid')
  assert.equal(texts.t('state.pages:read', { ns }), 'Read pages')
  for (const key of ['state.unknown', 'state', 'constructor', 'state.toString', 'hello.length']) {
    assert.equal(texts.exists(key, { ns }), false, key)
    assert.equal(texts.t(key, { ns }), key)
  }
  assert.equal(texts.exists('state.open', { ns: 'elsewhere' }), false)
})

test('texts under a known name complete those before', () => {
  const texts = shop()
  texts.add(ns, { more: ['More', 'Zaidi'] })
  assert.deepEqual([texts.t('more', { ns }), texts.t('plain', { ns })], ['More', 'Rows'])
})

test('a change of the language is announced until the listener leaves', () => {
  const texts = shop()
  const seen: string[] = []
  const leave = texts.onChange(() => seen.push(texts.t('plain', { ns })))
  texts.change('sw')
  leave()
  texts.change('en')
  assert.deepEqual(seen, ['Safu'])
})

test('a text in one language alone and an unknown key do not compile', () => {
  const complete = { a: ['A', 'A'], group: { b: ['B', 'B'] }, rows_one: ['row', 'safu'], rows_other: ['rows', 'safu'] } as const
  // @ts-expect-error The Swahili text is missing.
  const missing: Texts = { group: { b: ['B'] } }
  const keys: KeyOf<typeof complete>[] = ['a', 'group.b', 'rows']
  // @ts-expect-error A group is not a text.
  const group: KeyOf<typeof complete> = 'group'
  // @ts-expect-error There is no such key.
  const unknown: KeyOf<typeof complete> = 'd'
  assert.equal([complete, missing, keys, group, unknown].length, 5)
})

/** Every text with its path. */
function leaves(texts: Texts, path = ''): [string, Pair][] {
  return Object.entries(texts).flatMap(([key, text]): [string, Pair][] =>
    Array.isArray(text) ? [[`${path}${key}`, text as unknown as Pair]] : leaves(text as Texts, `${path}${key}.`),
  )
}

test('both languages of every screen show the same values', async () => {
  // What the language of the page is read from.
  Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
  const folder = join(import.meta.dirname, '../dashboard/src')
  const { texts } = (await import(join(folder, 'i18n/language.ts'))) as { texts: { add(name: string, more: Texts): void } }
  const all: [string, Texts][] = []
  texts.add = (name, more) => void all.push([name, more])
  for (const file of globSync('**/*texts.ts', { cwd: folder })) if (!file.startsWith('i18n/')) await import(join(folder, file))
  assert.ok(all.length > 40, `${all.length} screens`)
  const valuesOf = (text: string): string => [...new Set(text.match(/\{\{\w+\}\}/g))].toSorted().join(' ')
  const different = all.flatMap(([name, screen]) =>
    leaves(screen).flatMap(([path, [text, other]]) => {
      // "One row" may be a word in one language and a figure in the other.
      const isSame = other !== '' && (valuesOf(text) === valuesOf(other) || path.endsWith('_one'))
      return isSame ? [] : [`${name} ${path}: "${text}" and "${other}"`]
    }),
  )
  assert.deepEqual(different, [])
})
