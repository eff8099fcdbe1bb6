/**
 * Values from a schema of the API's description: correct ones, and correct ones with one error. A value that a schema cannot
 * describe (a phone that a network has, the caller's own address) is drawn by the name of the field.
 */
import assert from 'node:assert/strict'
import { hostileTexts } from '../hostile-texts.ts'
import type { Dice } from './dice.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  pattern?: string
  format?: string
}

export type Named = Record<string, (dice: Dice) => unknown>

export type Generator = { valid(schema: Schema, name?: string): unknown }

const lines = ['Chai', 'Asha Mushi', 'Ada ya shule 2026', 'Élève №5', '茶と菓子', 'Duka 🧺', "O'Brien & Co", 'a', '…']
const shapes = [
  'pay_01h2xcejqtf2nbrexx3vqjhp41',
  '1',
  '20',
  '500',
  'abc',
  'abc-123',
  'word_1',
  'a'.repeat(40),
  '2026-01',
  '492039',
  '0'.repeat(64),
  '12:30',
]

function textOf({ minLength = 0, maxLength = 200, pattern, format }: Schema, dice: Dice): string {
  if (format === 'date-time') return new Date(dice.between(1.6e12, 1.9e12)).toISOString()
  if (format === 'date') return new Date(dice.between(1.6e12, 1.9e12)).toISOString().slice(0, 10)
  if (pattern !== undefined) {
    const fitting = shapes.filter((text) => new RegExp(pattern, 'u').test(text) && text.length <= maxLength)
    assert.ok(fitting.length > 0, `no text here fits ${pattern}: give the field a value by its name`)
    return dice.pick(fitting)
  }
  const text = dice.pick(lines)
  if (text.length < minLength) return text.padEnd(minLength, 'a')
  return text.length <= maxLength ? text : dice.word(Math.max(1, minLength))
}

/** Valid values; `named` has precedence over the schema, and optional fields are present or absent at random. */
export function createGenerator(components: Record<string, Schema>, named: Named, dice: Dice): Generator {
  function valid(schema: Schema, name?: string): unknown {
    if (name !== undefined && named[name]) return named[name](dice)
    if (schema.$ref !== undefined) return valid(components[schema.$ref.split('/').at(-1)!]!, name)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return dice.pick(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return valid(dice.pick(choices), name)
    const type = Array.isArray(schema.type) ? dice.pick(schema.type) : schema.type
    switch (type ?? 'any') {
      case 'null':
        return null
      case 'boolean':
        return dice.chance(0.5)
      case 'integer':
      case 'number':
        return dice.between(
          Math.max(schema.minimum ?? schema.exclusiveMinimum ?? 0, -1000),
          Math.min(schema.maximum ?? schema.exclusiveMaximum ?? 20_000, 20_000),
        )
      case 'string':
        return textOf(schema, dice)
      case 'array':
        return Array.from(
          { length: dice.between(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, Math.max(3, schema.minItems ?? 0))) },
          () => valid(schema.items ?? {}),
        )
      case 'object': {
        const fields = Object.entries(schema.properties ?? {}).filter(
          ([field]) => schema.required?.includes(field) || dice.chance(0.35),
        )
        const free = typeof schema.additionalProperties === 'object' && Object.keys(schema.properties ?? {}).length === 0
        const extra = free && dice.chance(0.5) ? [[dice.word(5), valid(schema.additionalProperties as Schema)] as const] : []
        return Object.fromEntries([...fields.map(([field, of]) => [field, valid(of, field)] as const), ...extra])
      }
      default:
        return dice.word(4)
    }
  }
  return { valid }
}

/** Numbers that can be written but that `JSON.stringify` would not write; a text replaces them until the body is written. */
const literals = [
  '1e3',
  '500.5',
  '-0',
  '1e309',
  '-1e309',
  '9007199254740993',
  '1E400',
  '0.1',
  '123456789012345678901234567890',
  '5.0',
]
const literalMark = '\u2020literal:'

