/**
 * Which codes each operation refuses with: the rules for whole kinds of operations, and one table for the rest. Every test that
 * calls the API checks the codes of its answers against it.
 */
import { stepUpOf } from '../../accounts/members/operation-classes.ts'
import { waitsWithPower } from '../../accounts/members/permissions.ts'
import { limitsOf } from '../../config/limits.ts'
import type { Operation } from './document.ts'

export type Kind = 'Key' | 'Person' | 'Operator' | 'Public'

export function kindOf({ security = [], tags = [] }: Operation): Kind {
  if (security.some((scheme) => 'apiKey' in scheme)) return 'Key'
  if (security.length === 0) return 'Public'
  return tags.includes('Operators') ? 'Operator' : 'Person'
}

const signedIn = ['authentication_required', 'invalid_token', 'session_inactive']

const unauthorized: Record<Kind, string[]> = {
  Key: ['authentication_required', 'invalid_api_key', 'api_key_revoked', 'api_key_expired'],
  Person: signedIn,
  Operator: signedIn,
  Public: [],
}

const forbidden: Record<Kind, string[]> = {
  // A live key stops when its owner is no longer verified.
  Key: ['insufficient_scope', 'ip_not_allowed', 'kyc_required', 'business_not_verified'],
  // The role of a member of a business.
  Person: ['insufficient_role'],
  Operator: ['admin_required', 'two_factor_required'],
  Public: [],
}

/** Codes that every operation of a kind can answer with, by status. */
export function commonCodes(operation: Operation): Record<string, string[]> {
  const { parameters = [], responses = {}, servers } = operation
  // The host of the documents has no schemas and no limits of the API.
  if (servers) return { 500: ['internal_error'], 503: ['overloaded'] }
  const kind = kindOf(operation)
  const isList = parameters.some(({ name, in: place }) => place === 'query' && name === 'cursor')
  const takesKey = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  return {
    400: [
      ...('415' in responses ? ['invalid_json'] : []),
      'validation_error',
      ...(isList ? ['cursor_invalid'] : []),
      'ambiguous_credentials',
      'header_duplicated',
    ],
    401: unauthorized[kind],
    403: forbidden[kind],
    404: ['not_found'],
    409: takesKey ? ['idempotency_in_progress', 'already_created'] : [],
    413: ['payload_too_large'],
    415: ['unsupported_media_type'],
    422: takesKey ? ['idempotency_key_reused'] : [],
    429: ['rate_limited'],
    500: ['internal_error'],
    503: ['overloaded'],
  }
}

type Codes = Partial<Record<number, string>>

/** What a key's owner, or the owner who signed in, must be to write. */
const standing = 'kyc_required business_not_verified merchant_suspended'

const pageRules =
  'amount_required amount_too_small amount_too_large amount_invalid currency_unsupported max_payments_invalid host_not_registered name_reserved'
const urlRules =
  'url_malformed url_too_long url_not_https url_has_credentials url_has_fragment url_ip_literal url_port_forbidden url_own_host url_not_resolvable url_private_target'
const documentRules =
  'document_url_invalid document_not_uploaded document_unreadable document_content_mismatch document_active_content document_encrypted document_too_complex document_infected'
const reviewRules = 'review_version_changed review_claimed'

const uploadCodes: Codes = {
  400: 'document_content_mismatch document_active_content document_encrypted document_too_complex document_infected upload_cut',
  403: 'signature_required signature_invalid address_used',
  408: 'upload_too_slow',
  413: 'document_too_large',
  503: 'storage_unavailable scanner_unavailable',
}

