/** The roles of a business's members, and how far a role reaches. */
import { z } from 'zod'

export const memberRoles = ['owner', 'admin', 'approver', 'accountant', 'cashier', 'developer'] as const
export const memberRoleSchema = z.enum(memberRoles)
export type MemberRole = (typeof memberRoles)[number]

/** `expired`: invited, and the invitation was not accepted in time. */
export const memberStatusSchema = z.enum(['invited', 'active', 'expired', 'removed'])
export type MemberStatus = z.infer<typeof memberStatusSchema>
