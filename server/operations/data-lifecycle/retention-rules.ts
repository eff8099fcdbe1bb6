/**
 * How long each table keeps its rows, and why. Invariant: every table of the schema is listed here, with a period and the event that starts
 * it, or as kept with the reason. A test over the schema checks this.
 */
import { deleteOldRequests } from '../../accounts/developers/request-log.sql.ts'
import type { Config } from '../../config/config.ts'
import { pruneViews } from '../../merchants/documents/document.sql.ts'
import { pruneUnsubmitted, type Removal } from '../../merchants/documents/prune-unsubmitted.ts'
import { sweepObjects } from '../../merchants/documents/sweep-uploads.ts'
import { pruneAnswers } from '../../accounts/idempotency/answer.sql.ts'
import { pruneChallenges } from '../../accounts/identity/challenge.sql.ts'
import { pruneMailedTokens } from '../../accounts/identity/mailed-token.sql.ts'
import { pruneSessions } from '../../accounts/identity/session.sql.ts'
import { pruneInvitations } from '../../accounts/members/member.sql.ts'
import { pruneCustomers } from '../../collect/payment-requests/payment-request.sql.ts'
import { pruneCases } from '../../collect/support-cases/support-case.sql.ts'
import { pruneMails } from '../../base/mail/mail.sql.ts'
import { pruneMailedStatements } from '../../views/notifications/statement-schedule.sql.ts'
import { pruneSpans } from '../../assurance/invariants/sealed-span.sql.ts'
import { pruneMessages } from '../../money/providers/inbox.sql.ts'
import { removeOldDrafts } from '../../pay-out/payout-batches/correct-row.ts'
import { sweepPrompts } from '../../collect/payments/limit-prompts.ts'
import { deleteOldPaces } from '../../collect/payments/pace.sql.ts'
import type { Clock } from '../../platform/clock.ts'
import { deleteOldCounts } from '../../platform/db/counts.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { firstIdOf } from '../../platform/ids.ts'
import { eraseHeldRecords } from './erase-account.ts'
import type { DocumentStore } from '../../merchants/documents/document-store.ts'
import { everSubmitted } from '../../merchants/onboarding/review.sql.ts'
import { keptDays } from '../../merchants/webhooks/delivery.ts'
import { pruneDeliveries } from '../../merchants/webhooks/old-delivery.sql.ts'

export type RetentionDeps = {
  db: Db
  clock: Clock
  config: Pick<Config, 'documents' | 'limits'>
  documentStore: DocumentStore
}

export type Rule = {
  /** `folder/name`. It identifies the row of the rule in `retention_turns`. */
  name: string
  tables: readonly string[]
  /** The period in words. */
  keeps: string
  because: string
  everySeconds: number
  /** Removes at most `batchSize` rows in one short transaction. After a full batch, another one runs. */
  batchSize: number
  /** Returns how many rows it removed. A rule that checks each row once also returns its position. `nowMs` is the database's time. */
  remove(deps: RetentionDeps, batch: { limit: number; position: string | null; nowMs: number }): Promise<number | Removal>
}

const hour = 3600
const day = 24 * hour

export const days = {
  deliveries: keptDays,
  providerMessages: 90,
  orphanMessages: 365,
  mails: 30,
  sessions: 90,
  challenges: 1,
  mailedTokens: 1,
  sealedSpans: 8,
  unsubmittedDocuments: 90,
  documentViews: 90,
  idempotentAnswers: 1,
  invitations: 30,
  batchDrafts: 30,
  supportCases: 365,
  unpaidCustomers: 90,
  mailedStatements: 400,
} as const

const everyTenMinutes = { everySeconds: 600, batchSize: 1_000 }
const hourly = { everySeconds: hour, batchSize: 1_000 }
const daily = { everySeconds: day, batchSize: 1_000 }

