/**
 * The statements on `recipients`, and the reads of completed payouts that belong to a number. Every read of a merchant's recipient takes
 * its owner. No statement reads more of a wallet's history than the last payout and a bounded count for each number.
 */
import type { Network } from '../../domain/network.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, unplanned, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { anywhere, holdsFolded } from '../../platform/db/holds-text.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { countedPayouts, type Recipient } from './recipient.ts'

const merchantPurpose = sql`'merchant'`

/**
 * The completed payouts `p` of the wallet to the number of this row, in the order of the index `payouts_by_recipient`. Refunds are not
 * payouts to a recipient. `purpose`: other payouts, too.
 */
export const paidTo = (row: Sql, purpose: Sql = merchantPurpose): Sql => sql`
  payouts p
  where p.home = ${row}.home and p.merchant_id = ${row}.merchant_id and p.environment = ${row}.environment
    and p.phone_number = ${row}.phone_number and p.purpose = ${purpose} and p.status = 'completed'`

const ofRow = paidTo(sql`r`)

const columns = sql`r.home, r.id, r.environment, r.name, r.phone_number, coalesce(l.network, r.network) as network,
  l.completed_at as last_paid_at, c.count as paid_count, l.recipient_name as last_paid_name, r.created_at`

/** What belongs to a recipient `r`: its last completed payout, and their number. */
const paid = sql`
  left join lateral (
    select p.completed_at, p.recipient_name, p.network from ${ofRow} order by p.completed_at desc, p.id desc limit 1
  ) l on true
  cross join lateral (
    select count(*) as count from (select from ${ofRow} and l.completed_at is not null limit ${countedPayouts}) counted
  ) c`

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`r.home = ${merchant.home} and r.merchant_id = ${merchant.id} and r.environment = ${environment}`

export type NewRecipient = { id: string; name: string; phoneNumber: string; network: Network | null; createdBy: string }

/** Stores a recipient; false if the wallet has one with this number. */
export async function insertRecipient(tx: Tx, owner: Owner, recipient: NewRecipient): Promise<boolean> {
  return (await insertUnknown(tx, owner, [recipient], recipient.createdBy)) > 0
}

export async function findRecipient(db: Runner, owner: Owner, id: string): Promise<Recipient | undefined> {
  return db.maybeOne<Recipient>(sql`select ${columns} from recipients r ${paid} where ${ofOwner(owner)} and r.id = ${id}`)
}

const importColumns = { id: 'uuid', name: 'text', phoneNumber: 'text', network: 'text' } as const

/** Stores those recipients whose number the wallet does not have; returns how many. */
export async function insertUnknown(
  tx: Tx,
  { merchant, environment }: Owner,
  recipients: readonly Omit<NewRecipient, 'createdBy'>[],
  createdBy: string,
): Promise<number> {
  return tx.rowCount(sql`
    insert into recipients (home, id, merchant_id, environment, name, phone_number, network, created_by)
    select ${merchant.home}, i.id, ${merchant.id}, ${environment}, i.name, i.phone_number, i.network, ${createdBy}
    from ${recordset(recipients, 'i', importColumns)}
    on conflict on constraint recipients_one_per_number do nothing
    returning 1`)
}

export async function findRecipientId(db: Runner, owner: Owner, phoneNumber: string): Promise<string | undefined> {
  return db.maybeValue<string>(sql`select r.id from recipients r where ${ofOwner(owner)} and r.phone_number = ${phoneNumber}`)
}

/** False: there is no such recipient. */
export async function renameRecipient(tx: Tx, owner: Owner, id: string, name: string): Promise<boolean> {
  return tx.any(sql`
    update recipients r set name = ${name}, updated_at = clock_now() where ${ofOwner(owner)} and r.id = ${id} returning 1`)
}

/** Returns its number; undefined: there is no such recipient. */
export async function deleteRecipient(tx: Tx, owner: Owner, id: string): Promise<string | undefined> {
  return tx.maybeValue<string>(sql`delete from recipients r where ${ofOwner(owner)} and r.id = ${id} returning r.phone_number`)
}

