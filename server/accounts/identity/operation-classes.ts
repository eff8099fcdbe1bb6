/**
 * The one table of what each operation that changes something demands, by its class. Every route, every command of `malipo-ops` and every
 * job that acts for a person is in it; a route without a class cannot be registered. docs/guides/members.md is generated from it.
 */

/**
 * `moves_money`: money leaves or a payer is charged. `decides`: a person decides on what others have requested. `makes_power`: someone may
 * do more afterwards, or what others gave is taken back.
 */
export const operationClasses = ['ordinary', 'moves_money', 'makes_power', 'decides'] as const
export type OperationClass = (typeof operationClasses)[number]

/** An operation by key stands for that of a signed-in person, too: `createPayout` for `createMerchantPayout`. */
const operations: Record<OperationClass, readonly string[]> = {
  moves_money: ['createPayment', 'createPayout', 'createRefund'],
  makes_power: [
    'inviteMember',
    'changeMember',
    'confirmMember',
    'removeMember',
    'acceptInvitation',
    'setApprovalRule',
    'removeApprovalRule',
    'deleteApp',
    'createKey',
    'updateKey',
    'rollKey',
    'grantKey',
    'revokeKey',
    'saveWebhook',
    'rotateWebhookSecret',
    'deleteWebhook',
    'registerRedirectHost',
    'removeRedirectHost',
    'setSupportContact',
    'setBrandColor',
    'setBrandLogo',
    'deleteBrandLogo',
    'setStatementMail',
    'enrollSecondFactor',
    'confirmSecondFactor',
    'disableSecondFactor',
    'changePassword',
    'resetPassword',
    'requestContactChange',
    'confirmContactChange',
  ],
  decides: [
    'approveApproval',
    'refuseApproval',
    'approvePayoutBatch',
    'refusePayoutBatch',
    'approvePayout',
    'refusePayout',
    'decideKyc',
    'decideBusiness',
    'proposeResolution',
    'confirmResolution',
    'closeSupportCase',
    'removeMerchantLogo',
    'startReconciliationRun',
    'recordProviderMovement',
    'suspendMerchant',
    'unsuspendMerchant',
    'suspendPaymentPage',
    'unsuspendPaymentPage',
    'turnSwitch',
    'liftPayoutFreeze',
  ],
  ordinary: [
    // One's own account and sessions
    'register',
    'signIn',
    'verifySecondFactor',
    'stepUp',
    'refreshSession',
    'signOut',
    'endSession',
    'endOtherSessions',
    'forgotPassword',
    'verifyEmail',
    'resendEmailVerification',
    'updateMe',
    'updateNotifications',
    'readInvitation',
    // Verification
    'submitKyc',
    'presignKycDocument',
    'viewOwnKycDocument',
    'registerBusiness',
    'updateBusiness',
    'presignBusinessDocument',
    'viewOwnBusinessDocument',
    'submitBusinessDocuments',
    // Payments
    'startCheckout',
    'resendPrompt',
    'cancelPayment',
    'answerTestPrompt',
    'revealPayer',
    'revealCustomer',
    'createPaymentPage',
    'updatePaymentPage',
    'updatePaymentPageByBody',
    'previewPaymentPage',
    'createPaymentRequest',
    'cancelPaymentRequest',
    // What every holder of its link may do, too.
    'sendPaymentRequest',
    'savePaymentFilter',
    'deleteSavedPaymentFilter',
    'savePayoutFilter',
    'deleteSavedPayoutFilter',
    'stopStatementMail',
    // Money that leaves is prepared or kept
    'cancelPayout',
    'cancelRefund',
    'createPayoutBatch',
    'deletePayoutBatch',
    'changePayoutBatchItem',
    'submitPayoutBatch',
    'stopPayoutBatch',
    'savePayoutBatchRecipients',
    'createRecipient',
    'updateRecipient',
    'deleteRecipient',
    // Programs
    'createApp',
    'updateApp',
    'testWebhook',
    'resendEvent',
    'resendWebhookDelivery',
    'replayWebhookEvents',
    // Operators
    'searchEverything',
    'viewKycDocument',
    'viewBusinessDocument',
    'claimReview',
    'releaseReview',
    'resendAdminEvent',
    'queryAdminPayout',
    'queryPayment',
  ],
}

