/** The totals of a whole filtered list, and of its days. Invariant: no figure covers a part of what it names. */
import { z } from 'zod'
import { calendarDay } from './text.ts'

/** One day in East Africa Time. */
export type DayCount = { day: string; count: number; completed: number; completedAmount: number }

/** How many days an answer names. */
const daysAtOnce = 31

const figures = {
  count: z.int().meta({ description: 'In every status.' }),
  completed_count: z.int(),
  completed_amount: z.int().meta({ description: 'TZS.' }),
}

export const totalsSchema = z
  .object({
    ...figures,
    counted_after: z.iso.datetime().nullable().meta({
      description:
        'Null: everything that fits the filter is counted. Otherwise only what was created after this time, because there is more.',
    }),
    days: z.array(z.object({ day: z.iso.date(), ...figures })).meta({
      description: `The days with an entry, in East Africa Time, newest first: at most ${daysAtOnce}. A day that is not counted completely is left out.`,
    }),
  })
  .meta({ id: 'ListTotals' })

export const totalsQuery = {
  days_to: calendarDay.optional().meta({ description: 'The newest day of `days`. Without it, the newest day of the list.' }),
}

const dayOf = (at: Date): string => new Date(at.getTime() + 3 * 3_600_000).toISOString().slice(0, 10)

/** `after`: what was created until then is not counted. */
export function totalsToJson(
  days: readonly DayCount[],
  after: Date | null,
  daysTo: string | undefined,
): z.infer<typeof totalsSchema> {
  const whole = after === null ? days : days.filter(({ day }) => day > dayOf(after))
  const sum = (of: (day: DayCount) => number): number => days.reduce((total, day) => total + of(day), 0)
  return {
    count: sum(({ count }) => count),
    completed_count: sum(({ completed }) => completed),
    completed_amount: sum(({ completedAmount }) => completedAmount),
    counted_after: after?.toISOString() ?? null,
    days: whole
      .filter(({ day }) => daysTo === undefined || day <= daysTo)
      .slice(0, daysAtOnce)
      .map(({ day, count, completed, completedAmount }) => ({
        day,
        count,
        completed_count: completed,
        completed_amount: completedAmount,
      })),
  }
}
