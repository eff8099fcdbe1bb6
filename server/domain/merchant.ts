/** The two kinds of merchant: a person, and a business that a person represents. */
import { z } from 'zod'
import type { PayerLanguage } from './language.ts'

export const merchantKinds = ['personal', 'business'] as const
export const merchantKindSchema = z.enum(merchantKinds)
export type MerchantKind = (typeof merchantKinds)[number]

export const businessTypes = ['sole_proprietor', 'company', 'partnership', 'ngo', 'other'] as const
export const businessTypeSchema = z.enum(businessTypes)

const testMerchant: Record<PayerLanguage, string> = { sw: 'Mfanyabiashara wa majaribio', en: 'Test merchant' }

/** What payers read as the name of a merchant. `name`: null on test pages while no reviewer has seen it, and it could be anyone's. */
export const nameForPayers = (name: string | null, language: PayerLanguage): string => name ?? testMerchant[language]

export const nameForPayersText = `\`${testMerchant.en}\` in test until the merchant is verified.`
