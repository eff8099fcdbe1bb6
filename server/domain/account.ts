/** The accounts of people: their roles, and the statuses of their sessions. */
import { z } from 'zod'

export const roles = ['student', 'admin'] as const
export const roleSchema = z.enum(roles)
export type Role = (typeof roles)[number]

/** Who a person is at the registration; an invited one has the token of an invitation. */
export const registrants = ['student', 'representative'] as const
export const registrantSchema = z.enum(registrants)
export type Registrant = (typeof registrants)[number] | 'invited'

export const sessionStatusSchema = z.enum(['active', 'revoked'])
