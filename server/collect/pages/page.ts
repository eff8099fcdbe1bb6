/** Payment pages: what a merchant asks money for, and the rules over several fields. */
import { shillings, type Currency } from '../../domain/currency.ts'
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { pageLanguageSchema } from '../../domain/language.ts'
import type { ClosedState, PageKind, PageState, PageType } from '../../domain/page.ts'
import type { Environment } from '../../domain/environment.ts'
import { camelCase } from '../../platform/db/db.ts'
import type { FieldsOf } from '../../platform/http/answer.ts'
import { freeMetadata } from '../../platform/http/own-data.ts'
import { lineOfText, link, moment, paragraphOfText } from '../../platform/http/text.ts'
import type { FieldError } from '../../platform/refusal.ts'
import { customFieldsBody, type CustomField } from './custom-field.ts'

/** TZS. */
export const minimumAmount = 500
/** The most that one payment may ask for, unless a provider's limit is lower, in TZS. */
export const ceilingAmount = 10_000_000

const amount = z
  .int({ error: 'amount_invalid: The amount must be a whole number of TZS, without decimals or quotes.' })
  .meta({ minimum: minimumAmount, maximum: ceilingAmount, format: 'int64' })

const nullableText = (max: number) => paragraphOfText(max).nullable()

/** The settings of a page, by their public names, which are also those of their columns. One that may be null is null by default. */
export const settingFields = {
  title: lineOfText(120).meta({ description: 'What the payer pays for.', example: 'Mandazi na chai' }),
  description: nullableText(2000),
  amount: amount.nullable().meta({ description: 'TZS. With `allow_custom_amount`, a suggested amount.', example: 2_500 }),
  allow_custom_amount: z.boolean().meta({ example: false }),
  min_amount: amount.meta({ description: `TZS, at least ${minimumAmount}.` }),
  max_amount: amount.nullable().meta({ description: `TZS. Null means ${ceilingAmount}.` }),
  max_payments: z.int().min(1).max(1_000_000).nullable().meta({
    description: 'So many, and then no more. Those begun before the limit count once completed.',
    example: null,
  }),
  active: z.boolean(),
  inactive_message: nullableText(500).meta({ description: 'Shown while not `active`.' }),
  expires_at: moment.nullable(),
  redirect_url: link.max(2048).nullable().meta({
    example: 'https://shop.example/thanks',
    description:
      'Where the payer goes after completion, with `reference` and `status=completed` added. An https URL; on a live page, of a host of yours (`/v1/merchant/redirect-hosts`, or the website of the business). Anyone can open it, so it does not prove a payment: read the status, or wait for `payment.completed`.',
  }),
  success_message: nullableText(500).meta({ description: 'Shown after the payment.', example: 'Asante! Karibu tena.' }),
  language: pageLanguageSchema,
  metadata: freeMetadata.meta({ description: 'Your own data.', example: { branch: 'Mlimani' } }),
  custom_fields: customFieldsBody,
}

type SentSettings = FieldsOf<z.infer<z.ZodObject<typeof settingFields>>>
export type PageSettings = Omit<SentSettings, 'expiresAt' | 'customFields'> & {
  expiresAt: Date | null
  /** What payers fill in besides the payment, in this order. */
  customFields: CustomField[]
}

type Nullable = { [Name in keyof PageSettings]: null extends PageSettings[Name] ? Name : never }[keyof PageSettings]
const nullable = Object.entries(settingFields).filter(([, field]) => field.safeParse(null).success)
const unset = Object.fromEntries(nullable.map(([name]) => [camelCase(name), null])) as Record<Nullable, null>

export function defaultSettings(type: PageType): PageSettings {
  return {
    ...unset,
    title: '',
    allowCustomAmount: false,
    minAmount: minimumAmount,
    maxPayments: type === 'invoice' ? 1 : null,
    active: true,
    language: 'auto',
    metadata: {},
    customFields: [],
  }
}

