/** The two kinds of merchant: a person, and a business that a person represents. */
import { z } from 'zod'

export const merchantKinds = ['personal', 'business'] as const
export const merchantKindSchema = z.enum(merchantKinds)
export type MerchantKind = (typeof merchantKinds)[number]

export const businessTypes = ['sole_proprietor', 'company', 'partnership', 'ngo', 'other'] as const
export const businessTypeSchema = z.enum(businessTypes)
