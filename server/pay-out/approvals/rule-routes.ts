/** HTTP routes of the approval rule of a wallet. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { aboveTotalOf, ruleFields, ruleToJson } from '../../accounts/members/approval-rule.ts'
import { findRule } from '../../accounts/members/approval-rule.sql.ts'
import { findRuleChange } from '../../accounts/members/approval.sql.ts'
import { requestingRoles } from '../../accounts/members/decide-approval.ts'
import { setApprovalRule } from '../../accounts/members/set-approval-rule.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Runner } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { toWire } from '../../platform/ids.ts'

export type RuleRouteDeps = OwnerAuthDeps & { config: Pick<Config, 'sessions' | 'safeguards'>; sealer: Sealer }

const ruleSchema = z
  .object({
    rule: z
      .object({
        ...ruleFields,
        asks_total: z.boolean().meta({
          description:
            'The rule is older than `above_total`, and no one has decided about it: set the rule again, with a limit or with null.',
        }),
        set_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: 'Null: nothing needs approval.' }),
    pending_change: z
      .object({
        id: z.string().meta({ description: 'Approve or refuse it with POST /v1/merchant/approvals/{id}/….' }),
        rule: z.object(ruleFields).nullable().meta({ description: 'Null: the rule is to be removed.' }),
        requested_at: z.iso.datetime(),
        expires_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: 'A looser rule that waits for approval under the present one.' }),
  })
  .meta({ id: 'ApprovalRule' })

const ruleBody = z.strictObject({
  ...ruleFields,
  above_total: ruleFields.above_total.optional().meta({
    description:
      'TZS. What lifts the sum of the wallet’s day above this waits, too. Left out: 5 × `above`. Null: the day has no limit.',
  }),
})

async function readRule(db: Runner, owner: Owner): Promise<z.infer<typeof ruleSchema>> {
  const [rule, change] = await Promise.all([
    findRule(db, owner),
    findRuleChange(db, owner, requestingRoles(owner, 'rule_change')),
  ])
  return {
    rule: rule ? { ...ruleToJson(rule), asks_total: rule.asksTotal, set_at: rule.setAt.toISOString() } : null,
    pending_change: change
      ? {
          id: toWire('arc', change.id),
          rule:
            change.newAbove === null
              ? null
              : ruleToJson({ above: change.newAbove, aboveTotal: change.newAboveTotal, approvers: change.newApprovers! }),
          requested_at: change.createdAt.toISOString(),
          expires_at: change.expiresAt.toISOString(),
        }
      : null,
  }
}

const description =
  'A stricter rule holds at once. A looser one, or none, becomes a pending change that other members approve under the present rule. Too few people who may approve: 409 `approvers_missing`. A looser one while your own payouts wait: 409 `payout_must_wait`. Requires a recent sign-in or step-up.'

export async function approvalRuleRoutes(http: Http, deps: RuleRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'GET /approval-rule',
    permission: 'rules.read',
    operationId: 'getApprovalRule',
    summary: 'Get the approval rule',
    answers: { 200: dataOf(ruleSchema) },
    handler: async (request) => ({ data: await readRule(deps.db, auth.ownerOf(request)) }),
  })

  ownerRoute(http, deps, auth, {
    route: 'POST /approval-rule',
    permission: 'rules.write',
    operationId: 'setApprovalRule',
    summary: 'Set the approval rule',
    description,
    body: ruleBody,
    answers: { 200: dataOf(ruleSchema) },
    refuses: ['approvers_missing', 'invalid_state', 'payout_must_wait'],
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const { above, above_total: aboveTotal = aboveTotalOf(above), approvers } = request.body
      await setApprovalRule(deps, owner, { above, aboveTotal, approvers }, request.signedIn, originOf(request))
      return { data: await readRule(deps.db, owner) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'DELETE /approval-rule',
    permission: 'rules.write',
    operationId: 'removeApprovalRule',
    summary: 'Remove the approval rule',
    description: `Removing is the loosest change: others approve it first. ${description}`,
    answers: { 200: dataOf(ruleSchema) },
    refuses: ['invalid_state', 'payout_must_wait'],
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      await setApprovalRule(deps, owner, undefined, request.signedIn, originOf(request))
      return { data: await readRule(deps.db, owner) }
    },
  })
}
