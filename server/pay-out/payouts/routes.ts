/** HTTP routes of payouts, by API key and by the owner's sign-in. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { csvQuery, sheetOf } from '../../domain/sheet.ts'
import { amountWarnings, currencySchema } from '../../domain/currency.ts'
import { networkSchema } from '../../domain/network.ts'
import {
  actorOf,
  ownerAuthMethods,
  personOf,
  signedInAuth,
  type OwnerAuth,
  type OwnerAuthDeps,
} from '../../accounts/developers/owner-auth.ts'
import type { KeyCaller } from '../../accounts/developers/authenticate-key.ts'
import type { Config } from '../../config/config.ts'
import type { Requester } from '../../accounts/members/ask-approval.ts'
import { requireGoodStanding, type Owner, standingRefusals } from '../../accounts/identity/merchant.ts'
import { requireVerifiedEmail } from '../../accounts/identity/require-verified-email.ts'
import type { Tx } from '../../platform/db/db.ts'
import { daysOf, jsonOrCsv, mapPages, sendCsv, wantsCsv } from '../../platform/http/csv.ts'
import type { PayoutPurpose } from '../../domain/payout.ts'
import { dataOf, listOf, listQuery, wholeNumber, type Http } from '../../platform/http/http.ts'
import { totalsQuery, totalsSchema } from '../../platform/http/list-totals.ts'
import { idempotencyHeader, idempotencyKey, idempotencyKeyOf } from '../../platform/http/idempotency-key.ts'
import { findRefundSource } from '../../collect/payments/refund-source.sql.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { answerPage, type Cursors } from '../../platform/http/page.ts'
import { invalidFields, invalidState, orNotFound } from '../../platform/refusal.ts'
import { freeMetadata, referenceNamed } from '../../platform/http/own-data.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { lastPaidNames } from '../recipients/recipient.sql.ts'
import { readRecipient } from '../recipients/read-recipient.ts'
import { cancelPayout } from './cancel-payout.ts'
import {
  exportPayouts,
  listOwnPayouts,
  maxSearchedPayouts,
  payoutColumns,
  payoutFilters,
  payoutToCells,
  totalPayouts,
} from './list-payouts.ts'
import { newRecipientWaitOf } from './payout-wait.ts'
import { payoutMustWait, refuseWaitingAccount } from '../../accounts/identity/account-wait.ts'
import { payoutSchema, payoutToJson, verificationRules, warningSchema, warningsToJson, type Payout } from './payout.ts'
import { payoutWithTimeline, payoutWithTimelineSchema } from './payout-history.ts'
import { findDouble, findPayout } from './payout.sql.ts'
import {
  nameWarnings,
  quoteFee,
  refuseBadAmount,
  requestPayout,
  type PayoutCaller,
  type RequestPayoutDeps,
} from './request-payout.ts'
import { leastOf, payoutBounds } from '../../money/providers/provider.ts'
import { restWarnings } from './request-refund.ts'
import { checkPayouts, type SendPayoutDeps } from './send-payout.ts'

export type PayoutRouteDeps = OwnerAuthDeps &
  RequestPayoutDeps &
  SendPayoutDeps & {
    config: Pick<Config, 'sessions' | 'safeguards' | 'testWritesBeforeVerification'>
    cursors: Cursors
    limits: Record<'payout', Limit>
    /** Runs work after the answer is sent; a draining process waits for it. */
    inBackground(work: Promise<unknown>): void
  }

