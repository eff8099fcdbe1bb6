/** A payment page while it is edited, and in the form of the API. */
import type { Operations, PaymentPage } from '../../api/operations.ts'
import { customFieldsOf, draftFieldsOf, type DraftField } from './custom-fields.ts'

export type NewPage = Operations['POST /v1/merchant/payment-pages']['body']
export type Settings = Omit<NewPage, 'type' | 'slug' | 'title'> & { title: string }

/** Pages for top-ups are not created by hand. */
export const types = ['payment', 'invoice', 'donation', 'event', 'contribution'] as const

export type Draft = {
  type: PaymentPage['type']
  title: string
  description: string
  /** The payer chooses the amount; the page's amount is a suggestion. */
  isCustom: boolean
  amount: number | undefined
  least: number | undefined
  most: number | undefined
  mostPayments: number | undefined
  /** A time in Dar es Salaam, in the format of a browser's field: `2026-09-30T18:00`. */
  endsAt: string
  language: PaymentPage['language']
  successMessage: string
  redirectUrl: string
  customFields: DraftField[]
  slug: string
}

export const emptyDraft: Draft = {
  type: 'payment',
  title: '',
  description: '',
  isCustom: false,
  amount: undefined,
  least: undefined,
  most: undefined,
  mostPayments: undefined,
  endsAt: '',
  language: 'auto',
  successMessage: '',
  redirectUrl: '',
  customFields: [],
  slug: '',
}

/** The defaults of a new page. */
const usualLeast = 500
const offsetMs = 3 * 3_600_000

export function draftOf(page: PaymentPage): Draft {
  return {
    type: page.type,
    title: page.title,
    description: page.description ?? '',
    isCustom: page.allow_custom_amount,
    amount: page.amount ?? undefined,
    least: page.min_amount === usualLeast ? undefined : page.min_amount,
    most: page.max_amount ?? undefined,
    mostPayments: page.max_payments ?? undefined,
    endsAt:
      page.expires_at === null
        ? ''
        : new Date(Date.parse(page.expires_at) + offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length),
    language: page.language,
    successMessage: page.success_message ?? '',
    redirectUrl: page.redirect_url ?? '',
    customFields: draftFieldsOf(page.custom_fields),
    slug: page.slug,
  }
}

/** Every field of a page that can change; an empty field is removed. */
export function settingsOf(draft: Draft): Settings {
  return {
    title: draft.title.trim(),
    description: draft.description.trim() || null,
    allow_custom_amount: draft.isCustom,
    amount: draft.amount ?? null,
    min_amount: (draft.isCustom ? draft.least : undefined) ?? usualLeast,
    max_amount: (draft.isCustom ? draft.most : undefined) ?? null,
    max_payments: draft.mostPayments ?? null,
    expires_at: draft.endsAt === '' ? null : new Date(`${draft.endsAt}:00+03:00`).toISOString(),
    language: draft.language,
    success_message: draft.successMessage.trim() || null,
    redirect_url: draft.redirectUrl.trim() || null,
    custom_fields: customFieldsOf(draft.customFields),
  }
}

export function newPageOf(draft: Draft): NewPage {
  return { ...settingsOf(draft), type: draft.type, ...(draft.slug.trim() !== '' && { slug: draft.slug.trim() }) }
}
