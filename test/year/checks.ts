/** Conditions that must hold after each day, whatever has happened in it. */
import type { Environment } from '../../server/domain/environment.ts'
import { loadConfig } from '../../server/config/config.ts'
import { readBookCheck } from '../../server/assurance/invariants/book-check.sql.ts'
import { verifyAll, verifyAllNew } from '../../server/assurance/invariants/verify-all.ts'
import type { Violation } from '../../server/assurance/invariants/verify.ts'
import type { Db } from '../../server/platform/db/db.ts'
import { toWire } from '../../server/platform/ids.ts'
import { createRecordMac } from '../../server/platform/crypto/record-mac.ts'
import type { YearMerchant } from './merchants.ts'
import type { Service } from './service.ts'

type Totals = Record<string, { count: number; amount: number; fees: number }>
type ProviderTotals = Record<string, { payouts: Totals; account: { balance: number; opening_balance: number } }>

/** The money that the provider holds for us, in TZS by environment; money in flight to a recipient is still ours. */
async function readTruth(service: Service): Promise<Record<Environment, number>> {
  const totals = (await (await fetch(`${service.simulatorUrl}/__truth/totals`)).json()) as ProviderTotals
  const held = (accounts: string[]): number =>
    accounts.reduce((sum, name) => {
      const { payouts, account } = totals[name]!
      const pending = payouts['pending']
      return sum + account.balance - account.opening_balance + (pending ? pending.amount + pending.fees : 0)
    }, 0)
  return { test: held(['test', 'clickpesa-test']), live: held(['live', 'clickpesa-live']) }
}

type Told = { reference: string; amount: number; status: string; created_at: string; history: { at: string; what: string }[] }
type There = Told & { moved: number; id: string | undefined }

async function readRecords(service: Service): Promise<There[]> {
  const { charges, payouts } = (await (await fetch(`${service.simulatorUrl}/__truth`)).json()) as Record<
    'charges' | 'payouts',
    (Told & { net: number; total: number; metadata: Record<string, string> })[]
  >
  return [
    ...charges.map((one) => ({ ...one, id: one.metadata['malipo_payment'], moved: one.net })),
    ...payouts.map((one) => ({
      ...one,
      id: one.metadata['malipo_payout'],
      moved: one.status === 'completed' ? -one.total : 0,
    })),
  ]
}

/** What one payment, payout, or record without either moved at the provider and moved here. */
type Pair = { records: There[]; there: number; here: number; status: string; at: Date }

type Difference = { what: string; offBy: number; excuse: Excuse | undefined }

/** Why our books and wallets may differ from the provider's truth at the end of a day. There is no other reason. */
export const excuses = {
  fee: 'a fee waits for the list: an answer names none, and the webhook was lost',
  list: 'money moved at the provider after the list of the day was read, or began after the day, and the webhook was lost',
  decision: 'a break is open: until its decision, its money may be on either side',
} as const
type Excuse = 'fee' | 'list'

async function createExcuse(service: Service): Promise<(pair: Pair) => Excuse | undefined> {
  const { rows } = await service.owner.query<{ at: Date | null }>(
    `select min(at) as at from (select max(started_at) as at from reconciliation_runs where kind = 'daily' group by subject, environment, provider) latest`,
  )
  const listAt = rows[0]!.at?.getTime() ?? Infinity
  const midnight = new Date(service.clock.now()).setUTCHours(0, 0, 0, 0)
  const isLater = ({ created_at: createdAt, history, status }: There): boolean =>
    Date.parse(createdAt) >= midnight || Date.parse(history.findLast(({ what }) => what === status)?.at ?? '') > listAt
  return ({ records, here, status, at }) => {
    if (status === 'completed' && records.some(({ amount }) => here === amount) && at.getTime() >= midnight) return 'fee'
    return records.some(isLater) ? 'list' : undefined
  }
}

/**
 * The payments, payouts, and records of the provider without either, whose movements differ between us and the provider; queried only
 * when the sums differ. A record belongs to the payment or payout that owns its reference, else to the one that it names.
 */
