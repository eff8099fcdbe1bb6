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

type There = {
  reference: string
  amount: number
  net: number
  status: string
  metadata: Record<string, string>
}

type Difference = { what: string; offBy: number; awaitsFee: boolean }

/** The payments and payouts whose movements differ between us and the provider; queried only when the sums differ. */
async function findDifferences(service: Service): Promise<Difference[]> {
  const truth = (await (await fetch(`${service.simulatorUrl}/__truth`)).json()) as {
    charges: There[]
    payouts: (There & { total: number })[]
  }
  const { rows } = await service.owner.query<{ kind: 'pay' | 'po'; id: string; status: string; at: Date; moved: string }>(
    `select s.kind, s.id, s.status, s.at, coalesce(sum(case a.id when t.debit_account_id then t.amount else -t.amount end), 0) as moved
     from (select 'pay' as kind, home, id, status, updated_at as at from payments union all select 'po', home, id, status, updated_at from payouts) s
     left join (ledger_transfers t join ledger_accounts a on a.home = t.home and a.kind = 'provider_clearing'
       and a.id in (t.debit_account_id, t.credit_account_id)) on t.home = s.home and coalesce(t.payment_id, t.payout_id) = s.id
     group by s.kind, s.id, s.status, s.at`,
  )
  // Money whose record a restore lost is unallocated, or was written off, by the provider's reference.
  const { rows: unallocated } = await service.owner.query<{ reference: string; moved: string }>(
    `select b.provider_reference as reference, sum(case a.id when t.debit_account_id then t.amount else -t.amount end) as moved
     from breaks b join ledger_transfers t on t.home = b.home and t.break_id = b.id and t.payment_id is null and t.payout_id is null
     join ledger_accounts a on a.home = t.home and a.kind = 'provider_clearing' and a.id in (t.debit_account_id, t.credit_account_id)
     group by b.provider_reference`,
  )
  const found = new Map(unallocated.map(({ reference, moved }) => [reference, Number(moved)]))
  const here = new Map(rows.map(({ kind, id, status, at, moved }) => [toWire(kind, id), { status, at, moved: Number(moved) }]))
  const midnight = new Date(service.clock.now()).setUTCHours(0, 0, 0, 0)
  const there = [
    ...truth.charges.map((one) => ({ ...one, id: one.metadata['malipo_payment']!, moved: one.net })),
    ...truth.payouts.map((one) => ({
      ...one,
      id: one.metadata['malipo_payout']!,
      moved: one.status === 'completed' ? -one.total : 0,
    })),
  ]
  const oursOf = ({ id, reference }: { id: string; reference: string }) => {
    const { status, at, moved } = here.get(id) ?? { status: 'unknown', at: new Date(0), moved: 0 }
    return { status, at, moved: moved + (found.get(reference) ?? 0) }
  }
  return there
    .filter((one) => oursOf(one).moved !== one.moved)
    .map(({ id, reference, status, amount, moved }) => {
      const ours = oursOf({ id, reference })
      return {
        what: `  ${id} (${reference}) is ${status} there and moved ${moved}, is ${ours.status} here and moved ${ours.moved}`,
        offBy: ours.moved - moved,
        // An answer contains no fee; the comparison of its day does, if the webhook was lost.
        awaitsFee: ours.status === 'completed' && ours.moved === amount && ours.at.getTime() >= midnight,
      }
    })
}

/**
 * Statements of our books about the provider's money that the provider contradicts; today's fees are separated only by the
 * comparison of the day.
 */
export async function differFromProvider(service: Service): Promise<string[]> {
  const truth = await readTruth(service)
  const { rows } = await service.owner.query<{ environment: Environment; held: string }>(
    `select environment, -sum(balance) as held from ledger_accounts where kind = 'provider_clearing' group by environment`,
  )
  const differing = rows.filter(({ environment, held }) => Number(held) !== truth[environment])
  if (differing.length === 0) return []
  const found = await findDifferences(service)
  const offBy = differing.reduce((sum, { environment, held }) => sum + Number(held) - truth[environment], 0)
  const explained = found.filter(({ awaitsFee }) => awaitsFee).reduce((sum, difference) => sum + difference.offBy, 0)
  if (found.every(({ awaitsFee }) => awaitsFee) && offBy === explained) return []
  return [
    ...differing.map(
      ({ environment, held }) =>
        `our ${environment} books say that the provider has ${held} TZS of ours, it has ${truth[environment]}`,
    ),
    ...found.map(({ what }) => what),
  ]
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
  ['sealed_spans', `to_at < clock_now() - interval '10 days'`],
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
    differFromProvider(service),
    findUndelivered(service, merchants),
  ])
  return found.flat()
}
