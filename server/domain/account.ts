/** The accounts of people: their roles, and the statuses of their sessions. */
import { z } from 'zod'

export const roles = ['student', 'admin'] as const
export const roleSchema = z.enum(roles)
export type Role = (typeof roles)[number]

export const sessionStatusSchema = z.enum(['active', 'revoked'])