export type PaymentPage = PageSettings & {
  home: number
  id: string
  merchantId: string
  environment: Environment
  type: PageType
  kind: PageKind
  slug: string
  currency: Currency
  /** The merchant's own order number, on the page of a payment request. */
  merchantReference: string | null
  paidCount: number
  paidTotal: number
  createdAt: Date
  updatedAt: Date
  /** When operators suspended it, and the reason in words for its owner. */
  suspendedAt: Date | null
  suspensionReason: string | null
}

/**
 * Whether the page takes payments now, as a payer finds it. The database computes `isPastExpiry`, because its clock decides about money. A
 * suspended page, and the live page of a merchant without a valid verification, take no payments. In test every merchant may be paid.
 */
export function openPageState(
  page: Pick<PaymentPage, 'kind' | 'active' | 'paidCount' | 'environment'> & {
    isPastExpiry: boolean
    isSuspended: boolean
    fullState: ClosedState | null
    merchantStatus: string
  },
): PageState {
  if (page.kind === 'request' && page.paidCount > 0) return 'paid'
  if (page.isSuspended) return 'inactive'
  if (page.environment === 'live' && page.merchantStatus !== 'verified') return 'inactive'
  if (!page.active) return page.kind === 'request' ? 'cancelled' : 'inactive'
  if (page.isPastExpiry) return 'expired'
  return page.fullState ?? 'open'
}

function amountError(field: string, amount: number, least: number, most: number): FieldError[] {
  if (amount < least) return [{ field, code: 'amount_too_small', message: `The minimum is ${shillings(least)}.` }]
  if (amount > most) return [{ field, code: 'amount_too_large', message: `The maximum is ${shillings(most)}.` }]
  return []
}

/** All rules that the settings break together; empty when they break none. */
export function brokenRules(type: PageType, settings: PageSettings): FieldError[] {
  const { amount, allowCustomAmount, minAmount, maxAmount, maxPayments } = settings
  const most = maxAmount ?? ceilingAmount
  const errors: FieldError[] = []
  errors.push(...amountError('min_amount', minAmount, minimumAmount, ceilingAmount))
  if (maxAmount !== null) errors.push(...amountError('max_amount', maxAmount, minAmount, ceilingAmount))
  if (amount === null) {
    if (!allowCustomAmount)
      errors.push({
        field: 'amount',
        code: 'amount_required',
        message: 'Set an amount, or let the payer choose it with allow_custom_amount.',
      })
  } else {
    errors.push(...amountError('amount', amount, minAmount, most))
  }
  const refusePlaces = (message: string) => errors.push({ field: 'max_payments', code: 'max_payments_invalid', message })
  if (type === 'invoice' && maxPayments !== 1) refusePlaces('An invoice is paid once. Set max_payments to 1, or leave it out.')
  if (type === 'event' && maxPayments === null) refusePlaces('An event has a limited number of places. Set max_payments.')
  return errors
}

// No i, l, o, u: no characters that can be misread, and no accidental words.
const slugAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 100 bits: the address of a payment request cannot be guessed. */
export const hiddenSlugLength = 20
const shortSlugLength = 8

/** The slugs of a cell, random and chosen: all that begin with its name. */
export const slugPatternOf = (cell: string): string => `${cell}-[a-z0-9-]+`

/** The cell that a slug names. A merchant may have chosen a slug that begins like this before there were cells. */
export const cellOfSlug = (slug: string): string | undefined => /^([a-z0-9]{2})-/.exec(slug)?.[1]

/** In a cell the slug begins with its name, so that a proxy finds the page. */
export function randomSlug(cell: string, length = shortSlugLength): string {
  return (cell && `${cell}-`) + Array.from({ length }, () => slugAlphabet[randomInt(slugAlphabet.length)]).join('')
}

export const slugShape = /^[a-z0-9](?:[a-z0-9-]{1,58})[a-z0-9]$/

/** The codes with which the rules of a page refuse its fields. */
export const pageRefusals = [
  'amount_required',
  'amount_too_small',
  'amount_too_large',
  'amount_invalid',
  'currency_unsupported',
  'max_payments_invalid',
  'host_not_registered',
  'name_reserved',
] as const