const payoutBody = z.strictObject({
  amount: z
    .int({ error: 'amount_invalid: The amount must be a whole number of TZS, without decimals or quotes.' })
    .meta({ description: 'TZS that the recipient receives. The fee is debited in addition.', example: 20_000, ...payoutBounds }),
  phone_number: z.string().max(40).meta({ example: '+255754123789' }),
  recipient_name: lineOfText(120).meta({ example: 'Asha Mushi' }),
  narration: lineOfText(140)
    .nullish()
    .meta({ description: 'Text for the recipient, if the network shows it.', example: 'March wages' }),
  merchant_reference: lineOfText(100).nullish().meta({ description: 'Your own reference.', example: 'WAGE-1001' }),
  reference: lineOfText(100).nullish().meta({ description: 'The older name of `merchant_reference`. Both and different: 400.' }),
  metadata: freeMetadata.nullish(),
  idempotency_key: idempotencyKey.optional().meta({ description: 'Alternative to the header `Idempotency-Key`.' }),
})

const feeSchema = z
  .object({
    amount: z.int(),
    fee: z.int(),
    total_debited: z.int(),
    currency: currencySchema,
    network: networkSchema.nullable().meta({ description: 'Null without a recipient.' }),
    warnings: z
      .array(warningSchema)
      .meta({ description: 'What to check before you pay. Empty without `recipient_name` or `payment`.' }),
    last_paid_name: z.string().nullable().meta({
      description: 'Set with `recipient_name_differs`: the name in the last completed payout of this wallet to the number.',
    }),
    duplicate_of: z.object({ id: z.string(), created_at: z.iso.datetime() }).nullable().meta({
      description: 'Set with `possible_duplicate`: the payout or refund that this one may repeat.',
    }),
  })
  .meta({ id: 'PayoutFee' })

/** Refuses an API key that is too new to pay, so that its owner has time to notice a key that a thief has created. */
function refuseYoungKey({ payoutsFrom }: KeyCaller): void {
  if (payoutsFrom) throw payoutMustWait('new_key', payoutsFrom)
}

/** The codes of `requireStandingToPay`. */
export const mayPayRefusals = ({ callers }: OwnerAuth): string[] => [
  ...standingRefusals,
  ...(callers === 'people' ? ['email_not_verified'] : []),
]

/** Requires a merchant in good standing, and of a signed-in person a verified address. */
export const requireStandingToPay =
  (deps: PayoutRouteDeps, auth: OwnerAuth, purpose: PayoutPurpose = 'merchant') =>
  async (request: FastifyRequest): Promise<void> => {
    const owner = auth.ownerOf(request)
    requireGoodStanding(owner, verificationRules(purpose, deps.config))
    // An API key needs no email check: it was created for a verified address, or before that rule existed, and a server that already pays
    // is not stopped.
    if (auth.callers === 'people') await requireVerifiedEmail(deps, owner, request.signedIn.userId)
  }

/** Requires a key that is old enough, or a signed-in person whose account does not wait. */
async function requireNoWait(deps: PayoutRouteDeps, auth: OwnerAuth, request: FastifyRequest): Promise<void> {
  if (auth.callers === 'keys') return refuseYoungKey(request.keyCaller)
  await refuseWaitingAccount(deps, auth.ownerOf(request).environment, request.signedIn)
}

/** Requires the standing to pay, and that no wait is running. */
export const requireMayPay = (deps: PayoutRouteDeps, auth: OwnerAuth) => async (request: FastifyRequest) => {
  await requireStandingToPay(deps, auth)(request)
  await requireNoWait(deps, auth, request)
}

