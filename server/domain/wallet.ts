/** The merchant's names for the lines of a wallet: which way money moved, and why. */
import { z } from 'zod'

const lineDirections = ['credit', 'debit'] as const
export const lineDirectionSchema = z.enum(lineDirections)
export type LineDirection = (typeof lineDirections)[number]

/** The lines that a list asks for. */
export const wantedDirectionSchema = z.enum([...lineDirections, 'all'])
export type WantedDirection = z.infer<typeof wantedDirectionSchema>

const transactionTypes = ['payment', 'payout', 'payout_reversal', 'refund', 'refund_reversal', 'adjustment', 'fee'] as const
export const transactionTypeSchema = z.enum(transactionTypes)
export type TransactionType = (typeof transactionTypes)[number]
