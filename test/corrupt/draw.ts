/**
 * Random changes of single columns, and removals of single rows, as an owner of the database can make them with triggers and foreign
 * keys off. Everything follows from the dice, except which of the rows of a table is changed: ids differ from run to run.
 */
import type pg from 'pg'
import type { Dice } from '../fuzz/dice.ts'

export type Column = { table: string; column: string; type: string; nullable: boolean; known: string[] }

/** `column` is undefined for a removed row. */
export type Corruption = { table: string; column?: string; text: string }

/** The columns of the tables that have rows, with the values that a check constraint names. */
export async function readColumns(client: pg.ClientBase, tables: readonly string[]): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
       array(select distinct v[1] from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([a-z_.]+)''', 'g') v
         where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)) as known
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) order by 1, a.attnum`,
    [tables],
  )
  const full = new Set<string>()
  for (const table of new Set(rows.map((row) => row.table)))
    if ((await client.query(`select from ${table} limit 1`)).rows.length > 0) full.add(table)
  return rows.filter(({ table }) => full.has(table))
}

/** Expressions for another value of a column, in the order in which they are tried. */
function otherValues({ table, column, type, nullable, known }: Column, dice: Dice): string[] {
  const value = `r.${column}`
  const amount = dice.between(1, 1_000) * (dice.chance(0.5) ? 1 : -1)
  const ofAnother = `(select o.${column} from ${table} o where o.${column} is distinct from ${value} order by md5(o.ctid::text || '${dice.word(4)}') limit 1)`
  const own: string[] = []
  if (type === 'boolean') own.push(`not coalesce(${value}, false)`)
  else if (/^(smallint|integer|bigint)$/.test(type)) {
    own.push(
      `coalesce(${value}, 0) + ${type === 'smallint' ? Math.sign(amount) : amount}`,
      `coalesce(${value}, 0) + 1`,
      `${value} - 1`,
    )
  } else if (type.startsWith('timestamp'))
    own.push(`coalesce(${value}, now()) + interval '${amount * dice.pick([1, 60, 3_600])} seconds'`)
  else if (type === 'date') own.push(`${value} + ${amount}`)
  else if (type === 'uuid') own.push('gen_random_uuid()')
  else if (type === 'bytea')
    own.push(`set_byte(${value}, 0, (get_byte(${value}, 0) + 1) % 256)`, `decode('${'ab'.repeat(32)}', 'hex')`)
  else if (/^jsonb?$/.test(type)) {
    own.push(
      `case when translate(${value}::text, '123', '234') <> ${value}::text then translate(${value}::text, '123', '234')::${type} end`,
      `case when ${value}::text like '{%' then (${value}::jsonb || '{"x": 1}')::${type} else (${value}::jsonb || '["x"]'::jsonb)::${type} end`,
    )
  } else if (type.endsWith('[]')) {
    const element = type === 'uuid[]' ? 'gen_random_uuid()' : `'${dice.pick(known.length > 0 ? known : [dice.word(5)])}'`
    own.push(`array_append(${value}, ${element})`, `trim_array(${value}, 1)`)
  } else {
    own.push(
      ...(dice.pick([0, 1]) === 0
        ? known.toSorted(() => 0).map((one) => `'${one}'`)
        : [...known].toReversed().map((one) => `'${one}'`)),
    )
    const changed = `overlay(${value} placing case right(${value}, 1) when '7' then '8' else '7' end from length(${value}))`
    own.push(changed, `coalesce(${value}, '') || '7'`)
  }
  const others = [ofAnother, ...(nullable && dice.chance(0.3) ? ['null'] : [])]
  return dice.chance(0.5) ? [...others, ...own, 'null'] : [...own, ...others, 'null']
}

/**
 * Applies one corruption in the client's transaction, whose triggers are off; undefined if the database refuses every value that was
 * tried.
 */
export async function corrupt(client: pg.ClientBase, columns: readonly Column[], dice: Dice): Promise<Corruption | undefined> {
  const chosen = dice.pick(columns)
  const { table, column } = chosen
  const order = `md5(t.ctid::text || '${dice.word(6)}')`
  if (dice.chance(0.1)) {
    const { rows } = await client.query(
      `delete from ${table} where ctid = (select t.ctid from ${table} t order by ${order} limit 1) returning to_jsonb(${table}) as row`,
    )
    return { table, text: `delete ${JSON.stringify(rows[0].row).slice(0, 200)}` }
  }
  const isFilled = dice.chance(0.8)
  const { rows: picked } = await client.query<{ place: string }>(
    `select t.ctid::text as place from ${table} t order by ${isFilled ? `(t.${column} is null),` : ''} ${order} limit 1`,
  )
  for (const other of otherValues(chosen, dice)) {
    await client.query('savepoint one')
    try {
      const { rows } = await client.query(
        `update ${table} t set ${column} = n.value from (select r.ctid as place, r.${column} as was, (${other}) as value from ${table} r where r.ctid = $1::tid) n
         where t.ctid = n.place and n.value::text is distinct from n.was::text returning n.was::text, t.${column}::text as now, t.*`,
        [picked[0]!.place],
      )
      if (rows.length === 1) {
        const { was, now, id, payment_id: paymentId, status, state } = rows[0]
        return {
          table,
          column,
          text: `${String(was).slice(0, 60)} → ${String(now).slice(0, 60)} (${id ?? paymentId ?? ''} ${status ?? state ?? ''})`,
        }
      }
    } catch {
      // A check or unique constraint refuses it.
    }
    await client.query('rollback to savepoint one')
  }
  return undefined
}
