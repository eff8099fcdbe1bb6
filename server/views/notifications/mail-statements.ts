/**
 * Mails statements to the people who asked for them, in the morning after a period has ended. Invariant: the period is recorded in the
 * transaction that writes its mail, so it is mailed once; and the reader's role is read and locked in it. Only the last ended period is
 * mailed: after a pause, the mail names the days for which there was none.
 */
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/environment.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import { relyOnMembership } from '../../accounts/members/access.sql.ts'
import { isAllowed } from '../../accounts/members/permissions.ts'
import { readBalances } from '../merchant-account/statement.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { derivedMoneyId } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { statementMail } from './statement-mail.ts'
import {
  advanceSchedule,
  claimPeriod,
  deleteSchedule,
  listDueSchedules,
  lockDueSchedule,
  markFailed,
  type ScheduleKey,
} from './statement-schedule.sql.ts'

type MailStatementsDeps = { db: Db; sealer: Sealer; log: Log; config: { urls: Pick<Config['urls'], 'api'> } }

/** The statement of a month in the dashboard. */
function linkTo(api: string, merchant: Merchant, environment: Environment, day: string): string {
  const owner = merchant.kind === 'business' ? wireIdOf(merchant) : 'me'
  return `${api}/dashboard/${owner}/${environment}/statement?month=${day.slice(0, 'yyyy-mm'.length)}`
}

function mailStatement(deps: MailStatementsDeps, key: ScheduleKey): Promise<void> {
  return deps.db.tx(async (tx) => {
    // The merchant before the schedule: an erasure locks them in the same order.
    const membership = await relyOnMembership(tx, key.userId, key.merchantId)
    const due = await lockDueSchedule(tx, key)
    if (!due) return
    if (!membership || !isAllowed(membership.role, 'statements.read', key.environment)) {
      await deleteSchedule(tx, key)
      return
    }
    // The first worker records the period; a disabled person gets no mail, and goes on with the next period.
    const isMailed = !due.isDisabled && (await claimPeriod(tx, key, due))
    await advanceSchedule(tx, key, due, isMailed)
    if (!isMailed) return
    const { merchant } = membership
    const balances = await readBalances(tx, { merchant, environment: key.environment }, { from: due.start, to: due.end })
    const link = linkTo(deps.config.urls.api, merchant, key.environment, due.lastDay)
    const mail = statementMail(due, { ...due, merchantName: merchant.displayName, environment: key.environment, balances, link })
    // A database that was restored to an earlier moment derives the same id: mail readers show a repeated mail once.
    const id = derivedMoneyId(merchant.home, [
      'statement-mail',
      key.userId,
      key.merchantId,
      key.environment,
      due.frequency,
      due.firstDay,
    ])
    await enqueueMail(deps, tx, { ...mail, id })
  })
}

/** Mails up to `limit` due statements. Returns how many were due. A failed one does not hold up the others. */
export async function mailStatements(deps: MailStatementsDeps, limit: number): Promise<number> {
  const due = await listDueSchedules(deps.db, limit)
  for (const key of due) {
    try {
      await mailStatement(deps, key)
    } catch (error) {
      deps.log.error('statement.mail_failed', error, { alert: true, merchant_id: key.merchantId })
      await markFailed(deps.db, key)
    }
  }
  return due.length
}