export const rules: readonly Rule[] = [
  {
    name: 'webhooks/deliveries',
    tables: ['webhook_deliveries', 'webhook_attempts'],
    keeps: `${days.deliveries} days after the delivery ended, with all of its attempts`,
    because:
      'The contract shows attempts, and allows events to be resent, for this time. The stored responses belong to the merchants.',
    ...hourly,
    remove: ({ db }, { limit, nowMs }) => pruneDeliveries(db, days.deliveries, nowMs, limit),
  },
  {
    name: 'providers/messages',
    tables: ['provider_inbox'],
    keeps: `${days.providerMessages} days`,
    because: 'The messages are the evidence in a dispute with a provider. The payment, its ledger and its event stay.',
    ...hourly,
    remove: async ({ db }, { limit }) => {
      let removed = 0
      for (const state of ['settled', 'asked', 'ignored'] as const) {
        if (removed < limit) removed += await pruneMessages(db, state, days.providerMessages, limit - removed)
      }
      return removed
    },
  },
  {
    name: 'providers/orphan-messages',
    tables: ['provider_inbox'],
    keeps: `${days.orphanMessages} days if it names no payment of ours`,
    because: 'Operators look for the payment that it belongs to, and the books of a year are compared with the provider’s.',
    ...daily,
    remove: ({ db }, { limit }) => pruneMessages(db, 'orphan', days.orphanMessages, limit),
  },
  {
    name: 'payments/prompts',
    tables: ['prompts'],
    keeps: 'as long as they count towards a phone’s limit (a day)',
    because: 'Limits on prompts need this period. The phone is stored as a HMAC.',
    ...everyTenMinutes,
    remove: (deps, { limit }) => sweepPrompts(deps, limit),
  },
  {
    name: 'payments/paces',
    tables: ['checkout_paces', 'network_paces'],
    keeps: '120 days after the last checkout of a page or merchant; a day after the last one of a network of payers',
    because: 'Usual traffic is the measure for unusual traffic. A network is stored as a HMAC.',
    ...everyTenMinutes,
    remove: ({ db }, { limit }) => deleteOldPaces(db, limit),
  },
  {
    name: 'platform/counts',
    tables: ['rate_limits'],
    keeps: 'until the window that they count in is over',
    because: 'Limits need this period. The caller is stored as a HMAC.',
    ...everyTenMinutes,
    remove: ({ db }, { limit }) => deleteOldCounts(db, limit),
  },
  {
    name: 'developers/requests',
    tables: ['api_requests'],
    keeps: '7 days',
    because: 'Owners look for the cause of a failed request. Neither bodies nor addresses are stored.',
    ...everyTenMinutes,
    remove: ({ db }, { limit }) => deleteOldRequests(db, limit),
  },
  {
    name: 'idempotency/answers',
    tables: ['idempotent_answers'],
    keeps: `at least ${days.idempotentAnswers * 24} hours`,
    because: 'A client that got no answer repeats its request within minutes.',
    ...everyTenMinutes,
    remove: ({ db }, { limit }) => pruneAnswers(db, days.idempotentAnswers, limit),
  },
  {
    name: 'payout-batches/drafts',
    tables: ['payout_batches', 'payout_batch_rows', 'payout_batch_changes'],
    keeps: `drafts and refused batches for ${days.batchDrafts} days after their last change, approved batches with the books`,
    because:
      'A file that no one approves names people who are not paid. The rows of an approved batch are the order of its payouts.',
    everySeconds: hour,
    batchSize: 5,
    remove: ({ db }, { limit }) => removeOldDrafts(db, days.batchDrafts, limit),
  },
  {
    name: 'mail/mails',
    tables: ['mails'],
    keeps: `${days.mails} days after a mail was sent or given up; its content is erased at once`,
    because: 'Operators can explain why a mail did not arrive.',
    ...hourly,
    remove: ({ db }, { limit }) => pruneMails(db, days.mails, limit),
  },
  {
    name: 'notifications/mailed-statements',
    tables: ['mailed_statements'],
    keeps: `${days.mailedStatements} days`,
    because: 'A period is mailed once, also when a clock was set back or a person asks again. Only ids and days are stored.',
    ...daily,
    remove: ({ db }, { limit }) => pruneMailedStatements(db, days.mailedStatements, limit),
  },
  {
    name: 'support-cases/cases',
    tables: ['support_cases', 'support_case_answers'],
    keeps: `${days.supportCases} days after the case was answered or closed`,
    because: 'A payer, an operator or a provider may come back to it. The payment and its ledger stay.',
    everySeconds: hour,
    batchSize: 500,
    remove: ({ db }, { limit }) => pruneCases(db, days.supportCases, limit),
  },
  {
    name: 'payment-requests/customers',
    tables: ['payment_requests'],
    keeps: `its customer for ${days.unpaidCustomers} days after it was cancelled or expired without a payment; the request with the books`,
    because: 'The merchant may still ask the customer for the money. No phone need be known by which a customer could be erased.',
    ...daily,
    remove: ({ db }, { limit, position }) => pruneCustomers(db, days.unpaidCustomers, position, limit),
  },
  {
    name: 'documents/views',
    tables: ['document_views'],
    keeps: `${days.documentViews} days`,
    because: 'An address opens once, within a minute. The audit log keeps each view permanently.',
    ...daily,
    remove: ({ db }, { limit, nowMs }) => pruneViews(db, firstIdOf(nowMs - days.documentViews * 86_400_000), limit),
  },
  {
    name: 'identity/sessions',
    tables: ['sessions'],
    keeps: `${days.sessions} days after the last day on which it could be used`,
    because: 'Needed to investigate a break-in, and to recognise a device that was used before.',
    ...hourly,
    remove: ({ db }, { limit }) => pruneSessions(db, days.sessions, limit),
  },
  {
    name: 'identity/challenges',
    tables: ['sign_in_challenges'],
    keeps: `${days.challenges} day after it ended`,
    because: 'It cannot be used any more.',
    ...hourly,
    remove: ({ db }, { limit }) => pruneChallenges(db, days.challenges, limit),
  },
  {
    name: 'identity/mailed-tokens',
    tables: ['mailed_tokens'],
    keeps: `${days.mailedTokens} day after it ended`,
    because: 'Until then it counts towards the limit of mails that a person may request.',
    ...hourly,
    remove: ({ db }, { limit }) => pruneMailedTokens(db, days.mailedTokens, limit),
  },
  {
    name: 'members/invitations',
    tables: ['members'],
    keeps: `${days.invitations} days after an invitation was cancelled or expired; members are kept, also removed ones`,
    because:
      'Until then it can be sent again. What a member did stays attributable; the address of their invitation is erased when they join.',
    ...daily,
    remove: ({ db }, { limit }) => pruneInvitations(db, days.invitations, limit),
  },
  {
    name: 'documents/unsubmitted',
    tables: ['documents'],
    keeps: `${days.unsubmittedDocuments} days if it is never submitted`,
    because: 'No decision is based on it. Submitted documents are kept with the review.',
    everySeconds: day,
    batchSize: 200,
    remove: ({ db }, { limit, position, nowMs }) =>
      pruneUnsubmitted(
        { db, nowMs, everSubmitted: (merchantIds) => everSubmitted(db, merchantIds) },
        { olderThanDays: days.unsubmittedDocuments, position, limit },
      ),
  },
  {
    name: 'invariants/sealed-spans',
    tables: ['sealed_spans'],
    keeps: `${days.sealedSpans} days; those of payments and events stay`,
    because: 'By then the transfers of the day have a separate digest. Payouts have seals of their own.',
    ...hourly,
    remove: ({ db }, { limit }) => pruneSpans(db, days.sealedSpans, limit),
  },
  {
    name: 'data-lifecycle/held-records',
    tables: ['identity_papers'],
    keeps:
      'of an erased account: as long as the law requires (KYC_RECORD_YEARS), with its documents and the quotes in its history',
    because: 'The law requires records of identification to be kept after the account is closed.',
    everySeconds: day,
    batchSize: 20,
    remove: ({ db }, { limit }) => eraseHeldRecords({ db }, limit),
  },
  {
    name: 'documents/unfinished-objects',
    tables: ['unfinished_objects'],
    keeps: 'until they are deleted from the store',
    because: 'They are left over from interrupted uploads and from removed documents.',
    everySeconds: 600,
    batchSize: 50,
    remove: (deps, { limit }) => sweepObjects(deps, limit),
  },
]

