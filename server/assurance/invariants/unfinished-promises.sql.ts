/** The promises about unfinished work: a process or an operator will continue it. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { earlier, near, within, type Check, type Scope } from './scope.sql.ts'

const p = sql`p`

/**
 * Jobs that are due, or whose lease has ended, and that no worker claims although workers are running. A worker checks the books every
 * few minutes and records it: the jobs that had been due for a quarter of an hour at that time, and still are two minutes later. Jobs
 * that became due while no worker ran, or before a backup was restored, do not count: they are about to be claimed. For webhooks and
 * mails only an ended lease counts: the others may have to wait behind many. The orders of a batch wait for the provider's budget, for up
 * to a day.
 */
const unclaimed: Sql = sql`
  select format('%s is due since %s, and no worker claims it', j.what, j.due_at) as what
  from (
    select format('the charge of payment %s', payment_id) as what, next_attempt_at as due_at from provider_charges where next_attempt_at is not null
    union all
    select format('the order of payout %s', payout_id), next_attempt_at + case when is_batch then interval '1 day' else interval '0' end from provider_payouts where next_attempt_at is not null
    union all
    select format('message %s', event_id), next_attempt_at from provider_inbox where state = 'received'
    union all
    select format('delivery %s', id), lease_until from webhook_deliveries where status = 'pending' and lease_until is not null
    union all
    select format('mail %s', id), lease_until from mails where state = 'due' and lease_until is not null
    union all
    select format('reconciliation run %s', id), greatest(lease_until, next_attempt_at) from reconciliation_runs
    where ended_at is null and leased_by is not null
  ) j
  join book_checks k on k.checked_at < clock_now() - interval '2 minutes'
  where j.due_at < k.checked_at - interval '15 minutes'`

const openBreak = (scope: Scope): Sql => sql`
  select from breaks k where k.home = p.home and k.payment_id = p.id and k.resolved_at is null and ${near(scope, sql`k.home`, sql`k.payment_id`)}`

export const unfinishedPromises: readonly Check[] = [
  {
    invariant: 'I13',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s, has no next query and no break', p.id, p.status) as what
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where p.status in ('pending', 'processing') and c.next_attempt_at is null and ${within(scope, p, 'updated_at')}
        and ${near(scope, sql`c.home`, sql`c.payment_id`)}
        and not exists (${openBreak(scope)})`,
  },
  {
    invariant: 'I13',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s has no charge', p.id) as what
      from payments p
      where ${within(scope, p, 'created_at')} and not exists (
        select from provider_charges c where c.home = p.home and c.payment_id = p.id and ${near(scope, sql`c.home`, sql`c.payment_id`)})`,
  },
  {
    invariant: 'I13',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is still %s after 72 hours without a break', p.id, p.status) as what
      from payments p
      where p.status in ('pending', 'processing') and p.created_at < clock_now() - interval '72 hours'
        -- Payments that reached this age since the last check.
        and ${within(earlier(scope, 72), p, 'created_at')}
        and not exists (${openBreak(scope)})`,
  },
  {
    invariant: 'I13',
    over: 'glance',
    broken: () => sql`
      select format('payout %s is %s, has no next query and no break', p.id, p.status) as what
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where p.status in ('pending', 'processing') and c.next_attempt_at is null and p.approval <> 'required'
        and not exists (select from breaks k where k.home = p.home and k.payout_id = p.id and k.resolved_at is null)`,
  },
  {
    invariant: 'I13',
    over: 'glance',
    broken: () => sql`
      select format('message %s waits without a next attempt', event_id) as what
      from provider_inbox where state = 'received' and next_attempt_at is null`,
  },
  { invariant: 'I13', over: 'glance', broken: () => unclaimed },
]