export async function payoutRoutes(http: Http, deps: PayoutRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    async function findOwn(request: FastifyRequest): Promise<{ owner: Owner; payout: Payout }> {
      const owner = auth.ownerOf(request)
      const id = fromWire('po', (request.params as { id: string }).id)
      const payout = orNotFound(id === undefined ? undefined : await findPayout(deps.db, owner, id))
      return { owner, payout }
    }

    ownerRoute(http, deps, auth, {
      route: 'POST /payouts',
      permission: 'payouts.write',
      operationId: `create${auth.name}Payout`,
      summary: 'Create a payout',
      description:
        'Debits the amount and the fee from the wallet, then sends the money to a phone. If this wallet last paid the number under another name, or requested the same amount, number and reference in the last 24 hours, the payout has a warning and is sent all the same: ask for the fee with `recipient_name` to see it first. 201 means that the payout exists, not that the money arrived: read the payout until it has ended. A repeat with the same key and body answers 200 with the same payout and `Idempotency-Replayed: true`; a payout is never sent twice. No answer does not mean that the payout failed: repeat the request with the same key. In the live environment, a signed-in user with a new device, a changed second factor or a reset password must wait (409 `payout_must_wait`), and a first payout to a recipient is sent only after `waits_until`. Neither applies to payouts by an API key.',
      headers: idempotencyHeader(', here or in the body'),
      body: payoutBody,
      answers: { 200: dataOf(payoutSchema), 201: dataOf(payoutSchema) },
      refuses: [
        'idempotency_key_required',
        'amount_invalid',
        'amount_too_small',
        'amount_too_large',
        'phone_invalid',
        'network_unsupported',
        'insufficient_balance',
        ...mayPayRefusals(auth),
        'insufficient_role',
        'payouts_on_hold',
        'payout_must_wait',
        'idempotency_in_progress',
        'idempotency_key_reused',
        'provider_unavailable',
        'network_unavailable',
      ],
      before: requireStandingToPay(deps, auth),
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const { idempotency_key, phone_number, recipient_name, narration, metadata, amount } = request.body
        const key = idempotencyKeyOf(request.headers['idempotency-key'], idempotency_key)
        const { payout, isReplay } = await requestPayout(deps, await payoutCallerOf(deps, auth, owner, request, reply), {
          amount,
          phoneNumber: phone_number,
          recipientName: recipient_name,
          narration: narration ?? null,
          reference: referenceNamed(request.body) ?? null,
          metadata: metadata ?? {},
          idempotencyKey: key,
        })
        if (isReplay) void reply.header('idempotency-replayed', 'true')
        else deps.inBackground(checkPayouts(deps, 1, payout))
        const made = payoutToJson(payout)
        const isSuspect = auth.callers === 'keys' && amountWarnings(owner.environment, amount).length > 0
        const warnings = isSuspect ? [...made.warnings, ...warningsToJson(['amount_maybe_in_cents'])] : made.warnings
        return reply.code(isReplay ? 200 : 201).send({ data: { ...made, warnings } })
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payouts',
      permission: 'payouts.read',
      operationId: `list${auth.name}Payouts`,
      summary: 'List payouts',
      description: `Newest first; refunds are in \`GET /v1/refunds\`. The search with \`q\` covers at most ${maxSearchedPayouts.toLocaleString('en')} payouts for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor. With \`Accept: text/csv\` the answer is the whole filtered list as a file; \`limit\` is ignored. Its columns: ${payoutColumns.join(', ')}. A text that a spreadsheet could read as a formula starts with an apostrophe. The file is complete only if the HTTP response ends normally.`,
      query: z.strictObject({ ...listQuery, ...csvQuery, ...auth.query, ...payoutFilters }),
      answers: { 200: jsonOrCsv(listOf(payoutSchema)) },
      handler: async (request, reply) => {
        const { query } = request
        const owner = auth.ownerOf(request)
        if (wantsCsv(request)) {
          auth.requireAlso(request, 'statements.read')
          return sendCsv(deps, request, reply, {
            name: `payouts-${owner.environment}-${daysOf({ createdFrom: query.created_from, createdTo: query.created_to }, new Date(deps.clock.now()))}`,
            header: [...payoutColumns],
            sheet: sheetOf(payoutColumns, query.csv_language),
            pages: mapPages(exportPayouts(deps, owner, query), payoutToCells),
            mayStill: auth.mayStill(request, 'statements.read'),
          })
        }
        void reply.header('vary', 'Accept')
        return answerPage(await listOwnPayouts(deps, owner, query), payoutToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payouts/fee',
      permission: 'payouts.read',
      operationId: `get${auth.name}PayoutFee`,
      summary: 'Get the fee of a payout',
      description:
        'Send the recipient too: the fee of some providers depends on it, and without it they refuse with 400. With `recipient_name` the answer also has the warnings that a payout to this number and name would have, with `payment` those of a refund.',
      query: z.strictObject({
        ...auth.query,
        amount: wholeNumber(0).meta(payoutBounds),
        phone_number: z.string().max(40).optional(),
        payment: z.string().max(40).optional().meta({ description: 'For a refund: the reference of the payment.' }),
        recipient_name: lineOfText(120).optional().meta({ description: 'The name that the payout would have.' }),
        merchant_reference: lineOfText(100)
          .optional()
          .meta({ description: 'Your own reference, as the payout or refund would have it.' }),
        reference: lineOfText(100).optional().meta({ description: 'The older name of `merchant_reference`.' }),
      }),
      answers: { 200: dataOf(feeSchema) },
      refuses: [
        'amount_invalid',
        'amount_too_small',
        'amount_too_large',
        'phone_invalid',
        'network_unsupported',
        'invalid_state',
        'not_found',
        'provider_unavailable',
      ],
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { amount, recipient_name, phone_number, payment } = request.query
        const reference = referenceNamed(request.query) ?? null
        refuseBadAmount(deps, owner, amount)
        const phone = await feePhoneOf(deps, owner, request.query)
        const purpose = payment === undefined ? ('merchant' as const) : ('refund' as const)
        const fee = await quoteFee(deps, owner, amount, { phoneNumber: phone, purpose })
        const isNamed = phone_number !== undefined && recipient_name !== undefined
        const warnings = isNamed ? await nameWarnings(deps.db, owner, phone!, recipient_name) : []
        const refundOf = payment === undefined ? null : fromWire('pay', payment)!
        const like = { purpose, refundOf, amount, reference }
        const source = refundOf === null ? undefined : await findRefundSource(deps.db, owner, refundOf)
        if (source) warnings.push(...restWarnings(source.refundable - amount, leastOf(deps.providers[owner.environment].payouts)))
        const double =
          isNamed || refundOf !== null ? await findDouble(deps.db, owner, { ...like, phoneNumber: phone! }) : undefined
        const last = warnings.includes('recipient_name_differs')
          ? (await lastPaidNames(deps.db, owner, [phone!])).get(phone!)
          : undefined
        return {
          data: {
            amount,
            fee,
            total_debited: amount + fee,
            currency: 'TZS' as const,
            network: phone === undefined ? null : readRecipient(phone).network,
            warnings: warningsToJson(double ? [...warnings, 'possible_duplicate'] : warnings),
            last_paid_name: last ?? null,
            duplicate_of: double
              ? { id: toWire(refundOf === null ? 'po' : 'rf', double.id), created_at: double.createdAt.toISOString() }
              : null,
          },
        }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payouts/:id',
      permission: 'payouts.read',
      operationId: `get${auth.name}Payout`,
      summary: 'Get a payout',
      answers: { 200: dataOf(payoutWithTimelineSchema) },
      handler: async (request) => {
        const { owner, payout } = await findOwn(request)
        return { data: await payoutWithTimeline(deps, owner, auth.sightOf(request), payout) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'POST /payouts/:id/cancel',
      permission: 'payouts.write',
      operationId: `cancel${auth.name}Payout`,
      summary: 'Cancel a payout',
      description:
        'Only before the payout is sent. Returns the amount and the fee to the wallet. Already sent or ended: 409 `invalid_state`.',
      body: z.strictObject({}).prefault({}),
      answers: { 200: dataOf(payoutSchema) },
      refuses: ['invalid_state'],
      before: (request) => findOwn(request),
      handler: async (request) => {
        const { owner, payout } = await findOwn(request)
        const cause = { actor: actorOf(request), requestId: request.id }
        const confirm = async (tx: Tx) => void (await auth.confirm(tx, request, owner))
        const cancelled = await cancelPayout(deps, payout, cause, confirm, personOf(request))
        return { data: payoutToJson(cancelled) }
      },
    })
  }

  const auth = signedInAuth(deps)
  const { created_from, created_to } = listQuery
  ownerRoute(http, deps, auth, {
    route: 'GET /payouts/totals',
    permission: 'payouts.read',
    operationId: 'totalMerchantPayouts',
    summary: 'Get the totals of payouts',
    description: `What the whole list with this filter adds up to, not one page of it. Completed: it has arrived and was not reversed; without fees. At most the newest ${maxSearchedPayouts.toLocaleString('en')} payouts are counted: \`counted_after\` says if there are more.`,
    query: z.strictObject({ created_from, created_to, ...totalsQuery, ...payoutFilters, ...auth.query }),
    answers: { 200: dataOf(totalsSchema) },
    handler: async (request) => ({ data: await totalPayouts(deps, auth.ownerOf(request), request.query) }),
  })
}

/** Who requests money to leave: a key counts as the person who made it. */
export function requesterOf(request: FastifyRequest): Requester {
  const caller = request.keyCaller as KeyCaller | null
  const userId = caller?.createdBy ?? request.signedIn.userId
  return { actor: actorOf(request), userId, isPerson: caller === null, requestId: request.id, ip: request.ip }
}

/** Who requests a payout or a refund of this wallet. A repeat of an earlier request moves nothing and is not counted. */
export async function payoutCallerOf(
  deps: PayoutRouteDeps,
  auth: OwnerAuth,
  owner: Owner,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: PayoutPurpose = 'merchant',
): Promise<PayoutCaller> {
  return {
    owner,
    by: requesterOf(request),
    newRecipientWaitSeconds: await newRecipientWaitOf(deps, owner.environment, request.signedIn),
    admit: async () => {
      // Not earlier: the repeat of a request that was made before the wait must find its payout, not read that nothing was debited.
      await requireNoWait(deps, auth, request)
      await deps.limits.payout.take(`${owner.merchant.id} ${owner.environment}`, reply)
    },
    confirm: async (tx) => requireGoodStanding(await auth.confirm(tx, request, owner), verificationRules(purpose, deps.config)),
    sight: auth.sightOf(request),
  }
}

/** Who would receive the payout: a number, or the payer of a payment that is refunded. */
type FeeFor = { phone_number?: string | undefined; payment?: string | undefined }

/** The number that the fee is for. Refuses with 400, 404 or 409 what no payout or refund could have. */
async function feePhoneOf(deps: PayoutRouteDeps, owner: Owner, { phone_number, payment }: FeeFor): Promise<string | undefined> {
  if (payment !== undefined) {
    const message = 'Send either `phone_number` or `payment`.'
    if (phone_number !== undefined) throw invalidFields([{ field: 'payment', code: 'invalid', message }])
    const id = fromWire('pay', payment)
    const source = orNotFound(id === undefined ? undefined : await findRefundSource(deps.db, owner, id))
    if (readRecipient(source.phoneNumber).errors.length > 0)
      throw invalidState('The payer of this payment was erased.', 'Taarifa za mlipaji wa malipo haya zimefutwa.')
    return source.phoneNumber
  }
  if (phone_number !== undefined) {
    const { e164, errors: problems } = readRecipient(phone_number)
    if (problems.length > 0) throw invalidFields(problems, problems[0]!.code, problems[0]!.message)
    return e164
  }
  if (!deps.providers[owner.environment].payouts.capabilities.quotesForRecipient) return undefined
  const message = 'The fee depends on the recipient. Send `phone_number`, or for a refund `payment`.'
  throw invalidFields([{ field: 'phone_number', code: 'required', message }], 'validation_error', message)
}
