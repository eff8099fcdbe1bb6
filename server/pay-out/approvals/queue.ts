/** An entry of the queue: what waits, who asked for it, who has approved it, and whether the reader may decide. */
import { z } from 'zod'
import { approvalKindSchema, approvalStatusSchema, approvalSumSchema, type ApprovalKind } from '../../domain/approval.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { memberRoleSchema, type MemberRole } from '../../domain/member.ts'
import { payoutMethodSchema } from '../../domain/payout.ts'
import { networkSchema } from '../../domain/network.ts'
import { ruleFields, ruleToJson } from '../../accounts/members/approval-rule.ts'
import type { ApprovalRequest, Vote } from '../../accounts/members/approval.sql.ts'
import { isAllowed } from '../../accounts/members/permissions.ts'
import { toWire, type IdPrefix } from '../../platform/ids.ts'
import type { WaitingPayout } from './queue.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

export const prefixOf: Record<ApprovalKind, IdPrefix> = {
  payout: 'po',
  refund: 'rf',
  payout_batch: 'pb',
  rule_change: 'arc',
  member_role: 'amr',
}

const person = z.object({ user_id: z.string(), name: z.string() })

/** Why the reader may not decide. */
const hindranceSchema = z.enum(['own_request', 'own_change', 'own_role', 'already_approved', 'role'])

export const approvalSchema = z
  .object({
    id: z.string().meta({
      description: 'The id of the payout, refund or batch; `arc_…` for a change of the rule, `amr_…` for a new role.',
      example: 'po_06g2v1d1p5fz9b7q4w5w1y2k3m',
    }),
    kind: approvalKindSchema,
    version: z.int().meta({
      description:
        'Send it with your decision: the decision counts only for what you have read. What is requested again is another version.',
    }),
    amount: z.int().nullable().meta({ description: 'TZS without the fee. Null for a change of the rule and a new role.' }),
    fee: z.int().nullable(),
    exceeds: z
      .object({
        sum: approvalSumSchema.meta({
          description:
            '`amount`: of this alone. `recipient_day`: of the day to one recipient. `wallet_day`: of the wallet’s day.',
        }),
        total: z.int().meta({ description: 'TZS, with this.' }),
        above: z.int().meta({ description: 'TZS: the limit of the rule at the time of the request.' }),
      })
      .nullable()
      .meta({
        description: 'Which sum needs the approval. Null: members were asked without need, or it is a change of the rule.',
      }),
    recipient: z
      .object({ name: z.string(), phone_number: z.string(), network: networkSchema.nullable(), narration: z.string().nullable() })
      .nullable()
      .meta({ description: 'Of a payout or refund.' }),
    payment: z.string().nullable().meta({ description: 'The payment that a refund returns.' }),
    method: payoutMethodSchema.nullable().meta({
      description: '`outside`: the approval of this refund sends nothing. Null: neither a payout nor a refund.',
    }),
    rule: z
      .object(ruleFields)
      .nullable()
      .meta({ description: 'The wanted rule of a change. Null: no rule, or no change of the rule.' }),
    member: z.object({ id: z.string(), name: z.string().nullable(), role: memberRoleSchema }).nullable().meta({
      description: 'Who gets which role; the name is the address of a person who has not joined. Null: it is no new role.',
    }),
    confirmed_by_mail: z.boolean().meta({
      description: 'No one else could decide: the requester approves it, with the `token` of the page that was mailed to them.',
    }),
    requested_by: person.extend({
      key_id: z.string().nullable().meta({ description: 'Set when a key requested it; the person made the key.' }),
    }),
    requested_at: z.iso.datetime(),
    expires_at: z.iso.datetime().meta({ description: 'What is not approved by then is cancelled.' }),
    approvers_needed: z.int(),
    approved_by: z.array(person.extend({ at: z.iso.datetime() })),
    status: approvalStatusSchema,
    reason: z.string().nullable().meta({ description: 'Why a member refused it.' }),
    may_decide: z.boolean(),
    why_not: hindranceSchema.nullable(),
    environment: environmentSchema,
  })
  .meta({ id: 'Approval' })

export type Reader = { userId: string; role: MemberRole }

function hindranceOf(request: ApprovalRequest, votes: Vote[], { userId, role }: Reader): z.infer<typeof hindranceSchema> | null {
  if (!isAllowed(role, 'payouts.approve', request.environment)) return 'role'
  if (request.memberUserId === userId) return 'own_role'
  if (request.requestedByUser === userId) return 'own_request'
  if (request.editedBy.includes(userId)) return 'own_change'
  return votes.some((vote) => vote.userId === userId) ? 'already_approved' : null
}

export function approvalToJson(
  request: ApprovalRequest,
  votes: Vote[],
  payout: WaitingPayout | undefined,
  reader: Reader,
): z.infer<typeof approvalSchema> {
  const whyNot = hindranceOf(request, votes, reader)
  const { newAbove: above, newAboveTotal: aboveTotal, newApprovers: approvers, exceeded, exceededSum, exceededAbove } = request
  return answerOf(approvalSchema, request, {
    id: toWire(prefixOf[request.kind], request.id),
    fee: payout?.fee ?? null,
    exceeds: exceeded === null ? null : { sum: exceeded, total: exceededSum!, above: exceededAbove! },
    recipient: payout
      ? { name: payout.recipientName, phone_number: payout.phoneNumber, network: payout.network, narration: payout.narration }
      : null,
    payment: payout?.refundOf ? toWire('pay', payout.refundOf) : null,
    method: payout?.method ?? null,
    rule: above === null || approvers === null ? null : ruleToJson({ above, aboveTotal, approvers }),
    member:
      request.memberId === null
        ? null
        : { id: toWire('mem', request.memberId), name: request.memberName, role: request.newRole! },
    confirmed_by_mail: request.tokenHash !== null,
    requested_by: {
      user_id: toWire('usr', request.requestedByUser),
      name: request.requesterName,
      key_id: request.requestedBy.startsWith('key_') ? request.requestedBy : null,
    },
    requested_at: request.createdAt.toISOString(),
    approvers_needed: request.approvers,
    approved_by: votes.map(({ userId, name, at }) => ({ user_id: toWire('usr', userId), name, at: at.toISOString() })),
    may_decide: request.status === 'waiting' && whyNot === null,
    why_not: whyNot,
  })
}
