import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createTestDatabase } from '../../../test/databases.ts'
import { createBatch } from './batch.ts'
import { openDb, sql, type Runner, type Sql } from './db.ts'

const database = await createTestDatabase()
const db = openDb({
  url: database.url,
  poolSize: 1,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  applicationName: 'test',
  onError: () => undefined,
})

after(async () => {
  await db.close()
  await database.drop()
})

async function readBack(statement: Sql): Promise<unknown> {
  const [row] = await db.rows<{ back: unknown }>(statement)
  return row!.back
}

/** The same array as written by the driver. */
async function throughDriver(type: string, values: readonly unknown[]): Promise<unknown> {
  const { rows } = await db.pool.query<{ back: unknown }>(`select $1::${type} as back`, [values])
  return rows[0]!.back
}

const awkwardTexts = [
  '',
  ' ',
  ' leading and trailing ',
  'null',
  'NULL',
  'a,b',
  '{a,b}',
  '"',
  '""',
  '\\',
  '\\\\',
  String.raw`\"`,
  'end\\',
  'say "hi" \\ bye',
  '$& $1 $$',
  "it's",
  'line\nbreak\r\n\ttab\v\f\u0001\u007f',
  'Asha wa Kilimanjaro — shilingi 5 000 ƒ ½ 你好 🇹🇿 e\u0301',
  '\u00a0\u2028\ufeff',
  '\\x41',
  'x'.repeat(20_000),
]

test('every text in an array arrives as sent, and as the driver would have sent it', async () => {
  const values = [...awkwardTexts, null, undefined]
  const wanted = values.map((value) => value ?? null)
  assert.deepEqual(await readBack(sql`select ${values}::text[] as back`), wanted)
  assert.deepEqual(await throughDriver('text[]', values), wanted)
  for (const value of values) assert.deepEqual(await readBack(sql`select ${[value]}::text[] as back`), [value ?? null])
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('"', '\\', '{', '}', ',', ' ', "'"), fc.string({ unit: 'grapheme', size: '-1' })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text.map((one) => one.replaceAll('\0', '')))), async (texts) => {
      assert.deepEqual(await readBack(sql`select ${texts}::text[] as back`), texts)
    }),
    { numRuns: 200 },
  )
})

test('an empty array arrives as an empty array, not as null', async () => {
  assert.deepEqual(await readBack(sql`select ${[]}::text[] as back`), [])
  assert.deepEqual(await readBack(sql`select ${[]}::uuid[] as back`), [])
  assert.equal(await readBack(sql`select cardinality(${[]}::bytea[]) as back`), 0)
})

