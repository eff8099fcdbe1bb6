/** The translator of the dashboards, and the texts of all screens: both languages complete, with the same values. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTranslator, type KeyOf, type Texts, type Translated } from '../dashboard/src/i18n/translator.ts'

const ns = 'shop'

function shop() {
  const texts = createTranslator('en')
  texts.add(ns, {
    en: {
      hello: 'Hello {{name}}, {{name}}!',
      rows_one: '{{count}} row',
      rows_other: '{{count}} rows',
      plain: 'Rows',
      state: { open: 'Open', 'pages:read': 'Read pages', 'payment.completed': 'Paid' },
    },
    sw: {
      hello: 'Habari {{name}}, {{name}}!',
      rows_one: 'safu moja',
      rows_other: 'safu {{count}}',
      plain: 'Safu',
      state: { open: 'Wazi', 'pages:read': 'Kusoma kurasa', 'payment.completed': 'Imelipwa' },
    },
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
  texts.add(ns, { en: { more: 'More' }, sw: { more: 'Zaidi' } })
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

test('a missing text, a surplus one and an unknown key do not compile', () => {
  const en = { a: 'A', group: { b: 'B' }, rows_one: 'row', rows_other: 'rows' } as const
  type Both = Translated<typeof en>
  const complete: Both = { a: 'A', group: { b: 'B' }, rows_one: 'safu', rows_other: 'safu' }
  // @ts-expect-error `group.b` is missing.
  const missing: Both = { a: 'A', group: {}, rows_one: 'safu', rows_other: 'safu' }
  // @ts-expect-error `c` is not in English.
  const surplus: Both = { a: 'A', group: { b: 'B' }, rows_one: 'safu', rows_other: 'safu', c: 'C' }
  const keys: KeyOf<typeof en>[] = ['a', 'group.b', 'rows']
  // @ts-expect-error A group is not a text.
  const group: KeyOf<typeof en> = 'group'
  // @ts-expect-error There is no such key.
  const unknown: KeyOf<typeof en> = 'd'
  assert.equal([complete, missing, surplus, keys, group, unknown].length, 6)
})

type Both = { en: Texts; sw: Texts }

/** Every text with its path. */
function leaves(texts: Texts, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, text]): [string, string][] =>
    typeof text === 'string' ? [[`${path}${key}`, text]] : leaves(text, `${path}${key}.`),
  )
}

test('both languages of every screen show the same values', async () => {
  // What the language of the page is read from.
  Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
  const folder = join(import.meta.dirname, '../dashboard/src')
  const { texts } = (await import(join(folder, 'i18n/language.ts'))) as { texts: { add(name: string, both: Both): void } }
  const all: [string, Both][] = []
  texts.add = (name, both) => void all.push([name, both])
  for (const file of globSync('**/*texts.ts', { cwd: folder })) if (!file.startsWith('i18n/')) await import(join(folder, file))
  assert.ok(all.length > 40, `${all.length} screens`)
  const valuesOf = (text: string): string => [...new Set(text.match(/\{\{\w+\}\}/g))].toSorted().join(' ')
  const different = all.flatMap(([name, { en, sw }]) => {
    const swahili = new Map(leaves(sw))
    return leaves(en).flatMap(([path, text]) => {
      const other = swahili.get(path) ?? ''
      // "One row" may be a word in one language and a figure in the other.
      const isSame = other !== '' && (valuesOf(text) === valuesOf(other) || path.endsWith('_one'))
      return isSame ? [] : [`${name} ${path}: "${text}" and "${other}"`]
    })
  })
  assert.deepEqual(different, [])
})
