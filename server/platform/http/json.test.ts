import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseStrictJson } from './json.ts'
import { Refusal } from '../refusal.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const refuses = (bytes: Buffer | string) =>
  assert.throws(
    () => parseStrictJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes),
    (error) => error instanceof Refusal && error.code === 'invalid_json',
    String(bytes),
  )

test('everything that JSON.stringify writes without decimals is read back', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ unit: 'grapheme' }).filter((key) => !key.includes('\0') && key !== '__proto__'),
        fc.oneof(
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
          fc.array(fc.integer()),
        ),
      ),
      (value) => {
        assert.deepEqual(parse(JSON.stringify(value)), Object.assign({}, value))
      },
    ),
  )
})

test('a number that is not a plain integer literal becomes NaN, a larger one infinite, so that its field refuses it', () => {
  for (const literal of ['500.5', '1e3', '5.0', '-0.1', '1e309', '0e0', '-0.0', '1E+2', '2e-1', `1${'0'.repeat(40)}.5`, '1E2']) {
    assert.deepEqual(parse(`{"amount":${literal}}`), { amount: Number.NaN }, literal)
  }
  for (const literal of ['9007199254740992', '9007199254740993', `1${'0'.repeat(40)}`, '9'.repeat(100)]) {
    assert.deepEqual(parse(`{"amount":${literal}}`), { amount: Infinity }, literal)
    assert.deepEqual(parse(`{"amount":-${literal}}`), { amount: -Infinity }, literal)
  }
  assert.deepEqual(parse('{"amount":9007199254740991}'), { amount: 9007199254740991 })
  assert.deepEqual(parse('{"amount":-5}'), { amount: -5 })
})

test('a duplicate key is refused at every depth', () => {
  refuses('{"amount":500,"amount":50000}')
  refuses('{"a":{"b":1,"b":2}}')
  refuses('{"a":[{"b":1},{"b":1,"b":1}]}')
  refuses('{"a":1,"\\u0061":2}')
  // The same without numbers, which are parsed in another way.
  refuses('{"a":"x","a":"y"}')
  refuses('{"a":1,"a":"y"}')
  refuses('{"a":{"b":true,"b":null}}')
  refuses('{"a":[{"b":[]},{"b":"x","b":{}}]}')
  refuses('{"a":"x","\\u0061":"y"}')
  assert.deepEqual(parse('{"":"x","a":{"":true}}'), { '': 'x', a: { '': true } })
  assert.deepEqual(parse('{"a":"x\\":\\"y: \\"a\\":1","b":{"a":1}}'), { a: 'x":"y: "a":1', b: { a: 1 } })
})

test('a body is read in the same way with or without numbers, up to 32 levels deep', () => {
  const nested = (depth: number, core: string) => `${'{"a":['.repeat(depth)}${core}${']}'.repeat(depth)}`
  for (const depth of [1, 8, 15]) {
    for (const core of ['"x"', '5', 'null', '"\\u00e9"'])
      assert.deepEqual(parse(nested(depth, core)), JSON.parse(nested(depth, core)))
    for (const core of ['"\\ud800"', '{"b":1,"b":1}', '{"b":"x","b":"x"}', '{"__proto__":1}']) refuses(nested(depth, core))
    assert.ok(JSON.stringify(parse(nested(depth, '5.0'))).includes('null'))
  }
})

test('a body that would cost more than it says is refused while it is scanned', () => {
  assert.deepEqual(parse(`${'['.repeat(32)}${']'.repeat(32)}`), JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`))
  refuses(`${'['.repeat(33)}${']'.repeat(33)}`)
  const list = (count: number) => `[0${',0'.repeat(count)}]`
  assert.equal((parse(list(9_998)) as number[]).length, 9_999)
  refuses(list(9_999))
  assert.equal((parseStrictJson(Buffer.from(list(12_000)), 20_000) as number[]).length, 12_001)
  assert.deepEqual(parse(`[1.${'1'.repeat(100)}]`), [Number.NaN])
  refuses(`[1.${'1'.repeat(101)}]`)
  refuses(`[${'1'.repeat(101)}]`)
  refuses('-'.repeat(200))
})

test('a byte order mark before the text is skipped, once', () => {
  assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 })
  refuses('\ufeff\ufeff{"a":1}')
  refuses('\ufeff')
})

test('strings are read to their end, however long, and whatever is escaped in them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', ',', ':', '[', '{', 'a'.repeat(70), '\\'.repeat(65))),
      (parts) => {
        const value = { [parts.join('')]: parts, b: parts.join(''), c: [parts.join('') + '"', 1, '\\'] }
        for (const indent of [undefined, 2, '\t']) assert.deepEqual(parse(JSON.stringify(value, null, indent)), value)
      },
    ),
  )
})

test('broken, disguised and malicious texts are refused', () => {
  for (const text of [
    '',
    '{',
    '{"a":1} x',
    '{"a":1,}',
    "{'a':1}",
    ...['01', '-', '-a', '1.', '.5', '1.e5', '1e', '1e+', '-01', '1.2.3', '+1', '1e5e5', '--1', 'NaN'].map(
      (number) => `{"a":${number}}`,
    ),
    '{"a":"\\ud800"}',
    '{"a":"\\u0000"}',
    '{"__proto__":{"x":1}}',
    `${'['.repeat(100_000)}`,
  ])
    refuses(text)
  refuses('{"a":{"b":["x","\\ud800"]}}')
  refuses('{"\\ud800":1}')
  refuses('{"a":{"\\u0000":1}}')
  refuses('{"a":["x",{"b":"\\u0000"}]}')
  refuses('{"a":["x",{"__proto__":null}]}')
  refuses(Buffer.from([0x22, 0xc3, 0x28, 0x22]))
  refuses(Buffer.from('{"a":1}', 'utf16le'))
  assert.equal(({} as { x?: number }).x, undefined)
})