/** What opens an account itself: no set-up session covers it. */
const ofAccount = ['enrollSecondFactor', 'requestContactChange']

/** In every environment and mode: they belong to all environments, so a request in the name of test would change live. */
const everywhere = new Set([
  ...ofAccount,
  'inviteMember',
  'changeMember',
  'confirmMember',
  'removeMember',
  'acceptInvitation',
  'setApprovalRule',
  'removeApprovalRule',
  'setSupportContact',
  'setBrandColor',
  'setBrandLogo',
  'deleteBrandLogo',
])

/** What takes the place of a recent step-up. */
export const provenOtherwise: Readonly<Record<string, string>> = {
  confirmSecondFactor: 'a code of the new factor, whose enrolment demanded a step-up',
  disableSecondFactor: 'a code of the second factor',
  changePassword: 'the old password',
  resetPassword: 'the mailed token',
  confirmContactChange: 'the mailed code, whose request demanded a step-up',
  decideKyc: 'the second factor of the session',
  decideBusiness: 'the second factor of the session',
}

const byOperation: ReadonlyMap<string, OperationClass> = new Map(
  operationClasses.flatMap((one) => operations[one].map((operation) => [operation, one] as const)),
)

export function classOf(operationId: string): OperationClass | undefined {
  return byOperation.get(operationId) ?? byOperation.get(operationId.replace('Merchant', ''))
}

/** The operations of a class, as the table names them. */
export const operationsOf = (one: OperationClass): readonly string[] => operations[one]

/**
 * When a signed-in person needs a recent step-up: always, only where power in the live environment is guarded, or never. A step-up for one
 * operation is recent for minutes, one for a set-up session for longer.
 */
export function stepUpOf(operationId: string): { when: 'always' | 'live' | 'never'; covers: 'one' | 'set_up' } {
  const one = classOf(operationId)
  const covers = one === 'makes_power' && !ofAccount.includes(operationId) ? 'set_up' : 'one'
  if (one === undefined || one === 'ordinary' || operationId in provenOtherwise) return { when: 'never', covers }
  return { when: one === 'makes_power' && !everywhere.has(operationId) ? 'live' : 'always', covers }
}

/** Power that ends and leaves no one else with more. Who removes a member may be left alone with the money, so this is not here. */
const onlyReducing = ['revokeKey', 'deleteApp', 'deleteWebhook', 'removeRedirectHost']

/** Whether a new role waits before it does this in live. */
export const usesPower = (operationId: string): boolean =>
  classOf(operationId) !== 'ordinary' && !onlyReducing.includes(operationId.replace('Merchant', ''))

/** Commands of `malipo-ops`, which are given on the operator's machine, and jobs of the worker that act for a person. */
export const withoutSession: Record<OperationClass, { commands: readonly string[]; jobs: readonly string[] }> = {
  ordinary: {
    commands: [
      'migrate',
      'restored',
      'key find',
      'second-step list',
      'keys generate',
      'keys status',
      'keys export',
      'payment show',
      'payout show',
      'verify',
      'redirects',
      'providers check',
      'person export',
      'retention',
      'backup take',
      'backup documents',
      'backup check',
      'backup restore',
      'backup restore-documents',
    ],
    jobs: ['notifications/mail-statements'],
  },
  moves_money: { commands: [], jobs: ['payouts/check-payouts', 'payouts/send-batch-payouts', 'payouts/check-batch-payouts'] },
  makes_power: {
    commands: [
      'admin create',
      'admin reset-factor',
      'key revoke',
      'webhook rotate',
      'account disable',
      'account enable',
      'keys rotate',
      'keys rewrap',
      'keys confirm-audit',
      'person erase',
    ],
    jobs: ['webhooks/disable-failing'],
  },
  decides: { commands: ['kyc verify', 'kyc reject', 'second-step', 'provider movement'], jobs: ['approvals/end-unapproved'] },
}