/** Tables whose rows are removed by their own use case, and when. */
export const removedElsewhere: Record<string, string> = {
  payout_freezes: 'Removed when an operator lifts the freeze; the audit log keeps a record of it.',
  second_step_orders: 'Removed when an operator withdraws the order; the audit log keeps a record of it.',
  reconciliation_records: 'Removed at the end of their run.',
  reconciliation_runs:
    'Runs of every few minutes are removed after a month (server/assurance/reconciliation); daily runs are kept with the books.',
  review_claims: 'Removed when the case is decided or released.',
  recovery_codes: 'Replaced with the second factor, and removed with the account.',
}

/** Tables that are kept, and why. */
export const kept: Record<string, string> = {
  users: 'The account, until it is erased (malipo-ops person erase).',
  merchants: 'The owner of the money: the ledger refers to it.',
  second_factors: 'Part of the account, until it is erased.',
  notification_preferences: 'Part of the account, until it is erased.',
  statement_schedules: 'Until the person stops the mail, may not read the statement any more, or is erased.',
  saved_filters: 'Until the person deletes them, leaves the business, or is erased; at most 20 for each list of a wallet.',
  verifications: 'The review that opened the account, kept with it.',
  verification_history: 'Every decision about a customer: kept like identity_papers; then its quotes are erased.',
  submitted_documents: 'The files that a decision is based on, kept with it.',
  verification_moves: 'The state machine.',
  businesses: 'Identification of a customer: kept like identity_papers.',
  apps: 'The owner of keys and webhooks.',
  api_keys: 'Actions of a key stay attributable after it was revoked; its value was never stored.',
  api_request_places: 'One number for each merchant: the place of its next request.',
  webhook_endpoints: 'One row for each webhook; deliveries refer to it.',
  ledger_accounts: 'The books.',
  ledger_transfers: 'The books: never changed, never removed.',
  payment_pages: 'The page that a payment was made on.',
  merchant_brands: 'Until the account is erased; a logo until the merchant or an operator removes it.',
  support_contacts: 'Until the merchant removes it, or the account is erased.',
  support_case_transitions: 'The state machine.',
  redirect_hosts: 'Hosts that a merchant has proved to own; at most 20 for each merchant.',
  payment_page_slugs: 'A printed address never leads to another merchant. Of an erased account, a digest of it.',
  payments: 'The books. The idempotency key is kept as a hash, because the key of an existing payment never expires.',
  payment_receipts: 'The search of the payments.',
  customers: 'The payers of the payments, counted once; as the payments.',
  customer_counts: 'One row for each wallet whose customers were read.',
  provider_charges: 'The books: the requests to the provider.',
  provider_references: 'A provider may name a payment years later; it must still be credited only once.',
  provider_movements: 'The books: money with a provider that operators recorded. Never changed, never removed.',
  provider_positions: 'One row for each account with a provider and home.',
  provider_balances: 'The books: one comparison a day for each account with a provider.',
  payouts: 'The books, as payments.',
  approval_rules: 'One row for each wallet with a rule.',
  approval_requests: 'Who asked for money to leave, kept with the payout.',
  approval_votes: 'Who approved it, kept with the payout.',
  provider_payouts: 'The books: the requests to the provider.',
  recipients: 'Until the merchant deletes the recipient, or the recipient or the account is erased.',
  payment_transitions: 'The state machine.',
  payout_transitions: 'The state machine.',
  breaks: 'The books: differences from a provider’s records, and the decisions on them.',
  events:
    'The books: one for each transition of a payment or payout. It identifies no person. Merchants can list the last 30 days.',
  receipts: 'Proof that a receipt was sent, so that it is not sent twice. It identifies no person.',
  receipt_sweep: 'One row.',
  audit_log: 'A chain: a missing entry breaks it. It contains ids, no names and no full phone numbers.',
  audit_head: 'One row.',
  closed_days: 'The books: a digest for each day.',
  closed_day_homes: 'The books: a digest for each day and home.',
  wallet_days: 'The sums of the books: a few rows for each wallet and day with payments.',
  summed_days: 'One row for each day.',
  check_cursors: 'A few rows for each table that is checked.',
  row_seals: 'A digest for each row of a sealed table; it goes with the row.',
  release_code_start: 'Empty.',
  sealed_tables: 'One row for each sealed table.',
  book_checks: 'One row.',
  restores: 'One row for each restore: the lost period, and when the comparison ended.',
  clock_marks: 'One row.',
  document_folder: 'One row.',
  switches: 'One row for each switch that was ever used.',
  network_states: 'One row for each network and environment.',
  erasures: 'Each erasure, and the date until which records are held. It identifies no person.',
  retention_turns: 'One row for each rule of this file.',
  kysely_migration: 'The applied migrations.',
}
