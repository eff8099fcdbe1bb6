/** A member of a business, and an invitation to become one, as the members of the business see them. */
import { z } from 'zod'
import { memberRoleSchema, memberStatusSchema, type MemberRole, type MemberStatus } from '../../domain/member.ts'
import { emailAddress } from '../identity/user.ts'
import { toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Member = {
  id: string
  merchantId: string
  /** Null: invited. */
  userId: string | null
  role: MemberRole
  /** From when the role uses its power in live; null: now. */
  powerFrom: Date | null
  status: MemberStatus
  /** The name of the person; null: invited. */
  name: string | null
  /** The invited address, or the address of the person. */
  email: string
  invitedBy: string | null
  inviterName: string | null
  invitationExpiresAt: Date | null
  joinedAt: Date | null
  /** The role that waits for the approval of others, and its request; null: none. */
  roleRequestId: string | null
  wantedRole: MemberRole | null
  createdAt: Date
}

export const powerFromSchema = z.iso.datetime().nullable().meta({
  description:
    'From when a new role may pay, approve and make power in the live environment: until then 409 `power_not_active_yet`, unless another owner confirms the member. Null: now.',
})

export const newMemberSchema = z.strictObject({ email: emailAddress, role: memberRoleSchema.meta({ example: 'cashier' }) })
export const memberChangeSchema = z.strictObject({ role: memberRoleSchema.meta({ example: 'cashier' }) })

export const memberSchema = z
  .object({
    id: z.string().meta({ example: 'mem_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    user_id: z.string().nullable().meta({ description: 'Null until the invitation is accepted.' }),
    name: z.string().nullable(),
    email: z.string(),
    role: memberRoleSchema,
    power_from: powerFromSchema,
    status: memberStatusSchema.meta({ description: '`expired`: the invitation was not accepted within seven days.' }),
    pending_role: z.object({ approval_id: z.string(), role: memberRoleSchema }).nullable().meta({
      description:
        'A role that other members must approve first, because an approval rule stands: `POST /v1/merchant/approvals/{id}/approve`.',
    }),
    invited_by: z.object({ user_id: z.string(), name: z.string() }).nullable(),
    invitation_expires_at: z.iso.datetime().nullable(),
    joined_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Member' })

export function memberToJson(member: Member): z.infer<typeof memberSchema> {
  const { invitedBy, inviterName, roleRequestId, wantedRole } = member
  return answerOf(memberSchema, member, {
    id: toWire('mem', member.id),
    user_id: member.userId && toWire('usr', member.userId),
    pending_role:
      roleRequestId === null || wantedRole === null ? null : { approval_id: toWire('amr', roleRequestId), role: wantedRole },
    invited_by: invitedBy === null || inviterName === null ? null : { user_id: toWire('usr', invitedBy), name: inviterName },
    invitation_expires_at: member.userId === null ? (member.invitationExpiresAt?.toISOString() ?? null) : null,
  })
}