async function findDifferences(service: Service): Promise<Difference[]> {
  const { rows } = await service.owner.query<{ key: string; status: string; at: Date; moved: string }>(
    `select s.key, s.status, s.at, coalesce(sum(case a.id when t.debit_account_id then t.amount else -t.amount end), 0) as moved
     from (select wire_id('pay', id) as key, home, id, status, updated_at as at from payments
       union all select wire_id('po', id), home, id, status, updated_at from payouts) s
     left join (ledger_transfers t join ledger_accounts a on a.home = t.home and a.kind = 'provider_clearing'
       and a.id in (t.debit_account_id, t.credit_account_id)) on t.home = s.home and coalesce(t.payout_id, t.payment_id) = s.id
     group by s.key, s.status, s.at`,
  )
  // Money of a record that no payment or payout of ours has is booked with the breaks of its reference.
  const { rows: ofBreaks } = await service.owner.query<{ reference: string; moved: string }>(
    `select b.provider_reference as reference, sum(case a.id when t.debit_account_id then t.amount else -t.amount end) as moved
     from breaks b
     -- A wallet in another home is debited in the same movement.
     join (select distinct break_id, movement_id from ledger_transfers) m on m.break_id = b.id
     join ledger_transfers t on t.movement_id = m.movement_id and coalesce(t.break_id, b.id) = b.id and t.payment_id is null and t.payout_id is null
     join ledger_accounts a on a.home = t.home and a.kind = 'provider_clearing' and a.id in (t.debit_account_id, t.credit_account_id)
     group by b.provider_reference`,
  )
  const { rows: owners } = await service.owner.query<{ reference: string; key: string | null }>(
    `select reference, coalesce(wire_id('pay', payment_id), wire_id('po', payout_id)) as key from provider_references`,
  )
  const ownerOf = new Map(owners.map(({ reference, key }) => [reference, key ?? reference]))
  const pairs = new Map<string, Pair>()
  for (const { key, status, at, moved } of rows) pairs.set(key, { records: [], there: 0, here: Number(moved), status, at })
  const pairOf = (key: string): Pair => {
    const pair = pairs.get(key) ?? { records: [], there: 0, here: 0, status: 'unknown', at: new Date(0) }
    pairs.set(key, pair)
    return pair
  }
  const records = await readRecords(service)
  for (const record of records) {
    const named = record.id !== undefined && pairs.has(record.id) ? record.id : record.reference
    const pair = pairOf(ownerOf.get(record.reference) ?? named)
    pair.records.push(record)
    pair.there += record.moved
  }
  for (const { reference, moved } of ofBreaks) pairOf(ownerOf.get(reference) ?? reference).here += Number(moved)
  const excuseOf = await createExcuse(service)
  return [...pairs]
    .filter(([, { here, there }]) => here !== there)
    .map(([key, pair]) => {
      const { records: its, here, there, status } = pair
      const names = its.map((one) => `${one.reference} ${one.status}`).join(', ')
      const what = `  ${key} (${names}) moved ${there} there, is ${status} here and moved ${here}`
      return { what, offBy: here - there, excuse: excuseOf(pair) }
    })
}

/** Statements of our books about the provider's money that the provider contradicts without an excuse, and the excuses used. */
export async function compareWithProvider(service: Service): Promise<{ wrong: string[]; excused: Excuse[] }> {
  const truth = await readTruth(service)
  const { rows } = await service.owner.query<{ environment: Environment; held: string }>(
    `select environment, -sum(balance) as held from ledger_accounts where kind = 'provider_clearing' group by environment`,
  )
  const differing = rows.filter(({ environment, held }) => Number(held) !== truth[environment])
  if (differing.length === 0) return { wrong: [], excused: [] }
  const found = await findDifferences(service)
  const offBy = differing.reduce((sum, { environment, held }) => sum + Number(held) - truth[environment], 0)
  const explained = found.reduce((sum, difference) => sum + (difference.excuse ? difference.offBy : 0), 0)
  const excused = found.flatMap(({ excuse }) => excuse ?? [])
  if (excused.length === found.length && offBy === explained) return { wrong: [], excused }
  const sums = differing.map(
    ({ environment, held }) =>
      `our ${environment} books say that the provider has ${held} TZS of ours, it has ${truth[environment]}`,
  )
  return { wrong: [...sums, ...found.map(({ what }) => what)], excused }
}

/**
 * Freezes and switches that are active now, and each freeze since the last check, including those lifted again: the audit log has
 * them.
 */
async function frozen(service: Service): Promise<string[]> {
  const { rows } = await service.owner.query<{ name: string; reason: string }>(
    `select name || ' is switched off' as name, reason from switches where not is_on
     union all select 'payouts of ' || merchant_id || ' (' || environment || ') are frozen', reason from payout_freezes
     union all select object || ' was frozen at ' || at, after ->> 'reason' from audit_log
       where at > clock_now() - interval '2 days'
         and (action = 'payouts.frozen' or (action = 'switch.turned_off' and after ->> 'reason' like 'Verify found%'))`,
  )
  return rows.map(({ name, reason }) => `${name}: ${reason}`)
}

