/** HTTP routes of what waits for the approval of members: the queue, and the decision of one member. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { standingRefusals, type Owner } from '../../accounts/identity/merchant.ts'
import { approvalVerdicts, decisionOutcomeSchema } from '../../domain/approval.ts'
import { signedInAuth } from '../../accounts/developers/owner-auth.ts'
import { refuseWaitingAccount } from '../../accounts/identity/account-wait.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { confirmAccess } from '../../accounts/members/access.ts'
import { approvingRoles } from '../../accounts/members/approval-rule.ts'
import { findApproval, listVotes, listWaiting, type ApprovalRequest } from '../../accounts/members/approval.sql.ts'
import { decideRole } from '../../accounts/members/decide-role.ts'
import type { GiveRoleDeps } from '../../accounts/members/change-member.ts'
import { decideApproval, requestingRoles, seenVersion, type ApprovalDecision } from '../../accounts/members/decide-approval.ts'
import { isAllowed } from '../../accounts/members/permissions.ts'
import { applyRuleChange } from '../../accounts/members/set-approval-rule.ts'
import { decideBatch } from '../payout-batches/approve-batch.ts'
import type { Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf } from '../../platform/http/page.ts'
import { notFound } from '../../platform/refusal.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { decidePayoutByMember } from '../payouts/approve-payout.ts'
import { newRecipientWaitOf } from '../payouts/payout-wait.ts'
import { requireMayPay, type PayoutRouteDeps } from '../payouts/routes.ts'
import { checkPayouts } from '../payouts/send-payout.ts'
import { approvalSchema, approvalToJson, prefixOf } from './queue.ts'
import { findWaitingPayouts } from './queue.sql.ts'

export type ApprovalRouteDeps = PayoutRouteDeps & Pick<GiveRoleDeps, 'onRightsLost' | 'renewReview'>

const decisionSchema = z
  .object({
    id: z.string(),
    outcome: decisionOutcomeSchema.meta({
      description: '`more`: your approval counts, and another member must approve, too.',
    }),
  })
  .meta({ id: 'ApprovalOutcome' })

type Subject = { id: string; wireId: string; kind: ApprovalRequest['kind'] }

/** The kind of what waits, by the prefix of its id; 404 for any other id. */
function subjectIn(request: FastifyRequest): Subject {
  const wireId = (request.params as { id: string }).id
  for (const [kind, prefix] of Object.entries(prefixOf)) {
    const id = fromWire(prefix, wireId)
    if (id !== undefined) return { id, wireId, kind: kind as Subject['kind'] }
  }
  throw notFound()
}

async function readEntries(deps: ApprovalRouteDeps, owner: Owner, requests: ApprovalRequest[], request: FastifyRequest) {
  const { home } = owner.merchant
  const ids = requests.map(({ id }) => id)
  const [votes, payouts] = await Promise.all([
    listVotes(deps.db, home, ids, approvingRoles(owner.environment)),
    findWaitingPayouts(deps.db, home, ids),
  ])
  const reader = { userId: request.signedIn.userId, role: request.access!.role }
  return requests.map((one) => ({
    ...one,
    json: approvalToJson(
      one,
      votes.filter(({ requestId }) => requestId === one.id),
      payouts.get(one.id),
      reader,
    ),
  }))
}

/** Acts on the decision of a member; each kind in its own way. */
async function decide(
  deps: ApprovalRouteDeps,
  owner: Owner,
  subject: Subject,
  decision: ApprovalDecision,
  request: FastifyRequest,
) {
  const origin = originOf(request)
  const { id, kind } = subject
  if (kind === 'rule_change') {
    const by = { userId: decision.who.userId, origin }
    return deps.db.tx((tx) =>
      decideApproval(tx, owner, { ...subject, kind }, decision, origin, async (outcome, change) => {
        if (outcome === 'approved') await applyRuleChange(deps, tx, owner, change, by)
      }),
    )
  }
  if (kind === 'member_role') return decideRole(deps, owner, subject, decision, origin)
  if (kind === 'payout_batch') {
    const newRecipientWaitSeconds = await newRecipientWaitOf(deps, owner.environment, request.signedIn)
    const confirm = (tx: Tx) => confirmAccess(tx, decision.who, owner, 'payouts.approve')
    return { outcome: await decideBatch(deps, owner, id, { decision, origin, newRecipientWaitSeconds, confirm }) }
  }
  const wanted = { id, isRefund: kind === 'refund' }
  const decided = await decidePayoutByMember(deps, owner, wanted, decision, origin)
  // It claims nothing that is not due.
  deps.inBackground(checkPayouts(deps, 1, { home: owner.merchant.home, id }))
  return decided
}

