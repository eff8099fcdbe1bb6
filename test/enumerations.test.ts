/** The enumerations of the code are those of the database: every check constraint that lists words is compared with its list. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { roles } from '../server/domain/account.ts'
import { approvalFailures, approvalKinds, approvalStatuses, approvalSums, approversOfPayout } from '../server/domain/approval.ts'
import { breakKinds } from '../server/domain/break.ts'
import { businessPurposes, documentStates, documentTypes, personalPurposes } from '../server/domain/document.ts'
import { environments } from '../server/domain/environment.ts'
import { pageLanguages, payerLanguages } from '../server/domain/language.ts'
import { merchantAccountKinds, systemAccountKinds, transferKinds } from '../server/domain/ledger.ts'
import { businessTypes, merchantKinds } from '../server/domain/merchant.ts'
import { memberRoles } from '../server/domain/member.ts'
import { networks, networkStatuses } from '../server/domain/network.ts'
import { outcomes } from '../server/domain/outcome.ts'
import { pageKinds, pageTypes, takingKinds } from '../server/domain/page.ts'
import { chargeStates, failureCodes, paymentStatuses } from '../server/domain/payment.ts'
import {
  approvals,
  payoutFailureCodes,
  payoutOrderStates,
  payoutMethods,
  payoutPurposes,
  payoutStatuses,
  listedPayoutWarnings,
} from '../server/domain/payout.ts'
import { batchRowStates, batchStatuses } from '../server/domain/payout-batch.ts'
import { directions, messageStates } from '../server/domain/provider.ts'
import { movementKinds, recordOutcomes, runKinds, runPhases } from '../server/domain/reconciliation.ts'
import { hostProofs } from '../server/domain/redirect-host.ts'
import { filteredLists, savedPeriods } from '../server/domain/saved-filter.ts'
import { statementFrequencies } from '../server/domain/statement-mail.ts'
import { caseAnswers, caseDecisions, caseFindings, caseReasons, caseStates } from '../server/domain/support-case.ts'
import { onOff } from '../server/domain/switch.ts'
import { reviewActions, reviewStages, verificationStatuses } from '../server/domain/verification.ts'
import { attemptTriggers, deliveryStatuses, deliveryTriggers, eventTypes } from '../server/domain/webhook.ts'
import { mustBeNone, mustMatch } from './must-match.ts'

const lists: Record<string, readonly string[]> = {
  approval_requests_kind_known: approvalKinds,
  approval_requests_status_known: approvalStatuses,
  approval_requests_exceeded_known: approvalSums,
  approval_requests_new_role_known: memberRoles,
  members_role_known: memberRoles,
  payouts_approval_by_known: approversOfPayout,
  breaks_kind_known: breakKinds,
  businesses_type_known: businessTypes,
  documents_purpose_known: [...businessPurposes, ...personalPurposes],
  documents_state_known: documentStates,
  documents_type_known: documentTypes,
  events_type_known: eventTypes,
  ledger_accounts_kind_known: [...merchantAccountKinds, ...systemAccountKinds],
  ledger_transfers_kind_known: transferKinds,
  merchants_kind_known: merchantKinds,
  merchants_verification_known: verificationStatuses,
  network_states_status_known: networkStatuses,
  payment_pages_kind_known: pageKinds,
  payment_pages_language_known: pageLanguages,
  payment_pages_type_known: pageTypes,
  payments_failure_code_known: failureCodes,
  payments_payer_language_known: payerLanguages,
  payments_status_known: paymentStatuses,
  payout_batch_rows_state_known: batchRowStates,
  payout_batch_changes_state_known: batchRowStates,
  payout_batches_failure_known: approvalFailures,
  payout_batches_approval_known: approvals,
  payout_batches_status_known: batchStatuses,
  payouts_approval_known: approvals,
  payouts_failure_code_known: payoutFailureCodes,
  payouts_method_known: payoutMethods,
  payouts_purpose_known: payoutPurposes,
  payouts_status_known: payoutStatuses,
  payouts_warnings_known: listedPayoutWarnings,
  provider_charges_state_known: chargeStates,
  provider_inbox_state_known: messageStates,
  provider_movements_kind_known: movementKinds,
  provider_payouts_state_known: payoutOrderStates,
  reconciliation_records_outcome_known: recordOutcomes,
  reconciliation_runs_kind_known: runKinds,
  reconciliation_runs_phase_known: runPhases,
  reconciliation_runs_subject_known: directions,
  redirect_hosts_proof_known: hostProofs,
  second_step_orders_mode_known: onOff,
  mailed_statements_frequency_known: statementFrequencies,
  saved_filters_list_known: filteredLists,
  saved_filters_period_known: savedPeriods,
  statement_schedules_frequency_known: statementFrequencies,
  statement_schedules_language_known: payerLanguages,
  support_case_answers_kind_known: caseAnswers,
  support_cases_decision_known: caseDecisions,
  support_cases_finding_known: caseFindings,
  support_cases_language_known: payerLanguages,
  support_cases_reason_known: caseReasons,
  support_cases_state_known: caseStates,
  users_role_known: roles,
  verification_history_action_known: reviewActions,
  verifications_stage_known: reviewStages,
  wallet_days_page_kind_known: takingKinds,
  webhook_attempts_outcome_known: outcomes,
  webhook_attempts_trigger_known: attemptTriggers,
  webhook_deliveries_status_known: deliveryStatuses,
  webhook_deliveries_trigger_known: deliveryTriggers,
}

/** Words of one slice alone, which no other file of the code lists. */
const ofOneSlice = new Set([
  'check_cursors_pass_known',
  'mailed_tokens_purpose_known',
  'mails_state_known',
  'receipts_outcome_known',
  'sealed_spans_what_known',
])

test('every list of words in a check constraint is the list of the code', () => {
  const schema = readFileSync(join(import.meta.dirname, '../schema.sql'), 'utf8')
  const wordsOf = (text: string): string[] => [...text.matchAll(/'([^']+)'/g)].map(([, word]) => word!).toSorted()
  // The value of a column, or each value of a list.
  const constraints = [...schema.matchAll(/constraint (\w+_known) CHECK \(\((\w+) (?:= ANY \(|<@ )ARRAY\[('[^\]]*)\]\)?\)\)/g)]
  mustBeNone(
    [...Object.keys(lists), ...ofOneSlice].filter((name) => !constraints.some(([, known]) => known === name)),
    'schema.sql has no such constraint: remove these lines from test/enumerations.test.ts, or run node scripts/write-schema.ts',
  )
  for (const [, name, column, words] of constraints) {
    if (ofOneSlice.has(name!)) continue
    const shared: Record<string, readonly string[]> = { environment: environments, network: networks }
    const list = lists[name!] ?? shared[column!]
    assert.ok(list, `${name}: write its list of server/domain into lists in test/enumerations.test.ts`)
    mustMatch(wordsOf(words!), list, {
      add: (word) => `the list of server/domain that test/enumerations.test.ts names for ${name} lacks '${word}'`,
      remove: (word) => `${name} does not allow '${word}': write a migration, then run node scripts/write-schema.ts`,
    })
  }
})
