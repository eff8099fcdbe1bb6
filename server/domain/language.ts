/** The languages of payers, and what a page can say about them. */
import { z } from 'zod'

export const payerLanguages = ['sw', 'en'] as const
export const payerLanguageSchema = z.enum(payerLanguages)
export type PayerLanguage = (typeof payerLanguages)[number]

/** `auto`: the language that the payer's browser prefers. */
export const pageLanguages = [...payerLanguages, 'auto'] as const
export const pageLanguageSchema = z.enum(pageLanguages)
export type PageLanguage = (typeof pageLanguages)[number]
