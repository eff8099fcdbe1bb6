/**
 * The guards of the service, each with the edit that removes it and the tests that must fail. `npm run mutants` tries them one
 * by one; a guard whose removal fails no test is not proven. Where two guards keep one promise, both are removed at once.
 */
import type { Edit, Mutant, NamedTest } from './apply.ts'

const edit = (file: string, from: string, to: string): Edit => ({ file, from, to })
const by = (file: string, name: string): NamedTest => ({ file, name })

const sessions = 'test/attacks/sessions.test.ts'
const secondFactor = 'server/identity/second-factor.test.ts'
const egress = 'server/platform/outbound/egress.ts'
const egressTest = 'server/platform/outbound/egress.test.ts'
const settleSql = 'server/payments/settle.sql.ts'
const savedFiltersTest = 'server/merchant-account/saved-filters.test.ts'
const settleTest = 'server/payments/settle.test.ts'
const payoutsTest = 'server/payouts/payouts.test.ts'
const batchesTest = 'server/payout-batches/payout-batches.test.ts'
const uploadsTest = 'server/payout-batches/uploads.test.ts'
const refundsTest = 'server/payouts/refunds.test.ts'
const ledgerTest = 'server/ledger/ledger.test.ts'
const keysAttacks = 'test/attacks/keys.test.ts'
const contact = 'server/identity/contact.test.ts'
const liveTest = 'server/live/live.test.ts'
const waits = 'test/attacks/payout-waits.test.ts'
const takeovers = 'test/attacks/takeovers.test.ts'

const receiptTest = 'server/payments/network-receipt.test.ts'
const answerOnceTest = 'server/idempotency/answer-once.test.ts'
const createPaymentTest = 'server/payments/create-payment.test.ts'
const createPaymentRoutes = 'server/payments/create-payment-routes.ts'
const paymentRoutes = 'server/payments/owner-routes.ts'
const simulatorTest = 'simulator/program.test.ts'
const removalTest = 'server/members/removal.test.ts'
const rolesAttacks = 'test/attacks/roles.test.ts'
const inviteMember = 'server/members/invite-member.ts'
const acceptInvitation = 'server/members/accept-invitation.ts'
const recipientsTest = 'server/recipients/recipients.test.ts'
const customersTest = 'server/customers/customers.test.ts'
const customerSql = 'server/customers/customer.sql.ts'
const customFieldsTest = 'server/payments/custom-fields.test.ts'
const requestsTest = 'server/payment-requests/payment-requests.test.ts'
const brandsTest = 'server/brands/brands.test.ts'
const supportTest = 'server/support-cases/support-cases.test.ts'
const supportAttacks = 'test/attacks/support-cases.test.ts'
const accessSql = 'server/members/access.sql.ts'
const membersTest = 'server/members/members.test.ts'
const approvalsTest = 'server/approvals/approvals.test.ts'

/** A missing idempotency key is replaced with one that no repeat has. */
const anyKey = (key: string): string => `idempotencyKeyOf(${key} ?? String(performance.now())`

