/**
 * Every column of every table that holds, moves or directs money, with the promise that covers it, or with a reason why none does. A column
 * in no entry, or in two, fails (columns.test.ts). Each column of a sealed table (migrations/0046-row-seals) is covered by its seal, unless the seal
 * leaves it out: those stand here.
 */

/** Table, then promise, then columns. */
export const covered: Record<string, Record<string, string>> = {
  ledger_accounts: { I3: 'balance last_seq' },
  ledger_transfers: {
    seals:
      'home id movement_id environment kind debit_account_id credit_account_id amount debit_seq credit_seq debit_balance_after credit_balance_after payment_id page_id payout_id actor request_id created_at break_id',
  },
  payments: {
    seals: 'home id merchant_id environment page_id currency idempotency_hash request_id created_at',
    orders: 'amount phone_number customer_name customer_email',
    I6: 'amount_received status',
    I9: 'credit_reversed_at',
    ends: 'late',
    I8: 'held',
    events: 'completed_at failure_code short_code',
    refunds: 'refunded_amount refund_overpaid',
    pages: 'holds_place',
  },
  events: { seals: 'home id type merchant_id environment payment_id payout_id occurrence data created_at' },
  payment_pages: { pages: 'held_count paid_count paid_total' },
  provider_charges: {
    orders: 'home payment_id provider idempotency_key request_body order_mac',
    charges: 'state',
    I12: 'provider_reference',
    ends: 'ended_by',
  },
  provider_inbox: {
    messages: 'state',
    evidence: 'home payment_id paid_amount',
  },
  webhook_attempts: { I10: 'home delivery_id event_id endpoint_id app_id trigger outcome' },
  provider_references: { I12: 'provider environment reference payment_id home', charges: 'payout_id break_id' },
  webhook_deliveries: {
    I6: 'event_id trigger',
    I10: 'home id attempts status',
    events: 'endpoint_id app_id is_test',
  },
  audit_log: {
    I11: 'seq at actor action object before after request_id ip merchant_id previous_hash hash mac',
  },
  audit_head: { I11: 'only_row seq hash keyed_after' },
  closed_days: { I11: 'day transfers digest' },
  closed_day_homes: { I11: 'day home transfers digest' },
  wallet_days: { days: 'home merchant_id environment day page_id page_kind network payments amount' },
  customers: { customers: 'home merchant_id environment paid_count paid_total refunded_total' },
}

/** Table, then the reason, then columns: not amounts, addresses, states, owners, votes or times that release money. */
export const uncovered: Record<string, Record<string, string>> = {
  payments: {
    'shown to people, decides nothing':
      'merchant_reference metadata description failure_text payer_language network_receipt custom_fields',
    'only compared with a repeat of the request, which the key finds': 'request_hash',
    'when the payer is asked no more; the provider has its own end': 'expires_at cancel_requested_at',
    'for the log': 'trace_id updated_at',
    'shown, and in the sums of days and in events, which `days` and `events` compare when it has ended': 'network',
  },
  ledger_accounts: { 'what `balance` says: a constraint compares them': 'owes' },
  payment_pages: { 'for sorting': 'updated_at' },
  provider_charges: {
    'when the provider is asked again: I13 finds a payment that is not': 'attempts next_attempt_at recheck_at confirm_by',
    'a prompt on the phone: at most three by a constraint': 'pushes pushed_at',
    'for reports': 'provider_expires_at claimed_at updated_at ended_at',
  },
  provider_inbox: {
    'when it is applied again: I13 finds one that is not': 'attempts next_attempt_at leased_by deaths',
    'finds a repeat of the message, which changes nothing': 'event_id',
    // Of one that did, `evidence` finds it.
    'evidence of a message that ended no payment': 'provider environment body_hash body request_id',
    'for retention, and for reports': 'received_at settled_at',
  },
  webhook_attempts: {
    'shown to people, decides nothing':
      'id event_type url attempt response_status response_body error_code duration_ms attempted_at next_attempt_at',
  },
  webhook_deliveries: {
    'when it is sent again: I13 finds an ended lease': 'postponements next_attempt_at leased_by lease_until',
    'for retention': 'created_at finished_at',
  },
  webhook_endpoints: { 'for reports': 'last_success_at last_failure_at' },
  api_keys: { 'for reports': 'last_used_at' },
  audit_head: {
    'repaired by `malipo-ops audit`: the chain and the codes say the same': 'previous_hash keyed_after_hash keyed_after_mac',
  },
  sealed_tables: { 'how far old rows are sealed, which happens once': 'read_to' },
  closed_days: {
    'for reports': 'closed_at rechecked_at',
    'how the digest is made: of a day without transfers, both ways are the same': 'version',
  },
  summed_days: { 'for reports': 'summed_at', 'the last day, if it is missing, is summed again': 'day' },
  customers: { 'shown to people, decides nothing': 'id phone_number name network first_paid_at last_paid_at' },
}