/** `name` must be part of the name, or `digits` part of the number. `digits` is null for a text that cannot be of a number. */
export type RecipientFilter = { phoneNumber?: string; text?: { name: string; digits: string | null } }

/** How far the list was searched, if the search stopped before its end. */
export type RecipientsPage = { recipients: Recipient[]; hasMore: boolean; last: { createdAt: Date; id: string } | undefined }

/**
 * A page of an owner's recipients, newest first. The filter for a text searches at most `among` recipients: the page then holds those
 * found so far, and the next page continues from there.
 */
export async function listRecipients(
  db: Runner,
  owner: Owner,
  filter: RecipientFilter,
  range: ListRange & { among: number },
): Promise<RecipientsPage> {
  const { after, createdFrom, createdTo, limit, among } = range
  const { phoneNumber, text } = filter
  const looked = sql`
    recipients r
    where ${ofOwner(owner)}
      ${phoneNumber === undefined ? sql`` : sql`and r.phone_number = ${phoneNumber}`}
      ${createdFrom === undefined ? sql`` : sql`and r.created_at >= ${createdFrom}::timestamptz`}
      ${createdTo === undefined ? sql`` : sql`and r.created_at < ${createdTo}::timestamptz`}
      ${after ? sql`and (r.created_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by r.created_at desc, r.id desc`
  const name = text === undefined ? null : text.name
  const digits = text?.digits ? anywhere(text.digits) : null
  const rows = await db.rows<Recipient>(sql`
    with found as materialized (
      select r.*
      from (select r.* from ${looked} limit ${among}) r
      where ${name}::text is null or ${holdsFolded(sql`r.name`, name)} or r.phone_number like ${digits}::text
      order by r.created_at desc, r.id desc
      limit ${limit + 1}
    )
    select ${columns} from found r ${paid}
    order by r.created_at desc, r.id desc`)
  const recipients = rows.slice(0, limit)
  if (rows.length > limit) return { recipients, hasMore: true, last: recipients.at(-1) }
  // Fewer than requested: either there are no more recipients, or the search limit was reached.
  const [end] = await db.rows<{ createdAt: Date; id: string }>(
    sql`select r.created_at, r.id from ${looked} offset ${among - 1} limit 1`,
  )
  return { recipients, hasMore: end !== undefined, last: end ?? recipients.at(-1) }
}

/** For each of these numbers (E.164) that the wallet has paid: the name of the last completed payout. */
export async function lastPaidNames(
  db: Runner,
  { merchant, environment }: Owner,
  phoneNumbers: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.rows<{ phoneNumber: string; name: string }>(sql`
    with k as (
      select ${merchant.home}::smallint as home, ${merchant.id}::uuid as merchant_id, ${environment}::text as environment, u.phone_number
      from unnest(${unplanned(phoneNumbers, 'text')}) as u (phone_number)
    )
    select k.phone_number, l.recipient_name as name
    from k
    cross join lateral (select p.recipient_name from ${paidTo(sql`k`)} order by p.completed_at desc, p.id desc limit 1) l`)
  return new Map(rows.map(({ phoneNumber, name }) => [phoneNumber, name]))
}

/** Removes the recipients that are one person, of all merchants. Returns their number. */
export async function deleteRecipientsOf(tx: Tx, phoneNumber: string): Promise<number> {
  return (await tx.rows(sql`delete from recipients where phone_number = ${phoneNumber} returning 1`)).length
}

export async function deleteRecipientsOfMerchants(tx: Tx, merchants: readonly { home: number; id: string }[]): Promise<void> {
  await tx.rows(sql`
    delete from recipients r
    using unnest(${merchants.map(({ home }) => home)}::smallint[], ${merchants.map(({ id }) => id)}::uuid[]) as m (home, id)
    where r.home = m.home and r.merchant_id = m.id`)
}