export const badTexts: readonly string[] = [
  '',
  ' ',
  'a'.repeat(41),
  'a'.repeat(300),
  'é'.repeat(3000),
  'a'.repeat(50_000),
  '(a+)+'.repeat(200),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egnp.exe',
  '\u200b',
  '\ufeff',
  "' or 1=1 --",
  '%s%s%n',
  '%',
  '_',
  '\\',
  '${7*7}',
  '../../etc/passwd',
  '..',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: a=b',
  '{"level":"error"}',
  '0x10',
  'NaN',
  'Infinity',
  '-1',
  '1e3',
  'true',
  'null',
  'undefined',
  '１２３',
  '٠٧٥٤١٢٣٧٨٩',
  '9'.repeat(400),
  '99999999999999999999',
  '9223372036854775808',
  '2147483648',
  '2026-02-30',
  '2026-13',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999-14:00',
  '+275760-09-13T00:00:00.000Z',
  '2026-01-25T09:30:00+16:00',
  'pay_01jz8e6c9kf0x9v4m2n7q5t3ab',
  'usr_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  'evt_8zzzzzzzzzzzzzzzzzzzzzzzzz',
  'page_00000000000000000000000000',
  '00000000-0000-0000-0000-000000000000',
  '10.0.0.0/99',
  '::ffff:1.2.3.4/129',
  'http://169.254.169.254/',
  'javascript:alert(1)',
  'a@b',
  '"a b"@example.com',
  '+255754123789;ext=1',
  'eyJhbGciOiJub25lIn0.e30.',
  '__proto__',
  'constructor',
  'toString',
]

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

function badValue(dice: Dice): unknown {
  return dice.chance(0.6)
    ? dice.pick(badTexts)
    : dice.chance(0.4)
      ? literalMark + dice.pick(literals)
      : dice.pick([null, true, false, 0, -1, 2 ** 31, 2 ** 53 - 1, [], {}, [null], [[[]]], { $gt: '' }, ['a', 'a'], deep(200)])
}

/** The values that every field of a body is tried with. */
export const worstValues: readonly unknown[] = [null, '', 'a'.repeat(50_000), `${literalMark}1e309`, -1, [], {}, true]

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number }

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [
    { holder, key: Array.isArray(holder) ? Number(key) : key },
    ...placesIn(holder[key]),
  ])
}

const unasked = ['status', 'role', 'balance', 'business_id', 'id', 'owner', 'created_at', '', 'constructor', 'a.b', 'a/b', '0']

/** Makes a correct body wrong in one or two places; sometimes the result is still correct. */
export function spoil(body: unknown, dice: Dice): unknown {
  const spoilt = structuredClone(body)
  for (let left = dice.between(1, 2); left > 0; left -= 1) {
    const places = placesIn(spoilt)
    const isObject = typeof spoilt === 'object' && spoilt !== null && !Array.isArray(spoilt)
    const turn = dice.next()
    if (places.length > 0 && turn < 0.65) {
      const { holder, key } = dice.pick(places)
      ;(holder as Record<string | number, unknown>)[key] = badValue(dice)
    } else if (places.length > 0 && turn < 0.8) {
      const { holder, key } = dice.pick(places)
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    } else if (isObject && turn < 0.92) {
      ;(spoilt as Record<string, unknown>)[dice.pick(unasked)] = badValue(dice)
    } else {
      return dice.pick([[spoilt], null, 'text', 5, true, [], badValue(dice)])
    }
  }
  return spoilt
}

export function writeJson(body: unknown): string {
  return JSON.stringify(body).replaceAll(new RegExp(`"${literalMark}([^"]+)"`, 'g'), '$1')
}

/** As large as a route reads without its caller, and with it. */
const hostile = [60, 250].flatMap((kibibytes) => Object.values(hostileTexts(kibibytes * 1024)))

/** Bodies that are not JSON, or JSON with a misleading form. */
export function badBytes(text: string, dice: Dice): Buffer {
  const utf8 = Buffer.from(text)
  return dice.pick([
    utf8.subarray(0, Math.floor(utf8.length / 2)),
    Buffer.concat([utf8, Buffer.from('x')]),
    Buffer.concat([Buffer.from('\ufeff'), utf8]),
    Buffer.from(text, 'utf16le'),
    Buffer.concat([utf8.subarray(0, 3), Buffer.from([0xff, 0xfe]), utf8.subarray(3)]),
    Buffer.from(text.replace('{', '{"a":1,"a":2,')),
    Buffer.from(text.replace('{', '{"__proto__":{"role":"admin"},')),
    Buffer.from('['.repeat(20_000)),
    Buffer.from(`{"a":"${'x'.repeat(270_000)}"}`),
    Buffer.from('NaN'),
    Buffer.from('"\\ud800"'),
    Buffer.from("{'a': 1}"),
    Buffer.from(`${text}${text}`),
    Buffer.from('\u0000'),
    Buffer.from(dice.pick(hostile)),
    Buffer.from(text.replace('{', `{"a":${dice.pick(hostile)},`)),
  ])
}
