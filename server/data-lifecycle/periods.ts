/**
 * How long each table keeps its rows, and why. Invariant: every table of the schema is listed here, with a period and the event that starts
 * it, or as kept with the reason. A test over the schema checks this.
 */
import { deleteOldRequests } from '../developers/request-log.sql.ts'
import type { Config } from '../config.ts'
import { pruneViews } from '../documents/document.sql.ts'
import { pruneUnsubmitted, type Looked } from '../documents/prune-unsubmitted.ts'
import { sweepObjects } from '../documents/sweep-uploads.ts'
import { pruneChallenges } from '../identity/challenge.sql.ts'
import { pruneMailedTokens } from '../identity/mailed-token.sql.ts'
import { pruneSessions } from '../identity/session.sql.ts'
import { pruneMails } from '../mail/mail.sql.ts'
import { pruneSpans } from '../invariants/sealed-span.sql.ts'
import { pruneMessages } from '../providers/inbox.sql.ts'
import { sweepPrompts } from '../payments/limit-prompts.ts'
import { deleteOldPaces } from '../payments/pace.sql.ts'
import type { Clock } from '../platform/clock.ts'
import { deleteOldCounts } from '../platform/db/counts.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { firstIdOf } from '../platform/ids.ts'
import { eraseHeldRecords } from './erase-account.ts'
import type { DocumentStore } from '../documents/document-store.ts'
import { everSubmitted } from '../onboarding/review.sql.ts'
import { keptDays } from '../webhooks/delivery.ts'
import { pruneDeliveries } from '../webhooks/old-delivery.sql.ts'

export type RetentionDeps = {
  db: Db
  clock: Clock
  config: Pick<Config, 'documents' | 'limits'>
  documentStore: DocumentStore
}

export type Rule = {
  /** `folder/what`, the name of its turn. */
  name: string
  tables: readonly string[]
  /** The period in words. */
  keeps: string
  because: string
  everySeconds: number
  /** Removes at most `atOnce` rows in one short transaction. After a full batch, another one runs. */
  atOnce: number
  /** Returns how many rows it removed. A rule that looks at each row once also returns its position. */
  remove(deps: RetentionDeps, batch: { limit: number; position: string | null }): Promise<number | Looked>
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
} as const

export const rules: readonly Rule[] = [
  {
    name: 'webhooks/deliveries',
    tables: ['webhook_deliveries', 'webhook_attempts'],
    keeps: `${days.deliveries} days after the delivery ended, with all of its attempts`,
    because: 'The contract shows attempts, and lets events be sent again, for so long. What merchants answered is theirs.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db, clock }, { limit }) => pruneDeliveries(db, days.deliveries, clock.now(), limit),
  },
  {
    name: 'providers/messages',
    tables: ['provider_inbox'],
    keeps: `${days.providerMessages} days`,
    because: 'A dispute with a provider is settled by what it said; the payment, its ledger and its event stay.',
    everySeconds: hour,
    atOnce: 1_000,
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
    keeps: `${days.orphanMessages} days when it names no payment of ours`,
    because: 'Operators look for whom it was about, and the books of a year are compared with the provider’s.',
    everySeconds: day,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneMessages(db, 'orphan', days.orphanMessages, limit),
  },
  {
    name: 'payments/prompts',
    tables: ['prompts'],
    keeps: 'as long as they count towards a phone’s limit (a day)',
    because: 'Limits on prompts look back so far; the phone stands there as a HMAC.',
    everySeconds: 600,
    atOnce: 1_000,
    remove: (deps, { limit }) => sweepPrompts(deps, limit),
  },
  {
    name: 'payments/paces',
    tables: ['checkout_paces', 'network_paces'],
    keeps: '120 days after the last checkout of a page or merchant; a day after the last one of a network of payers',
    because: 'What is unusual is judged by what was usual; a network stands there as a HMAC.',
    everySeconds: 600,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => deleteOldPaces(db, limit),
  },
  {
    name: 'platform/counts',
    tables: ['rate_limits'],
    keeps: 'until the window that they count in is over',
    because: 'Limits look back so far; whose they are stands there as a HMAC.',
    everySeconds: 600,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => deleteOldCounts(db, limit),
  },
  {
    name: 'developers/requests',
    tables: ['api_requests'],
    keeps: '7 days',
    because: 'Owners look for what went wrong with a call of theirs. Neither bodies nor addresses stand there.',
    everySeconds: 600,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => deleteOldRequests(db, limit),
  },
  {
    name: 'mail/mails',
    tables: ['mails'],
    keeps: `${days.mails} days after a mail was sent or given up; what it said is erased at once`,
    because: 'Whoever asks why a mail did not come gets an answer.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneMails(db, days.mails, limit),
  },
  {
    name: 'documents/views',
    tables: ['document_views'],
    keeps: `${days.documentViews} days`,
    because: 'An address opens once, within a minute; who looked at what stands in the audit log for good.',
    everySeconds: day,
    atOnce: 1_000,
    remove: ({ db, clock }, { limit }) => pruneViews(db, firstIdOf(clock.now() - days.documentViews * 86_400_000), limit),
  },
  {
    name: 'identity/sessions',
    tables: ['sessions'],
    keeps: `${days.sessions} days after the last day on which it could be used`,
    because: 'A break-in is looked into afterwards, and a device that was used before is no new one.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneSessions(db, days.sessions, limit),
  },
  {
    name: 'identity/challenges',
    tables: ['sign_in_challenges'],
    keeps: `${days.challenges} day after it ended`,
    because: 'It opens nothing any more.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneChallenges(db, days.challenges, limit),
  },
  {
    name: 'identity/mailed-tokens',
    tables: ['mailed_tokens'],
    keeps: `${days.mailedTokens} day after it ended`,
    because: 'So long it counts towards how many mails a person may ask for.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneMailedTokens(db, days.mailedTokens, limit),
  },
  {
    name: 'documents/unsubmitted',
    tables: ['documents'],
    keeps: `${days.unsubmittedDocuments} days when it is never submitted`,
    because: 'Nobody decides anything by it. What was submitted is kept with the review.',
    everySeconds: day,
    atOnce: 200,
    remove: ({ db, clock }, { limit, position }) =>
      pruneUnsubmitted(
        { db, nowMs: clock.now(), everSubmitted: (merchantIds) => everSubmitted(db, merchantIds) },
        { olderThanDays: days.unsubmittedDocuments, position, limit },
      ),
  },
  {
    name: 'invariants/sealed-spans',
    tables: ['sealed_spans'],
    keeps: `${days.sealedSpans} days`,
    because: 'The transfers of a day have a digest of their own by then.',
    everySeconds: hour,
    atOnce: 1_000,
    remove: ({ db }, { limit }) => pruneSpans(db, days.sealedSpans, limit),
  },
  {
    name: 'data-lifecycle/held-records',
    tables: ['identity_papers'],
    keeps:
      'of an erased account: until the law holds them no longer (KYC_RECORD_YEARS), with its documents and what its history quotes',
    because: 'Records that identify a customer outlive the account by law.',
    everySeconds: day,
    atOnce: 20,
    remove: ({ db }, { limit }) => eraseHeldRecords({ db }, limit),
  },
  {
    name: 'documents/unfinished-objects',
    tables: ['unfinished_objects'],
    keeps: 'until the store is emptied of them',
    because: 'They are what is left of uploads that were cut, and of documents that are gone.',
    everySeconds: 600,
    atOnce: 50,
    remove: (deps, { limit }) => sweepObjects(deps, limit),
  },
]

