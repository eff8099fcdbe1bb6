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
  allow_custom_amount: boolean
  amount: number | undefined
  min_amount: number | undefined
  max_amount: number | undefined
  max_payments: number | undefined
  /** A time in Dar es Salaam, in the format of a browser's field: `2026-09-30T18:00`. */
  expires_at: string
  language: PaymentPage['language']
  success_message: string
  redirect_url: string
  custom_fields: DraftField[]
  slug: string
}

export const emptyDraft: Draft = {
  type: 'payment',
  title: '',
  description: '',
  allow_custom_amount: false,
  amount: undefined,
  min_amount: undefined,
  max_amount: undefined,
  max_payments: undefined,
  expires_at: '',
  language: 'auto',
  success_message: '',
  redirect_url: '',
  custom_fields: [],
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
    allow_custom_amount: page.allow_custom_amount,
    amount: page.amount ?? undefined,
    min_amount: page.min_amount === usualLeast ? undefined : page.min_amount,
    max_amount: page.max_amount ?? undefined,
    max_payments: page.max_payments ?? undefined,
    expires_at:
      page.expires_at === null
        ? ''
        : new Date(Date.parse(page.expires_at) + offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length),
    language: page.language,
    success_message: page.success_message ?? '',
    redirect_url: page.redirect_url ?? '',
    custom_fields: draftFieldsOf(page.custom_fields),
    slug: page.slug,
  }
}

/** Every field of a page that can change; an empty field is removed. */
export function settingsOf(draft: Draft): Settings {
  return {
    title: draft.title.trim(),
    description: draft.description.trim() || null,
    allow_custom_amount: draft.allow_custom_amount,
    amount: draft.amount ?? null,
    min_amount: (draft.allow_custom_amount ? draft.min_amount : undefined) ?? usualLeast,
    max_amount: (draft.allow_custom_amount ? draft.max_amount : undefined) ?? null,
    max_payments: draft.max_payments ?? null,
    expires_at: draft.expires_at === '' ? null : new Date(`${draft.expires_at}:00+03:00`).toISOString(),
    language: draft.language,
    success_message: draft.success_message.trim() || null,
    redirect_url: draft.redirect_url.trim() || null,
    custom_fields: customFieldsOf(draft.custom_fields),
  }
}

export function newPageOf(draft: Draft): NewPage {
  return { ...settingsOf(draft), type: draft.type, ...(draft.slug.trim() !== '' && { slug: draft.slug.trim() }) }
}
