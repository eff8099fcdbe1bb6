/** The lists whose filters a person can save, and the periods of a saved filter that move with the day. */
import { z } from 'zod'

export const filteredLists = ['payments', 'payouts'] as const
export type FilteredList = (typeof filteredLists)[number]

/** Periods of the summary whose days follow from today. */
export const savedPeriods = ['today', 'last_7_days', 'last_30_days', 'this_month', 'last_month'] as const
export const savedPeriodSchema = z.enum(savedPeriods)
export type SavedPeriod = (typeof savedPeriods)[number]