/** Payments whose event their merchant has not received, except those whose delivery is still being tried. */
async function findUndelivered(service: Service, merchants: YearMerchant[]): Promise<string[]> {
  const { rows } = await service.owner.query<{ slug: string; reference: string }>(
    `select g.slug, e.payment_id as reference
     from events e join payments p on p.home = e.home and p.id = e.payment_id join payment_pages g on g.home = p.home and g.id = p.page_id
     where e.created_at > clock_now() - interval '3 days' and e.type = 'payment.completed'
       and not exists (select from webhook_deliveries d where d.home = e.home and d.event_id = e.id and d.status = 'pending')`,
  )
  const receivers = new Map(merchants.map(({ slug, receiver }) => [slug, receiver]))
  return rows
    .map(({ slug, reference }) => ({ slug, reference: toWire('pay', reference) }))
    .filter(({ slug, reference }) => {
      const receiver = receivers.get(slug)
      return receiver && !receiver.isDead && !receiver.received.has(reference)
    })
    .map(({ slug, reference }) => `the merchant of ${slug} has received no event of payment ${reference}`)
}

/** Rows that should be gone: by table, two days after its period (server/operations/data-lifecycle/retention-rules.ts) is over. */
const overdue: [table: string, condition: string][] = [
  ['webhook_deliveries', `finished_at < clock_now() - interval '32 days'`],
  ['webhook_attempts', `attempted_at < clock_now() - interval '38 days'`],
  ['provider_inbox', `state in ('settled', 'ignored') and received_at < clock_now() - interval '92 days'`],
  ['provider_inbox', `received_at < clock_now() - interval '367 days'`],
  ['mails', `finished_at < clock_now() - interval '32 days'`],
  ['sessions', `expires_at < clock_now() - interval '92 days'`],
  ['sign_in_challenges', `expires_at < clock_now() - interval '3 days'`],
  ['mailed_tokens', `expires_at < clock_now() - interval '3 days'`],
  ['api_requests', `requested_at < clock_now() - interval '9 days'`],
  ['prompts', `prompted_at < clock_now() - interval '3 days'`],
  ['rate_limits', `expire < extract(epoch from clock_now() - interval '1 day') * 1000`],
  [
    'documents',
    `created_at < clock_now() - interval '93 days' and not exists (select from submitted_documents s where s.document_id = documents.id)`,
  ],
  ['document_views', `created_at < clock_now() - interval '92 days'`],
  ['sealed_spans', `what not in ('payments', 'events') and to_at < clock_now() - interval '10 days'`],
  ['unfinished_objects', `since < clock_now() - interval '3 days'`],
  ['reconciliation_runs', `kind = 'recent' and due_at < clock_now() - interval '32 days'`],
]

/** Work that should be done: it has waited for longer than its longest permitted wait. */
const waiting: [table: string, condition: string][] = [
  ['webhook_deliveries', `status = 'pending' and created_at < clock_now() - interval '2 days'`],
  ['mails', `state = 'due' and created_at < clock_now() - interval '2 days'`],
  ['provider_inbox', `state = 'received' and received_at < clock_now() - interval '2 days'`],
  ['payments', `status in ('pending', 'processing') and not held and created_at < clock_now() - interval '4 days'`],
  ['reconciliation_runs', `ended_at is null and due_at < clock_now() - interval '2 hours'`],
  ['breaks', `resolved_at is null and opened_at < clock_now() - interval '2 days'`],
]

async function findOld(service: Service): Promise<string[]> {
  const counts = [
    ...overdue.map((one) => ['is past its period in', ...one]),
    ...waiting.map((one) => ['waits for too long in', ...one]),
  ]
  const statement = counts.map(
    ([, table, condition], place) => `select ${place} as place, count(*)::integer as rows from ${table} where ${condition}`,
  )
  const { rows } = await service.owner.query<{ place: number; rows: number }>(statement.join(' union all '))
  return rows.filter((row) => row.rows > 0).map((row) => `${row.rows} rows: what ${counts[row.place]!.join(' ')}`)
}

const twoDaysMs = 2 * 86_400_000

/** The findings of `verify`, and those of the service itself: it reads all of the books once a day. */
async function broken(service: Service, db: Db, isWhole: boolean): Promise<Violation[]> {
  const { keys } = loadConfig(service.settings, {})
  // The service reads the schema every five minutes, and days with a full read also read it.
  const deps = { db, recordMac: createRecordMac(keys.integrity), clocks: isWhole ? 'simulated' : 'unchecked' } as const
  const found = isWhole
    ? await verifyAll(deps)
    : (await verifyAllNew(deps, new Date(service.clock.now() - twoDaysMs), {})).violations
  return [...found, ...((await readBookCheck(db))?.violations ?? [])]
}

/** All problems at the end of a day; empty when there are none. `isWhole`: reads the whole past, not only the last two days. */
export async function checkDay(service: Service, db: Db, merchants: YearMerchant[], isWhole: boolean): Promise<string[]> {
  const found = await Promise.all([
    broken(service, db, isWhole).then((violations) => violations.map(({ invariant, what }) => `${invariant}: ${what}`)),
    frozen(service),
    findOld(service),
    compareWithProvider(service).then(({ wrong }) => wrong),
    findUndelivered(service, merchants),
  ])
  return found.flat()
}
