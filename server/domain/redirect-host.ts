/** Hosts that pages may redirect payers to: whether a host is proved, and how. */
import { z } from 'zod'

export const redirectHostStatusSchema = z.enum(['pending', 'proved'])

export const hostProofs = ['dns', 'file', 'not_needed'] as const
export const hostProofSchema = z.enum(hostProofs)
export type HostProof = (typeof hostProofs)[number]