const answerCodes: Record<string, Codes> = {
  readyz: { 503: 'not_ready' },
  // Payments
  startCheckout: {
    400: 'amount_required amount_too_small amount_too_large amount_invalid amount_mismatch currency_unsupported phone_invalid network_unsupported custom_field_required custom_field_invalid custom_field_unknown',
    409: 'page_inactive page_expired page_sold_out request_busy request_paid request_cancelled idempotency_in_progress',
    422: 'idempotency_key_reused',
    429: 'phone_busy',
    503: 'provider_unavailable network_unavailable',
  },
  createPayment: {
    400: 'idempotency_key_required amount_required amount_too_small amount_too_large amount_invalid currency_unsupported phone_invalid network_unsupported',
    403: standing,
    409: 'page_inactive idempotency_in_progress',
    422: 'idempotency_key_reused',
    429: 'phone_busy',
    503: 'provider_unavailable network_unavailable',
  },
  resendPrompt: { 409: 'invalid_state', 429: 'phone_busy', 503: 'provider_unavailable network_unavailable' },
  cancelPayment: { 409: 'invalid_state' },
  answerTestPrompt: { 403: 'test_environment_only', 409: 'invalid_state', 503: 'provider_unavailable' },
  // Payment pages
  createPaymentPage: { 400: pageRules, 403: standing, 409: 'slug_taken' },
  updatePaymentPage: { 400: pageRules, 403: standing },
  updatePaymentPageByBody: { 400: pageRules, 403: standing },
  previewMerchantPaymentPage: { 400: 'amount_invalid' },
  registerRedirectHost: { 409: 'too_many_hosts' },
  // Payment requests
  createPaymentRequest: { 400: `${pageRules} phone_invalid`, 403: standing, 409: 'slug_taken' },
  cancelPaymentRequest: { 409: 'invalid_state' },
  // Refunds
  createRefund: {
    400: 'idempotency_key_required amount_invalid amount_too_small amount_too_large network_unsupported',
    402: 'insufficient_balance',
    403: `${standing} insufficient_role`,
    409: 'invalid_state refund_exceeds_payment payouts_on_hold payout_must_wait idempotency_in_progress',
    422: 'idempotency_key_reused',
    503: 'provider_unavailable network_unavailable',
  },
  setStatementMail: { 403: 'email_not_verified' },
  savePaymentFilter: { 409: 'too_many_filters' },
  savePayoutFilter: { 409: 'too_many_filters' },
  createMerchantRefund: { 403: 'email_not_verified' },
  cancelRefund: { 409: 'invalid_state' },
  // Webhooks
  saveWebhook: { 400: urlRules, 409: 'webhook_limit_reached' },
  resendEvent: { 409: 'invalid_state' },
  resendWebhookDelivery: { 409: 'invalid_state' },
  replayWebhookEvents: { 409: 'invalid_state' },
  resendAdminEvent: { 409: 'invalid_state' },
  testWebhook: { 403: `test_environment_only ${standing}`, 409: 'invalid_state page_inactive' },
  // Wallet and payouts
  getStatement: { 400: 'statement_too_long' },
  createPayout: {
    400: 'idempotency_key_required amount_invalid amount_too_small amount_too_large phone_invalid network_unsupported',
    402: 'insufficient_balance',
    403: `${standing} insufficient_role`,
    409: 'payouts_on_hold payout_must_wait idempotency_in_progress',
    422: 'idempotency_key_reused',
    503: 'provider_unavailable network_unavailable',
  },
  createMerchantPayout: { 403: 'email_not_verified' },
  getPayoutFee: {
    400: 'amount_invalid amount_too_small amount_too_large phone_invalid network_unsupported',
    409: 'invalid_state',
    503: 'provider_unavailable',
  },
  cancelPayout: { 409: 'invalid_state' },
  // Brand
  setBrandLogo: { 400: 'logo_invalid', 409: 'logo_removed', 503: 'scanner_unavailable' },
  deleteBrandLogo: { 409: 'invalid_state' },
  removeMerchantLogo: { 403: 'self_review_forbidden', 409: 'invalid_state' },
  // Support
  // Approvals
  setApprovalRule: { 409: 'approvers_missing invalid_state' },
  removeApprovalRule: { 409: 'invalid_state' },
  approveApproval: {
    402: 'insufficient_balance',
    403: `self_approval_forbidden email_not_verified ${standing}`,
    409: 'approval_changed invalid_state payout_must_wait payouts_on_hold approvers_missing',
    503: 'provider_unavailable',
  },
  refuseApproval: {
    403: `self_approval_forbidden email_not_verified ${standing}`,
    409: 'approval_changed invalid_state payout_must_wait',
  },
  // Recipients
  createRecipient: { 400: 'phone_invalid network_unsupported', 409: 'recipient_exists' },
  listRecipients: { 400: 'phone_invalid network_unsupported' },
  createPayoutBatch: {
    400: 'idempotency_key_required batch_empty batch_too_large csv_header_invalid csv_invalid csv_line_too_long file_encoding_unsupported file_type_unsupported',
    403: standing,
    422: 'idempotency_key_reused',
  },
  changePayoutBatchItem: { 403: standing, 409: 'invalid_state' },
  stopPayoutBatch: { 409: 'invalid_state' },
  deletePayoutBatch: { 409: 'invalid_state' },
  submitPayoutBatch: { 403: `${standing} insufficient_role`, 409: 'invalid_state approvers_missing' },
  refusePayoutBatch: {
    403: `${standing} email_not_verified self_approval_forbidden`,
    409: 'approval_changed invalid_state payout_must_wait',
  },
  approvePayoutBatch: {
    402: 'insufficient_balance',
    403: `${standing} email_not_verified self_approval_forbidden`,
    409: 'approval_changed invalid_state payouts_on_hold payout_must_wait',
    503: 'provider_unavailable',
  },
  // Payers
  revealMerchantPayer: { 401: 'step_up_required' },
  revealMerchantCustomer: { 401: 'step_up_required' },
  // Apps and keys
  createApp: { 409: 'too_many_objects' },
  createKey: { 403: `${standing} email_not_verified`, 409: 'too_many_objects' },
  grantKey: { 409: 'invalid_state' },
  rollKey: { 403: `${standing} email_not_verified`, 409: 'invalid_state too_many_objects' },
  // People
  register: { 400: 'phone_invalid', 403: 'origin_not_allowed', 409: 'already_registered' },
  signIn: { 401: 'invalid_credentials', 403: 'origin_not_allowed admin_required' },
  verifySecondFactor: { 401: 'invalid_code invalid_challenge', 403: 'origin_not_allowed admin_required' },
  refreshSession: { 401: 'invalid_token session_inactive authentication_required', 403: 'origin_not_allowed admin_required' },
  signOut: { 403: 'origin_not_allowed' },
  confirmSecondFactor: { 401: 'invalid_code step_up_required', 409: 'invalid_state' },
  disableSecondFactor: { 401: 'invalid_code invalid_credentials', 403: 'two_factor_required', 409: 'invalid_state' },
  stepUp: { 401: 'invalid_code invalid_credentials' },
  changePassword: { 401: 'invalid_credentials step_up_required' },
  resetPassword: { 400: 'token_invalid' },
  verifyEmail: { 400: 'token_invalid' },
  requestContactChange: { 409: 'invalid_state' },
  confirmContactChange: { 400: 'token_invalid' },
  resendEmailVerification: { 409: 'invalid_state' },
  updateMe: { 409: 'invalid_state' },
  // Verification and businesses
  presignKycDocument: { 400: 'unsupported_document_type filename_extension_mismatch' },
  presignBusinessDocument: { 400: 'unsupported_document_type filename_extension_mismatch' },
  uploadKycDocument: uploadCodes,
  uploadBusinessDocument: uploadCodes,
  viewOwnKycDocument: { 409: 'document_unreadable' },
  viewOwnBusinessDocument: { 409: 'document_unreadable' },
  submitKyc: { 503: 'storage_unavailable', 400: documentRules, 409: 'invalid_state' },
  registerBusiness: { 409: 'too_many_objects' },
  updateBusiness: { 403: 'representative_kyc_required', 409: 'business_already_verified' },
  submitBusinessDocuments: {
    503: 'storage_unavailable',
    400: documentRules,
    403: 'representative_kyc_required',
    409: 'business_already_verified',
  },
  // Members
  inviteMember: { 409: 'already_member too_many_members approvers_missing' },
  changeMember: { 403: 'kyc_required', 409: 'invalid_state approvers_missing' },
  confirmMember: { 403: 'self_approval_forbidden' },
  removeMember: { 409: 'invalid_state approvers_missing' },
  acceptInvitation: {
    403: 'invitation_for_another_address email_not_verified kyc_required',
    409: 'already_member invalid_state',
  },
  // Operators
  decideKyc: {
    403: 'self_review_forbidden',
    409: `kyc_not_submitted document_unreadable documents_not_opened invalid_state ${reviewRules}`,
  },
  decideBusiness: {
    403: 'self_review_forbidden',
    409: `kyb_not_submitted document_unreadable documents_not_opened invalid_state ${reviewRules}`,
  },
  viewKycDocument: { 403: 'self_review_forbidden', 409: `document_unreadable ${reviewRules}` },
  viewBusinessDocument: { 403: 'self_review_forbidden', 409: `document_unreadable ${reviewRules}` },
  claimReview: { 403: 'self_review_forbidden', 409: 'review_claimed invalid_state' },
  turnSwitch: { 409: 'restore_not_compared' },
  liftPayoutFreeze: { 403: 'self_approval_forbidden', 409: 'invalid_state' },
  suspendMerchant: { 403: 'self_review_forbidden', 409: 'invalid_state' },
  unsuspendMerchant: { 403: 'self_review_forbidden', 409: 'invalid_state' },
  suspendPaymentPage: { 403: 'self_review_forbidden', 409: 'invalid_state' },
  unsuspendPaymentPage: { 403: 'self_review_forbidden', 409: 'invalid_state' },
  approvePayout: { 403: 'self_approval_forbidden', 409: 'invalid_state' },
  refusePayout: { 403: 'self_approval_forbidden', 409: 'invalid_state' },
  queryPayment: { 409: 'invalid_state' },
  proposeResolution: {
    403: 'self_approval_forbidden',
    409: 'invalid_state',
    503: 'provider_unavailable',
  },
  confirmResolution: {
    403: 'self_approval_forbidden',
    409: 'invalid_state proposal_changed',
    503: 'provider_unavailable',
  },
  closeSupportCase: { 403: 'self_approval_forbidden', 409: 'invalid_state' },
  startReconciliationRun: { 409: 'invalid_state' },
}

const rowsOf = (operationId: string): Codes[] =>
  [...new Set([operationId, operationId.replace('Merchant', '')])].flatMap((name) =>
    answerCodes[name] ? [answerCodes[name]] : [],
  )

/** The statuses for which the table has codes of this operation, and 429 for one with a limit. */
export function ownStatuses(operationId: string): number[] {
  const limited = limitsOf(operationId).length > 0 ? [429] : []
  return [...rowsOf(operationId).flatMap((row) => Object.keys(row).map(Number)), ...limited]
}

/**
 * The codes of an operation for one status: those of its kind, then its own. What a signed-in owner does under `/v1/merchant` has the
 * codes of the same operation by key.
 */
export function codesOf(operation: Operation, status: string): string[] {
  const id = operation.operationId ?? ''
  const own = rowsOf(id).flatMap((row) => row[Number(status)]?.split(' ') ?? [])
  const proof = status === '401' && kindOf(operation) !== 'Key' && stepUpOf(id).when !== 'never' ? ['step_up_required'] : []
  const wait = status === '409' && waitsWithPower(id, operation['x-permission']) ? ['power_not_active_yet'] : []
  return [...new Set([...(commonCodes(operation)[status] ?? []), ...proof, ...wait, ...own])]
}
