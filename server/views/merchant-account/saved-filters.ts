/**
 * The filters that a person has saved for the lists of payments and payouts: theirs alone, of one wallet. Invariant: no text of a search
 * is saved, because it may name a payer.
 */
import { z } from 'zod'
import { networkSchema } from '../../domain/network.ts'
import { paymentStatusSchema, type PaymentStatus } from '../../domain/payment.ts'
import { payoutStatusSchema, type PayoutStatus } from '../../domain/payout.ts'
import { savedPeriodSchema, type FilteredList } from '../../domain/saved-filter.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findPage } from '../../collect/pages/page.sql.ts'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import { calendarDay, lineOfText } from '../../platform/http/text.ts'
import { fromWire, newId, toWire } from '../../platform/ids.ts'
import { invalidFields, must, notFound, orNotFound, Refusal } from '../../platform/refusal.ts'
import {
  deleteFilter,
  findFilter,
  listFilters,
  lockFilters,
  upsertFilter,
  type SavedFields,
  type SavedFilter,
  type FiltersKey,
} from './saved-filter.sql.ts'

/** Of one person, in one list of one wallet. */
export const maxFilters = 20
const maxNameCharacters = 40

const amount = z.int().min(0).max(999_999_999_999_999)

const periodFields = {
  period: savedPeriodSchema.optional().meta({
    description: 'Days that follow from the current day in East Africa Time (UTC+3), as in a summary. Not with `from` or `to`.',
  }),
  from: calendarDay.optional().meta({ description: 'First day in East Africa Time.', example: '2026-09-01' }),
  to: calendarDay.optional().meta({ description: 'Last day, included.', example: '2026-09-30' }),
}

/** What a filter of each list may hold. Each field is absent unless it is set. */
export const filterSchemas = {
  payments: z.strictObject({
    status: paymentStatusSchema.optional(),
    network: networkSchema.optional(),
    payment_page_id: z.string().max(60).optional(),
    min_amount: amount.optional(),
    max_amount: amount.optional(),
    ...periodFields,
  }),
  payouts: z.strictObject({ status: payoutStatusSchema.optional(), ...periodFields }),
} as const satisfies Record<FilteredList, z.ZodType>

/** A filter of either list: that of payouts has fewer fields. */
type FilterInput = Omit<z.infer<(typeof filterSchemas)['payments']>, 'status'> & {
  status?: PaymentStatus | PayoutStatus | undefined
}

export const nameSchema = lineOfText(maxNameCharacters).meta({ example: 'Failed this week' })

const described = { id: z.string(), name: z.string(), created_at: z.iso.datetime() }

export const savedFilterSchemas = {
  payments: z.object({ ...described, filter: filterSchemas.payments }).meta({ id: 'SavedPaymentFilter' }),
  payouts: z.object({ ...described, filter: filterSchemas.payouts }).meta({ id: 'SavedPayoutFilter' }),
} as const satisfies Record<FilteredList, z.ZodType>

export type SavedFilterJson = z.infer<(typeof savedFilterSchemas)[FilteredList]>

export function savedFilterToJson({ id, name, createdAt, ...fields }: SavedFilter): SavedFilterJson {
  const filter = {
    status: fields.status,
    network: fields.network,
    payment_page_id: fields.pageId === null ? null : toWire('page', fields.pageId),
    min_amount: fields.minAmount,
    max_amount: fields.maxAmount,
    period: fields.period,
    from: fields.firstDay,
    to: fields.lastDay,
  }
  return {
    id: toWire('flt', id),
    name,
    filter: Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null)),
    created_at: createdAt.toISOString(),
  }
}

function wrong(field: string, message: string): Refusal {
  return invalidFields([{ field: `filter.${field}`, code: 'invalid', message }])
}

/** Refuses with 400 what no list could show. The page is looked up in the wallet, so that no id of another merchant is kept. */
async function fieldsOf(db: Runner, owner: Owner, input: FilterInput): Promise<SavedFields> {
  const { status = null, network = null, payment_page_id: page, min_amount: min = null, max_amount: max = null } = input
  const { period = null, from = null, to = null } = input
  if (Object.values(input).every((value) => value === undefined)) {
    throw invalidFields([{ field: 'filter', code: 'required', message: 'Set at least one filter.' }])
  }
  if (period !== null && (from !== null || to !== null)) throw wrong('period', 'Send either period, or from and to.')
  if (from !== null && to !== null && to < from) throw wrong('to', 'Use a day that is not before from.')
  if (min !== null && max !== null && max < min) throw wrong('max_amount', 'Use an amount that is not below the smallest.')
  const pageId = page === undefined ? null : (fromWire('page', page) ?? null)
  if (page !== undefined && (pageId === null || !(await findPage(db, owner, { id: pageId })))) {
    throw wrong('payment_page_id', 'This page does not exist.')
  }
  return { status, network, pageId, minAmount: min, maxAmount: max, period, firstDay: from, lastDay: to }
}

export async function listSavedFilters({ db }: { db: Db }, key: FiltersKey): Promise<SavedFilterJson[]> {
  return (await listFilters(db, key)).map(savedFilterToJson)
}

type Change = { confirm(tx: Tx): Promise<unknown> }

/** Saves a filter, or replaces the one of this name. More than 20: 409 `too_many_filters`. */
export async function saveFilter(
  { db }: { db: Db },
  { key, owner }: { key: FiltersKey; owner: Owner },
  { name, filter }: { name: string; filter: FilterInput },
  { confirm }: Change,
): Promise<SavedFilterJson> {
  return db.tx(async (tx) => {
    await confirm(tx)
    const fields = await fieldsOf(tx, owner, filter)
    await lockFilters(tx, key)
    const all = await listFilters(tx, key)
    const isNew = all.every((one) => one.name !== name)
    if (isNew && all.length >= maxFilters) {
      throw new Refusal(409, 'too_many_filters', `You can save at most ${maxFilters} filters of a list. Delete one first.`, {
        details: { limit: maxFilters },
      })
    }
    await upsertFilter(tx, key, { id: newId(), name, ...fields })
    const saved = must(await findFilter(tx, key, { name }), 'a filter that was just saved is there')
    return savedFilterToJson(saved)
  })
}

/** Refuses with 404 an id that the person has not saved for this list of this wallet. */
export async function removeFilter({ db }: { db: Db }, key: FiltersKey, id: string, { confirm }: Change): Promise<void> {
  const uuid = orNotFound(fromWire('flt', id))
  await db.tx(async (tx) => {
    await confirm(tx)
    if (!(await deleteFilter(tx, key, uuid))) throw notFound()
  })
}
