/** The only statements on `notification_preferences`. A person who never chose has the defaults of its columns. */
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { NotificationKind, Notifications } from './notification.ts'

const defaults: Notifications = { paymentReceived: false, payoutFinished: true, webhookDisabled: true, newDevice: true }

const columns = sql`payment_received, payout_finished, webhook_disabled, new_device`

export async function readNotifications(db: Runner, userId: string): Promise<Notifications> {
  const [row] = await db.rows<Notifications>(sql`select ${columns} from notification_preferences where user_id = ${userId}`)
  return row ?? defaults
}

export async function wantsNotification(db: Runner, userId: string, kind: NotificationKind): Promise<boolean> {
  return (await readNotifications(db, userId))[kind]
}

/**
 * Writes only what is `wanted`, so that two changes at once keep each other; returns the whole. A person who turns on payment mails gets
 * them for payments from now on.
 */
export async function saveNotifications(db: Runner, userId: string, wanted: Partial<Notifications>): Promise<Notifications> {
  const first = { ...defaults, ...wanted }
  const chosen = (kind: NotificationKind) => sql`${wanted[kind] ?? null}::boolean`
  return db.one<Notifications>(sql`
    insert into notification_preferences as n (user_id, ${columns})
    values (${userId}, ${first.paymentReceived}, ${first.payoutFinished}, ${first.webhookDisabled}, ${first.newDevice})
    on conflict (user_id) do update set payment_received = coalesce(${chosen('paymentReceived')}, n.payment_received),
      payout_finished = coalesce(${chosen('payoutFinished')}, n.payout_finished),
      webhook_disabled = coalesce(${chosen('webhookDisabled')}, n.webhook_disabled),
      new_device = coalesce(${chosen('newDevice')}, n.new_device), updated_at = clock_now(),
      payments_told_until = case when n.payment_received then n.payments_told_until else clock_now() end
    returning ${columns}`)
}

export type PaymentReader = { userId: string; email: string; fullName: string; from: Date; to: Date }

/**
 * A person who wants payment mails and has not had one for a while, locked until the transaction ends; skips persons that another
 * process has locked.
 */
export async function lockPaymentReader(tx: Tx, pauseSeconds: number, settleSeconds: number): Promise<PaymentReader | undefined> {
  return tx.maybeOne<PaymentReader>(sql`
    select n.user_id, u.email, u.full_name, n.payments_told_until as "from",
      -- A payment whose transaction has not committed yet has an earlier time: the next round finds it.
      clock_now() - make_interval(secs => ${settleSeconds}) as "to"
    from notification_preferences n join users u on u.id = n.user_id
    where n.payment_received and n.payments_told_until < clock_now() - make_interval(secs => ${pauseSeconds + settleSeconds})
    order by n.payments_told_until
    limit 1
    for no key update of n skip locked`)
}

export async function setPaymentsNotified(tx: Tx, userId: string, until: Date): Promise<void> {
  await tx.rows(sql`update notification_preferences set payments_told_until = ${until} where user_id = ${userId}`)
}

export async function deletePreferencesOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from notification_preferences where user_id = ${userId}`)
}

/** Corrects the position of payment mails after a clock was set back by this many seconds. A second mail about a payment is better than no mail. */
export async function moveNotifiedTime(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update notification_preferences set payments_told_until = ${moved(sql`payments_told_until`, seconds)}
    where payments_told_until > clock_now()`)
}
