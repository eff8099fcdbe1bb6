/** A payment page while it is edited, and in the form of the API. */
import type { Operations, PaymentPage } from '../../api/operations.ts'
import { changesOf } from '../../ui/changes-of.ts'
import { customFieldsOf, draftFieldsOf, type DraftField } from './custom-fields.ts'

export type NewPage = Operations['POST /v1/merchant/payment-pages']['body']
export type Settings = Omit<NewPage, 'type' | 'slug' | 'title'> & { title: string }

/** Pages for top-ups are not created by hand. */
export const types = ['payment', 'invoice', 'donation', 'event', 'contribution'] as const

/** A setting in the form: its value when it is empty, and the way from the API's value and back. */
type Field<Sent, Typed> = { empty: Typed; typed(sent: Sent): Typed; sent(typed: Typed): Sent }

const same = <Value>(empty: Value): Field<Value, Value> => ({ empty, typed: (sent) => sent, sent: (typed) => typed })
const text: Field<string | null, string> = { empty: '', typed: (sent) => sent ?? '', sent: (typed) => typed.trim() || null }
const number: Field<number | null, number | undefined> = {
  empty: undefined,
  typed: (sent) => sent ?? undefined,
  sent: (typed) => typed ?? null,
}

/** The default of a new page. */
const usualLeast = 500
const least: Field<number, number | undefined> = {
  empty: undefined,
  typed: (sent) => (sent === usualLeast ? undefined : sent),
  sent: (typed) => typed ?? usualLeast,
}

const offsetMs = 3 * 3_600_000
/** A time in Dar es Salaam, in the format of a browser's field: `2026-09-30T18:00`. */
const moment: Field<string | null, string> = {
  empty: '',
  typed: (sent) => (sent === null ? '' : new Date(Date.parse(sent) + offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)),
  sent: (typed) => (typed === '' ? null : new Date(`${typed}:00+03:00`).toISOString()),
}

/** How many payments a page takes. The texts of each are in `texts.ts`, under its name. */
const limits = { max_payments: number }
export const limitNames = Object.keys(limits) as (keyof typeof limits)[]

const settings = {
  title: { ...same(''), sent: (typed: string) => typed.trim() },
  description: text,
  /** The payer chooses the amount; the page's amount is a suggestion. */
  allow_custom_amount: same<boolean>(false),
  amount: number,
  min_amount: least,
  max_amount: number,
  ...limits,
  expires_at: moment,
  language: same<PaymentPage['language']>('auto'),
  success_message: text,
  redirect_url: text,
  custom_fields: { empty: [] as DraftField[], typed: draftFieldsOf, sent: customFieldsOf },
} satisfies {
  [Name in keyof Settings & keyof PaymentPage]?: {
    empty: unknown
    typed(sent: PaymentPage[Name]): unknown
    sent(typed: never): Settings[Name]
  }
}

type DraftSettings = { [Name in keyof typeof settings]: (typeof settings)[Name]['empty'] }
export type Draft = DraftSettings & { type: PaymentPage['type']; slug: string }

const fields = Object.entries(settings) as [keyof DraftSettings, Field<unknown, unknown>][]

/** For each setting what `valueOf` makes. */
const each = <Made>(valueOf: (field: Field<unknown, unknown>, name: keyof DraftSettings) => unknown): Made =>
  Object.fromEntries(fields.map(([name, field]) => [name, valueOf(field, name)])) as Made

export const emptyDraft: Draft = { ...each<DraftSettings>(({ empty }) => empty), type: 'payment', slug: '' }

export function draftOf(page: PaymentPage): Draft {
  return { ...each<DraftSettings>((field, name) => field.typed(page[name])), type: page.type, slug: page.slug }
}

/** Every field of a page that can change; an empty field is removed. */
export function settingsOf(draft: Draft): Settings {
  const typed = draft.allow_custom_amount ? draft : { ...draft, min_amount: undefined, max_amount: undefined }
  return each<Settings>((field, name) => field.sent(typed[name]))
}

/** The settings that differ from those that were read first. */
export function changedSettings(first: Draft, draft: Draft): Partial<Settings> {
  return changesOf(settingsOf(first), settingsOf(draft))
}

export function newPageOf(draft: Draft): NewPage {
  return { ...settingsOf(draft), type: draft.type, ...(draft.slug.trim() !== '' && { slug: draft.slug.trim() }) }
}