/** Tables without money, or of which nothing is paid. */
export const apart: Record<string, string> = {
  'counters and limits': 'api_request_places rate_limits checkout_paces network_paces network_states prompts',
  'logs and what is shown':
    'api_requests document_views notification_preferences saved_filters receipts receipt_sweep payment_receipts merchant_brands support_contacts mailed_statements',
  'the state of the checks and jobs themselves':
    'provider_positions provider_balances book_checks check_cursors clock_marks retention_turns unfinished_objects document_folder review_claims row_seals',
  'read by nothing': 'release_code_start',
  'compared as a part of the schema': 'payment_transitions payout_transitions verification_moves support_case_transitions',
  'signs in, with second steps for money; ends by itself': 'sessions sign_in_challenges recovery_codes',
  'sealed content, deleted soon': 'mails',
  'a copy of what the provider said on a day': 'reconciliation_records',
}

export const words = (text: string): string[] => text.split(' ')

/** Which tables are drawn from. The others are apart, or records of people whose seals are the same. */
export const moneyTables = words(
  `${Object.keys(covered).join(' ')} payouts provider_movements webhook_endpoints payment_page_slugs payment_requests breaks merchants members reconciliation_runs provider_payouts approval_requests approval_rules approval_votes recipients payout_batches payout_batch_rows payout_batch_changes payout_freezes switches sealed_spans idempotent_answers api_keys apps users second_factors customer_counts restores redirect_hosts`,
)

/** Tables of which some rows may go, with the reason. */
const removable: Record<string, string> = {
  provider_inbox: 'a message that ended no payment: the provider is asked again; of one that did, `evidence` finds it',
}

/** Changes that release and end nothing, with the reason. */
const harmless: readonly [change: RegExp, reason: string][] = [
  [
    /^payments\.status pending → processing /,
    'both are open: the provider is asked about either in the same way, and only its answer ends one; the payer is prompted no more',
  ],
  [
    /^provider_inbox\.paid_amount .* → null \(\S+ asked\)$/,
    'the message moved nothing, the answer to a query did; its body, which has a hash, says the amount again',
  ],
  [
    /^provider_inbox\.state (?:asked → settled|settled → asked) /,
    'both are applied; what a settled message says is compared with its payment, and one that ended a payment must be settled',
  ],
  [
    /^provider_charges\.ended_by \{"(\w+) by [^→]* → \{"\1 by /,
    'the end is the same, and only who reported it differs: the credit has its actor and request, which `seals` covers',
  ],
  [/^provider_inbox\.home .*\( settled\)$/, 'it was about a payout: only the home of a message about a payment is read'],
]

/** `money`: it must be noticed. `text` begins with the value before and after. */
export const classOf = ({ table, column, text }: { table: string; column?: string; text: string }): string => {
  if (column === undefined) return removable[table] ?? 'money'
  const known = harmless.find(([change]) => change.test(`${table}.${column} ${text}`))
  if (known) return known[1]
  const reason = Object.entries(uncovered[table] ?? {}).find(([, columns]) => words(columns).includes(column))
  return reason ? reason[0] : 'money'
}
