/** Every error has a sentence for a person who reads Swahili. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { statusOf } from './answer-codes.ts'
import { errorCodes, fieldSentences, swahiliOf } from './error-codes.ts'

/** Words that no Swahili sentence has. */
const englishWords =
  /\b(?:the|is|are|was|be|been|of|to|for|from|and|or|not|no|this|that|with|your|you|it|its|has|have|must|may|can|only|use|send|try|again|wait|already|invalid|wrong|missing|error|field|page|payment|number|amount|address|document|business|request|account|key|code|please|enter)\b/i

const sentences = [
  ...Object.entries(errorCodes).map(([code, [en, , sw]]) => ({ name: code, en, sw })),
  ...Object.entries(fieldSentences).map(([en, sw]) => ({ name: en, en, sw })),
  ...['password_common', 'password_personal', 'password_guessable'].map((name) => ({ name, en: '', sw: swahiliOf(name)! })),
]

test('each Swahili sentence is a short sentence of its own, without English words', () => {
  for (const { name, en, sw } of sentences) {
    assert.notEqual(sw, en, name)
    assert.match(sw, /^\p{Lu}.*[.]$/su, `${name}: a sentence begins with a capital and ends with a full stop`)
    assert.ok(sw.length <= 160, `${name}: ${sw.length} characters`)
    // Names of fields and files stay as they are in every language.
    const words = sw.replaceAll(/`[^`]*`|"[^"]*"|https?:\S+|\S+@\S+/g, '')
    assert.doesNotMatch(words, englishWords, name)
  }
})

const wrongWords = /\b(?:nambari|nywila|pasiwadi|paswedi|emaili)\b/i

test('each Swahili sentence uses the words of Tanzania', () => {
  for (const { name, sw } of sentences) assert.doesNotMatch(sw, wrongWords, name)
})

const root = join(import.meta.dirname, '../../..')

/** Sentences of schemas, and of fields whose code says only that they are wrong. */
const own =
  /\.(?:regex|refine|min|max|int|email|url)\((?!\))[^'\n]*'([A-Z][^'\n]+\.)'\)|\berror: '([A-Z][^'\n]+\.)'|code: '(?:invalid|required)',\s*message: '([A-Z][^'\n]+\.)'/g

test('each own sentence of a field in the source has its Swahili sentence', () => {
  const files = globSync('server/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') })
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(own)].map((match) => match.slice(1).find(Boolean)!),
  )
  assert.ok(found.length > 25, `${found.length} sentences`)
  assert.deepEqual(
    [...new Set(found)].filter((sentence) => swahiliOf(sentence) === undefined),
    [],
  )
})

test('each refusal because of a state says in Swahili what its own English sentence says', () => {
  const files = globSync('server/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') })
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const calling = (call: RegExp) => [...texts].filter(([, text]) => call.test(text)).map(([file]) => file)
  // Only the builders know the code: one asks for both sentences, the other is for commands, which print English.
  assert.deepEqual(calling(/Refusal\(\s*409,\s*'invalid_state'/), ['server/platform/refusal.ts'])
  const routes = [...texts].filter(([file]) => file.endsWith('routes.ts')).map(([, text]) => text)
  const ofCommands = calling(/throw invalidCommand\(|return invalidCommand\(/).map((file) => `/${file.split('/').at(-1)}'`)
  assert.deepEqual(
    ofCommands.filter((name) => routes.some((text) => text.includes(name))),
    [],
    'a route answers people',
  )
  const literal = String.raw`(?:'([^'\n]*)'|\x60([^\x60]*)\x60)`
  const said = [...texts.values()].flatMap((text) => [
    ...text.matchAll(new RegExp(String.raw`invalidState\(\s*${literal},\s*${literal}`, 'g')),
  ])
  assert.ok(said.length > 70, `${said.length} pairs`)
  for (const [, plain, template, plainSw, templateSw] of said) {
    const [en, sw] = [plain ?? template, (plainSw ?? templateSw)!.replaceAll(/\$\{[^}]*\}/g, '0')]
    assert.match(sw, /^[\p{Lu}0].*[.]$/su, en)
    assert.doesNotMatch(sw, englishWords, en)
    assert.doesNotMatch(sw, wrongWords, en)
  }
})

test('each code that a route declares has a status with which the source refuses', () => {
  const files = globSync('server/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') })
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const refused = new Map<string, Set<string>>()
  for (const [, status, code] of text.matchAll(/Refusal\(\s*(\d+),\s*'([a-z_]+)'/g)) {
    refused.set(code!, (refused.get(code!) ?? new Set()).add(status!))
  }
  const declared = [...text.matchAll(/\brefuses: \[([^\]]*)\]|Refusals = \[([^\]]*)\]/g)].flatMap(([list]) =>
    [...list.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code!),
  )
  assert.ok(declared.length > 200, `${declared.length} codes`)
  assert.deepEqual(
    [...new Set(declared)].filter((code) => refused.get(code)?.has(statusOf(code)) === false),
    [],
  )
})
