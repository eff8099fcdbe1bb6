/** The api process: one line for each slice that has HTTP routes, on the ports of the three hosts: API, hosted checkout, document storage. */
import { PortTaken } from '../config/values.ts'
import { approvalRoutes } from '../pay-out/approvals/queue-routes.ts'
import { approvalRuleRoutes } from '../pay-out/approvals/rule-routes.ts'
import { adminRoutes } from '../operations/operators/audit-routes.ts'
import { askAboutKeys } from '../accounts/developers/unkept-keys.ts'
import { declareRequestFields } from '../accounts/developers/owner-route.ts'
import { noteRequests } from '../accounts/developers/request-log.ts'
import { requestLogRoutes } from '../accounts/developers/request-log-routes.ts'
import { appRoutes } from '../accounts/developers/routes.ts'
import { businessRoutes } from '../merchants/onboarding/business-routes.ts'
import { previewRoutes } from '../views/web/checkout/preview-routes.ts'
import { checkoutRoutes } from '../views/web/checkout/checkout-routes.ts'
import { frontRoutes, hostFileRoutes, sendMissing } from '../views/web/front/front-routes.ts'
import { localRoutes } from '../views/web/local/local-routes.ts'
import { dashboardRoutes } from '../views/web/dashboard/dashboard-routes.ts'
import { docsRoutes } from '../views/web/docs/docs-routes.ts'
import { refuseOtherCells } from '../operations/cells/refuse-other-cells.ts'
import { merchantConsoleRoutes } from '../operations/operators/merchant-routes.ts'
import { overviewRoutes } from '../operations/operators/overview-routes.ts'
import { operatorSearchRoutes } from '../operations/operators/search-routes.ts'
import type { Dependencies } from './dependencies.ts'
import { documentHost } from '../merchants/documents/host.ts'
import { notificationRoutes } from '../accounts/identity/notification-routes.ts'
import { identityRoutes } from '../accounts/identity/routes.ts'
import { createHub } from '../accounts/live/hub.ts'
import { liveRoutes } from '../accounts/live/routes.ts'
import { mailboxRoutes } from '../base/mail/mailbox-routes.ts'
import { activityRoutes } from '../accounts/members/activity-routes.ts'
import { memberRoutes } from '../accounts/members/routes.ts'
import { networkRoutes } from '../money/controls/network-routes.ts'
import { redirectHostRoutes } from '../collect/pages/redirect-host-routes.ts'
import { isInvited } from '../accounts/members/accept-invitation.ts'
import { createSandbox } from '../collect/pages/create-sandbox.ts'
import { pageRoutes } from '../collect/pages/routes.ts'
import { paymentRequestRoutes } from '../collect/payment-requests/routes.ts'
import { answerPromptRoutes } from '../collect/payments/answer-prompt-routes.ts'
import { webhookTestRoutes } from '../collect/payments/webhook-test-routes.ts'
import { providerHealthRoutes } from '../collect/payments/provider-health-routes.ts'
import { providerRoutes } from '../assurance/provider-webhooks/provider-routes.ts'
import { requestPromptRoutes } from '../collect/payments/request-prompt-routes.ts'
import { createPaymentRoutes } from '../collect/payments/create-payment-routes.ts'
import { customerRoutes } from '../collect/customers/routes.ts'
import { ownerPaymentRoutes } from '../collect/payments/owner-routes.ts'
import { payerRoutes } from '../collect/payments/payer-routes.ts'
import { readConfirming } from '../collect/payments/pace.sql.ts'
import { paymentRoutes } from '../collect/payments/routes.ts'
import { brandOperatorRoutes } from '../merchants/brands/operator-routes.ts'
import { brandRoutes } from '../merchants/brands/routes.ts'
import { contactRoutes } from '../collect/support-cases/contact-routes.ts'
import { merchantCaseRoutes } from '../collect/support-cases/merchant-case-routes.ts'
import { caseOperatorRoutes } from '../collect/support-cases/operator-routes.ts'
import { healthRoutes } from '../platform/http/health.ts'
import { recipientRoutes } from '../pay-out/recipients/routes.ts'
import { payoutOperatorRoutes } from '../pay-out/payouts/operator-routes.ts'
import { refundRoutes } from '../pay-out/payouts/refund-routes.ts'
import { recipientNames } from '../pay-out/payouts/payout.sql.ts'
import { payoutRoutes } from '../pay-out/payouts/routes.ts'
import { payoutBatchRoutes } from '../pay-out/payout-batches/routes.ts'
import { createHttp, type Http, type HttpOptions } from '../platform/http/http.ts'
import { refusalOfOtherEnvironment } from '../views/merchant-account/other-environment.ts'
import { profileRoutes } from '../views/merchant-account/profile-routes.ts'
import { breakRoutes } from '../assurance/reconciliation/break-routes.ts'
import { paymentOperatorRoutes } from '../assurance/reconciliation/payment-routes.ts'
import { balanceRoutes } from '../assurance/reconciliation/balance-routes.ts'
import { reconciliationRoutes } from '../assurance/reconciliation/run-routes.ts'
import { describeApi } from '../views/description/reference.ts'
import { statementMailRoutes } from '../views/notifications/statement-mail-routes.ts'
import { deleteFiltersOfMember } from '../views/merchant-account/saved-filter.sql.ts'
import { savedFilterRoutes } from '../views/merchant-account/saved-filter-routes.ts'
import { searchRoutes } from '../views/merchant-account/search-routes.ts'
import { freezeRoutes } from '../money/controls/freeze-routes.ts'
import { switchRoutes } from '../money/controls/switch-routes.ts'
import { reviewQueueRoutes } from '../merchants/onboarding/review-queue-routes.ts'
import { renewReview } from '../merchants/onboarding/submit-package.ts'
import { endLeftovers } from '../operations/data-lifecycle/end-leftovers.ts'
import { verificationRoutes } from '../merchants/onboarding/verification-routes.ts'
import { tillRoutes } from '../views/merchant-account/till-routes.ts'
import { walletRoutes } from '../views/merchant-account/wallet-routes.ts'
import { webhookOperatorRoutes } from '../merchants/webhooks/operator-routes.ts'
import { swahiliOf } from '../views/description/error-codes.ts'
import { webhookRoutes } from '../merchants/webhooks/routes.ts'