const everyDecision = ['self_approval_forbidden', 'email_not_verified', ...standingRefusals, 'approval_changed', 'invalid_state']
const decisionRefusals = {
  approve: [
    ...everyDecision,
    'insufficient_balance',
    'payout_must_wait',
    'payouts_on_hold',
    'approvers_missing',
    'provider_unavailable',
  ],
  refuse: [...everyDecision, 'payout_must_wait'],
}

export async function approvalRoutes(http: Http, deps: ApprovalRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  const byId = z.object({ id: z.string() })

  ownerRoute(http, deps, auth, {
    route: 'GET /approvals',
    permission: 'rules.read',
    operationId: 'listApprovals',
    summary: 'List what waits for approval',
    description:
      'Payouts, refunds and batches above the amount of the approval rule, changes of the rule, and new approvers, admins and owners (in live), newest first.',
    query: z.strictObject({
      ...listQuery,
      ...auth.query,
      may_decide: z.literal('true').optional().meta({ description: 'Only what you may decide on.' }),
    }),
    answers: { 200: listOf(approvalSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const scope = `approvals ${owner.merchant.id} ${owner.environment}`
      const openTo = request.query.may_decide && request.signedIn.userId
      const range = { ...rangeOf(deps.cursors, scope, request.query), openTo }
      const isNothing = openTo !== undefined && !isAllowed(request.access!.role, 'payouts.approve', owner.environment)
      const rows = isNothing ? [] : await listWaiting(deps.db, owner, requestingRoles(owner, 'payout'), range)
      const page = pageByTime(deps.cursors, scope, await readEntries(deps, owner, rows, request), range.limit)
      return answerPage(page, ({ json }) => json)
    },
  })

  const mayPay = requireMayPay(deps, auth)

  /** Whether it is the caller's, and the caller may move money at all, or let others do so with fewer approvals or a new role. */
  const mayDecide =
    (verdict: ApprovalDecision['verdict']) =>
    async (request: FastifyRequest): Promise<void> => {
      const owner = auth.ownerOf(request)
      const { id, kind } = subjectIn(request)
      const found = await findApproval(deps.db, owner, id, requestingRoles(owner, kind))
      if (found?.kind !== kind) throw notFound()
      if (found.amount !== null) await mayPay(request)
      if (found.amount === null && verdict === 'approve')
        await refuseWaitingAccount(deps, owner.environment, request.signedIn, 'approve this')
    }

  ownerRoute(http, deps, auth, {
    route: 'GET /approvals/:id',
    permission: 'rules.read',
    operationId: 'getApproval',
    summary: 'Get what waits for approval',
    description: 'Also after the decision.',
    params: byId,
    answers: { 200: dataOf(approvalSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const { id, kind } = subjectIn(request)
      const found = await findApproval(deps.db, owner, id, requestingRoles(owner, kind))
      if (found?.kind !== kind) throw notFound()
      const [entry] = await readEntries(deps, owner, [found], request)
      return { data: entry!.json }
    },
  })

  for (const verdict of approvalVerdicts) {
    ownerRoute(http, deps, auth, {
      route: `POST /approvals/:id/${verdict}`,
      permission: 'payouts.approve',
      operationId: `${verdict}Approval`,
      summary: verdict === 'approve' ? 'Approve what waits' : 'Refuse what waits',
      description:
        verdict === 'approve'
          ? 'Requires a recent sign-in or step-up. What you requested yourself, or with a key that you made: 403 `self_approval_forbidden`. After the last approval that the rule needs, the money leaves, unless operators must approve it, too.'
          : 'Requires a recent sign-in or step-up. A payout is cancelled and a refund fails with `approval_refused`; reserved money returns to the wallet.',
      params: byId,
      body:
        verdict === 'approve'
          ? z.strictObject({
              version: seenVersion,
              token: z
                .string()
                .max(200)
                .optional()
                .meta({ description: 'From the mailed page, for what is `confirmed_by_mail`.' }),
            })
          : z.strictObject({
              version: seenVersion,
              reason: lineOfText(500).meta({ description: 'For the person who requested it.' }),
            }),
      answers: { 200: dataOf(decisionSchema) },
      refuses: decisionRefusals[verdict],
      before: mayDecide(verdict),
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const subject = subjectIn(request)
        const who = request.signedIn
        const { version, reason, token } = request.body as { version: number; reason: string; token?: string }
        const decision: ApprovalDecision =
          verdict === 'approve' ? { who, version, verdict, token } : { who, version, verdict, reason }
        const { outcome } = await decide(deps, owner, subject, decision, request)
        return { data: { id: toWire(prefixOf[subject.kind], subject.id), outcome } }
      },
    })
  }
}