/** Tables whose rows are removed by their own use case, and when. */
export const removedElsewhere: Record<string, string> = {
  payout_freezes: 'Removed when an operator lifts the freeze; the audit log keeps that it was.',
  second_step_orders: 'Removed when an operator withdraws the order; the audit log keeps that it was.',
  reconciliation_records: 'Removed when the run that read them ends.',
  reconciliation_runs:
    'Those of every few minutes go after a month (server/reconciliation); those of a day are kept with the books.',
  review_claims: 'Removed when the case is decided or given back.',
  recovery_codes: 'Replaced with the second factor, and removed with the account.',
}

/** Tables that are kept, and why. */
export const kept: Record<string, string> = {
  users: 'The account, until it is erased (ops -- person erase).',
  merchants: 'Whose money it is: the ledger refers to it.',
  second_factors: 'Part of the account, until it is erased.',
  notification_preferences: 'Part of the account, until it is erased.',
  verifications: 'The review that opened the account, kept with it.',
  verification_history: 'Every decision about a customer: as identity_papers; then what it quotes is erased.',
  submitted_documents: 'Which files a decision was taken on, kept with it.',
  verification_moves: 'The state machine.',
  businesses: 'Identification of a customer, as identity_papers.',
  apps: 'What keys and webhooks belong to.',
  api_keys: 'Whose key did something stays known after it was revoked; its value was never stored.',
  api_request_places: 'One number for each merchant: where its next call is written.',
  webhook_endpoints: 'One row for each webhook; what was sent refers to it.',
  ledger_accounts: 'The books.',
  ledger_transfers: 'The books: never changed, never removed.',
  payment_pages: 'What a payment was for.',
  redirect_hosts: 'What a merchant has proved to be its own; at most 20 each.',
  payment_page_slugs: 'An address that was printed never leads to somebody else.',
  payments: 'The books. Its key is kept as a hash, because a key never expires for a payment that exists.',
  provider_charges: 'The books: what was asked of the provider.',
  provider_references: 'A provider may name a payment years later; it is credited once all the same.',
  payouts: 'The books, as payments.',
  provider_payouts: 'The books: what was asked of the provider.',
  payment_transitions: 'The state machine.',
  payout_transitions: 'The state machine.',
  breaks: 'The books: what did not agree, and who decided what.',
  events: 'The books: one for each completed payment. It names no person. Merchants list those of 30 days.',
  receipts: 'That a payer was told once, and is never told twice. It names no person.',
  receipt_sweep: 'One row.',
  audit_log: 'A chain: an entry that is missing breaks it. It holds ids, no names and no numbers in full.',
  audit_head: 'One row.',
  closed_days: 'The books: a digest for each day.',
  closed_day_homes: 'The books: a digest for each day and home.',
  check_cursors: 'A few rows for each table that is checked.',
  book_checks: 'One row.',
  restores: 'One row for each restore: what was lost, and when it had been compared.',
  clock_marks: 'One row.',
  switches: 'One row for each switch that was ever turned.',
  network_states: 'One row for each network and environment.',
  erasures: 'That somebody was erased, and until when records are held. It names nobody.',
  retention_turns: 'One row for each rule of this file.',
  kysely_migration: 'Which migrations the database has.',
  kysely_migration_lock: 'One row.',
}
