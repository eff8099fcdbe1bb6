/** How often a statement is mailed. */
import { z } from 'zod'

export const statementFrequencies = ['daily', 'weekly', 'monthly'] as const
export const statementFrequencySchema = z.enum(statementFrequencies)
export type StatementFrequency = (typeof statementFrequencies)[number]