export type Api = {
  api: Http
  checkout: Http
  storage: Http
  /** Opens the ports. A port that is taken is an error that names the port. */
  listen(): Promise<void>
  /** Reports "not ready", finishes the requests in flight, then closes. */
  drain(): Promise<void>
}

const publicPayment = /^\/v1\/payments\/(?:checkout|[^/]+\/(?:status|resend|cancel))\/?$/

/** The routes that merchants' own checkout pages call from any browser. */
function isPublicPath(path: string): boolean {
  return publicPayment.test(path) || path.startsWith('/v1/pay/') || path === '/v1/networks'
}

async function listenOn(http: Http, host: string, port: number, name: string): Promise<void> {
  try {
    await http.listen({ host, port })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    throw new PortTaken(port, name)
  }
}

export async function createApi(deps: Dependencies): Promise<Api> {
  const { config, log } = deps
  let isDraining = false
  const options: HttpOptions = {
    log,
    meters: deps.meters,
    security: deps.security,
    trustedProxies: config.trustedProxies,
    dashboardOrigins: config.dashboardOrigins,
    isPublicPath,
    explainMissing: (request) => refusalOfOtherEnvironment(deps.db, request),
    swahiliOf,
    bodyLimitBytes: config.http.bodyLimitBytes,
    maxEventLoopDelayMs: config.http.maxEventLoopDelayMs,
    docUrl: `${config.urls.api}/docs/errors`,
    isDraining: () => isDraining,
  }
  // An upload may take long on a slow connection; the storage host itself cuts uploads that stall.
  const forFiles = {
    ...options,
    // The API host serves our dashboard, and the dashboard sends its documents to the storage host.
    dashboardOrigins: [new URL(config.urls.api).origin, ...config.dashboardOrigins],
    requestTimeoutMs: config.documents.uploadDeadlineMs + 60_000,
  }
  const [api, checkout, storage] = await Promise.all([
    createHttp({ ...options, sendMissing }),
    createHttp(options),
    createHttp(forFiles),
  ])
  // Separate connections: a busy process still answers health checks and still receives provider messages.
  const health = { db: deps.settlingDb, isDraining: () => isDraining, cell: config.cell }

  if (config.cell.name !== '') for (const http of [api, checkout]) refuseOtherCells(http, deps)
  noteRequests(api, deps)
  declareRequestFields(api)
  await describeApi(api, { version: deps.version, urls: config.urls, privacy: config.privacy })
  await healthRoutes(api, health)
  const hub = createHub(deps)
  await liveRoutes(api, { ...deps, hub })
  const withSandbox = { ...deps, createSandbox: createSandbox.bind(null, deps) }
  await identityRoutes(api, { ...withSandbox, isInvited, renewReview, endLeftovers: endLeftovers.bind(null, deps) })
  await notificationRoutes(api, deps)
  await verificationRoutes(api, deps)
  await reviewQueueRoutes(api, deps)
  await businessRoutes(api, withSandbox)
  const onRightsLost = askAboutKeys.bind(null, deps)
  await memberRoutes(api, { ...deps, onMemberRemoved: deleteFiltersOfMember, onRightsLost, renewReview })
  await activityRoutes(api, { ...deps, recipientNames })
  await adminRoutes(api, deps)
  await switchRoutes(api, deps)
  await freezeRoutes(api, deps)
  await appRoutes(api, deps)
  await requestLogRoutes(api, deps)
  await profileRoutes(api, deps)
  await contactRoutes(api, deps)
  await brandRoutes(api, deps)
  await webhookRoutes(api, deps)
  await webhookOperatorRoutes(api, deps)
  await networkRoutes(api, deps)
  const isStepOn = deps.config.safeguards.checkoutSecondStep
  await pageRoutes(api, { ...deps, confirming: async (page) => (isStepOn ? readConfirming(deps.db, page) : undefined) })
  await redirectHostRoutes(api, deps)
  await paymentRequestRoutes(api, deps)
  await requestPromptRoutes(api, { ...deps, checkout: deps })
  await walletRoutes(api, deps)
  await tillRoutes(api, deps)
  await savedFilterRoutes(api, deps)
  await statementMailRoutes(api, deps)
  await paymentRoutes(api, { ...deps, checkout: deps })
  await ownerPaymentRoutes(api, deps)
  await payerRoutes(api, deps)
  await customerRoutes(api, deps)
  await createPaymentRoutes(api, { ...deps, checkout: deps })
  await answerPromptRoutes(api, deps)
  await webhookTestRoutes(api, { ...deps, checkout: deps })
  await recipientRoutes(api, deps)
  await payoutRoutes(api, deps)
  await refundRoutes(api, deps)
  await payoutBatchRoutes(api, deps)
  await payoutOperatorRoutes(api, deps)
  await approvalRuleRoutes(api, deps)
  await approvalRoutes(api, { ...deps, onRightsLost, renewReview })
  await providerHealthRoutes(api, deps)
  await paymentOperatorRoutes(api, deps)
  await breakRoutes(api, deps)
  await caseOperatorRoutes(api, deps)
  await brandOperatorRoutes(api, deps)
  await merchantCaseRoutes(api, deps)
  await reconciliationRoutes(api, deps)
  await balanceRoutes(api, deps)
  await searchRoutes(api, deps)
  await frontRoutes(api, deps)
  await hostFileRoutes(api, 'api', deps)
  await previewRoutes(api, deps)
  await providerRoutes(api, deps)
  await dashboardRoutes(api, deps)
  await docsRoutes(api, deps)
  await merchantConsoleRoutes(api, deps)
  await operatorSearchRoutes(api, deps)
  await overviewRoutes(api, deps)
  // Without a mail server, a mailbox on this machine keeps the mails. Local use only.
  if (config.mode === 'local' && config.mail.smtpUrl === undefined) await mailboxRoutes(api, deps)
  if (config.mode === 'local') await localRoutes(api, deps)

  await healthRoutes(checkout, health)
  await checkoutRoutes(checkout, deps)
  await hostFileRoutes(checkout, 'checkout', deps)

  await healthRoutes(storage, health)
  await documentHost(storage, deps)
  await hostFileRoutes(storage, 'storage', deps)
  await Promise.all([api.ready(), checkout.ready(), storage.ready()])

  return {
    api,
    checkout,
    storage,
    async listen() {
      await listenOn(api, config.host, config.ports.api, 'PORT')
      await listenOn(checkout, config.host, config.ports.checkout, 'CHECKOUT_PORT')
      await listenOn(storage, config.host, config.ports.storage, 'STORAGE_PORT')
    },
    async drain() {
      isDraining = true
      await new Promise((resolve) => setTimeout(resolve, config.http.drainDelayMs))
      deps.statuses.drain()
      hub.drain()
      await Promise.all([api.close(), checkout.close(), storage.close()])
      await deps.requestLog.flush()
      await deps.backgroundDone()
    },
  }
}
