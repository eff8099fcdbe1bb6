/** How serious a broken promise of the books is. `money`: it stops payouts. `alert`: it only raises an alert. */
import { z } from 'zod'

export const severities = ['money', 'alert'] as const
export const severitySchema = z.enum(severities)
export type Severity = (typeof severities)[number]