test('numbers, booleans, bytes, times, ids and JSON arrive unchanged in an array', async () => {
  const bytes = [Buffer.from([0, 1, 0x22, 0x5c, 0x7b, 0xff]), Buffer.alloc(0), null, Buffer.from('\\x41')]
  assert.deepEqual(await readBack(sql`select ${bytes}::bytea[] as back`), bytes)
  assert.deepEqual(await throughDriver('bytea[]', bytes), bytes)
  const integers = [0, -1, 5000, null, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
  assert.deepEqual(
    await readBack(sql`select ${integers}::bigint[]::text[] as back`),
    integers.map((value) => (value === null ? null : String(value))),
  )
  const decimals = [0.1, -1e-7, 1e21, 1.5, Infinity, -Infinity, Number.NaN, null]
  assert.deepEqual(await readBack(sql`select ${decimals}::double precision[] as back`), decimals)
  const answers = [true, false, null]
  assert.deepEqual(await readBack(sql`select ${answers}::boolean[] as back`), answers)
  const moments = [new Date('2026-03-01T12:00:00.123Z'), null, new Date(0)]
  assert.deepEqual(await readBack(sql`select ${moments}::timestamptz[] as back`), moments)
  const ids = ['01890a5d-ac96-774b-bcce-b302099a8057', null]
  assert.deepEqual(await readBack(sql`select ${ids}::uuid[] as back`), ids)
  const documents = [{ a: 'x "y" \\ {z}', b: [1, null, { c: true }] }, null, 'text']
  const written = documents.map((value) => value && JSON.stringify(value))
  assert.deepEqual(await readBack(sql`select to_jsonb(${written}::jsonb[]) as back`), documents)
  const nested = [
    ['a', '"'],
    ['\\', null],
  ]
  assert.deepEqual(await readBack(sql`select ${nested}::text[] as back`), nested)
})

test('text that the database cannot store is refused, also in an array', async () => {
  await assert.rejects(() => readBack(sql`select ${['a\0b']}::text[] as back`), { code: '22021' })
  await assert.rejects(() => readBack(sql`select ${['not a number']}::integer[] as back`), { code: '22P02' })
  await assert.rejects(() => readBack(sql`select ${[1.5]}::integer[] as back`), { code: '22P02' })
})

test('times are read to the millisecond, for any year and fraction', async () => {
  const written = [
    '2026-03-01 12:00:00+00',
    '2026-03-01 12:00:00.1+00',
    '2026-03-01 12:00:00.04+00',
    '2026-03-01 12:00:00.007+00',
    '2026-03-01 23:59:59.999999+00',
    '2024-02-29 03:04:05.678901+00',
    '1000-01-01 00:00:00+00',
    '0999-12-31 23:59:59.5+00',
    '0001-01-01 00:00:00+00',
    '9999-12-31 23:59:59+00',
    '12026-03-01 12:00:00.25+00',
  ]
  for (const text of written) {
    // The driver reads the whole milliseconds since 1970 as a number.
    const [row] = await db.rows<{ moment: Date; ms: number }>(sql`
      select ${text}::timestamptz as moment, floor(extract(epoch from ${text}::timestamptz) * 1000)::bigint as ms`)
    assert.equal(row!.moment.getTime(), row!.ms, text)
  }
  const [rare] = await db.rows<{ never: unknown; before: Date; none: Date | null }>(sql`
    select 'infinity'::timestamptz as never, '0044-03-15 12:00:00+00 BC'::timestamptz as before, null::timestamptz as none`)
  assert.deepEqual(rare, { never: Infinity, before: new Date('-000043-03-15T12:00:00Z'), none: null })
  const whole = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  await fc.assert(
    fc.asyncProperty(whole, async (moment) => {
      assert.deepEqual(await readBack(sql`select ${moment}::timestamptz as back`), moment)
    }),
    { numRuns: 100 },
  )
})

test('parts of a statement keep their arrays', async () => {
  const names = ['a', '"b"']
  const condition = sql`name = any(${names}::text[])`
  const rows = await db.rows<{ theName: string; placeNo: number }>(sql`
    select name as the_name, place::integer as place_no
    from unnest(${['"b"', 'c', 'a']}::text[]) with ordinality as n (name, place)
    where ${condition} order by place`)
  assert.deepEqual(rows, [
    { theName: '"b"', placeNo: 1 },
    { theName: 'a', placeNo: 3 },
  ])
})

test('inside a transaction the pool is refused, and allowed again after it', async (t) => {
  const strict = openDb({
    url: database.url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    refusesPoolInsideTx: true,
    applicationName: 'test',
    onError: () => undefined,
  })
  t.after(() => strict.close())
  const ask = (): Promise<unknown> => strict.rows(sql`select 1`)
  const refused = { message: /asked inside a transaction/ }
  await assert.rejects(() => strict.tx(ask), refused)
  await assert.rejects(() => strict.tx(() => strict.tx(async () => undefined)), refused)
  await assert.rejects(() => strict.snapshot(ask), refused)
  let later: Promise<unknown> | undefined
  await strict.tx(async (tx) => {
    later = new Promise((resolve) => setTimeout(resolve, 50)).then(ask)
    await tx.rows(sql`select 1`)
  })
  await later
})

test('work that is joined to a transaction commits with it, and a part of it can fail alone', async (t) => {
  const strict = openDb({
    url: database.url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    refusesPoolInsideTx: true,
    applicationName: 'test',
    onError: () => undefined,
  })
  t.after(() => strict.close())
  await strict.script('create table joined (n integer primary key)')
  const add = (runner: Runner, n: number): Promise<unknown> => runner.rows(sql`insert into joined values (${n})`)
  const kept = async (): Promise<number[]> =>
    (await strict.rows<{ n: number }>(sql`select n from joined order by n`)).map(({ n }) => n)
  const inBatch = createBatch({ run: (items: number[]) => strict.rows(sql`select ${items.length}`) })
  let later: Promise<number[]> | undefined
  await strict.joinedTx(async (tx) => {
    await add(tx, 1)
    await add(strict, 2)
    await strict.tx(async (part) => {
      part.afterCommit(async (runner) => void (await add(runner, 3)))
      await add(part, 4)
    })
    await assert.rejects(() => strict.tx((part) => Promise.all([add(part, 5), add(part, 1)])), { code: '23505' })
    assert.deepEqual(await strict.snapshot((reader) => reader.rows(sql`select n from joined order by n`)), [
      { n: 1 },
      { n: 2 },
      { n: 4 },
    ])
    await assert.rejects(() => strict.tx(() => strict.tx(async () => undefined)), { message: /inside a transaction/ })
    // A batch also serves callers outside the transaction.
    await assert.rejects(() => inBatch(1), { message: /asked inside a transaction/ })
    assert.deepEqual(await db.rows(sql`select n from joined`), [])
    later = new Promise((resolve) => setTimeout(resolve, 50)).then(kept)
  })
  assert.deepEqual(await later, [1, 2, 3, 4])
  await assert.rejects(
    () =>
      strict.joinedTx(async () => {
        await strict.tx((part) => add(part, 6))
        throw new Error('refused')
      }),
    { message: 'refused' },
  )
  assert.deepEqual(await kept(), [1, 2, 3, 4])
})

test('work after a commit sees the committed data, fails alone, and does not run after a rollback', async () => {
  await db.script('create table if not exists done_after (n integer)')
  const count = async (runner: Runner = db): Promise<number> =>
    (await runner.rows<{ count: number }>(sql`select count(*)::integer as count from done_after`))[0]!.count
  const seen: number[] = []
  const inserted = await db.tx(async (tx) => {
    await tx.rows(sql`insert into done_after values (1)`)
    tx.afterCommit(async (runner) => void (await runner.rows(sql`select 1 / 0`)))
    tx.afterCommit(async (runner) => {
      await runner.rows(sql`rollback`)
      seen.push(await count(runner))
    })
    return 'inserted'
  })
  assert.deepEqual([inserted, seen], ['inserted', [1]])
  await assert.rejects(
    db.tx(async (tx) => {
      tx.afterCommit(async () => void seen.push(0))
      await tx.rows(sql`insert into done_after values (2)`)
      throw new Error('no')
    }),
  )
  assert.deepEqual([seen, await count()], [[1], 1])
})

test('a session that the server has ended is not used again: the next statement has another one', async () => {
  for (let time = 0; time < 10; time += 1) {
    await assert.rejects(db.rows(sql`select pg_terminate_backend(pg_backend_pid())`), { code: '57P01' })
    assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }])
  }
})
