/** The names of what the audit log is about. They are read when entries are shown: the log itself has only ids, so an erased person has none. */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { homeOfId } from '../../platform/ids.ts'

/** The ids of a page's rows, by the prefix that they have on the wire. */
export type WantedNames = Record<'usr' | 'biz' | 'po' | 'page', string[]>

const keys = (ids: string[]): Sql => sql`unnest(${ids.map(homeOfId)}::smallint[], ${ids}::uuid[]) as wanted (home, id)`

/** The names by id, each row found by its key. */
export async function readObjectNames(db: Runner, { usr, biz, po, page }: WantedNames): Promise<{ id: string; name: string }[]> {
  return db.rows(sql`
    select u.id, u.full_name as name from users u where u.id = any(${usr}::uuid[]) and u.password_hash <> 'erased'
    union all
    select m.id, m.display_name from merchants m join users u on u.id = m.user_id
      where m.id = any(${biz}::uuid[]) and u.password_hash <> 'erased'
    union all
    select o.id, o.recipient_name from ${keys(po)} join payouts o on o.home = wanted.home and o.id = wanted.id and o.phone_number like '+%'
    union all
    select g.id, g.title from ${keys(page)} join payment_pages g on g.home = wanted.home and g.id = wanted.id`)
}

/** The payments of breaks and support cases, by their ids; a break about no payment is left out. */
export async function readPaymentsOf(
  db: Runner,
  { brk, case: cases }: Record<'brk' | 'case', string[]>,
): Promise<{ id: string; paymentId: string }[]> {
  return db.rows(sql`
    select b.id, b.payment_id from ${keys(brk)} join breaks b on b.home = wanted.home and b.id = wanted.id and b.payment_id is not null
    union all
    select c.id, c.payment_id from ${keys(cases)} join support_cases c on c.home = wanted.home and c.id = wanted.id`)
}
