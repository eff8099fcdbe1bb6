/**
 * The cost of a statement does not grow with the history, or with the rows of other merchants: none reads a table that grows as a whole.
 * PostgreSQL plans each statement of the service on the real schema, as if each table had millions of rows. An index helps if the
 * statement names its first columns, up to one with many values, or if a limit ends the reading. A partial index of work that waits is
 * short, so a statement for all owners may read it as a whole. Statements within functions and triggers are not planned.
 */
import { test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../databases.ts'
import { mustBeNone } from '../must-match.ts'
import { findStatements } from './find-statements.ts'
import { GrownTables } from './plans.ts'
import { standIns } from './stand-ins.ts'

/** Tables that do not grow with payments, merchants and people. */
const small = [
  // One row.
  'audit_head',
  'book_checks',
  'clock_marks',
  'document_folder',
  'receipt_sweep',
  'release_code_start',
  // A row for each thing that the code names.
  'check_cursors',
  'kysely_migration',
  'network_states',
  'payment_transitions',
  'payout_transitions',
  'retention_turns',
  'sealed_tables',
  'support_case_transitions',
  'switches',
  'verification_moves',
  // A row a day.
  'closed_days',
  'summed_days',
  // A row for a decision of an operator.
  'payout_freezes',
  'provider_movements',
  'restores',
  'second_step_orders',
  // Its rows are removed within minutes.
  'unfinished_objects',
]

/** Partial indexes of work that waits: rows leave them again. */
const waiting = [
  'approval_requests_by_person',
  'approval_requests_one_rule_change',
  'approval_requests_to_end',
  'approval_requests_waiting',
  'breaks_one_open_per_payment',
  'breaks_one_open_per_payout',
  'breaks_one_open_per_record',
  'breaks_open',
  'checkout_paces_confirming',
  'customer_counts_behind',
  'ledger_accounts_in_debt',
  'mailed_tokens_one_open_contact_change',
  'mails_due',
  'members_by_address',
  'members_invitations_ended',
  'members_one_invitation_per_address',
  'payout_batch_rows_unquoted',
  'payout_batches_drafts',
  'payout_batches_fees_due',
  'payout_batches_to_tell',
  'payout_batches_unfinished',
  'payouts_batch_open',
  'payouts_to_approve',
  'payouts_to_tell',
  'payouts_unfinished',
  'provider_charges_due',
  'provider_charges_rechecks',
  'provider_inbox_due',
  'provider_payouts_batch_sent',
  'provider_payouts_batch_unsent',
  'provider_payouts_due',
  'reconciliation_runs_one_at_a_time',
  'reconciliation_runs_open',
  'support_cases_due',
  'verifications_waiting',
  'webhook_deliveries_due_by_endpoint',
  'webhook_deliveries_due_live',
  'webhook_deliveries_due_test',
  'webhook_deliveries_one_manual_waiting',
]

const atErasure = 'when the account of a person is erased'
const afterClock = 'once after the clock of the database was set back'
const byHand = 'a command that an operator runs by hand'
const newestFirst = 'a list for operators, newest first; it reads on while a filter leaves out rows'
const withoutIndex = 'a list for operators; its order has no index'
const newestEnded = 'the newest run of an account that has ended is among its newest runs'
const fewOpen = 'few of these breaks are open, and each waits for an operator'
const fewRuns = 'some runs an hour, and those of days for ever'

/** Statements that read a table without a limit, as `file function: table`, with when they do, or why it is little. */
const exceptions: Record<string, string> = {
  'server/accounts/developers/app.sql.ts eraseApps: apps': atErasure,
  'server/accounts/developers/app.sql.ts listAppIdsOf: apps': 'for operators, with deleted apps, which no index by merchant has',
  'server/accounts/developers/key.sql.ts countKeysByPepper: api_keys': byHand,
  'server/accounts/developers/key.sql.ts eraseKeys: api_keys': atErasure,
  'server/accounts/idempotency/answer.sql.ts eraseAnswersNaming: idempotent_answers': atErasure,
  'server/accounts/identity/merchant.sql.ts findHomeOutside: merchants': 'when a process starts',
  'server/accounts/identity/notification.sql.ts moveNotifiedTime: notification_preferences': afterClock,
  'server/accounts/identity/user.sql.ts listOperators: users': 'when an operator opens the audit log',
  'server/accounts/members/approval-rule.sql.ts takeUnasked: approval_rules':
    'every ten minutes, one row for each merchant with a rule',
  'server/assurance/invariants/closed-day.sql.ts findDayToClose: ledger_transfers': 'until the first day is closed',
  'server/assurance/invariants/head.sql.ts readHeadNow: sealed_spans': 'from the newest to the first that is older than an hour',
  'server/assurance/invariants/head.sql.ts readKnown: sealed_spans': byHand,
  'server/assurance/invariants/sealed-span.sql.ts pruneSpans: sealed_spans': 'those of these tables are kept for some days',
  'server/assurance/invariants/sealed-span.sql.ts removeFutureSpans: sealed_spans': afterClock,
  'server/assurance/invariants/walks.sql.ts byId: payments': 'the stand-in has homes; the real tables have the id as their key',
  'server/assurance/reconciliation/balance.sql.ts advancePositions: ledger_accounts': 'once a day; a home has one such account',
  'server/assurance/reconciliation/balance.sql.ts advancePositions: ledger_transfers':
    'by the breaks of unknown records, for transfers that name no order',
  'server/assurance/reconciliation/balance.sql.ts listBalances: provider_balances': newestFirst,
  'server/assurance/reconciliation/balance.sql.ts readBooks: ledger_accounts': 'once a day; a home has one such account',
  'server/assurance/reconciliation/balance.sql.ts readBooks: ledger_transfers':
    'by the breaks of unknown records, for transfers that name no order',
  'server/assurance/reconciliation/balance.sql.ts readBooks: provider_payouts': 'by the payouts that have not ended',
  'server/assurance/reconciliation/charge-records.sql.ts listFoundSince: breaks': 'few records are unknown',
  'server/assurance/reconciliation/payout-records.sql.ts listUnfinishedPayouts: provider_payouts':
    'by the payouts that have not ended',
  'server/assurance/reconciliation/run.sql.ts listDays: reconciliation_runs': fewRuns,
  'server/assurance/reconciliation/run.sql.ts listRuns: reconciliation_runs': newestFirst,
  'server/assurance/reconciliation/run.sql.ts moveRunTimes: reconciliation_runs': afterClock,
  'server/assurance/reconciliation/run.sql.ts planRuns: reconciliation_runs': newestEnded,
  'server/assurance/reconciliation/run.sql.ts pruneRuns: reconciliation_runs': fewRuns,
  'server/base/audit/audit.sql.ts listEntries: audit_log': newestFirst,
  'server/collect/pages/page.sql.ts erasePages: payment_page_slugs': atErasure,
  'server/collect/pages/redirect-host.sql.ts listStrayPages: payment_pages': byHand,
  'server/collect/payments/order-mac.sql.ts count: provider_charges': byHand,
  'server/collect/payments/pace.sql.ts deleteOldPaces: checkout_paces': 'every ten minutes, one row for each page that is in use',
  'server/collect/support-cases/support-case.sql.ts listCases: support_cases': withoutIndex,
  'server/collect/support-cases/support-case.sql.ts moveCaseTimes: support_cases': afterClock,
  'server/collect/support-cases/support-case.sql.ts readCaseQueue: support_cases': 'the cases that wait for operators',
  'server/merchants/documents/document.sql.ts documentsOf: documents': atErasure,
  'server/merchants/documents/document.sql.ts moveUploadTimes: documents': afterClock,
  'server/merchants/onboarding/kyc.sql.ts listPersons: merchants': withoutIndex,
  'server/merchants/onboarding/review-queue.sql.ts countStatuses: merchants': 'for operators, and the result is kept for a while',
  'server/merchants/webhooks/endpoint.sql.ts eraseEndpoints: webhook_endpoints': atErasure,
  'server/money/breaks/break.sql.ts listBreaks: breaks': newestFirst,
  'server/money/breaks/break.sql.ts pseudonymizePayerPhone: breaks': atErasure,
  'server/money/controls/payout-freeze.sql.ts readPayoutFreezes: merchants': 'by the payout freezes, which are few',
  'server/money/controls/restore.sql.ts insertRestore: reconciliation_runs': byHand,
  'server/operations/data-lifecycle/person.sql.ts findOpenMoney: breaks': atErasure,
  'server/operations/operators/overview.sql.ts readLastRuns: reconciliation_runs': newestEnded,
  'server/operations/operators/search.sql.ts findMerchants: businesses':
    'an index has the beginning of a text, which only a call knows',
  'server/operations/operators/search.sql.ts findMerchants: merchants':
    'an index has the beginning of a text, which only a call knows',
  'server/operations/operators/search.sql.ts findMerchants: users':
    'an index has the beginning of a text, which only a call knows',
  'server/pay-out/payouts/order-mac.sql.ts count: provider_payouts': byHand,
  'server/pay-out/payouts/payout.sql.ts claimDuePayouts: breaks': fewOpen,
  'server/pay-out/payouts/payout.sql.ts findOrderedPayout: breaks': fewOpen,
  'server/pay-out/payouts/payout.sql.ts listOrderedPayouts: payouts': newestFirst,
  'server/pay-out/payouts/payout.sql.ts lockPayout: breaks': fewOpen,
  'server/pay-out/payouts/payout.sql.ts movePayoutTimes: provider_payouts': afterClock,
  'server/platform/db/sealed-column.sql.ts countByKey: webhook_endpoints': byHand,
  'server/views/notifications/statement-schedule.sql.ts deleteStatementMailsOf: mailed_statements': atErasure,
  'server/views/notifications/statement-schedule.sql.ts deleteStatementMailsOf: statement_schedules': atErasure,
  'server/views/notifications/statement-schedule.sql.ts moveStatementDays: statement_schedules': afterClock,
}

test('no statement reads a table that grows without a limit', async (t) => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  const tables = new GrownTables(client, { small, waiting })
  await tables.grow()
  const { statements, problems, close } = findStatements(standIns)
  close()
  problems.push(...(await tables.unknownNames()).map((name) => `small or waiting needs no line for ${name}: remove it`))
  const isUsed = new Set<string>()
  for (const { place, home, variants } of statements) {
    for (const { text } of variants) {
      for (const { table, how } of await tables.readsOf(text)) {
        const key = `${home}: ${table}`
        if (key in exceptions) isUsed.add(key)
        else problems.push(`${place} (${home.split(' ')[1]}): of ${table} it ${how}`)
      }
    }
  }
  for (const key of Object.keys(exceptions)) {
    if (!isUsed.has(key)) problems.push(`exceptions needs no line for ${key}: remove it`)
  }
  mustBeNone(
    problems,
    'Open these statements and name the first columns of an index, or write into test/statements/reads.test.ts why they need not',
  )
})
