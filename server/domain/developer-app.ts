/** The statuses of developer apps and of their API keys. */
import { z } from 'zod'

export const appStatusSchema = z.enum(['active', 'deleted'])

export const keyStatusSchema = z.enum(['active', 'expiring', 'revoked', 'expired'])
export type KeyStatus = z.infer<typeof keyStatusSchema>