export const mutants: Mutant[] = [
  {
    name: 'checkout-needs-email',
    guard: 'that the public checkout requires an e-mail address, which only our own form may leave out',
    edits: [
      edit(
        'server/payments/routes.ts',
        'z.string().trim().pipe(z.email().max(254)).meta({',
        `z.string().trim().pipe(z.email().max(254)).nullish().transform((email) => email ?? 'x@example.com').meta({`,
      ),
    ],
    tests: [by('server/web/checkout/without-email.test.ts', 'the public endpoint requires an e-mail address')],
  },
  {
    name: 'contact-email-in-production',
    guard: 'that production has an address of its own for a provider that demands one of each payer',
    edits: [
      edit(
        'server/settings/providers.ts',
        `given['PROVIDER_CONTACT_EMAIL'] !== undefined || !demanding`,
        `given['PROVIDER_CONTACT_EMAIL'] !== undefined || true`,
      ),
    ],
    tests: [by('test/configuration.test.ts', 'production needs an address for a provider that demands one')],
  },
  {
    name: 'gone-only-after-its-time',
    guard: 'that the waiting page says that the prompt has gone, and offers it again, only after its time',
    edits: [edit('server/web/checkout/payment-screen.ts', 'prompt.seconds * 1000 - nowMs', '0 - nowMs')],
    tests: [by('server/web/checkout/payment-screen.test.ts', 'once the prompt has left the phone, the page says so')],
  },
  {
    name: 'first-receipt-stays',
    guard: 'that a later message does not replace the network’s receipt of a paid payment',
    edits: [
      edit(
        settleSql,
        'where j.has_receipt and not j.applies and j.known_receipt is null',
        'where j.has_receipt and not j.applies',
      ),
    ],
    tests: [by(receiptTest, 'a credit without a receipt gets it')],
  },
  {
    name: 'receipt-comes-with-the-credit',
    guard: 'that a message which is not confirmed yet brings no receipt',
    edits: [
      edit(
        settleSql,
        "not overtaken and (verdict = 'applied' and credits or verdict = 'unchanged' and from_status = 'completed' and to_status = 'completed') as has_receipt",
        'not overtaken as has_receipt',
      ),
    ],
    tests: [by(receiptTest, 'news that credits nothing brings no receipt')],
  },
  {
    name: 'payment-scope-of-create',
    guard: 'that a key without payments:write makes no payment',
    edits: [edit(createPaymentRoutes, "auth.require('payments.write')", "auth.require('payments.read')")],
    tests: [by(createPaymentTest, 'without the scope')],
  },
  ...(
    [
      ['list', '/payments`'],
      ['read', '/payments/:reference`'],
    ] as const
  ).map(([what, path]) => ({
    name: `payment-scope-of-${what}`,
    guard: `that a key without payments:read may not ${what} payments`,
    edits: [
      edit(
        paymentRoutes,
        `${path},\n    {\n      onRequest: auth.require('payments.read')`,
        `${path},\n    {\n      onRequest: auth.require('payments.write')`,
      ),
    ],
    tests: [by(createPaymentTest, 'without the scope')],
  })),
  {
    name: 'payment-live-gate',
    guard: 'that a key makes live payments for merchants in good standing only',
    edits: [
      edit(createPaymentRoutes, "if (owner.environment === 'live') requireGoodStanding(owner, config)", 'void [owner, config]'),
    ],
    tests: [by(createPaymentTest, 'in live a payment needs a merchant')],
  },
  {
    name: 'request-live-gate',
    guard: 'that live payment requests need a merchant in good standing',
    edits: [
      edit(
        'server/payment-requests/create-request.ts',
        'requireGoodStanding(owner, { testWritesBeforeVerification: true })',
        'void owner',
      ),
    ],
    tests: [by(requestsTest, 'in test an account without verification'), by(requestsTest, 'a live key makes no request')],
  },
  {
    name: 'payment-needs-key',
    guard: 'that a payment by key needs an idempotency key',
    edits: [
      edit(
        createPaymentRoutes,
        "idempotencyKeyOf(request.headers['idempotency-key']",
        anyKey("request.headers['idempotency-key']"),
      ),
    ],
    tests: [by(createPaymentTest, 'garbage is refused')],
  },
  {
    name: 'payout-needs-key',
    guard: 'that a payout needs an idempotency key',
    edits: [
      edit(
        'server/payouts/routes.ts',
        "idempotencyKeyOf(request.headers['idempotency-key'], idempotency_key",
        anyKey("request.headers['idempotency-key'] ?? idempotency_key"),
      ),
    ],
    tests: [by(payoutsTest, 'bad requests are refused in the contract')],
  },
  {
    name: 'refund-needs-key',
    guard: 'that a refund needs an idempotency key',
    edits: [
      edit(
        'server/payouts/refund-routes.ts',
        "idempotencyKeyOf(request.headers['idempotency-key']",
        anyKey("request.headers['idempotency-key']"),
      ),
    ],
    tests: [by(refundsTest, 'a repeat answers with the same refund')],
  },
  {
    name: 'payment-body',
    guard: 'that an idempotency key belongs to one order: the merchant’s own fields are compared too',
    edits: [
      edit(
        'server/payments/start-checkout.ts',
        '? [own.merchantReference, own.description, Object.entries(own.metadata)',
        '? [Object.entries(own.metadata)',
      ),
    ],
    tests: [by(createPaymentTest, 'fifty equal requests')],
  },
  {
    name: 'refund-body',
    guard: 'that an idempotency key belongs to one body of a refund',
    edits: [
      edit(
        'server/payouts/request-refund.ts',
        'requestHash: hashOf([request.amount, reason, merchantReference])',
        'requestHash: hashOf([])',
      ),
    ],
    tests: [by(refundsTest, 'a repeat answers with the same refund')],
  },
  {
    name: 'request-amount-verified',
    guard: 'the check that a payment of a payment request has its amount',
    edits: [
      edit(
        'server/invariants/payment-promises.sql.ts',
        "where g.kind = 'request' and p.amount is distinct from g.amount",
        "where g.kind = 'request' and p.amount is null",
      ),
    ],
    tests: [by('server/invariants/verify.test.ts', 'each promise that is broken is named')],
  },
  {
    name: 'keys-have-a-caller',
    guard: 'that an idempotency key counts for its caller and environment only',
    edits: [edit('server/idempotency/answer-once.ts', 'hashOf([callerId, scope, operation, key])', 'hashOf([operation, key])')],
    tests: [by(answerOnceTest, 'keys of another merchant')],
  },
  {
    name: 'repeats-are-compared',
    guard: 'that a repeat with another body gets no answer of the first request',
    edits: [
      edit(
        'server/idempotency/answer-once.ts',
        '!requestHash.equals(claim.requestHash)',
        'requestHash.length !== claim.requestHash.length',
      ),
    ],
    tests: [by(answerOnceTest, 'a repeat gets the status and the bytes')],
  },
  {
    name: 'secrets-are-not-in-answers',
    guard: 'that an answer with a secret is not stored',
    edits: [edit('server/idempotency/answer-once.ts', "kind === 'name_object' ? null : body", 'body')],
    tests: [by(answerOnceTest, 'an answer that showed a secret')],
  },
  {
    name: 'answers-commit-with-their-object',
    guard: 'that an object and its stored answer commit together',
    edits: [
      edit(
        'server/platform/db/db.ts',
        "return open ? asPart(open, work) : transaction('begin', work)",
        "return transaction('begin', work)",
      ),
    ],
    tests: [by(answerOnceTest, 'the object and its answer are stored together')],
  },
  {
    name: 'serves-as-its-own-login',
    guard: 'that production serves with a login that owns no tables',
    edits: [
      edit(
        'server/serving-login.ts',
        "if (config.mode === 'production') {",
        "if (config.mode !== 'local' && config.stuckAfterMs < 0) {",
      ),
    ],
    tests: [by('test/attacks/logins.test.ts', 'production refuses to serve as the owner or a superuser')],
  },
  {
    name: 'owner-login-is-detected',
    guard: 'that a login which owns the tables is detected',
    edits: [edit('server/platform/db/logins.sql.ts', 'if (owns) return', 'if (owns && isSuper) return')],
    tests: [by('test/attacks/logins.test.ts', 'production refuses to serve as the owner or a superuser')],
  },
  {
    name: 'budget-shared-by-merchants',
    guard: 'that a flood of one merchant leaves a part of the provider’s budget to others',
    edits: [
      edit(
        'server/platform/outbound/budget.ts',
        'const spent = await countWithin(db, key, { quota, kept, windowMs })',
        'const spent = await countWithin(db, key, { quota, kept: 0 * kept, windowMs })',
      ),
    ],
    tests: [by('server/providers/guarded-provider.test.ts', 'a flood of one merchant leaves calls to others')],
  },
  {
    name: 'flood-does-not-block-others',
    guard: 'that a flood of one merchant does not close checkouts for all',
    edits: [
      edit('server/providers/guarded-provider.ts', "spent.isFlooded ? 'budget_flooded' : 'budget_spent'", "'budget_spent'"),
    ],
    tests: [by('server/providers/guarded-provider.test.ts', 'a flood closes no checkout')],
  },
  {
    name: 'pages-use-no-device',
    guard: 'that every document denies pages access to the user’s devices',
    edits: [edit('server/platform/http/http.ts', "{ ...chosen(true), 'permissions-policy': permissionsPolicy }", 'chosen(true)')],
    tests: [by('test/attacks/browsers.test.ts', 'no page may use a device')],
  },
  {
    name: 'no-control-characters',
    guard: 'that texts shown to operators contain no control characters',
    edits: [edit('server/platform/http/text.ts', "? mark : '·'", '? mark : mark')],
    tests: [by('server/platform/process/terminal.test.ts', 'what a provider wrote cannot drive the terminal')],
  },
  {
    name: 'names-compared-by-appearance',
    guard: 'that a name in letters of another script is compared by its appearance',
    edits: [edit('server/identity/known-names.ts', 'lookAlikes[letter] ?? letter', 'letter')],
    tests: [by('server/identity/known-names.test.ts', '[A89] names of networks, banks and offices')],
  },
  {
    name: 'business-names-compared',
    guard: 'that no business is registered under the name of a network or a bank',
    edits: [edit('server/onboarding/save-business.ts', '  refuseKnownName(facts)\n', '')],
    tests: [by('test/onboarding-refusals.test.ts', '[A89] no business is registered under the name of a network')],
  },
  {
    name: 'live-pages-lead-to-own-hosts',
    guard: 'that a live page redirects only to a registered host',
    edits: [
      edit('server/pages/save-page.ts', '  await refuseUnprovenHost(deps.db, deps, owner, settings.redirectUrl, null)\n', ''),
    ],
    tests: [by('server/pages/redirect-hosts.test.ts', '[A90] a live page sends payers only to a host that is proved')],
  },
  {
    name: 'hosts-are-proved',
    guard: 'that a host counts only after it is proved',
    edits: [edit('server/pages/save-page.ts', 'one.host === host && one.provedAt !== null', 'one.host === host')],
    tests: [by('server/pages/redirect-hosts.test.ts', '[A90] a live page sends payers only to a host that is proved')],
  },
  {
    name: 'hosts-in-one-script',
    guard: 'that a name with letters of several scripts in one part is refused',
    edits: [edit('server/pages/redirect-host.ts', 'return count <= 1 &&', 'return count >= 0 &&')],
    tests: [by('server/pages/redirect-hosts.test.ts', '[A90] addresses in numbers, scripts, and names')],
  },
  {
    name: 'hosts-after-a-step-up',
    guard: 'that a stale session cannot register a live host',
    edits: [
      edit(
        'server/pages/redirect-host-routes.ts',
        'if (needsProof(deps.config.pages, environment)) await',
        "if (environment === 'test') await",
      ),
    ],
    tests: [by('server/pages/redirect-hosts.test.ts', 'a stale session registers no live host')],
  },
  {
    name: 'receipts-capped-by-address',
    guard: 'that an address gets a limited number of receipts of live payments a day',
    edits: [
      edit('server/notifications/sweep-receipts.ts', 'quotaOf(receiptsPerDay, await', 'quotaOf(1_000 * receiptsPerDay, await'),
    ],
    tests: [by('server/notifications/receipts.test.ts', '[A89] real payments mail one stranger')],
  },
  {
    name: 'owner-of-saved-filters',
    guard: 'that the filters of a person are theirs alone, also in one business',
    edits: [
      edit(
        'server/merchant-account/saved-filter.sql.ts',
        'sql`f.user_id = ${userId} and f.merchant_id',
        'sql`${userId}::uuid is not null and f.merchant_id',
      ),
    ],
    tests: [by(savedFiltersTest, 'no one else sees')],
  },
  {
    name: 'wallet-of-saved-filters',
    guard: 'that each wallet has its own saved filters',
    edits: [
      edit(
        'server/merchant-account/saved-filter.sql.ts',
        'and f.environment = ${environment} and f.list',
        'and ${environment}::text is not null and f.list',
      ),
    ],
    tests: [by(savedFiltersTest, 'each list and each wallet')],
  },
  {
    name: 'saved-filters-counted-under-lock',
    guard: 'that filters that are saved at once do not exceed the limit',
    edits: [edit('server/merchant-account/saved-filters.ts', '    await lockFilters(tx, key)\n', '')],
    tests: [by(savedFiltersTest, 'a list has at most 20')],
  },
  {
    name: 'saved-filters-of-removed-member',
    guard: 'that the filters of a member are deleted with the membership',
    edits: [
      edit(
        'server/members/change-member.ts',
        '      await deps.onMemberRemoved(tx, { userId: member.userId, merchantId })\n',
        '',
      ),
    ],
    tests: [by(savedFiltersTest, 'no one else sees')],
  },
  {
    name: 'saved-filter-names-own-page',
    guard: 'that a saved filter names only a page of its wallet',
    edits: [
      edit(
        'server/merchant-account/saved-filters.ts',
        '(pageId === null || !(await findPage(db, owner, { id: pageId })))',
        'pageId === null',
      ),
    ],
    tests: [by(savedFiltersTest, 'what no list could show')],
  },
  {
    name: 'statement-mailed-once',
    guard: 'that a period of a statement is mailed once',
    edits: [
      edit('server/notifications/mail-statements.ts', '!due.isDisabled && (await claimPeriod(tx, key, due))', '!due.isDisabled'),
      edit('server/notifications/mail-statements.ts', '{ ...mail, id }', 'mail'),
    ],
    tests: [by('server/notifications/statement-mails.test.ts', 'a period is mailed once')],
  },
  {
    name: 'statement-locked-by-one-worker',
    guard: 'that two workers do not mail the same statement',
    edits: [
      edit('server/notifications/statement-schedule.sql.ts', '      for no key update\n', ''),
      edit('server/notifications/mail-statements.ts', '!due.isDisabled && (await claimPeriod(tx, key, due))', '!due.isDisabled'),
      edit('server/notifications/mail-statements.ts', '{ ...mail, id }', 'mail'),
    ],
    tests: [by('server/notifications/statement-mails.test.ts', 'a day is mailed in the next morning')],
  },
  {
    name: 'statement-role-at-sending',
    guard: 'that a statement is mailed only to members whose role allows it when it is sent',
    edits: [
      edit(
        'server/notifications/mail-statements.ts',
        "!membership || !isAllowed(membership.role, 'statements.read', key.environment)",
        '!membership',
      ),
    ],
    tests: [by('server/notifications/statement-mails.test.ts', 'a member gets the statement of a business')],
  },
  {
    name: 'receipts-capped-by-page',
    guard: 'that a limited number of payers of a page get receipts in an hour',
    edits: [edit('server/notifications/sweep-receipts.ts', ' && ofPage(payment.pageId)', '')],
    tests: [by('server/notifications/receipts.test.ts', '[A89] real payments mail one stranger')],
  },
  {
    name: 'receipts-only-of-verified-merchants',
    guard: 'that receipts are sent only in the name of verified merchants',
    edits: [edit('server/notifications/sweep-receipts.ts', ' || !payment.isMerchantVerified', '')],
    tests: [by('server/notifications/receipts.test.ts', '[A89] no receipts are mailed in the name')],
  },
  {
    name: 'receipts-without-links',
    guard: 'that a receipt contains no link from a title',
    edits: [edit('server/notifications/receipt-mail.ts', 'cleanText(payment.pageTitle, t.somePage)', 'payment.pageTitle')],
    tests: [by('server/notifications/receipts.test.ts', '[A89] real payments mail one stranger')],
  },
  {
    name: 'database-over-tls',
    guard: 'that production connects to a database on another machine only over TLS',
    edits: [edit('server/settings/database.ts', 'if (plainHosts.size > 0) {', 'if (plainHosts.size > 100) {')],
    tests: [by('test/configuration.test.ts', '[A92] production is refused with a database of another machine')],
  },
  {
    name: 'real-provider-is-not-simulated',
    guard: 'that production does not treat a real provider as simulated',
    edits: [edit('server/config.ts', '  problems.push(...realSimulators(config.providers))\n', '')],
    tests: [by('test/configuration.test.ts', '[A92] production is refused with a simulated environment whose address')],
  },
  {
    name: 'key-file-is-private',
    guard: 'that production does not start with keys in a file that every user may read',
    edits: [edit('server/config.ts', 'if (isFileOpen) {', 'if (isFileOpen && env.PORT < 0) {')],
    tests: [by('test/configuration.test.ts', '[A92] production is refused with keys in a file')],
  },
  {
    name: 'large-success-confirmed',
    guard: 'that a webhook credits nothing above the amount until the provider agrees',
    edits: [edit(settleSql, '(t.late or greatest(s.amount, i.amount) > i.confirm_above)', 't.late')],
    tests: [by('server/payments/confirm-success.test.ts', '[A88] with a stolen provider secret')],
  },
  {
    name: 'contradiction-confirmed',
    guard: 'that a webhook credits nothing against an earlier end until the provider agrees',
    edits: [
      edit(
        settleSql,
        '(t.late or greatest(s.amount, i.amount) > i.confirm_above)',
        'greatest(s.amount, i.amount) > i.confirm_above',
      ),
    ],
    tests: [by('server/payments/confirm-success.test.ts', '[A88] a success after another end')],
  },
  {
    name: 'one-file-of-an-account-at-once',
    guard: 'that one account uses only one document inspector at a time',
    edits: [edit('server/documents/inspector.ts', 'maxRunningPerKey: 1, ', '')],
    tests: [by('server/documents/check-content.long.test.ts', 'ten costly files of one account')],
  },
  {
    name: 'little-memory-for-a-file',
    guard: 'that the inspection of a document has a memory limit',
    edits: [edit('server/documents/inspect-watchdog.ts', '- before > memoryPerFileBytes', '- before > 1e12')],
    tests: [by('server/documents/check-content.long.test.ts', 'a small file that would take gigabytes to paint')],
  },
  {
    name: 'wrong-passwords-are-held-back',
    guard: 'that answers to many wrong passwords from one address are delayed',
    edits: [edit('server/identity/password.ts', '      else await delayWrong(caller)\n', '')],
    tests: [by('server/identity/password.test.ts', 'the answers to many wrong passwords of one address are held back')],
  },
  {
    name: 'fewest-turns-first',
    guard: 'that the caller with fewer turns at costly work goes first',
    edits: [
      edit(
        'server/platform/process/fair-queue.ts',
        'next === undefined || turns.of(one.keys) < turns.of(next.keys)',
        'next === undefined',
      ),
    ],
    tests: [by('server/platform/process/fair-queue.test.ts', 'the caller with fewer turns goes first')],
  },
  {
    name: 'most-turns-refused',
    guard: 'that a full queue refuses the caller with the most turns',
    edits: [edit('server/platform/process/fair-queue.ts', '&& !evict(keys)', '')],
    tests: [by('server/platform/process/fair-queue.test.ts', 'a full queue refuses')],
  },
  {
    name: 'passwords-by-account-and-address',
    guard: 'that the turns at hashing passwords are counted by address',
    edits: [edit('server/identity/password.ts', '...(address === undefined ? [] : [`address:${address}`]),', '')],
    tests: [by('server/identity/password.test.ts', 'a flood from one address')],
  },
  {
    name: 'test-webhooks-apart',
    guard: 'that live webhooks are claimed apart from those of the test environment',
    edits: [edit('server/webhooks/delivery.sql.ts', 'live: sql`not d.is_test`', 'live: sql`true`')],
    tests: [by('server/webhooks/deliver-webhooks.test.ts', 'a claim takes deliveries of its environment only')],
  },
  {
    name: 'webhook-share-of-an-owner',
    guard: 'that one owner gets only a share of the webhook senders',
    edits: [edit('server/webhooks/delivery.sql.ts', 'where ranked.place <= ranked.owner_free_slots', 'where true')],
    tests: [by('server/webhooks/deliver-webhooks.test.ts', 'a claim takes deliveries of its environment only')],
  },
  {
    name: 'webhooks-of-an-owner-are-capped',
    guard: 'that one owner has a limited number of webhooks',
    edits: [edit('server/webhooks/save-endpoint.ts', 'if (enabled + disabled >= endpointsPerOwner) {', 'if (enabled < 0) {')],
    tests: [by('server/webhooks/routes.test.ts', 'one owner has at most as many webhooks')],
  },
  {
    name: 'charge-mac-before-sending-again',
    guard: 'that a charge is checked against its code before it is sent again',
    edits: [edit('server/payments/check-charges.ts', 'if (!(await isAsOrdered(deps, charge))) {', 'if (charge.held) {')],
    tests: [by('server/payments/check-charges.test.ts', 'a charge that was changed in the database is not sent again')],
  },
  {
    name: 'erasure-keeps-wrong-codes',
    guard: 'that an erasure recomputes a code only if the old one is correct',
    edits: [
      edit(
        'server/platform/db/order-table.sql.ts',
        'before.filter((order) => hasRightMac(macs, table, order))',
        'before.filter((order) => order.mac !== null)',
      ),
    ],
    tests: [by('server/invariants/corruptions.test.ts', 'erasing a payer and pruning old rows')],
  },
  {
    name: 'breaks-of-transfers-are-sealed',
    guard: 'that the break of a transfer is digested soon after the transfer',
    edits: [edit('server/invariants/sealed-span.sql.ts', 'columns: sql`r.home, r.id, r.break_id`', 'columns: sql`r.home, r.id`')],
    tests: [by('server/invariants/corruptions.test.ts', 'every change that the database owner makes')],
  },
  {
    name: 'new-rows-are-listed-once',
    guard: 'that new rows are listed once, and not by each promise',
    edits: [edit('server/invariants/verify.ts', 'const recent = await readRecent(tx, since)', 'const recent = {}')],
    tests: [by('test/checks.long.test.ts', 'a check of new rows costs no more')],
  },
  {
    name: 'very-many-are-found-by-time',
    guard: 'that a check of new rows reads the whole table if there are too many to list',
    edits: [edit('server/invariants/changed-keys.sql.ts', 'return rows.length > listedAtMost ? undefined : rows', 'return rows')],
    tests: [by('test/checks.long.test.ts', 'more new rows than are listed')],
  },
  {
    name: 'heads-have-a-code',
    guard: 'that a head of the audit log is trusted only with its correct code',
    edits: [
      edit(
        'server/invariants/heads.ts',
        'return macs.isRight(mac, kind, [at, audit.seq, audit.hash, JSON.stringify([days, spans])]) ? head : undefined',
        'return mac && days && spans && at && kind && macs ? head : undefined',
      ),
    ],
    tests: [by('server/invariants/heads.test.ts', 'a chain that was rewritten with its head')],
  },
  {
    name: 'order-mac-before-sending',
    guard: 'that a payout’s order is checked against its code before it is sent',
    edits: [
      edit(
        'server/payouts/send-payout.ts',
        '  if (!isPayoutOrderRight(deps.recordMac, payout)) return stopForged(deps, payout)\n',
        '',
      ),
    ],
    tests: [by('server/payouts/payout-orders.test.ts', 'an order that was changed in the database is not sent')],
  },
  // Whose it is.
  {
    name: 'owner-of-payments',
    guard: 'the owner filter of payments',
    edits: [
      edit(
        'server/payments/owner-payment.sql.ts',
        'p.home = ${owner.merchant.home} and p.merchant_id = ${owner.merchant.id} and p.environment',
        '${owner.merchant.id}::uuid is not null and p.environment',
      ),
    ],
    tests: [
      by('test/owner-reads.test.ts', 'payments are listed newest first'),
      by('test/owner-reads.test.ts', 'search finds by id'),
    ],
  },
  {
    name: 'second-operator-of-factor-reset',
    guard: 'the code of a second operator that resets a factor',
    edits: [edit('server/identity/reset-admin-factor.ts', '    if (isUnproven(proof)) return proof\n', '')],
    tests: [by('server/operators/emergency.test.ts', 'an operator gets a new second factor only with')],
  },
  {
    name: 'second-operator-is-another',
    guard: 'that no operator is their own second operator',
    edits: [edit('server/identity/reset-admin-factor.ts', 'if (email === witness) throw', 'if (email === secret) throw')],
    tests: [by('server/operators/emergency.test.ts', 'an operator gets a new second factor only with')],
  },
  {
    name: 'owner-of-pages',
    guard: 'the owner filter of payment pages',
    edits: [
      edit(
        'server/pages/page.sql.ts',
        "and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment}\n      and ${'id' in by",
        "and g.environment = ${owner.environment}\n      and ${'id' in by",
      ),
    ],
    tests: [by('test/errors.test.ts', 'an object of another owner looks exactly like a missing one')],
  },
  {
    name: 'environment-of-pages',
    guard: 'the environment filter of payment pages',
    edits: [
      edit(
        'server/pages/page.sql.ts',
        "and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment}\n      and ${'id' in by",
        "and g.merchant_id = ${owner.merchant.id}\n      and ${'id' in by",
      ),
    ],
    tests: [by(keysAttacks, 'test and live never meet')],
  },
  {
    name: 'hidden-pages-are-no-pages',
    guard: 'that an owner cannot name a page that no person made',
    edits: [edit('server/pages/page.sql.ts', '      and not g.is_hidden\n    ${lock', '    ${lock')],
    tests: [by('server/pages/hidden-pages.test.ts', 'the page of direct payments is made once')],
  },
  {
    name: 'names-of-local-page',
    guard: 'that the page of a local start answers only under a name of its machine',
    edits: [
      edit(
        'server/web/local/local-routes.ts',
        "if (!names.includes(URL.parse(`http://${host}`)?.hostname ?? '')) throw notFound()",
        'if (host === undefined && names.length === 0) throw notFound()',
      ),
    ],
    tests: [by('server/web/local/local-routes.test.ts', 'the page answers only under a name of this machine')],
  },
  {
    name: 'direct-page-has-no-address',
    guard: 'that no payer opens the page of direct payments',
    edits: [edit('server/dependencies.ts', "page?.kind === 'direct' ? undefined : page", 'page')],
    tests: [by('server/pages/hidden-pages.test.ts', 'the page of direct payments is made once')],
  },
  {
    name: 'owner-of-payment-requests',
    guard: 'the owner filter of payment requests',
    edits: [
      edit(
        'server/payment-requests/payment-request.sql.ts',
        'g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment',
        '${owner.merchant.id}::uuid is not null and g.environment',
      ),
    ],
    tests: [by('server/payment-requests/payment-requests.test.ts', 'a list has the filters of the contract')],
  },
  {
    name: 'environment-of-payment-requests',
    guard: 'the environment filter of payment requests',
    edits: [
      edit(
        'server/payment-requests/payment-request.sql.ts',
        'and g.environment = ${owner.environment} and g.is_hidden',
        'and g.is_hidden',
      ),
    ],
    tests: [by('server/payment-requests/payment-requests.test.ts', 'a list has the filters of the contract')],
  },
  {
    name: 'cancelled-request-takes-no-payment',
    guard: 'that a checkout looks at the cancellation of a request under its lock',
    edits: [edit('server/payments/payment.sql.ts', "when g.kind = 'request' and not g.active then 0", 'when false then 0')],
    tests: [by('server/payment-requests/payment-requests.test.ts', 'a checkout that read the request before its cancellation')],
  },
  {
    name: 'request-in-the-future',
    guard: 'that a payment request expires in the future',
    edits: [edit('server/pages/save-page.ts', 'made.expiresAt > made.createdAt', 'made.createdAt > new Date(0)')],
    tests: [by('server/payment-requests/payment-requests.test.ts', 'an expired request starts no payment')],
  },
  {
    name: 'owner-of-customers',
    guard: 'the owner filter of customers',
    edits: [
      edit(
        customerSql,
        'sql`c.home = ${merchant.home} and c.merchant_id = ${merchant.id} and c.environment',
        'sql`c.home = ${merchant.home} and ${merchant.id}::uuid is not null and c.environment',
      ),
    ],
    tests: [by(customersTest, 'customers are the phones that paid')],
  },
  {
    name: 'environment-of-customers',
    guard: 'that the customers of test and live are separate',
    edits: [
      edit(
        customerSql,
        'c.merchant_id = ${merchant.id} and c.environment = ${environment}`',
        'c.merchant_id = ${merchant.id} and ${environment}::text is not null`',
      ),
    ],
    tests: [by(customersTest, 'customers are the phones that paid')],
  },
  {
    name: 'lines-counted-once',
    guard: 'that a ledger line is counted once in the customers, although many read the list at once',
    edits: [
      edit(customerSql, 'n.environment = ${environment} for update`)', 'n.environment = ${environment}`)'),
      // An insert with "on conflict" waits for a change of the row, too.
      edit(
        customerSql,
        'values (${home}, ${merchantId}, ${environment}) on conflict do nothing`',
        'select ${home}::smallint, ${merchantId}::uuid, ${environment}::text where not exists (select from customer_counts where merchant_id = ${merchantId}::uuid)`',
      ),
    ],
    tests: [by(customersTest, 'a count waits for another one of the same wallet')],
  },
  {
    name: 'erased-customer',
    guard: 'that the erasure of a payer reaches the customers',
    edits: [
      edit('server/data-lifecycle/erase-payer.ts', 'await pseudonymizeCustomer(tx, phoneNumber, pseudonym)', '0'),
      edit('server/data-lifecycle/erase-payer.ts', "import { pseudonymizeCustomer } from '../customers/customer.sql.ts'\n", ''),
    ],
    tests: [by(customersTest, 'an erased payer loses number and name')],
  },
  {
    name: 'reveal-is-audited',
    guard: 'that the audit log says who has seen a number',
    edits: [edit('server/payments/reveal-payer.ts', "action: 'payer.revealed'", "action: 'payer.seen'")],
    tests: [by(customersTest, 'a member sees the whole number by a call')],
  },
  {
    name: 'reveal-is-limited',
    guard: 'that a person cannot read the numbers of all payers',
    edits: [
      edit('server/payments/reveal-payer.ts', '  await deps.limits.payerReveal.take(request.signedIn.userId, reply)\n', ''),
    ],
    tests: [by(customersTest, 'a person reads 30 numbers in an hour')],
  },
  {
    name: 'reveal-needs-permission',
    guard: 'that the role of the person allows to see numbers',
    edits: [edit('server/payments/payer-routes.ts', "auth.require('payers.read')", "auth.require('payments.read')")],
    tests: [by(customersTest, 'a member sees the whole number by a call')],
  },
  {
    name: 'required-custom-field',
    guard: 'that a checkout without a required value of the page is refused',
    edits: [edit('server/payments/custom-fields.ts', "else if (typed !== '' || field.required)", "else if (typed !== '')")],
    tests: [by(customFieldsTest, 'a checkout is refused without a required value')],
  },
  {
    name: 'custom-fields-are-erased',
    guard: 'that the erasure of a payer removes the values that the payer gave',
    edits: [edit('server/payments/erase-payer.sql.ts', '        custom_fields = null,\n', '')],
    tests: [by(customFieldsTest, 'a checkout is refused without a required value')],
  },
  {
    name: 'owner-of-recipients',
    guard: 'the owner filter of recipients',
    edits: [
      edit(
        'server/recipients/recipient.sql.ts',
        'sql`r.home = ${merchant.home} and r.merchant_id = ${merchant.id} and r.environment',
        'sql`r.home = ${merchant.home} and ${merchant.id}::uuid is not null and r.environment',
      ),
    ],
    tests: [by(recipientsTest, 'every route needs a caller with the scope')],
  },
  {
    name: 'environment-of-recipients',
    guard: 'that the recipients of test and live are separate',
    edits: [
      edit(
        'server/recipients/recipient.sql.ts',
        'r.merchant_id = ${merchant.id} and r.environment = ${environment}`',
        'r.merchant_id = ${merchant.id} and ${environment}::text is not null`',
      ),
    ],
    tests: [by(recipientsTest, 'every route needs a caller with the scope')],
  },
  {
    name: 'recipients-one-per-number',
    guard: 'that a wallet has each number once',
    edits: [
      edit(
        'migrations/0023-recipients.sql',
        'unique (home, merchant_id, environment, phone_number)',
        'unique (home, merchant_id, environment, phone_number, id)',
      ),
    ],
    tests: [by(recipientsTest, 'a wallet has a number once')],
  },
  {
    name: 'wallet-of-paid-names',
    guard: 'that a name is compared only with those that the same wallet paid',
    edits: [
      edit(
        'server/recipients/recipient.sql.ts',
        'where p.home = ${wallet.home} and p.merchant_id = ${wallet.merchantId} and p.environment',
        'where p.home = ${wallet.home} and ${wallet.merchantId} is not null and p.environment',
      ),
    ],
    tests: [by(recipientsTest, 'a recipient shows what was paid to its number by this wallet')],
  },
  {
    name: 'names-only-of-completed-payouts',
    guard: 'that only a payout that has arrived shows the name of a number',
    edits: [
      edit(
        'server/recipients/recipient.sql.ts',
        "and p.purpose = 'merchant' and p.status = 'completed'",
        "and p.purpose = 'merchant' and p.completed_at is not distinct from p.completed_at",
      ),
    ],
    tests: [by(recipientsTest, 'a recipient shows what was paid to its number by this wallet')],
  },
  {
    name: 'refunds-name-no-recipient',
    guard: 'that the name of a payer who got a refund is not the name of a recipient',
    edits: [
      edit(
        'server/recipients/recipient.sql.ts',
        "and p.purpose = 'merchant' and p.status = 'completed'",
        "and p.status = 'completed'",
      ),
    ],
    tests: [by(recipientsTest, 'the refund of a payment is no payout to a recipient')],
  },
  {
    name: 'names-are-compared',
    guard: 'that a payout under another name than the last one to its number has a warning',
    edits: [edit('server/payouts/request-payout.ts', 'namesDiffer(last, name)', 'namesDiffer(last, last)')],
    tests: [by(recipientsTest, 'a recipient shows what was paid to its number by this wallet')],
  },
  {
    name: 'people-who-pay-are-audited',
    guard: 'that a payout by sign-in is in the audit log of its merchant',
    edits: [
      edit(
        'server/payouts/request-payout.ts',
        'else if (by.isPerson) await auditByPerson(',
        'else if (by.isPerson && stored === undefined) await auditByPerson(',
      ),
    ],
    tests: [by('test/activity.test.ts', 'what a person does by sign-in')],
  },
  {
    name: 'erased-person-is-no-recipient',
    guard: 'that the erasure of a phone removes it from saved recipients',
    edits: [
      edit(
        'server/data-lifecycle/erase-payer.ts',
        'await deleteRecipientsOf(tx, phoneNumber)',
        'await deleteRecipientsOf(tx, `${phoneNumber}0`)',
      ),
    ],
    tests: [by('server/data-lifecycle/person.test.ts', 'a payer is exported and erased over all pages')],
  },
  {
    name: 'erased-account-has-no-recipients',
    guard: 'that the erasure of an account removes its recipients',
    edits: [
      edit(
        'server/data-lifecycle/erase-account.ts',
        'deleteRecipientsOfMerchants(tx, merchants)',
        'deleteRecipientsOfMerchants(tx, merchants.slice(0, 0))',
      ),
    ],
    tests: [by('server/data-lifecycle/person.test.ts', 'an account that was never verified is exported')],
  },
  {
    name: 'owner-of-payouts',
    guard: 'the owner filter of payouts',
    edits: [
      edit(
        'server/payouts/payout.sql.ts',
        'sql`p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment}`',
        'sql`p.home = ${merchant.home} and ${merchant.id}::uuid is not null and p.environment = ${environment}`',
      ),
    ],
    tests: [by(payoutsTest, 'a test key moves test money only')],
  },
  {
    name: 'environment-of-payouts',
    guard: 'the environment filter of payouts',
    edits: [
      edit(
        'server/payouts/payout.sql.ts',
        'sql`p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and p.environment = ${environment}`',
        'sql`p.home = ${merchant.home} and p.merchant_id = ${merchant.id} and ${environment}::text is not null`',
      ),
    ],
    tests: [by(payoutsTest, 'a test key moves test money only')],
  },
  {
    name: 'owner-of-events',
    guard: 'the owner filter of events',
    edits: [
      edit(
        'server/webhooks/event.sql.ts',
        'and id = ${id} and merchant_id = ${merchant.id} and environment',
        'and id = ${id} and environment',
      ),
    ],
    tests: [by('test/attacks/identities.test.ts', 'identity matrix')],
  },
  ...(
    [
      ['apps', 'server/developers/apps.test.ts', "a stranger's app or key answers exactly like one that does not exist"],
      ['businesses', 'test/owner-reads.test.ts', 'a business is read by who represents it'],
    ] as const
  ).map(([what, file, name]) => ({
    name: `member-of-${what}`,
    guard: `that only members reach the ${what} of a merchant`,
    edits: [edit(accessSql, 'and x.user_id = ${userId} and', 'and ${userId}::uuid is not null and')],
    tests: [by(file, name)],
  })),
  {
    name: 'removed-members-are-out',
    guard: 'that a removed member acts for the business no more',
    edits: [edit(accessSql, 'and x.user_id = ${userId} and x.removed_at is null`', 'and x.user_id = ${userId}`')],
    tests: [by(membersTest, 'a business is handed over to another owner'), by(approvalsTest, 'a member removed between request')],
  },
  {
    name: 'roles-are-asked',
    guard: 'that the role of a member allows what they do',
    edits: [edit('server/members/access.ts', 'if (isAllowed(role, permission, environment)) return', 'if (role) return')],
    tests: [by('test/attacks/roles.test.ts', 'cashier, developer, accountant, approver, admin and owner on every route')],
  },
  {
    name: 'hints-ask-the-role',
    guard: 'that a hint reaches only those who may read what it names',
    edits: [
      edit(
        'server/live/change.ts',
        'return places.some((environment) => isAllowed(role, permission, environment))',
        'return places.length > 0',
      ),
    ],
    tests: [by(liveTest, 'each role learns only of what it may read, and a removed member’s stream tells nothing more')],
  },
  {
    name: 'hints-stop-for-the-removed',
    guard: 'that roles are read again when a membership has changed',
    edits: [edit('server/live/hub.ts', 'if (isPersonal(change)) affected.add(stream)', '')],
    tests: [
      by(liveTest, 'each role learns only of what it may read, and a removed member’s stream tells nothing more'),
      by(liveTest, 'a stream ends with its session: signed out, or disabled; another session goes on'),
    ],
  },
  {
    name: 'streams-end-with-their-token',
    guard: 'that a stream does not outlive the access token that opened it',
    edits: [
      edit('server/live/hub.ts', "setTimeout(() => end(stream, 'renew'), Math.max(0, stream.endsAt - clock.now()))", 'undefined'),
    ],
    tests: [by(liveTest, 'a stream ends with its token, keeps no session alive, and the next one continues without a gap')],
  },
  {
    name: 'no-one-approves-their-own',
    guard: 'that the requester of a payout does not approve it',
    edits: [edit('server/members/decide-approval.ts', 'if (request.requestedByUser === userId) {', "if (userId === '') {")],
    tests: [by(approvalsTest, 'the requester never approves')],
  },
  {
    name: 'votes-of-the-removed',
    guard: 'that the approval of a removed member does not count',
    edits: [
      edit('server/members/approval.sql.ts', 'and x.user_id = v.user_id and x.removed_at is null', 'and x.user_id = v.user_id'),
      edit(
        'server/members/change-member.ts',
        '      await dropVotesOf(tx, merchant, member.userId)\n      await deps',
        '      await deps',
      ),
    ],
    tests: [by(approvalsTest, 'an approval of a member who was removed since')],
  },
  {
    name: 'requester-is-still-a-member',
    guard: 'that nothing is approved for a requester who was removed',
    edits: [edit('server/members/decide-approval.ts', 'if (!request.isRequesterActive) {', "if (userId === '') {")],
    tests: [by(approvalsTest, 'a member removed between request')],
  },
  {
    name: 'owner-of-sessions',
    guard: 'that a person can end only their own sessions',
    edits: [
      edit(
        'server/identity/session.sql.ts',
        'where id = ${id} and user_id = ${userId} and revoked_at is null and idle_expires_at',
        'where id = ${id} and ${userId}::uuid is not null and revoked_at is null and idle_expires_at',
      ),
    ],
    tests: [by('server/identity/people.test.ts', "a stranger's session answers exactly like one that does not exist")],
  },
  {
    name: 'owner-of-documents',
    guard: 'that a submitted address is one of the merchant’s own',
    edits: [edit('server/onboarding/find-submitted.ts', 'candidate.merchantId === merchant.id &&', '')],
    tests: [by('test/attacks/documents.test.ts', 'submitted addresses are letter for letter ours')],
  },

  // Who may ask.
  {
    name: 'scope-of-a-key',
    guard: 'the scope check of API keys',
    edits: [
      edit('server/developers/authenticate-key.ts', 'if (!key.scopes.includes(scope)) {', 'if (key.scopes.length === 0) {'),
    ],
    tests: [by(keysAttacks, 'a key does what its scopes say')],
  },
  {
    name: 'revoked-key',
    guard: 'that a revoked key opens nothing',
    edits: [edit('server/developers/authenticate-key.ts', 'if (key.isRevoked) throw', "if (key.keyName === '') throw")],
    tests: [by(keysAttacks, 'a key that was revoked')],
  },
  {
    name: 'expired-key',
    guard: 'that an expired key opens nothing',
    edits: [edit('server/developers/authenticate-key.ts', 'if (key.isExpired) throw', "if (key.keyName === '') throw")],
    tests: [by(keysAttacks, 'a key that was revoked')],
  },
  {
    name: 'addresses-of-a-key',
    guard: 'that a key works from its own addresses only',
    edits: [
      edit(
        'server/developers/allowed-ips.ts',
        'export function isAllowed(',
        'export function isAllowed(..._: unknown[]): boolean {\n  return true\n}\n\nexport function isAllowedReally(',
      ),
    ],
    tests: [by(keysAttacks, 'a key that was revoked')],
  },
  {
    name: 'checksum-of-a-key',
    guard: 'that a malformed key costs no query',
    edits: [
      edit(
        'server/developers/key.ts',
        'return checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)',
        'return text.length > 0',
      ),
    ],
    tests: [by(keysAttacks, 'a text that is not a valid key causes no query')],
  },
  {
    name: 'audience-of-a-token',
    guard: 'the audience check of access tokens',
    edits: [edit('server/identity/access-token.ts', '          audience: Object.values(audiences),\n', '')],
    tests: [by(sessions, 'a token for another audience')],
  },
  {
    name: 'issuer-of-a-token',
    guard: 'the issuer check of access tokens',
    edits: [edit('server/identity/access-token.ts', '          issuer,\n', '')],
    tests: [by(sessions, 'a token for another audience')],
  },
  {
    name: 'kind-of-a-token',
    guard: 'the type check of access tokens',
    edits: [edit('server/identity/access-token.ts', '          typ: tokenType,\n', '')],
    tests: [by(sessions, 'a token for another audience')],
  },
  {
    name: 'key-of-a-token',
    guard: 'that a token cannot carry its own key',
    edits: [
      edit(
        'server/identity/access-token.ts',
        'if (headersThatBringKeys.some((name) => header[name] !== undefined))',
        'if (header.kid === undefined)',
      ),
    ],
    tests: [by(sessions, 'a token chooses no key')],
  },
  {
    name: 'session-behind-a-token',
    guard: 'that the session is looked up on every call',
    edits: [
      edit(
        'server/identity/authenticate.ts',
        'if (!session?.isActive) throw sessionInactive()\n    if (session.role',
        'if (!session) throw sessionInactive()\n    if (session.role',
      ),
    ],
    tests: [by(sessions, 'operators’ routes: not for students'), by(sessions, 'a disabled or deleted person')],
  },
  {
    name: 'operators-only',
    guard: 'that operators’ routes are for operators',
    edits: [
      edit(
        'server/identity/authenticate.ts',
        "  if (role !== 'admin') throw",
        "  if (role !== 'admin' && role !== 'student') throw",
      ),
    ],
    tests: [by(sessions, 'operators’ routes: not for students')],
  },
  {
    name: 'second-factor-of-operators',
    guard: 'that operators must have used a second factor',
    edits: [edit('server/identity/authenticate.ts', "if (!amr.includes('mfa')) {", 'if (amr.length === 0) {')],
    tests: [by(sessions, 'operators’ routes: not for students')],
  },
  {
    name: 'step-up',
    guard: 'that sensitive actions need a recent second factor',
    edits: [
      edit(
        'server/identity/session.sql.ts',
        'select s.authenticated_at > clock_now() - make_interval(secs => ${session.seconds})\n',
        'select ${session.seconds}::integer > 0\n',
      ),
    ],
    tests: [by(secondFactor, 'signing in opens sensitive routes for five minutes')],
  },
  {
    name: 'refresh-reuse',
    guard: 'that an old refresh token ends its session',
    edits: [
      edit('server/identity/refresh-session.ts', "    await revokeSession(tx, userId, given.sessionId, 'refresh_reuse')\n", ''),
    ],
    tests: [by(sessions, 'an old refresh token used again ends its session')],
  },
  {
    name: 'refresh-lock',
    guard: 'the row lock of a refresh',
    edits: [edit('server/identity/session.sql.ts', '    where s.id = ${id}\n    for update of s`)', '    where s.id = ${id}`)')],
    tests: [by('server/identity/people.test.ts', 'a refresh that waited for other refreshes')],
  },
  {
    name: 'refresh-mac',
    guard: 'the signature check of refresh tokens',
    edits: [
      edit(
        'server/identity/refresh-token.ts',
        '  if (!isMadeUnder(keys, bytes.subarray(bodyBytes), (key) => macOf(key, body))) return undefined\n',
        '',
      ),
    ],
    tests: [by('server/identity/refresh-token.test.ts', 'a token of another key')],
  },
  {
    name: 'code-used-once',
    guard: 'that a code of an app works once',
    edits: [
      edit('server/identity/totp.ts', '(lastStep === null || step > lastStep) &&', '(lastStep === null || step > 0) &&'),
      edit('server/identity/second-factor.sql.ts', 'and (last_step is null or last_step < ${step}) returning', 'returning'),
    ],
    tests: [by(secondFactor, 'the code of this step and of the one before is taken')],
  },
  {
    name: 'tries-of-a-code',
    guard: 'that a code can be tried five times only',
    edits: [
      edit(
        'server/identity/prove-second-factor.ts',
        "const { userId, sealedSecret, lastStep, lockedForSeconds } = factor\n  if (lockedForSeconds > 0) return { kind: 'locked', forSeconds: lockedForSeconds }\n",
        'const { userId, sealedSecret, lastStep } = factor\n',
      ),
    ],
    tests: [by(sessions, 'a code is guessed five times')],
  },
  {
    name: 'second-factor-lock',
    guard: 'the row lock that serialises tries',
    edits: [
      edit('server/identity/second-factor.sql.ts', 'where user_id = ${userId} for update`)', 'where user_id = ${userId}`)'),
    ],
    tests: [by(secondFactor, 'of a hundred guesses at once five are looked at'), by(sessions, 'a code is guessed five times')],
  },
  {
    name: 'recovery-code-used-once',
    guard: 'that a recovery code works once',
    edits: [
      edit(
        'server/identity/second-factor.sql.ts',
        'and code_hash = ${hash} and used_at is null returning',
        'and code_hash = ${hash} returning',
      ),
    ],
    tests: [by(secondFactor, 'a recovery code signs in once')],
  },
  {
    name: 'challenge-used-once',
    guard: 'that a challenge opens one session',
    edits: [
      edit(
        'server/identity/challenge.sql.ts',
        'where token_hash = ${tokenHash} and used_at is null and expires_at > clock_now() returning user_id`)',
        'where token_hash = ${tokenHash} and expires_at > clock_now() returning user_id`)',
      ),
      edit(
        'server/identity/challenge.sql.ts',
        'where token_hash = ${tokenHash} and used_at is null and expires_at > clock_now()`)',
        'where token_hash = ${tokenHash} and expires_at > clock_now()`)',
      ),
    ],
    tests: [by(secondFactor, 'with a second factor a password gets a challenge')],
  },
  {
    name: 'mailed-code-used-once',
    guard: 'that a mailed code works once',
    edits: [
      edit(
        'server/identity/mailed-token.sql.ts',
        'and email = ${token.email}\n      and used_at is null and',
        'and email = ${token.email}\n      and',
      ),
      edit(
        'server/identity/mailed-token.sql.ts',
        'and t.purpose = ${tried.purpose} and t.used_at is null and t.expires_at',
        'and t.purpose = ${tried.purpose} and t.expires_at',
      ),
    ],
    tests: [by('server/identity/email.test.ts', 'registering mails a code')],
  },
  {
    name: 'sign-in-limit',
    guard: 'that wrong passwords are counted',
    edits: [edit('server/identity/sign-in.ts', '  await deps.tries.begin(account)\n', '')],
    tests: [by('test/limits.test.ts', 'five wrong passwords close an account')],
  },
  {
    name: 'key-limit',
    guard: 'that a key has a rate limit',
    edits: [edit('server/developers/authenticate-key.ts', '    await deps.limits.key.take(key.keyId, reply)\n', '')],
    tests: [by('test/limits.test.ts', 'a key is answered a hundred times a second')],
  },
  {
    name: 'trusted-proxies',
    guard: 'that a forwarded address is trusted only from our own proxies',
    edits: [edit('server/platform/http/http.ts', 'hop < options.trustedProxies', 'hop < options.trustedProxies + 1')],
    tests: [by('test/limits.test.ts', 'a forwarded address is trusted only from our own proxies')],
  },
  {
    name: 'origin-of-a-cookie',
    guard: 'that only our own pages can use a session cookie',
    edits: [
      edit(
        'server/identity/session-cookie.ts',
        'if (headers.origin === undefined || !origins.has(headers.origin)) {',
        'if (headers.origin === undefined || origins.size === 0) {',
      ),
    ],
    tests: [by('server/identity/session-cookie.test.ts', 'another site cannot use the cookie')],
  },
  {
    name: 'cookie-without-script',
    guard: 'that scripts cannot read a session cookie',
    edits: [edit('server/identity/session-cookie.ts', 'Max-Age=${seconds}; HttpOnly; SameSite', 'Max-Age=${seconds}; SameSite')],
    tests: [by('server/identity/session-cookie.test.ts', 'a dashboard’s sign-in puts the refresh token into a cookie')],
  },
  {
    name: 'cookie-of-a-payment',
    guard: 'that a checkout token goes to its own payment’s address only',
    edits: [
      edit(
        'server/web/checkout/cookies.ts',
        "return cookie('checkout_token', token, `/pay/${slug}/${reference}`, checkoutUrl)",
        "return cookie('checkout_token', token, slug === reference ? '' : '/', checkoutUrl)",
      ),
    ],
    tests: [by('server/web/checkout/checkout-routes.test.ts', 'a valid form leads to the page of its payment')],
  },
  {
    name: 'other-origins',
    guard: 'that other sites cannot read anything that needs a session',
    edits: [
      edit('server/platform/http/http.ts', 'corsOf({ origin: options.dashboardOrigins,', 'corsOf({ origin: true as never,'),
    ],
    tests: [by('test/attacks/browsers.test.ts', 'other sites read nothing that needs a session')],
  },
  {
    name: 'verified-merchant',
    guard: 'that only verified merchants receive live money',
    edits: [
      edit(
        'server/identity/merchant.ts',
        "if (merchant.verificationStatus === 'verified') return",
        "if (merchant.verificationStatus !== 'rejected') return",
      ),
    ],
    tests: [by('test/errors.test.ts', 'without verified identity: no pages and no live key')],
  },
  {
    name: 'suspended-merchant',
    guard: 'that a suspension stops new payments',
    edits: [
      edit(
        'server/identity/merchant.ts',
        "if (owner.environment === 'live' && owner.merchant.suspendedAt !== null) {",
        "if (owner.environment === 'live' && owner.merchant.id === '') {",
      ),
    ],
    tests: [by('test/operators-merchants.test.ts', 'a suspended merchant')],
  },

  // Four eyes.
  {
    name: 'own-review',
    guard: 'that no operator decides about themselves, or about a business that they are a member of',
    edits: [
      edit(
        'server/members/self-decision.ts',
        'if (!(await isMember(db, operatorId, merchantId))) return',
        'if (operatorId) return',
      ),
    ],
    tests: [by('test/attacks/reviews.test.ts', 'a decision is made by another person')],
  },
  {
    name: 'own-proposal',
    guard: 'that a second operator confirms',
    edits: [edit('server/reconciliation/resolve-break.ts', 'if (proposedBy === origin.actor) {', 'if (proposedBy === null) {')],
    tests: [by('server/reconciliation/operator.test.ts', 'a payment with a different amount is completed')],
  },
  {
    name: 'found-money-once',
    guard: 'that the money of one record of a provider is booked once',
    edits: [
      edit(
        'server/payments/found-money.ts',
        "if (booked) return booked.isOpen ? 'open' : 'decided'",
        "if (booked?.home === -1) return 'open'",
      ),
    ],
    tests: [by('server/reconciliation/found-money.test.ts', 'money that operators have kept is not booked again')],
  },
  {
    name: 'return-in-flight',
    guard: 'that no other resolution is possible while money is being sent back to a payer',
    edits: [
      edit(
        'server/reconciliation/resolve-break.ts',
        "if (lastReturn?.status === 'pending' || lastReturn?.status === 'processing') {",
        "if (lastReturn?.status === '') {",
      ),
    ],
    tests: [by('server/reconciliation/found-money.test.ts', 'what differs goes back to the phone that paid')],
  },
  {
    name: 'reversal-within-the-balance',
    guard: 'that a reversal takes no more from the wallet than its balance',
    edits: [
      edit(
        'server/reconciliation/follow-provider.ts',
        'const fromWallet = Math.max(0, Math.min(wallet, difference))',
        'const fromWallet = Math.max(0, difference)',
      ),
    ],
    tests: [by('server/reconciliation/found-money.test.ts', 'a credit is reversed when the provider has shown')],
  },
  {
    name: 'own-money',
    guard: 'that no operator decides on their own money',
    edits: [
      edit(
        'server/reconciliation/resolve-break.ts',
        'if (await isBehind(tx, operator.userId, found)) {',
        "if (operator.userId === '') {",
      ),
    ],
    tests: [by('server/reconciliation/operator.test.ts', 'no operator decides on their own money')],
  },
  {
    name: 'own-payout',
    guard: 'that no operator approves a payout to themselves',
    edits: [
      edit(
        'server/payouts/cancel-payout.ts',
        'if (payout.requestedBy === decision.by || isBehindIt) {',
        "if (payout.requestedBy === '') {",
      ),
    ],
    tests: [by(payoutsTest, 'a payout that no operator has approved waits')],
  },

  // The money.
  {
    name: 'amount-of-a-success',
    guard: 'that a success of another amount credits nothing',
    edits: [
      edit(
        settleSql,
        "          when t.credits and (i.amount <> s.amount or i.currency <> s.currency) then 'amount_differs'\n",
        '',
      ),
    ],
    tests: [by(settleTest, 'a success that differs in amount or currency')],
  },
  {
    name: 'success-without-amount',
    guard: 'that a success without an amount proves nothing',
    edits: [edit(settleSql, "          when t.credits and (i.amount is null or i.currency is null) then 'unproven'\n", '')],
    tests: [by(settleTest, 'a success without an amount proves nothing')],
  },
  {
    name: 'owner-of-a-reference',
    guard: 'that one reference of a provider is one payment',
    edits: [
      edit(
        settleSql,
        'or i.reference <> s.provider_reference or s.reference_owner <> s.id',
        'or i.reference <> s.provider_reference',
      ),
    ],
    tests: [
      by(settleTest, 'a reference that belongs to another payment'),
      by(settleTest, 'one provider reference credits one payment'),
    ],
  },
  {
    name: 'provider-of-a-success',
    guard: 'that only the provider of the charge can credit it',
    edits: [
      edit(settleSql, 's.environment <> i.environment or s.provider <> i.provider or', 's.environment <> i.environment or'),
    ],
    tests: [by(settleTest, 'a success of another provider than the one of the charge')],
  },
  {
    name: 'settle-lock',
    guard: 'the row lock under which a payment settles',
    edits: [
      edit(
        settleSql,
        '        where p.home = i.home and p.id = i.payment_id\n        for no key update\n',
        '        where p.home = i.home and p.id = i.payment_id\n',
      ),
    ],
    tests: [by(settleTest, 'failed'), by(settleTest, 'completed')],
  },
  {
    name: 'credited-once',
    guard: 'the unique index of credits',
    edits: [
      edit(
        'migrations/0009-ledger.sql',
        'create unique index ledger_transfers_one_credit_per_payment',
        'create index ledger_transfers_one_credit_per_payment',
      ),
    ],
    tests: [by(ledgerTest, 'the database credits a payment once')],
  },
  {
    name: 'payout-steps-once',
    guard: 'the unique index of the steps of a payout',
    edits: [
      edit(
        'migrations/0009-ledger.sql',
        'create unique index ledger_transfers_once_per_payout_and_break',
        'create index ledger_transfers_once_per_payout_and_break',
      ),
      edit('migrations/0009-ledger.sql', '  nulls not distinct where payout_id', '  where payout_id'),
    ],
    tests: [by(ledgerTest, 'the database accepts each step of a payout once')],
  },
  {
    name: 'wallet-not-overdrawn',
    guard: 'that a wallet is never overdrawn',
    edits: [
      edit(
        'migrations/0009-ledger.sql',
        "constraint wallet_not_overdrawn check (kind <> 'wallet' or balance >= 0)",
        "constraint wallet_not_overdrawn check (kind <> '')",
      ),
    ],
    tests: [by(payoutsTest, 'a hundred payouts of the whole balance at once')],
  },
  {
    name: 'ledger-is-history',
    guard: 'that the service cannot change a transfer',
    edits: [edit('migrations/0009-ledger.sql', 'revoke update, delete, truncate on ledger_transfers from malipo_service;\n', '')],
    tests: [by(ledgerTest, 'what the ledger has written the service can neither change nor remove')],
  },
  {
    name: 'checkout-body',
    guard: 'that an idempotency key belongs to one body of a checkout',
    edits: [
      edit(
        'server/payments/start-checkout.ts',
        'if (!made.requestHash.equals(hashes.requestHash)) throw idempotencyKeyReused()',
        '',
      ),
    ],
    tests: [by('test/errors.test.ts', 'an idempotency key that was used for something else')],
  },
  {
    name: 'refunds-within-payment',
    guard: 'that the refunds of a payment never exceed it',
    edits: [
      edit('server/payouts/request-refund.ts', 'if (source.refundable < (amount ?? 1)) throw exceeds(source.refundable)', ''),
      edit(
        'migrations/0011-payments.sql',
        'refunded_amount between 0 and coalesce(amount_received, amount) + refund_overpaid and refund_overpaid >= 0',
        'refund_overpaid >= 0',
      ),
    ],
    tests: [by(refundsTest, 'fifty refunds at once never exceed the payment')],
  },
  {
    name: 'refund-repeat-not-refused',
    guard: 'that a repeat gets the refund that took what was left, although nothing is left for it',
    edits: [edit('server/payouts/request-payout.ts', '    if (winner) return winner\n    throw refusal', '    throw refusal')],
    tests: [by(refundsTest, 'a repeat that overtakes the answer')],
  },
  {
    name: 'refunds-given-back',
    guard: 'that a refund that failed frees its part of the payment',
    edits: [
      edit('server/payouts/post-payout.ts', 'if (paymentId !== null) await giveBackRefund(tx, { home, paymentId, amount })', ''),
    ],
    tests: [by(refundsTest, 'a refund that fails, that our account cannot pay')],
  },
  {
    name: 'refunds-of-completed',
    guard: 'that only a completed payment is refunded',
    edits: [
      edit(
        'server/payouts/request-refund.ts',
        "if (source.status !== 'completed') throw invalidState('Only a completed payment can be refunded.')",
        '',
      ),
    ],
    tests: [by(refundsTest, 'only a completed payment of the caller')],
  },
  {
    name: 'payout-id-derived',
    guard: 'that a payout asked for again after a restore is the same payout',
    edits: [
      edit('server/payouts/request-payout.ts', 'payoutIdOf(owner, idempotencyKey)', 'newMoneyId(owner.merchant.home)'),
      edit('server/payouts/request-payout.ts', 'import { toWire }', 'import { newMoneyId, toWire }'),
    ],
    tests: [by('server/payouts/payout-restore.test.ts', 'a payout that a restored database has lost')],
  },
  {
    name: 'restore-binds-lost-payouts',
    guard: 'that a payout lost by a restore is linked to the provider’s record of it',
    edits: [edit('server/payouts/send-payout.ts', 'if (lost) await bindLost(deps, provider, payout, lost)', '')],
    tests: [by('server/payouts/payout-restore.test.ts', 'a restore keeps checkouts and payouts off')],
  },
  {
    name: 'restore-binds-claimed-payouts',
    guard: 'that a payout whose process died before it looked for the lost order is looked up, not sent again',
    edits: [
      edit(
        'server/payouts/send-payout.ts',
        'payout.providerReference === null && (await settleLost(',
        'false && (await settleLost(',
      ),
    ],
    tests: [by('server/payouts/payout-restore.test.ts', 'a process that dies after it has claimed a payout')],
  },
  {
    name: 'restore-looks-first',
    guard: 'that no order of a restored database is sent before the provider has been compared',
    edits: [
      edit(
        'server/payouts/send-payout.ts',
        "if (restoreDoubt === 'uncompared' && !looksUpOurReference",
        'if (restoreDoubt === null && !looksUpOurReference',
      ),
    ],
    tests: [
      by('server/payouts/payout-restore.test.ts', 'orders that wait in a restored database are looked for at the provider first'),
    ],
  },
  {
    name: 'restore-keeps-off',
    guard: 'that checkouts and payouts stay off until a restored database has been compared with the provider',
    edits: [
      edit('server/controls/turn-switch.ts', 'if (comparisonsLeft === undefined) return', 'if (comparisonsLeft !== -1) return'),
    ],
    tests: [by('server/payouts/payout-restore.test.ts', 'a restore keeps checkouts and payouts off')],
  },
  {
    name: 'payout-body',
    guard: 'that an idempotency key belongs to one body of a payout',
    edits: [edit('server/payouts/request-payout.ts', 'if (!madeHash.equals(hashes.requestHash)) throw keyReused', '')],
    tests: [by(payoutsTest, 'fifty requests under one key make one payout')],
  },
  {
    name: 'places-of-a-page',
    guard: 'the row lock that limits sold places',
    edits: [
      edit(
        'server/payments/payment.sql.ts',
        '      order by g.home, g.id\n      for no key update\n',
        '      order by g.home, g.id\n',
      ),
    ],
    tests: [
      by('test/limits.test.ts', 'selling a place waits for another process'),
      by('test/faults/races.test.ts', 'a limited page never sells a place twice'),
    ],
  },
  {
    name: 'prompts-of-a-phone',
    guard: 'that prompts to a phone are limited',
    edits: [
      edit(
        'server/payments/prompt.sql.ts',
        'where is_known is null and open_seconds is null and coalesce(full_seconds, 0) <= 0\n',
        'where is_known is null and open_seconds is null\n',
      ),
    ],
    tests: [by('test/limits.test.ts', 'a phone gets five prompts in ten minutes')],
  },
  {
    name: 'second-step-of-a-page',
    guard: 'that checkouts of a page far above its pace wait for a confirmation',
    edits: [
      edit(
        'server/payments/pace.sql.ts',
        'coalesce(p.started + r.behind_page > p.allowed, false)\n      or coalesce(m.started',
        'false\n      or coalesce(m.started',
      ),
      edit('server/payments/pace.sql.ts', 'coalesce(m.started + r.behind_merchant > m.allowed, false)', 'false'),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a page far above its pace asks for a confirmation')],
  },
  {
    name: 'second-step-of-a-merchant',
    guard: 'that the pages of one merchant are limited together',
    edits: [edit('server/payments/pace.sql.ts', 'coalesce(m.started + r.behind_merchant > m.allowed, false)', 'false')],
    tests: [by('server/payments/second-step.test.ts', 'all pages of a merchant count as one flood')],
  },
  {
    name: 'second-step-of-a-network',
    guard: 'that a network whose new phones do not pay needs the second step',
    edits: [edit('server/payments/pace.sql.ts', 'or (r.is_new_phone and coalesce(', 'or (false and coalesce(')],
    tests: [by('server/payments/second-step.test.ts', 'a network whose new phones do not pay')],
  },
  {
    name: 'paying-phones-count-for-their-network',
    guard: 'that a carrier whose payers pay has no cap',
    edits: [
      edit('server/payments/pace.sql.ts', ' + ${network.timesPaid}::double precision * n.paid)`', ')`'),
      edit('server/payments/pace.sql.ts', 'n.phones - n.paid + r.behind_network', 'n.phones + r.behind_network'),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a network whose new phones do not pay')],
  },
  {
    name: 'phones-that-cannot-pay',
    guard: 'that phones which cannot pay do not count against the network they share',
    edits: [
      edit('server/payments/prompt.sql.ts', 'network_key is not null and not is_carrier_away and', 'network_key is not null and'),
    ],
    tests: [by('server/payments/second-step.test.ts', 'while a mobile network is unavailable, its phones do not count')],
  },
  {
    name: 'unconfirmed-holds-no-place',
    guard: 'that unconfirmed checkouts do not keep a page with few places full',
    edits: [
      edit(
        'server/payments/start-checkout.ts',
        'needsPlace: page.maxPayments !== null && !isUnconfirmed',
        'needsPlace: page.maxPayments !== null',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a payer without a confirmation reserves no place')],
  },
  {
    name: 'place-at-the-confirmation',
    guard: 'that a confirmation takes a place, and is refused where none is left',
    edits: [edit('server/payments/payer.sql.ts', "if (place === 'none_left') return 'sold_out'", '')],
    tests: [by('server/payments/second-step.test.ts', 'a payer without a confirmation reserves no place')],
  },
  {
    name: 'second-step-as-ordered',
    guard: 'that the operators’ setting of the second step is applied',
    edits: [edit('server/payments/pace.sql.ts', "coalesce(op.mode = 'on', om.mode = 'on', oa.mode = 'on',", 'coalesce(')],
    tests: [by('server/payments/second-step.test.ts', 'operators order confirmations on or off')],
  },
  {
    name: 'unconfirmed-is-not-sent',
    guard: 'that the check of charges sends no unconfirmed charge',
    edits: [
      edit('server/payments/payment.sql.ts', '          when c.confirm_by is not null then c.state\n', ''),
      edit('server/payments/check-charges.ts', '      if (charge.isUnconfirmed) return waitUnsent(deps, charge)\n', ''),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a payment without a confirmation expires')],
  },
  {
    name: 'confirmed-within-its-time',
    guard: 'that an unconfirmed payment past its time is not sent any more',
    edits: [
      edit(
        'server/payments/payer.sql.ts',
        'p.cancel_requested_at is null and p.expires_at > clock_now() and c.confirm_by is not null',
        'p.cancel_requested_at is null and c.confirm_by is not null',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a payment without a confirmation expires')],
  },
  {
    name: 'confirmed-on-our-page',
    guard: 'that no other site can submit a confirmation',
    edits: [
      edit(
        'server/web/checkout/checkout-routes.ts',
        '        if (isOurPage) await confirmPayment(',
        '        await confirmPayment(',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'another site cannot press the button')],
  },
  {
    name: 'unsent-prompts-do-not-count',
    guard: 'that an unsent charge counts against no phone',
    edits: [
      edit(
        'server/payments/prompt.sql.ts',
        'where p.phone_key = i.phone_key and p.is_sent\n',
        'where p.phone_key = i.phone_key\n',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'one phone through thirty pages')],
  },
  {
    name: 'confirmed-prompts-count',
    guard: 'that limits per phone apply to confirmed charges',
    edits: [
      edit(
        'server/payments/confirm-payment.ts',
        '  const prompt = await deps.promptLimit.take({',
        '  const prompt = await { take: async (_: object) => ({ refund: async () => {} }) }.take({',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'one phone through thirty pages')],
  },
  {
    name: 'phone-lock',
    guard: 'the lock under which prompts of a phone are counted',
    edits: [edit('server/payments/prompt.sql.ts', 'select pg_advisory_xact_lock(number) from (', 'select number from (')],
    tests: [by('test/limits.test.ts', 'counting a prompt waits for another process')],
  },
  {
    name: 'expiry-by-the-provider',
    guard: 'that a payment expires only when the provider says so',
    edits: [
      edit(
        'server/payments/check-charges.ts',
        "  if (answer.kind !== 'found') return queryAgainLater(deps, charge)\n",
        "  if (answer.kind !== 'found') answer = { kind: 'found', snapshot: { reference: charge.providerReference, ourReference: null, status: 'pending', amount: null, currency: null, fee: null, network: null, failure: null, expiresAt: null } }\n",
      ),
    ],
    tests: [by('server/payments/expiry.test.ts', 'a polling outage at our expiry')],
  },
  {
    name: 'expiry-needs-our-hour',
    guard: 'that a payment does not expire before its hour is over',
    edits: [edit('server/payments/settlement.ts', 'expires: isPastExpiry && isOpenThere,', 'expires: isOpenThere,')],
    tests: [by('server/payments/expiry.test.ts', 'a provider that says pending after its own end')],
  },
  {
    name: 'payout-in-flight',
    guard: 'that a payout in flight cannot be cancelled',
    edits: [
      edit(
        'server/payouts/cancel-payout.ts',
        "if (payout.status !== 'pending' || !unsentStates.has(payout.state)) {",
        "if (payout.status !== 'pending') {",
      ),
    ],
    tests: [by(payoutsTest, 'a payout that waits can be cancelled')],
  },
  {
    name: 'token-of-a-checkout',
    guard: 'that a payer’s actions need the token of the checkout',
    edits: [
      edit(
        'server/payments/checkout-token.ts',
        'return isProven ? id : undefined',
        'return isProven || given.length === 46 ? id : undefined',
      ),
    ],
    tests: [by('server/payments/payer-actions.test.ts', 'no request without the token of a payment')],
  },
  {
    name: 'price-of-a-page',
    guard: 'that a payer pays the price of the page',
    edits: [
      edit(
        'server/payments/checkout-rules.ts',
        'if (!page.allowCustomAmount && sent !== page.amount) {',
        'if (!page.allowCustomAmount && sent < least) {',
      ),
    ],
    tests: [by('test/attacks/bodies.test.ts', 'an amount is a whole number of shillings')],
  },

  // What providers say.
  {
    name: 'signature-of-snippe',
    guard: 'the signature check of the first provider',
    edits: [
      edit(
        'server/providers/snippe.ts',
        '!isSigned(signature, webhookSecrets, digestOf))',
        '(!isSigned(signature, webhookSecrets, digestOf) && !/^[0-9a-f]{64}$/.test(signature)))',
      ),
    ],
    tests: [by('test/attacks/messages.test.ts', 'a message is verified by its exact bytes')],
  },
  {
    name: 'age-of-a-message',
    guard: 'the replay window of messages',
    edits: [edit('server/providers/snippe.ts', 'ageSeconds > webhookToleranceSeconds,', 'ageSeconds < 0,')],
    tests: [by('server/provider-webhooks/receive-message.test.ts', 'an authentic message that is too old')],
  },
  {
    name: 'signature-of-clickpesa',
    guard: 'the checksum of the second provider',
    edits: [
      edit(
        'server/providers/webhook-message.ts',
        'timingSafeEqual(digestOf(key), given))',
        "timingSafeEqual(given, given) || key === '')",
      ),
    ],
    tests: [by('server/providers/clickpesa.test.ts', 'a message is believed for its checksum alone')],
  },
  {
    name: 'one-content-of-an-event',
    guard: 'that an event has one body',
    edits: [
      edit(
        'server/providers/inbox.sql.ts',
        "return knownHash === null || knownHash.equals(items[index]!.bodyHash) ? 'known' : 'changed'",
        "return knownHash === null || items[index]! ? 'known' : 'changed'",
      ),
    ],
    tests: [by('test/attacks/messages.test.ts', 'a message is verified by its exact bytes')],
  },
  {
    name: 'message-and-status',
    guard: 'that a contradictory message is not trusted',
    edits: [
      edit(
        'server/providers/webhook-message.ts',
        "  if (!possible.includes(snapshot.status)) return { ...doubtful, reason: 'contradictory' }\n",
        '',
      ),
    ],
    tests: [by('server/provider-webhooks/receive-message.test.ts', 'a contradictory or unreadable message')],
  },

  // Outwards.
  {
    name: 'address-literals',
    guard: 'that the host of a webhook URL is a name',
    edits: [
      edit(
        egress,
        "  if (isIP(hostname) !== 0 && !(rules.allowPrivate && isLoopback(hostname))) return { problem: 'ip_literal' }\n",
        '',
      ),
    ],
    tests: [by(egressTest, 'an address that someone asks us to send to is judged')],
  },
  {
    name: 'private-addresses',
    guard: 'that every address of a name is checked',
    edits: [edit(egress, 'const isAdmitted = addresses.every((address)', 'const isAdmitted = addresses.some((address)')],
    tests: [by(egressTest, 'one forbidden address among public ones')],
  },
  {
    name: 'judged-addresses',
    guard: 'that nothing is sent to a private address',
    edits: [
      edit(
        egress,
        'isPublicAddress(address) || (allowPrivate && isLoopback(address))',
        'isPublicAddress(address) || isIP(address) !== 0',
      ),
    ],
    tests: [by(egressTest, 'an address that someone asks us to send to is judged')],
  },
  {
    name: 'rebinding',
    guard: 'that the connection goes to the checked address',
    edits: [
      edit(
        egress,
        '    lookup: (_hostname, lookupOptions, callback) => {\n      const family = isIP(address)\n      if (lookupOptions.all) callback(null, [{ address, family }])\n      else callback(null, address, family)\n    },',
        '    lookup: (hostname, lookupOptions, callback) => {\n      void options.resolver!(hostname).then(([found = address]) => {\n        const family = isIP(found)\n        if (lookupOptions.all) callback(null, [{ address: found, family }])\n        else callback(null, found, family)\n      })\n    },',
      ),
      edit(
        egress,
        '} else if (!sameAddress(socket.remoteAddress, address)) {',
        '} else if (socket.remoteAddress === undefined) {',
      ),
    ],
    tests: [by(egressTest, 'a name that changes its mind reaches nothing')],
  },
  {
    name: 'redirects',
    guard: 'that a redirect is not followed',
    edits: [
      edit(
        egress,
        "import { buildConnector, Pool, type Dispatcher } from 'undici'",
        "import { buildConnector, interceptors, Pool, type Dispatcher } from 'undici'",
      ),
      edit(
        egress,
        'const pool = poolOf(target.origin, address, Math.ceil(request.deadlineMs / 2))',
        'const pool = poolOf(target.origin, address, Math.ceil(request.deadlineMs / 2)).compose((dispatch) => (options, handler) => interceptors.redirect({ maxRedirections: 3 })(dispatch)({ ...options, origin: target.origin }, handler)) as unknown as Pool',
      ),
    ],
    tests: [
      by(egressTest, 'a redirect is an answer'),
      by('server/webhooks/deliver-webhooks.test.ts', 'statuses: 2xx is a success'),
    ],
  },
  {
    name: 'our-own-hosts',
    guard: 'that events cannot loop',
    edits: [
      edit(
        egress,
        "  if (rules.ownUrls.some((own) => isSameHost(new URL(own), hostname, port))) return { problem: 'own_host' }\n",
        '',
      ),
    ],
    tests: [by('server/webhooks/routes.test.ts', 'our own addresses are refused')],
  },
  {
    name: 'success-of-a-delivery',
    guard: 'that a webhook counts as accepted only after a 2xx answer',
    edits: [
      edit(
        'server/webhooks/delivery.ts',
        'outcome.status >= 200 && outcome.status < 300',
        'outcome.status >= 200 && outcome.status < 400',
      ),
    ],
    tests: [by('server/webhooks/delivery.test.ts', 'only a 2xx status is a success')],
  },
  {
    name: 'lease-of-a-delivery',
    guard: 'that no two senders send the same delivery',
    edits: [
      edit(
        'server/webhooks/delivery.sql.ts',
        'const isFree = sql`(d.lease_until is null or d.lease_until <= clock_now())`',
        'const isFree = sql`true`',
      ),
    ],
    tests: [by('server/webhooks/many-senders.long.test.ts', 'a claimed delivery stays with its sender')],
  },
  {
    name: 'payers-return-over-https',
    guard: 'that payers are sent to https only',
    edits: [
      edit(
        'server/pages/return-url.ts',
        "  return protocol === 'https:' && hostname.includes('.')\n",
        "  return protocol !== '' && hostname !== ''\n",
      ),
    ],
    tests: [
      by('test/attacks/browsers.test.ts', 'a payer is sent on only to the address'),
      by('server/pages/return-url.test.ts', 'payers are sent to https'),
    ],
  },
  {
    name: 'sealed-to-its-row',
    guard: 'that a sealed value opens in its own row only',
    edits: [
      edit(
        'server/platform/crypto/secrets.ts',
        '    .setAAD(Buffer.from(context))\n    .setAuthTag',
        "    .setAAD(Buffer.from(''))\n    .setAuthTag",
      ),
      edit('server/platform/crypto/secrets.ts', 'iv, gcm).setAAD(Buffer.from(context))', "iv, gcm).setAAD(Buffer.from(''))"),
    ],
    tests: [by('server/platform/crypto/secrets.test.ts', 'a value that was moved to another row')],
  },
  {
    name: 'tag-length',
    guard: 'that a truncated authentication tag is refused',
    edits: [edit('server/platform/crypto/secrets.ts', 'const gcm = { authTagLength: 16 }', 'const gcm = { authTagLength: 4 }')],
    tests: [by('server/platform/crypto/secrets.test.ts', 'a value that was moved to another row')],
  },

  // Uploads and inputs.
  {
    name: 'first-bytes',
    guard: 'that a file begins as its type requires',
    edits: [
      edit(
        'server/documents/check-content.ts',
        'if (!(await hasFirstBytes(file, type))) {',
        'if (!(await hasFirstBytes(file, type)) && maxBytes === 0) {',
      ),
    ],
    tests: [by('server/documents/check-content.long.test.ts', 'a file that does not match its announced type')],
  },
  {
    name: 'active-documents',
    guard: 'that a PDF with active content is refused',
    edits: [
      edit(
        'server/documents/inspect-pdf.ts',
        "    case 'active':\n      return active(finding.name)\n",
        "    case 'active':\n      break\n",
      ),
      edit('server/documents/inspect-pdf.ts', "    if (await document.hasJSActions()) return active('JavaScript')\n", ''),
    ],
    tests: [by('server/documents/check-content.long.test.ts', 'a PDF that would do something is refused')],
  },
  {
    name: 'size-of-a-file',
    guard: 'that a file has a largest size',
    edits: [edit('server/documents/receive-upload.ts', 'if (sizeBytes > limits.maxBytes) throw tooLarge(limits.maxBytes)', '')],
    tests: [by('test/documents.test.ts', 'a byte too many stops the upload early')],
  },
  {
    name: 'signature-of-an-address',
    guard: 'the signature check of document addresses',
    edits: [
      edit(
        'server/documents/address.ts',
        'return isMadeUnder(keys, Buffer.from(signature), (key) => Buffer.from(signatureOf(key, signed)))',
        'return isMadeUnder(keys, Buffer.from(signature), () => Buffer.from(signature)) && signed.path !== ""',
      ),
    ],
    tests: [by('test/attacks/documents.test.ts', 'an upload address is for one file')],
  },
  {
    name: 'address-used-once',
    guard: 'that an upload address takes one file',
    edits: [
      edit(
        'server/documents/document.sql.ts',
        "and d.state = 'awaiting' and d.address_expires_at",
        "and d.state <> 'refused' and d.address_expires_at",
      ),
    ],
    tests: [by('test/attacks/documents.test.ts', 'an upload address is for one file')],
  },
  {
    name: 'reviewer-of-a-view',
    guard: 'that a document opens only for the reviewer who requested it',
    edits: [
      edit('server/documents/open-view.ts', 'if (view.sessionId !== signedIn.sessionId) {', "if (view.sessionId === '') {"),
    ],
    tests: [by('test/attacks/documents.test.ts', 'a document opens only for the reviewer')],
  },
  {
    name: 'keys-twice',
    guard: 'that no key stands twice in one object',
    edits: [
      edit(
        'server/platform/http/json.ts',
        "  if (keysWritten !== reading.keys) throw invalidJson('an object has the same key twice.')\n",
        '',
      ),
    ],
    tests: [by('test/attacks/bodies.test.ts', 'JSON that could be read in two ways')],
  },
  {
    name: 'whole-numbers',
    guard: 'that a number is written as one',
    edits: [
      edit(
        'server/platform/http/json.ts',
        "return integerLiteral.test(context?.source ?? '') && Number.isSafeInteger(value) ? value : Number.NaN",
        'return context !== null ? value : Number.NaN',
      ),
    ],
    tests: [by('test/attacks/bodies.test.ts', 'an amount is a whole number of shillings')],
  },
  {
    name: 'cursor-of-a-list',
    guard: 'that a cursor belongs to its list and owner',
    edits: [
      edit(
        'server/platform/http/page.ts',
        'isMadeUnder(keys, givenMac, (key) => mac(key, scope, payload))',
        'isMadeUnder(keys, givenMac, () => givenMac)',
      ),
    ],
    tests: [by('test/errors.test.ts', 'a forged cursor, and one of another list')],
  },
  {
    name: 'markup',
    guard: 'that values in a page are escaped',
    edits: [edit('server/web/checkout/html.ts', 'return escapeHtml(String(value))', 'return String(value)')],
    tests: [by('server/web/checkout/checkout-routes.test.ts', 'input of merchants and payers is shown as text')],
  },
  {
    name: 'stored-days',
    guard: 'that a day in a summary is either stored or read from the ledger',
    edits: [
      edit(
        'server/merchant-account/wallet-day.sql.ts',
        'and ${dayOf(sql`t.created_at`)} > ${unstored.after}::date',
        'and ${unstored.after}::date is not null',
      ),
      edit('server/merchant-account/summary.ts', 'isAllStored ? null : accountId, afterSeq,', 'accountId, afterSeq: 0,'),
    ],
    tests: [by('server/merchant-account/summary.test.ts', 'a period reads the same from the ledger and from the stored sums')],
  },
  {
    name: 'formulas',
    guard: 'that no CSV cell is a formula',
    edits: [edit('server/platform/http/csv.ts', 'escape_formulas: true', 'escape_formulas: false')],
    tests: [by('server/merchant-account/export.test.ts', 'a cell that a spreadsheet would calculate')],
  },
  {
    name: 'transfer-codings',
    guard: 'that a request body has one length',
    edits: [
      edit(
        'server/platform/http/http.ts',
        "if (!request.headers['transfer-encoding']?.includes(',')) return done()",
        "if (request.headers['transfer-encoding'] !== '') return done()",
      ),
    ],
    tests: [by('test/attacks/wire.test.ts', 'a request that could be two')],
  },

  // Logs and records.
  {
    name: 'routes-in-the-log',
    guard: 'that the log names routes, not addresses',
    edits: [
      edit(
        'server/platform/http/http-errors.ts',
        "return `${request.method} ${request.routeOptions.url ?? '(no route)'}`",
        'return `${request.method} ${request.url}`',
      ),
    ],
    tests: [by('test/logs.test.ts', 'the log of a whole run holds no personal datum')],
  },
  {
    name: 'values-in-a-refusal',
    guard: 'that a refusal does not repeat the input',
    edits: [
      edit(
        'server/platform/http/http-errors.ts',
        'return [{ field, code, message: sentence }]',
        'return [{ field, code, message: `${sentence} ${String(valueAt(root, issue.path))}` }]',
      ),
    ],
    tests: [by('test/logs.test.ts', 'the log of a whole run holds no personal datum')],
  },
  {
    name: 'chain-of-the-audit-log',
    guard: 'that a changed entry of the audit log shows',
    edits: [
      edit(
        'server/audit/audit.sql.ts',
        '        or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip, merchant_id))',
        '        or hash is null)',
      ),
    ],
    tests: [by('test/operators-audit.test.ts', 'the chain is computed again')],
  },
  {
    name: 'chain-in-the-books',
    guard: 'that the check of the books computes the audit log again',
    edits: [
      edit(
        'server/invariants/audit-promises.sql.ts',
        'or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip, merchant_id)',
        'or hash is null',
      ),
    ],
    tests: [by('server/audit/audit.test.ts', 'an entry that the database owner changes')],
  },
  {
    name: 'codes-ended-by-strangers',
    guard: 'that wrong tries of one network end only a few of an account’s mailed codes',
    edits: [edit('server/identity/mailed-code-routes.ts', '      await deps.limits.passwordReset.take(who, reply)\n', '')],
    tests: [by('server/identity/password-reset.test.ts', 'another person who requests codes')],
  },
  {
    name: 'one-mailed-code-at-a-time',
    guard: 'that a code takes the place of the one before, with the tries that are left',
    edits: [
      edit(
        'server/identity/mailed-token.sql.ts',
        'expires_at = clock_now() + make_interval(secs => ${token.seconds}), mails = t.mails + 1',
        'expires_at = clock_now() + make_interval(secs => ${token.seconds}), wrong_tries = 0, mails = t.mails + 1',
      ),
    ],
    tests: [by('server/identity/password-reset.test.ts', 'a code takes the place of the one before')],
  },
  {
    name: 'activity-of-one-merchant',
    guard: 'that the activity of a merchant has no entry of another',
    edits: [
      edit(
        'server/audit/audit.sql.ts',
        '    where merchant_id = ${merchantId}\n      and',
        '    where merchant_id is distinct from ${merchantId}\n      and',
      ),
    ],
    tests: [by('server/audit/audit.test.ts', 'a merchant reads the entries about its business')],
  },
  {
    name: 'codes-cover-the-merchant',
    guard: 'that the code of an audit entry covers its merchant',
    edits: [
      edit(
        'server/audit/audit.ts',
        '...changes, requestId, ip, merchantId ?? null]',
        '...changes, requestId, ip, merchantId && null]',
      ),
    ],
    tests: [by('server/audit/audit.test.ts', 'the code of an entry covers its merchant')],
  },
  {
    name: 'codes-of-the-audit-log',
    guard: 'that a forged entry is detected even if the chain was recomputed',
    edits: [
      edit(
        'server/audit/entry-codes.ts',
        'entry.mac !== null && macs.isRight(entry.mac, entryKind, codeParts(entry, entry, entry))',
        "entry.mac !== ''",
      ),
    ],
    tests: [by('server/invariants/corruptions.test.ts', 'every change that the database owner makes')],
  },
  {
    name: 'signed-end-of-the-audit-log',
    guard: 'that a key rotation signs no forged head',
    edits: [
      edit(
        'server/audit/entry-codes.ts',
        'if (last.seq !== point.headSeq || last.hash !== point.headHash) {',
        'if (last.seq < 0) {',
      ),
    ],
    tests: [by('server/audit/audit.test.ts', 'a head that was forged before')],
  },
  {
    name: 'codes-of-what-the-process-says',
    guard: 'that the code of an audit entry covers all its fields',
    edits: [
      edit(
        'server/audit/audit.ts',
        '...changes, requestId, ip, merchantId ?? null]',
        '...changes, requestId, ip, merchantId ?? null].slice(0, 2)',
      ),
    ],
    tests: [by('server/audit/audit.test.ts', 'who changes the schema gets no right code')],
  },
  {
    name: 'audit-log-confirmed-by-operators',
    guard: 'that an audit log without codes cannot pass for an old one',
    edits: [
      edit(
        'server/audit/entry-codes.ts',
        'if (mac === null && isOfEntry) {',
        'if (mac === null) return undefined\n  if (mac === "") {',
      ),
    ],
    tests: [by('server/invariants/corruptions.test.ts', 'every change that the database owner makes')],
  },
  {
    name: 'events-without-a-chain',
    guard: 'that the check of the books finds deliveries that were never created',
    edits: [
      edit(
        'server/invariants/delivery-promises.sql.ts',
        "greatest(w.enabled_at, w.events_changed_at) < e.created_at - interval '5 minutes'",
        "greatest(w.enabled_at, w.events_changed_at) < e.created_at - interval '5 years'",
      ),
    ],
    tests: [by('server/invariants/verify.test.ts', 'each promise that is broken is named')],
  },
  {
    name: 'unclaimed-jobs-are-found',
    guard: 'that the check of the books finds rows that no worker claims',
    edits: [
      edit(
        'server/invariants/unfinished-promises.sql.ts',
        "where j.due_at < k.checked_at - interval '15 minutes'",
        "where j.due_at < k.checked_at - interval '15 years'",
      ),
    ],
    tests: [by('server/invariants/verify.test.ts', 'each promise that is broken is named')],
  },
  {
    name: 'audit-log-is-history',
    guard: 'that the service cannot change the audit log',
    edits: [edit('migrations/0002-audit.sql', 'revoke update, delete, truncate on audit_log from malipo_service;\n', '')],
    tests: [by('server/audit/audit.test.ts', 'the service can only append')],
  },
  {
    name: 'lost-race-runs-again',
    guard: 'that a transaction runs again after a deadlock or a serialisation failure',
    edits: [edit('server/platform/db/db.ts', 'const maxTries = 5', 'const maxTries = 1')],
    tests: [by('test/database-faults.test.ts', 'a race that is lost is run again')],
  },
  {
    name: 'full-disk-is-503',
    guard: 'that a database which cannot do its work is answered 503',
    edits: [edit('server/platform/db/db.ts', '/^(08|53|58)|', '/^(08|58)|')],
    tests: [by('test/database-faults.test.ts', 'a disk that is full')],
  },
  {
    name: 'no-queue-behind-the-slow',
    guard: 'that new requests are refused when no connection becomes free',
    edits: [edit('server/settings/database.ts', 'shedAfterMs: 1_000', 'shedAfterMs: undefined')],
    tests: [by('test/faults/exhausted-pool.test.ts', 'a hundred slow statements')],
  },
  {
    name: 'no-queue-behind-a-held-up-batch',
    guard: 'that new requests are refused when a statement does not return',
    edits: [edit('server/platform/db/batch.ts', 'running && performance.now() - runningSince > shedAfterMs', 'false')],
    tests: [by('server/platform/db/batch.test.ts', 'while a batch hangs')],
  },
  {
    name: 'no-pool-inside-a-transaction',
    guard: 'that no transaction waits for a second connection',
    edits: [edit('server/platform/db/db.ts', 'options.refusesPoolInsideTx && currentTx.getStore()?.isOpen', 'false')],
    tests: [by('server/platform/db/db.test.ts', 'inside a transaction the pool is refused')],
  },
  {
    name: 'a-locked-row-holds-up-its-home-only',
    guard: 'that no batch of many merchants waits for one row',
    edits: [edit('server/settings/database.ts', 'batchLockTimeoutMs: 150', 'batchLockTimeoutMs: 2_000')],
    tests: [by('server/payments/locked-row.test.ts', 'while a ')],
  },
  {
    name: 'nothing-into-a-closed-day',
    guard: 'that a clock that is behind writes nothing into a closed day',
    edits: [edit('server/ledger/transfer.sql.ts', 'p.actor, p.request_id, ${ledgerNow}', 'p.actor, p.request_id, clock_now()')],
    tests: [by('server/invariants/verify.test.ts', 'a server whose clock is behind')],
  },
  {
    name: 'one-attempt-of-an-event-at-once',
    guard: 'that a resend does not overlap an automatic attempt',
    edits: [edit('server/webhooks/delivery.sql.ts', 'and ${isFree} and ${isAlone}', 'and ${isFree}')],
    tests: [by('server/webhooks/manual-deliveries.test.ts', 'a manual and an automatic attempt of the same event')],
  },
  {
    name: 'connections-for-provider-messages',
    guard: 'that a credit waits behind no other statement',
    edits: [edit('server/dependencies.ts', 'createSettle({ db: settlingDb, log })', 'createSettle({ db, log })')],
    tests: [by('test/faults/exhausted-pool.test.ts', 'a hundred slow statements')],
  },
  {
    name: 'circuit-uses-monotonic-time',
    guard: 'that a circuit is not held open by a clock that is set',
    edits: [edit('server/platform/clock.ts', 'now: () => performance.timeOrigin + performance.now()', 'now: () => Date.now()')],
    tests: [by('server/providers/guarded-provider.test.ts', 'an open circuit is open for its time')],
  },
  {
    name: 'one-clock-for-shared-counters',
    guard: 'that processes count together by the clock of the database',
    edits: [
      edit(
        'server/platform/db/counts.sql.ts',
        'const nowMs = sql`(extract(epoch from clock_now()) * 1000)::bigint`',
        "const nowMs = Object.defineProperty(sql`${0}::bigint`, 'values', { get: () => [Date.now()] })",
      ),
    ],
    tests: [by('test/faults/clocks.test.ts', 'counters that processes share')],
  },
  {
    name: 'long-rate-limits',
    guard: 'that a provider which says 429 for long gets no new payers',
    edits: [edit('server/providers/guarded-provider.ts', 'clock.now() - wait.since >= patienceMs', 'clock.now() < wait.since')],
    tests: [by('server/providers/guarded-provider.test.ts', 'ten minutes of 429')],
  },
  {
    name: 'crashing-message-is-quarantined',
    guard: 'that a message that crashes processes is quarantined',
    edits: [edit('server/provider-webhooks/receive-message.ts', 'message.deaths < maxErrors', 'message.deaths < 1_000')],
    tests: [by('test/faults/poison.test.ts', 'a message that a worker')],
  },
  {
    name: 'stuck-process-ends',
    guard: 'that a process that makes no progress is ended',
    edits: [edit('server/platform/process/watchdog.ts', "process.kill(process.pid, 'SIGKILL')", '')],
    tests: [by('test/faults/poison.test.ts', 'a message that a worker')],
  },
  {
    name: 'the-primary-takes-writes',
    guard: 'that of several hosts the one that takes writes is connected to',
    edits: [
      edit('server/platform/db/primary.ts', "if (rows[0]!.readOnly !== 'off') throw", "if (rows[0]!.readOnly === '') throw"),
    ],
    tests: [by('test/faults/failover.test.ts', 'the primary is killed under load')],
  },
  {
    name: 'closed-days',
    guard: 'that the digest of a closed day is recomputed and compared',
    edits: [
      edit(
        'server/invariants/audit-promises.sql.ts',
        '(h.digest, h.transfers) is distinct from (n.digest, n.transfers)',
        'h.transfers is distinct from n.transfers',
      ),
    ],
    tests: [by('server/invariants/verify.test.ts', 'a changed, removed or swapped transfer')],
  },
  {
    name: 'stored-days-in-the-books',
    guard: 'that the stored sums of a closed day are compared with the ledger',
    edits: [
      edit(
        'server/invariants/wallet-day-promises.sql.ts',
        '(sum(stored_payments), sum(stored)) is distinct from (sum(booked_payments), sum(booked))',
        'sum(stored) is null',
      ),
    ],
    tests: [by('server/invariants/verify.test.ts', 'each promise that is broken is named')],
  },
  {
    name: 'whole-check-goes-on',
    guard: 'that the full check records its progress',
    edits: [
      edit(
        'server/invariants/check-cursor.sql.ts',
        'set home = ${next.home}, last_id = ${next.id}, lease_until',
        'set lease_until',
      ),
    ],
    tests: [by('server/invariants/walk-books.test.ts', 'a whole check that is killed in the middle')],
  },
  {
    name: 'neighbour-lines',
    guard: 'that each line of an account is compared with the one before it',
    edits: [edit('server/invariants/account-chains.sql.ts', 'or l.balance_after <> n.balance_before + l.delta', '')],
    tests: [by('server/invariants/verify.test.ts', 'one line of an account that is changed')],
  },
  {
    name: 'pruned-deliveries',
    guard: 'that the check of the books asks for no delivery that retention has removed',
    edits: [
      edit(
        'server/invariants/delivery-promises.sql.ts',
        'make_interval(days => ${demandedDays}::integer)',
        'make_interval(days => 10000)',
      ),
    ],
    tests: [by('server/invariants/pruned-history.test.ts', 'on day 31 after the first webhook')],
  },
  {
    name: 'batch-approved-once',
    guard: 'that a batch is approved once',
    edits: [
      edit(
        'server/payout-batches/approve-batch.ts',
        "if (batch.status !== 'draft' && batch.status !== 'waiting') throw invalidState('This batch does not wait for approval.')",
        "if (batch.status === 'running') batch.status = 'draft'",
      ),
    ],
    tests: [by(batchesTest, 'a batch is approved only whole')],
  },
  {
    name: 'batch-with-errors-waits',
    guard: 'that a batch with invalid rows is not approved',
    edits: [edit('server/payout-batches/approve-batch.ts', 'if (batch.invalidCount > 0) {', 'if (false as boolean) {')],
    tests: [by(batchesTest, 'a batch is approved only whole')],
  },
  {
    name: 'stopped-batch-sends-nothing',
    guard: 'that an order of a stopped batch is not sent for the first time',
    edits: [edit('server/payouts/send-payout.ts', "  if (isBatchStopped) return 'batch_stopped'\n", '')],
    tests: [by(batchesTest, 'a stopped batch cancels what was never sent')],
  },
  {
    name: 'batches-have-a-lane',
    guard: 'that the orders of batches are not claimed with single payouts',
    edits: [edit('server/payouts/payout.sql.ts', '    ? sql`not is_batch`', '    ? sql`true`')],
    tests: [by(batchesTest, 'single payouts leave within five seconds')],
  },
  {
    name: 'batch-budget-held',
    guard: 'that no more orders of a batch are claimed while the budget has nothing left for them',
    edits: [edit('server/payouts/send-batch-payouts.ts', ' + forMs))', '))')],
    tests: [by(batchesTest, 'single payouts leave within five seconds')],
  },
  {
    name: 'formula-cells',
    guard: 'that a text of a batch does not begin like a formula',
    edits: [edit('server/payout-batches/batch-row.ts', 'if (formula.test(value.trim()))', 'if (false as boolean)')],
    tests: [by(uploadsTest, 'formula cells, a line of 10 MB')],
  },
  {
    name: 'batch-of-its-owner',
    guard: 'that a batch is read by its owner alone',
    edits: [
      edit(
        'server/payout-batches/batch.sql.ts',
        'b.home = ${merchant.home} and b.merchant_id = ${merchant.id} and',
        'b.home = ${merchant.home} and',
      ),
    ],
    tests: [by('test/attacks/identities.test.ts', 'identity matrix')],
  },
  {
    name: 'age-known-before-claim',
    guard: 'that no payout is claimed while the clock was set back and its age is unknown',
    edits: [edit('server/payouts/payout.sql.ts', ' and not ${isClockBehind} and ${only', ' and ${only')],
    tests: [by('server/clock/follow-clock.test.ts', 'an order that was sent before the clock was set back')],
  },
  {
    name: 'restored-charges-looked-up',
    guard: 'that a charge of a restored database is looked up before it is sent',
    edits: [
      edit(
        'server/payments/check-charges.ts',
        'charge.restoreDoubt !== null && !(await isLookedUp',
        'charge.restoreDoubt === undefined && !(await isLookedUp',
      ),
    ],
    tests: [by('server/payments/charge-restore.test.ts', 'charges that waited in a restored database')],
  },
  {
    name: 'restored-charges-not-voided',
    guard: 'that a cancel after a restore voids no charge that may have been sent in the lost time',
    edits: [edit('server/payments/cancel-payment.ts', ' && !held.isInRestoreDoubt', '')],
    tests: [by('server/payments/charge-restore.test.ts', 'charges that waited in a restored database')],
  },
  {
    name: 'paid-is-what-was-asked',
    guard: 'that operators cannot count a payout as paid with another amount than it asks for',
    edits: [
      edit(
        'server/payouts/resolve-payout.ts',
        'if (paidThere(payout, details) !== payout.amount) {\n    throw invalidState(\n',
        'if (paidThere(payout, details) < 0) {\n    throw invalidState(\n',
      ),
    ],
    tests: [by('server/payouts/payouts.test.ts', 'two operators decide on a payout that does not agree')],
  },
  {
    name: 'contradicted-payouts-wait',
    guard: 'that a payout which waits to be sent waits on while the provider contradicts itself',
    edits: [edit('server/payouts/hold.sql.ts', ' or ${isContradicted(alias)} or ', ' or ')],
    tests: [by('server/reconciliation/late-payouts.test.ts', 'a payout that waits to be sent waits on')],
  },
  {
    name: 'contradicted-payouts-refused',
    guard: 'that no payout is taken while the provider contradicts itself',
    edits: [
      edit(
        'server/payouts/hold.sql.ts',
        "return contradicted ? { reason: 'payout_under_review', owed } : undefined",
        'return undefined',
      ),
    ],
    tests: [by('server/reconciliation/late-payouts.test.ts', 'while the provider contradicts itself')],
  },
  {
    name: 'failed-payout-confirmed',
    guard: 'that a reported failure of a payout gives nothing back until the provider, asked, confirms it',
    edits: [
      edit(
        'server/payouts/settle-payout.ts',
        "return returnsToWallet.has(to) ? !returnsToWallet.has(payout.status) : to === 'completed' && payout.status === 'reversed'",
        "return !returnsToWallet.has(to) && to === 'completed' && payout.status === 'reversed'",
      ),
    ],
    tests: [by('server/reconciliation/late-payouts.test.ts', 'a reported failure returns nothing')],
  },
  {
    name: 'reversed-payout-confirmed',
    guard: 'that a late report of success contradicts no reversal until the provider, asked, confirms it',
    edits: [
      edit(
        'server/payouts/settle-payout.ts',
        "!returnsToWallet.has(payout.status) : to === 'completed' && payout.status === 'reversed'",
        '!returnsToWallet.has(payout.status) : false',
      ),
    ],
    tests: [by('server/payouts/payouts.test.ts', 'completed and reversed are each booked once')],
  },
  {
    name: 'late-payout-moved-by-operators',
    guard: 'that a payout which was booked again after its money was given back moves by operators alone',
    edits: [
      edit(
        'server/payouts/settle-payout.ts',
        'if (returnsToWallet.has(from) || lateSuccess !== null) return undefined',
        'if (returnsToWallet.has(from)) return undefined',
      ),
    ],
    tests: [by('server/reconciliation/late-payouts.test.ts', '[T07] success and failure in any order')],
  },
  {
    name: 'written-off-counts-as-paid',
    guard: 'that a written-off payout counts as paid at the provider',
    edits: [
      edit(
        'server/payouts/settle-payout.ts',
        "lateSuccess === 'written_off' ? 'completed' : status",
        "lateSuccess === 'written_off' ? status : status",
      ),
    ],
    tests: [by('server/reconciliation/late-payouts.test.ts', 'a written-off payout stays a success')],
  },
  {
    name: 'asked-is-not-settled',
    guard: 'that a message confirmed by a query counts as a message without a separate effect',
    edits: [
      edit('server/providers/inbox.sql.ts', "case j.verdict when 'to_confirm' then 'asked' else 'settled' end", "'settled'"),
    ],
    tests: [by('server/payments/confirm-success.test.ts', 'a success that the provider never confirms')],
  },
  {
    name: 'attempts-never-decrease',
    guard: 'that the count of attempts of a charge never falls',
    edits: [
      edit(
        'migrations/0011-payments.sql',
        'on provider_charges\n  for each row when (new.attempts < old.attempts)',
        'on provider_charges\n  for each row when (new.attempts < old.attempts - 1000)',
      ),
    ],
    tests: [by('server/payments/check-charges.test.ts', 'a request that was lost is sent again')],
  },
  {
    name: 'late-fee-of-held-money',
    guard: 'that the fee of money which was put aside is booked when only the list names it',
    edits: [
      edit(
        'server/reconciliation/charge-book.ts',
        "judgement.kind === 'matched' && ours.held",
        "judgement.kind === 'idle' && ours.held",
      ),
    ],
    tests: [by('server/reconciliation/fee-breaks.test.ts', 'the fee of suspended money')],
  },
  {
    name: 'payouts-on-hold-wait',
    guard: 'that a payout of a frozen merchant is not sent',
    edits: [edit('server/payouts/send-payout.ts', '!payout.isOnHold && (await switches', '(await switches')],
    tests: [by('server/invariants/watch-books.test.ts', 'a payout that waits when its merchant is frozen')],
  },
  {
    name: 'closed-days-are-history',
    guard: 'that the service cannot change the record of a closed day',
    edits: [edit('migrations/0018-invariants.sql', 'revoke update, delete, truncate on closed_days from malipo_service;\n', '')],
    tests: [by('server/invariants/verify.test.ts', 'days are closed in turn')],
  },
  // Retention and erasure.
  {
    name: 'accounts-with-open-money-stay',
    guard: 'that an account with open money is not erased',
    edits: [edit('server/data-lifecycle/erase-account.ts', '    refuseOpenMoney(await findOpenMoney(tx, id, lateHours))\n', '')],
    tests: [by('server/data-lifecycle/person.test.ts', 'an account with open money')],
  },
  {
    name: 'records-are-held',
    guard: 'that the database holds records of identification until their day',
    edits: [edit('migrations/0019-data-lifecycle.sql', ' and (held_until is null or held_until <= clock_now())) then', ') then')],
    tests: [by('server/data-lifecycle/person.test.ts', 'the identification records of a verified account')],
  },
  {
    name: 'pruning-keeps-recent-rows',
    guard: 'that a delivery which was asked for again lately stays, however old its event is',
    edits: [
      edit(
        'server/webhooks/old-delivery.sql.ts',
        'finished_at < clock_now() - make_interval(days => ${olderThanDays}::integer)',
        'finished_at is not null and ${olderThanDays}::integer > 0',
      ),
    ],
    tests: [by('server/data-lifecycle/retention.test.ts', 'for each rule, expired rows are removed')],
  },

  // Running it.
  {
    name: 'event-of-a-failed-payment',
    guard: 'that the end of a payment that failed has an event too',
    edits: [
      edit(
        'server/payments/payment-event.sql.ts',
        'from moved m where m.ends',
        "from moved m where m.ends and m.status <> 'failed'",
      ),
    ],
    tests: [by('test/event-types.test.ts', 'a webhook receives payment.completed, and the other types')],
  },
  {
    name: 'chosen-events-only',
    guard: 'that a webhook receives only the types that it has chosen',
    edits: [
      edit(
        'server/webhooks/event.sql.ts',
        'where e.enabled and e.deleted_at is null and ${receives(sql`e`, sql`n.type`)}',
        'where e.enabled and e.deleted_at is null',
      ),
    ],
    tests: [by('test/event-types.test.ts', 'a webhook receives payment.completed, and the other types')],
  },
  {
    name: 'receipt-of-an-erased-payer',
    guard: 'that an event shows no pseudonym as a receipt',
    edits: [edit('server/webhooks/event.sql.ts', 'nullif(p.network_receipt, p.phone_number)', 'p.network_receipt')],
    tests: [by('server/payments/network-receipt.test.ts', 'an event carries the receipt as soon as it is known')],
  },
  {
    name: 'id-of-an-event',
    guard: 'that the event of a payment has one id, however often it is booked',
    edits: [
      edit(
        'server/payments/payment-event.sql.ts',
        "event_id(m.home, 'payment.' || m.status, m.payment_id) as id",
        'event_id(m.home, gen_random_uuid()::text, m.payment_id) as id',
      ),
    ],
    tests: [by('test/faults/restore.test.ts', 'all is lost and restored')],
  },
  {
    name: 'weak-secrets-are-refused',
    guard: 'that production is refused with a secret of a few characters',
    edits: [edit('server/settings/keys.ts', 'new Set(given).size < leastKinds', 'new Set(given).size < leastKinds - leastKinds')],
    tests: [by('test/configuration.test.ts', 'production is refused with a secret')],
  },
  {
    name: 'key-under-the-pepper-in-use',
    guard: 'that an API key moves to the current pepper',
    edits: [
      edit(
        'server/developers/authenticate-key.ts',
        'if (pepper && key.pepperId !== pepper.id) {',
        'if (pepper && key.pepperId === undefined) {',
      ),
    ],
    tests: [by('test/key-rotation.long.test.ts', 'an API key moves')],
  },
  {
    name: 'migration-gives-way',
    guard: 'that a migration waiting for a table lock does not block other statements',
    edits: [edit('server/platform/db/migrate.ts', 'const lockTimeoutMs = 400', 'const lockTimeoutMs = 40_000')],
    tests: [by('test/migrations.test.ts', 'a migration that finds its table in use')],
  },
  {
    name: 'migrations-continue-the-schema',
    guard: 'that migrations run only on a schema that they continue',
    edits: [edit('server/platform/db/migrate.ts', 'names.slice(0, applied.size)', 'names.slice(0, 0)')],
    tests: [by('test/migrations.test.ts', 'a database whose migrations are not the beginning of the files')],
  },
  {
    name: 'statement-prepared-again',
    guard: 'that a prepared statement still works after its table got a column',
    edits: [
      edit(
        'server/platform/db/db.ts',
        'if (isStalePlan(error) && attempt < maxStalePlans) continue',
        'if (isStalePlan(error) && attempt > maxStalePlans) continue',
      ),
    ],
    tests: [by('test/migrations.test.ts', 'a statement that was prepared')],
  },
  // What a provider says late, wrongly or incompletely.
  {
    name: 'fee-by-the-locked-row',
    guard: 'that the locked row, not the snapshot, says whether a payment is credited when its fee is booked',
    edits: [
      edit(
        settleSql,
        "where j.verdict = 'unchanged' and j.from_status = 'completed' and j.fee > 0",
        "where j.verdict = 'unchanged' and exists (select from ledger_transfers t where t.home = j.home and t.payment_id = j.payment_id and t.kind = 'payment') and j.fee > 0",
      ),
    ],
    tests: [by(settleTest, 'an answer without a fee and a message with one at the same moment')],
  },
  {
    name: 'fee-above-amount',
    guard: 'that a fee above the amount is not booked before operators decide',
    edits: [edit('server/providers/fee.ts', '  if (fee > amount) return true\n', '')],
    tests: [by('server/reconciliation/fee-breaks.test.ts', 'a fee above the amount waits')],
  },
  {
    name: 'hour-from-confirmation',
    guard: 'that a charge confirmed late is sent again for as long as any other',
    edits: [
      edit(
        'server/payments/payment.sql.ts',
        'sql`greatest(p.created_at, p.expires_at - make_interval(secs => ${expirySeconds}::double precision))`',
        'sql`greatest(p.created_at, p.created_at - make_interval(secs => ${expirySeconds}::double precision))`',
      ),
    ],
    tests: [by('server/payments/second-step.test.ts', 'a payment that is confirmed minutes after its checkout')],
  },
  {
    name: 'contradiction-of-a-credit-asked',
    guard: 'that a message against the credit of a payment makes us ask the provider',
    edits: [edit(settleSql, "i.confirm_above is not null and s.status = 'completed' and i.is_final", 'false')],
    tests: [by('server/payments/confirm-success.test.ts', 'a message that contradicts the amount of a credited payment')],
  },
  {
    name: 'fee-of-held-money',
    guard: 'that the fee of money put aside is believed by the same rule as a credited one',
    edits: [edit(settleSql, '${item.fee}::bigint > 0 and not ${item.feeDiffers}::boolean', '${item.fee}::bigint > 0')],
    tests: [by('server/reconciliation/fee-breaks.test.ts', 'an implausible fee of suspended money waits too')],
  },
  {
    name: 'fee-of-list-believed',
    guard: 'that a fee which only the list names is believed by the same rule as one of an answer',
    edits: [
      edit(
        'server/reconciliation/book-fee.ts',
        '  if (isFeeDoubtful(amount, fee, expectedFee)) return openFeeBreak(tx, found, newMoneyId(home))\n',
        '',
      ),
    ],
    tests: [by('server/reconciliation/fee-breaks.test.ts', 'a fee off the configured rate that only the list names')],
  },
  {
    name: 'booked-fee-counted-twice',
    guard: 'that a fee which operators have booked is taken back once',
    edits: [
      edit(
        'server/ledger/transfer.sql.ts',
        "\n    and t.kind not in ('payment', 'suspense', 'provider_fee', 'suspense_release', 'suspense_return')`",
        '`',
      ),
    ],
    tests: [by('server/reconciliation/fee-breaks.test.ts', 'a fee that operators have booked is taken back once')],
  },
  {
    name: 'payout-of-no-amount',
    guard: 'that a payout is not settled by a success that names no amount',
    edits: [
      edit(
        'server/payouts/settle-payout.ts',
        "status === 'completed' && amount === null",
        "status === 'completed' && amount === 0",
      ),
    ],
    tests: [by('server/payouts/payout-orders.test.ts', 'a success without an amount is queried again')],
  },
  {
    name: 'reference-in-an-error',
    guard: 'that an error which names a reference is no refusal',
    edits: [
      edit(
        'server/providers/snippe-data.ts',
        "return namesOf(data, 'malipo_payment').reference",
        "return namesOf(data && undefined, 'malipo_payment').reference",
      ),
    ],
    tests: [by('server/providers/snippe.test.ts', 'an error that names a reference is no refusal')],
  },
  {
    name: 'late-successes-by-list',
    guard: 'that the list is read back over what ended in the last day',
    edits: [
      edit(
        'server/reconciliation/reconcile.ts',
        '      if (!oldest) return end(run)',
        '      if (oldest || !oldest) return end(run)',
      ),
    ],
    tests: [by('server/reconciliation/late-successes.test.ts', 'a day of two thousand payments is twenty pages')],
  },
  {
    name: 'late-successes-by-day',
    guard: 'that a daily comparison reads a week further back',
    edits: [edit('server/reconciliation/run.ts', 'charges: 7 * 86_400', 'charges: 0')],
    tests: [by('server/reconciliation/reconcile.test.ts', 'a list that comes a day late, twice')],
  },
  {
    name: 'fifth-of-the-budget',
    guard: 'the fifth of a budget that lists and questions about what ended get',
    edits: [edit('server/providers/guarded-provider.ts', '{ case: 2 / 5, last: 1 / 5 }', '{ case: 2 / 5 }')],
    tests: [by('server/providers/guarded-provider.test.ts', 'lists and questions about what ended get a fifth')],
  },
  {
    name: 'payout-confirms-its-caller',
    guard: 'that a payout reads its key or session again in its transaction',
    edits: [edit('server/payouts/request-payout.ts', '      await gates.confirm(tx)\n', '')],
    tests: [
      by('test/attacks/revocations.test.ts', 'a key revoked by another process makes no payout'),
      by('test/attacks/revocations.test.ts', 'a session that was signed out'),
      by('test/attacks/revocations.test.ts', 'a suspended merchant makes no live payouts'),
    ],
  },
  {
    name: 'key-is-locked-while-it-pays',
    guard: 'that a revocation waits for the payout whose key was just read',
    edits: [
      edit(
        'server/developers/key.sql.ts',
        '${presented} where k.id = ${keyId} for share of m, u, k',
        '${presented} where k.id = ${keyId}',
      ),
    ],
    tests: [by('test/attacks/revocations.test.ts', 'a revocation waits for the payout')],
  },
  {
    name: 'decision-confirms-its-operator',
    guard: 'that an operator’s session and role are read again in the transaction of a decision about a payout',
    edits: [edit('server/payouts/cancel-payout.ts', '    await decision.confirm(tx)\n', '')],
    tests: [by('test/attacks/revocations.test.ts', 'an operator who lost the role')],
  },
  {
    name: 'resolution-confirms-its-operator',
    guard: 'that an operator’s session and role are read again in the transaction that resolves a break',
    edits: [edit('server/reconciliation/resolve-break.ts', '  await confirmOperator(tx, operator)\n', '')],
    tests: [by('server/reconciliation/operator.test.ts', 'an operator who was shut out meanwhile resolves nothing')],
  },
  {
    name: 'audience-fits-the-role',
    guard: 'that a token signed for students opens nothing for an operator, and the other way round',
    edits: [edit('server/identity/authenticate.ts', "    if (session.role !== audience) throw invalidToken('audience')\n", '')],
    tests: [by(sessions, 'a token that we signed for too long')],
  },
  {
    name: 'token-lives-too-long',
    guard: 'that a token that lives longer than the longest we issue is refused',
    edits: [
      edit(
        'server/identity/access-token.ts',
        "        if (exp - iat > accessTokenSeconds) return { kind: 'refused', reason: 'lifetime' }\n",
        '',
      ),
    ],
    tests: [by(sessions, 'a token that we signed for too long')],
  },
  {
    name: 'two-credentials',
    guard: 'that a request with two credentials is refused',
    edits: [
      edit(
        'server/platform/http/http.ts',
        'done(hasTwoCredentials(request.raw.rawHeaders) ? twoCredentials : undefined)',
        'done()',
      ),
    ],
    tests: [by(sessions, 'two credentials in one request')],
  },
  {
    name: 'live-keys-need-a-fresh-session',
    guard: 'that a stale session cannot create or roll a live key',
    edits: [
      edit(
        'server/developers/routes.ts',
        "if (environment === 'live') await refuseWithoutStepUp",
        "if (environment !== 'live') await refuseWithoutStepUp",
      ),
    ],
    tests: [by(takeovers, 'a stale session makes')],
  },
  {
    name: 'wider-keys-need-a-fresh-session',
    guard: 'that a stale session cannot allow more addresses for a live key',
    edits: [edit('server/developers/change-key.ts', '      await proveFresh(tx)\n', '')],
    tests: [by(takeovers, 'a stale session makes')],
  },
  {
    name: 'live-webhooks-need-a-fresh-session',
    guard: 'that a stale session cannot change a live webhook or rotate its secret',
    edits: [
      edit(
        'server/webhooks/routes.ts',
        "      if (request.webhookApp.environment === 'live') await refuseWithoutStepUp(deps, request.signedIn)\n",
        '',
      ),
    ],
    tests: [by(takeovers, 'a stale session makes')],
  },
  {
    name: 'new-live-key-waits',
    guard: 'that a live key made without a second factor makes no payouts for its first hour',
    edits: [edit('server/payouts/routes.ts', "  if (payoutsFrom) throw payoutMustWait('new_key', payoutsFrom)\n", '')],
    tests: [by(takeovers, 'a live key made without a second factor')],
  },
  {
    name: 'rejected-person-takes-no-live-money',
    guard: 'that the live page of a person without a valid verification takes no payments',
    edits: [
      edit(
        'server/pages/page.ts',
        "page.environment === 'live' || (page.merchantKind === 'business' && !isByServer)",
        "page.merchantKind === 'business'",
      ),
    ],
    tests: [by('test/attacks/reviews.test.ts', 'a person whose identity is rejected later')],
  },
  {
    name: 'rejected-person-unverifies-businesses',
    guard: 'that the businesses of a person whose identity is rejected lose their verification',
    edits: [edit('server/onboarding/decide.ts', '    await revokeBusinesses(deps, tx, businesses, by)\n', '')],
    tests: [by('test/attacks/reviews.test.ts', 'a person whose identity is rejected later')],
  },
  {
    name: 'reviewers-open-documents',
    guard: 'that a reviewer decides only after they opened every document as it is submitted now',
    edits: [
      edit(
        'server/onboarding/decide.ts',
        '  if (config.safeguards.reviewNeedsOpenedDocuments) await requireOpened(tx, submitted, reviewerId)\n',
        '',
      ),
    ],
    tests: [by('test/attacks/reviews.test.ts', 'where the setting is on, a reviewer decides')],
  },
  {
    name: 'reviewers-open-documents-to-reject',
    guard: 'that a reviewer rejects a submitted case only after they opened its documents',
    edits: [
      edit(
        'server/onboarding/decide.ts',
        "  if (review.stage === 'decided') return\n",
        "  if (review.stage === 'decided' || wanted.status !== 'verified') return\n",
      ),
    ],
    tests: [by('test/attacks/reviews.test.ts', 'where the setting is on, a reviewer decides')],
  },
  {
    name: 'wrong-codes-are-counted',
    guard: 'that wrong tries end a mailed code',
    edits: [
      edit('server/identity/mailed-token.sql.ts', 'set wrong_tries = t.wrong_tries + 1', 'set wrong_tries = t.wrong_tries'),
    ],
    tests: [by('server/identity/email.test.ts', 'five wrong tries end a code')],
  },
  {
    name: 'wrong-passwords-over-all-are-held-back',
    guard: 'that wrong passwords are held back by account and over all, not by address alone',
    edits: [
      edit(
        'server/identity/password.ts',
        "{ account: caller.account, address: caller.address, all: '' }",
        '{ address: caller.address }',
      ),
    ],
    tests: [by('server/identity/password.test.ts', 'wrong passwords at one account, and very many over all')],
  },
  {
    name: 'one-account-from-many-addresses',
    guard: 'that tries at one account are counted together, whatever address they come from',
    edits: [edit('server/identity/sign-in-tries.ts', "        await takeShared('signInAccount', account)\n", '')],
    tests: [by('test/limits.test.ts', 'one account tried from sixty addresses')],
  },
  {
    name: 'many-accounts-from-one-address',
    guard: 'that tries from one address are counted together, whatever account they are for',
    edits: [edit('server/identity/sign-in-tries.ts', "        await takeShared('signInAddress', from)\n", '')],
    tests: [by('test/limits.test.ts', 'one password tried at sixty accounts')],
  },
  {
    name: 'owners-are-not-slowed-at-home',
    guard: 'that those who guess at an account do not slow its owner down where they signed in before',
    edits: [edit('server/identity/sign-in-tries.ts', '      if (await isKnownNetwork(deps, account, from)) return\n', '')],
    tests: [by('test/limits.test.ts', 'one account tried from sixty addresses')],
  },
  {
    name: 'used-up-limits-only-slow',
    guard: 'that a limit that strangers use up leaves one try every few seconds',
    edits: [edit('server/platform/http/limits.ts', '    await slow.limit.take(slow.who, reply)\n', '    throw error\n')],
    tests: [by('test/limits.test.ts', 'one password tried at sixty accounts')],
  },
  {
    name: 'registrations-by-network',
    guard: 'that registrations of one network are limited',
    edits: [edit('server/identity/limit-registrations.ts', '  await limits.register.take(network, reply)\n', '')],
    tests: [by('test/attacks/registrations.test.ts', 'accounts are not listed')],
  },
  {
    name: 'registrations-over-all',
    guard: 'that registrations of all networks together are limited',
    edits: [
      edit(
        'server/identity/limit-registrations.ts',
        "  await takeOrSlowly({ limit: limits.registerOverall, who: 'all' }, { limit: limits.registerInRush, who: network }, reply)\n",
        '',
      ),
    ],
    tests: [by('test/attacks/registrations.test.ts', 'accounts are not listed')],
  },
  {
    name: 'one-mail-a-day-of-registrations',
    guard: 'that an owner is mailed at most once a day about registrations with their address',
    edits: [
      edit(
        'server/identity/user.sql.ts',
        "      and (registration_mailed_at is null or registration_mailed_at <= clock_now() - interval '1 day')\n",
        '',
      ),
    ],
    tests: [by('test/attacks/registrations.test.ts', 'accounts are not listed')],
  },
  {
    name: 'live-keys-need-a-verified-address',
    guard: 'that live keys are made only for a verified e-mail address where the setting is on',
    edits: [edit('server/developers/create-key.ts', '  await requireVerifiedEmail(deps, owner)\n', '')],
    tests: [by('test/attacks/registrations.test.ts', 'live keys and payouts need')],
  },
  {
    name: 'live-payouts-need-a-verified-address',
    guard: 'that live payouts are made only for a verified e-mail address where the setting is on',
    edits: [edit('server/payouts/routes.ts', '    await requireVerifiedEmail(deps, owner)\n', '')],
    tests: [by('test/attacks/registrations.test.ts', 'live keys and payouts need')],
  },
  {
    name: 'payouts-wait-after-takeovers',
    guard: 'that a person’s payouts wait after a reset, on a new device and with a new second factor',
    edits: [edit('server/payouts/payout-wait.ts', '  if (wait) throw payoutMustWait(wait.reason, wait.until)\n', '')],
    tests: [by(waits, 'after a reset, on a new device')],
  },
  {
    name: 'resets-are-noted',
    guard: 'that payouts wait after a password reset',
    edits: [edit('server/identity/reset-password.ts', '    await notePasswordReset(tx, userId)\n', '')],
    tests: [by(waits, 'after a reset, on a new device')],
  },
  {
    name: 'new-factors-prove-nothing-yet',
    guard: 'that a second factor that was just connected ends no wait',
    edits: [
      edit(
        'server/identity/account-wait.ts',
        'since: ({ factorChangedAt }) => factorChangedAt, factorPasses: false',
        'since: ({ factorChangedAt }) => factorChangedAt, factorPasses: true',
      ),
    ],
    tests: [by(waits, 'after a reset, on a new device')],
  },
  {
    name: 'changed-contacts-start-a-wait',
    guard: 'that payouts wait after a change of the phone number',
    edits: [
      edit(
        'server/identity/user.sql.ts',
        'phone_number = ${phoneNumber}, contact_changed_at = clock_now()',
        'phone_number = ${phoneNumber}',
      ),
    ],
    tests: [by(waits, 'after a change of the e-mail address or phone number')],
  },
  {
    name: 'changed-contacts-wait-with-a-factor',
    guard: 'that a second factor does not end the wait after a changed address',
    edits: [
      edit(
        'server/identity/account-wait.ts',
        'since: ({ contactChangedAt }) => contactChangedAt, factorPasses: false',
        'since: ({ contactChangedAt }) => contactChangedAt, factorPasses: true',
      ),
    ],
    tests: [by(waits, 'after a change of the e-mail address or phone number')],
  },
  {
    name: 'contact-changes-need-a-step-up',
    guard: 'that a change of the address or number needs a recent step-up',
    edits: [
      edit('server/identity/contact-routes.ts', '      onRequest: [onRequest, requireStepUp(deps)],\n', '      onRequest,\n'),
    ],
    tests: [by(contact, 'a change needs a recent step-up')],
  },
  {
    name: 'contact-codes-are-checked',
    guard: 'that only the mailed code changes the address',
    edits: [
      edit(
        'server/identity/mailed-token.sql.ts',
        'meant as (select token_hash from open where token_hash = any(${tried.hashes}::bytea[]))',
        'meant as (select token_hash from open where ${tried.hashes}::bytea[] is not null)',
      ),
    ],
    tests: [by(contact, 'five wrong tries end a code')],
  },
  {
    name: 'old-addresses-hear-of-requests',
    guard: 'that the old address is notified of a requested change',
    edits: [
      edit(
        'server/identity/change-contact.ts',
        "    await enqueueMail(deps, tx, noticeMail(user.email, 'email_change_requested'))\n",
        '',
      ),
    ],
    tests: [by(contact, 'a new address is set by the code')],
  },
  {
    name: 'old-addresses-hear-of-changes',
    guard: 'that the old address is notified of a change',
    edits: [
      edit(
        'server/identity/change-contact.ts',
        "      await enqueueMail(deps, tx, noticeMail(user.email, newPhoneNumber === null ? 'email_changed' : 'phone_number_changed'))\n",
        '',
      ),
    ],
    tests: [by(contact, 'a new address is set by the code'), by(contact, 'a new phone number is set')],
  },
  {
    name: 'changed-contacts-end-sessions',
    guard: 'that a change of the address ends the other sessions',
    edits: [
      edit(
        'server/identity/change-contact.ts',
        "await revokeOtherSessions(tx, { userId, id: sessionId }, 'contact_changed')",
        '0',
      ),
    ],
    tests: [by(contact, 'a new address is set by the code')],
  },
  {
    name: 'taken-addresses-get-no-code',
    guard: 'that a code is not mailed to the address of another account',
    edits: [edit('server/identity/change-contact.ts', '    if (await isEmailTaken(tx, wanted.email)) return true\n', '')],
    tests: [by(contact, 'no answer tells whether')],
  },
  {
    name: 'reset-passwords-cancel-changes',
    guard: 'that a password reset cancels the open change',
    edits: [edit('server/identity/reset-password.ts', "    await useUpMailedTokens(tx, userId, 'contact_change')\n", '')],
    tests: [by(contact, 'a changed or reset password')],
  },
  {
    name: 'known-networks-are-not-shown',
    guard: 'that the limits named on an answer do not say whether an account knows a network',
    edits: [edit('server/identity/sign-in-tries.ts', '`${name}Slow`], who }, null)', '`${name}Slow`], who }, reply)')],
    tests: [by('test/limits.test.ts', 'the answer to a wrong password names the same limits')],
  },
  {
    name: 'removed-factors-prove-nothing',
    guard: 'that a removed second factor ends no wait',
    edits: [edit('server/identity/session.sql.ts', "'mfa' = any (s.amr) and f.confirmed_at is not null", "'mfa' = any (s.amr)")],
    tests: [by(waits, 'a second factor that was connected and disconnected')],
  },
  {
    name: 'removed-factors-leave-the-session',
    guard: 'that a session loses its second factor when it is disconnected',
    edits: [
      edit(
        'server/identity/disable-second-factor.ts',
        "    await removeMethods(tx, { userId, id: sessionId, methods: ['otp', 'mfa'] })\n",
        '',
      ),
    ],
    tests: [by(waits, 'a second factor that was connected and disconnected')],
  },
  {
    name: 'removing-a-factor-starts-a-wait',
    guard: 'that payouts wait after a second factor was disconnected',
    edits: [edit('server/identity/second-factor.sql.ts', ', removed_at = clock_now()', '')],
    tests: [by(waits, 'a second factor that was connected and disconnected')],
  },
  {
    name: 'new-keys-wait-like-their-owner',
    guard: 'that a new key pays out no earlier than the person who made it',
    edits: [edit('server/developers/create-key.ts', 'Math.max(ownSeconds, maker.accountWaitSeconds)', 'ownSeconds')],
    tests: [by(waits, 'after a reset, on a new device')],
  },
  {
    name: 'new-recipients-wait',
    guard: 'that a person’s first payout to a recipient waits',
    edits: [edit('server/payouts/payout-wait.ts', 'return config.safeguards.newRecipientPayoutWaitSeconds', 'return 0')],
    tests: [by(waits, 'a person’s first payout to a recipient')],
  },
  {
    name: 'waiting-payouts-are-not-sent',
    guard: 'that no payout is sent before its wait has ended, whatever makes it due',
    edits: [
      edit(
        'server/payouts/send-payout.ts',
        '  if (payout.waitSeconds > 0) return waitUnsent(deps, payout, payout.waitSeconds)\n',
        '',
      ),
    ],
    tests: [by(waits, 'a person’s first payout to a recipient')],
  },
  {
    name: 'dates-of-devices-are-signed',
    guard: 'that a browser cannot set since when it is known',
    edits: [
      edit(
        'server/identity/known-device.ts',
        'if (isMadeUnder(config.keys.knownDevice, given,',
        'if (given.length > 0 || isMadeUnder(config.keys.knownDevice, given,',
      ),
    ],
    tests: [by('server/identity/session-cookie.test.ts', 'a device is known to a person')],
  },
  {
    name: 'weak-passwords-are-refused',
    guard: 'that a password that is guessed quickly is not taken',
    edits: [edit('server/identity/password-strength.ts', '  if (score < leastScore) {', '  if (score < 0) {')],
    tests: [by('server/identity/password-strength.test.ts', 'known passwords')],
  },
  {
    name: 'personal-passwords-are-refused',
    guard: 'that the owner’s name with a year is refused as a password',
    edits: [
      edit(
        'server/identity/password-strength.ts',
        "  if (rest.length < cut.length && strength.check(rest).score < leastScore) return 'password_personal'\n",
        '',
      ),
    ],
    tests: [by('server/identity/password-strength.test.ts', 'known passwords')],
  },
  {
    name: 'reset-refuses-weak-passwords',
    guard: 'that a mailed code sets no weak password',
    edits: [edit('server/identity/reset-password.ts', '  refuseWeakPassword(password, owner)\n', '')],
    tests: [by('server/identity/password-strength.test.ts', 'a weak password is refused where')],
  },
  {
    name: 'change-refuses-weak-passwords',
    guard: 'that a password is not changed into a weak one',
    edits: [edit('server/identity/change-password.ts', '  refuseWeakPassword(wanted.password, owner)\n', '')],
    tests: [by('server/identity/password-strength.test.ts', 'a weak password is refused where')],
  },
  {
    name: 'lost-failures-are-remembered',
    guard: 'that a payout that failed in the time lost by a restore is not sent again',
    edits: [
      edit(
        'server/reconciliation/payout-book.ts',
        "found === 'nothing' && record.ourReference !== null",
        "found === 'new_break' && record.ourReference !== null",
      ),
    ],
    tests: [by('server/payouts/payout-restore.test.ts', 'a payout that failed in the time that a restore has lost')],
  },
  {
    name: 'second-orders-are-booked',
    guard: 'that money sent by a second order of a payout is booked',
    edits: [
      edit(
        'server/reconciliation/payout-book.ts',
        'return isOurs && [null, meant[index]!.reference].includes(one.providerReference) ? one : undefined',
        'return isOurs && meant[index] ? one : undefined',
      ),
    ],
    tests: [by('server/reconciliation/every-payout-resolution.test.ts', 'a second order of a ')],
  },
  {
    name: 'simulator-refuses-live-keys',
    guard: 'that the simulator of a production service gets no live key',
    edits: [edit('simulator/config.ts', '  if (isProduction) refuseInProduction(set)\n', '')],
    tests: [by(simulatorTest, 'in production it plays the test environment alone')],
  },
  {
    name: 'simulator-has-no-known-keys',
    guard: 'that the keys in its source open no account of a simulator in production',
    edits: [edit('simulator/config.ts', "(isProduction ? randomBytes(32).toString('hex') : value)", 'value')],
    tests: [by(simulatorTest, 'in production it plays the test environment alone')],
  },
  {
    name: 'simulator-has-no-controls',
    guard: 'that no one controls a simulator in production over HTTP',
    edits: [edit('simulator/config.ts', 'hasControls: !isProduction', 'hasControls: true')],
    tests: [by(simulatorTest, 'in production it plays the test environment alone')],
  },
  {
    name: 'membership-is-read-again',
    guard: 'that the role of a person is read again in the transaction that moves money',
    edits: [
      edit(
        'server/developers/owner-auth.ts',
        'confirm: (tx, request, owner) => confirmAccess(tx, request.signedIn, owner, accessOf(request).permission),',
        'confirm: async (_tx, _request, owner) => owner,',
      ),
    ],
    tests: [by(removalTest, 'a removed member is refused from the next request on')],
  },
  {
    name: 'removal-waits-for-requests',
    guard: 'that the removal of a member waits for what the member is doing',
    edits: [edit(accessSql, 'where m.id = ${merchantId} for share of m, x`', 'where m.id = ${merchantId}`')],
    tests: [by(removalTest, 'a removal waits for a request of the member')],
  },
  {
    name: 'today-ends-at-midnight',
    guard: 'that a cashier sees what was made today only',
    edits: [edit(accessSql, 'seesOnlyToday ? sql`and', 'seesOnlyToday === undefined ? sql`and')],
    tests: [by(rolesAttacks, 'a cashier sees the payments and requests of today')],
  },
  {
    name: 'business-keeps-an-owner',
    guard: 'that the last owner of a business stays',
    edits: [
      edit(
        'server/members/change-member.ts',
        "if (other === undefined) throw invalidState('A business needs an owner. Make another member an owner first.')",
        'if (other === undefined) return',
      ),
    ],
    tests: [by(membersTest, 'a business is handed over')],
  },
  {
    name: 'owners-manage-owners',
    guard: 'that only an owner makes, changes and removes owners',
    edits: [edit(inviteMember, "roles.includes('owner') ? 'owners.write' : 'members.write'", "'members.write'")],
    tests: [by(membersTest, 'admins manage everyone but owners')],
  },
  {
    name: 'owners-step-up',
    guard: 'that owners are made and removed after a recent proof of identity only',
    edits: [
      edit(
        'server/members/routes.ts',
        "    if (roles.includes('owner')) await refuseWithoutStepUp(deps, request.signedIn)\n",
        '',
      ),
    ],
    tests: [by(membersTest, 'owners are made and removed')],
  },
  {
    name: 'owners-are-verified',
    guard: 'that a new owner is a person whose identity was verified',
    edits: [
      edit('server/members/change-member.ts', "      if (role === 'owner') await requireVerifiedPerson(tx, member.userId)\n", ''),
    ],
    tests: [by(membersTest, 'owners are made and removed')],
  },
  {
    name: 'invitation-is-for-one-address',
    guard: 'that an invitation works only for the person whose address was invited',
    edits: [edit(acceptInvitation, 'if (user.email !== invited.email) {', "if (invited.email === '') {")],
    tests: [by(membersTest, 'an invitation works once')],
  },
  {
    name: 'invited-address-is-verified',
    guard: 'that an invitation needs a verified address',
    edits: [edit(acceptInvitation, 'if (!user.isEmailVerified) {', "if (invited.email === '') {")],
    tests: [by(membersTest, 'an invitation works once')],
  },
  {
    name: 'invitation-expires',
    guard: 'that an invitation ends after seven days',
    edits: [
      edit(
        'server/members/member.sql.ts',
        'where x.token_hash = ${tokenHash} and x.invitation_expires_at > clock_now()`',
        'where x.token_hash = ${tokenHash}`',
      ),
    ],
    tests: [by(membersTest, 'an expired and a cancelled invitation')],
  },
  {
    name: 'strangers-get-approved-names',
    guard: 'that an invitation carries no name that no reviewer has approved',
    edits: [
      edit(inviteMember, "verificationStatus === 'verified' ? displayName : undefined", 'verificationStatus && displayName'),
    ],
    tests: [by(membersTest, 'an invitation of a business that no reviewer')],
  },
  {
    name: 'only-invited-people-are-no-students',
    guard: 'that only the invited address registers without student data',
    edits: [
      edit(
        acceptInvitation,
        '(await findInvitation(db, hashOfToken(token)))?.email === email',
        '(await findInvitation(db, hashOfToken(token))) !== undefined',
      ),
    ],
    tests: [by(membersTest, 'a person who was invited registers')],
  },
  {
    name: 'erasure-spares-other-owners',
    guard: 'that a business with another owner is not erased with a person',
    edits: [
      edit(
        'server/members/end-memberships.ts',
        'const other = isPerson ? await findOtherOwner(tx, merchantId, userId) : undefined',
        'const other: string | undefined = undefined',
      ),
    ],
    tests: [by('server/data-lifecycle/person.test.ts', 'an erased person leaves their businesses')],
  },
  {
    name: 'no-answer-for-live-prompts',
    guard: 'that only prompts of the test environment are answered on the simulated phone',
    edits: [
      edit(
        'server/payments/answer-prompt.ts',
        "owner.environment === 'test' && simulatedPhone.isThere",
        'simulatedPhone.isThere',
      ),
      edit('server/payments/answer-prompt.ts', "charge?.environment === 'test' && charge.", 'charge !== undefined && charge.'),
    ],
    tests: [by('server/payments/answer-prompt.test.ts', 'a live payment is never answered')],
  },
  {
    name: 'no-phone-at-a-real-provider',
    guard: 'that a test environment with a real provider has no simulated phone',
    edits: [edit('server/providers/simulated-phone.ts', '= test.isSimulated\n', '= test.snippe !== undefined\n')],
    tests: [by('server/payments/answer-prompt.test.ts', 'a test environment of a real provider has no phone')],
  },
  {
    name: 'document-view-of-its-owner',
    guard: 'that only reviewers and those who may submit it open a view of a document',
    edits: [edit('server/documents/host.ts', 'if (!isOwn) await requireReviewer(request)', 'void isOwn')],
    tests: [by('test/onboarding-problems.test.ts', 'an owner sees a new picture of a document of theirs')],
  },
  {
    name: 'one-email-code-at-a-time',
    guard: 'that a new verification code ends the one before it',
    edits: [edit('server/identity/mail-token.ts', "  await useUpMailedTokens(tx, user.id, 'email_verification')\n", '')],
    tests: [by('server/identity/email.test.ts', 'a new code ends the one before it')],
  },
  {
    name: 'case-needs-proof-of-failure',
    guard: 'that a charge which expired at the provider is no proof that no money was taken',
    edits: [
      edit(
        'server/payments/ask-charge.ts',
        "(snapshot.status === 'failed' || snapshot.status === 'voided')",
        "(snapshot.status === 'failed' || snapshot.status === 'voided' || snapshot.status === 'expired')",
      ),
    ],
    tests: [by(supportTest, 'a charge that is still open, expired or unknown')],
  },
  {
    name: 'case-settles-success-first',
    guard: 'that a success is settled before a payer is told that the payment was received',
    edits: [
      edit(
        'server/payments/ask-charge.ts',
        "if (snapshot.status === 'completed') await deps.settle(",
        "if (snapshot.status === 'completed') void (",
      ),
    ],
    tests: [by(supportTest, 'a payer whose money left without a message')],
  },
  {
    name: 'case-hides-number-of-another',
    guard: 'that a payer sees no difference between the number of another payment and an unknown one',
    edits: [
      edit(
        'server/support-cases/support-case.ts',
        "if (isQuiet && escalatedBecause === 'number_of_another') return { state: 'answered', finding }",
        "if (isQuiet && escalatedBecause === 'number_of_another' && finding === null) return { state: 'answered', finding }",
      ),
    ],
    tests: [by(supportTest, 'a number of another payment is never told apart')],
  },
  {
    name: 'case-hides-number-of-another-closed',
    guard: 'that a case closed without a message shows no difference either',
    edits: [edit('server/support-cases/support-case.ts', "(state === 'closed' && decisionMessage === null)", 'false')],
    tests: [by(supportTest, 'operators who close a case about a number of another payment')],
  },
  {
    name: 'no-doubt-about-paid-cases',
    guard: 'that a payer cannot disagree with an old answer about a payment that is paid now',
    edits: [edit('server/support-cases/open-case.ts', "(charge?.status === 'completed' && !charge.isTakenBack)", 'false')],
    tests: [by(supportTest, 'a page that still shows')],
  },
  {
    name: 'case-hides-number-of-another-late',
    guard: 'that a late credit shows no difference either',
    edits: [
      edit(
        'server/support-cases/ask-providers.ts',
        "  const learned = {\n    truth: { kind: 'received' }",
        "  if (one.state === 'answered') return { toState: 'answered', because: null }\n  const learned = {\n    truth: { kind: 'received' }",
      ),
    ],
    tests: [by(supportTest, 'a number of another payment is never told apart')],
  },
  {
    name: 'case-of-another-reaches-operators',
    guard: 'that operators get a case whose number is the receipt of another payment',
    edits: [
      edit(
        'server/support-cases/ask-providers.ts',
        'const isOfAnother = owner !== undefined && owner.id !== one.paymentId',
        'const isOfAnother = owner !== undefined && owner.id === one.paymentId',
      ),
    ],
    tests: [by(supportTest, 'a number of another payment is never told apart')],
  },
  {
    name: 'case-decision-follows-books',
    guard: 'that operators cannot call a payment received or failed against the books',
    edits: [edit('server/support-cases/decide-case.ts', '    await refuseAgainstBooks(tx, before, verdict.decision)\n', '')],
    tests: [by(supportTest, 'operators close a case with a note')],
  },
  {
    name: 'cases-of-a-payment-are-limited',
    guard: 'the limit of reports about one payment',
    edits: [edit('server/support-cases/open-case.ts', '  await limits.supportCase.take(paymentId, reply)\n', '')],
    tests: [by(supportAttacks, 'a flood of reports')],
  },
  {
    name: 'case-guesses-are-limited',
    guard: 'the limit of guessed addresses of cases',
    edits: [
      edit(
        'server/web/checkout/case-routes.ts',
        '    await deps.limits.unknownReference.take(networkOf(request.ip), reply)\n    throw notFound()',
        '    throw notFound()',
      ),
    ],
    tests: [by(supportAttacks, 'cases and payments cannot be guessed')],
  },
  {
    name: 'brand-waits-for-verification',
    guard: 'that a live page shows no logo of a merchant that is not verified',
    edits: [
      edit(
        'server/brands/brand.ts',
        "return environment === 'test' || merchant.verificationStatus === 'verified'",
        'return true',
      ),
    ],
    tests: [by(brandsTest, 'a merchant that is not verified, or is suspended')],
  },
  {
    name: 'brand-of-suspended-is-hidden',
    guard: 'that no page shows the logo of a suspended merchant',
    edits: [edit('server/brands/brand.ts', '  if (merchant.suspendedAt !== null) return false\n', '')],
    tests: [by(brandsTest, 'a merchant that is not verified, or is suspended')],
  },
  {
    name: 'logo-of-suspended-is-not-served',
    guard: 'that the public address of a logo works only while its merchant is not suspended',
    edits: [edit('server/brands/brand.sql.ts', ' and m.suspended_at is null', '')],
    tests: [by(brandsTest, 'a merchant that is not verified, or is suspended')],
  },
  {
    name: 'removed-logo-stays-away',
    guard: 'that a logo which operators have removed cannot be set again',
    edits: [edit('server/brands/set-logo.ts', 'if (removal?.sha256.equals(logo.sha256)) {', 'if (removal === undefined) {')],
    tests: [by(brandsTest, 'an operator removes a logo with a reason')],
  },
  {
    name: 'erasure-removes-logo',
    guard: 'that the erasure of an account removes its logo',
    edits: [edit('server/data-lifecycle/erase-account.ts', '    await deleteBrands(tx, ids)\n', '')],
    tests: [by(brandsTest, 'the erasure of an account removes its logo')],
  },
  {
    name: 'pay-button-is-seen',
    guard: 'the least contrast of a pay button with the page behind it',
    edits: [edit('server/brands/shade.ts', 'const leastOfButton = 3', 'const leastOfButton = 1')],
    tests: [by('server/brands/shade.test.ts', 'every colour of the cube')],
  },
]
