/** The kinds of accounts and of transfers of the ledger. */
import { z } from 'zod'

/** `receivable`: a merchant's debt, as a negative balance. */
export const merchantAccountKinds = ['wallet', 'payouts_reserved', 'receivable'] as const

/**
 * `loss`: written off. `unallocated`: money that only the provider has on record. `returns_reserved`: reserved for system payouts that
 * return money to payers.
 */
export const systemAccountKinds = [
  'provider_clearing',
  'provider_fees',
  'suspense',
  'loss',
  'unallocated',
  'returns_reserved',
] as const

export type AccountKind = (typeof merchantAccountKinds)[number] | (typeof systemAccountKinds)[number]

export const accountKindSchema = z.enum([...merchantAccountKinds, ...systemAccountKinds])

export const transferKinds = [
  'payment',
  'provider_fee',
  'suspense',
  'suspense_release',
  'suspense_return',
  'payout',
  'payout_fee',
  'payout_settled',
  'payout_fee_settled',
  'payout_provider_fee',
  'payout_returned',
  'payout_fee_returned',
  'payout_provider_fee_returned',
  'payout_reversal',
  /** wallet or receivable → provider_clearing: what the provider paid beyond the payout or refund; and back, when it paid less. */
  'payout_raised',
  'payout_raised_owed',
  'payout_lowered',
  /** The same lines of a wallet for a refund: the amount, its fee, everything returned, and the amount debited again. */
  'refund',
  'refund_fee',
  'refund_reversal',
  'refund_again',
  /** wallet or receivable → payouts_reserved: debited again for a payout whose money was returned but which was paid after all. */
  'payout_again',
  'payout_again_owed',
  /** wallet → receivable: a merchant's debt, repaid from its next credits. */
  'receivable_repaid',
  /** loss → provider_clearing: paid after all, and not debited from the merchant; and back, when the provider returns it. */
  'payout_written_off',
  'payout_fee_written_off',
  'payout_write_off_returned',
  /** unallocated → provider_clearing: money that left in an order that is unknown here. */
  'unallocated_paid',
  /** provider_clearing → unallocated, in the break's home, and wallet or receivable → provider_clearing in the merchant's. */
  'unallocated_debited',
  'break_debited',
  'break_debited_owed',
  /** loss → unallocated. */
  'unallocated_written_off',
  /** provider_clearing → unallocated: money that succeeded in a charge that is unknown here. */
  'unallocated_found',
  /** unallocated → provider_clearing, in the break's home, when it is credited to a payment. */
  'unallocated_credited',
  /** wallet or receivable → provider_clearing: a reversed credit. */
  'credit_reversed',
  'credit_reversed_owed',
  /** suspense or unallocated → returns_reserved → provider_clearing, or back: a system payout to a payer. */
  'return_reserved',
  'return_settled',
  'return_given_back',
  'return_fee',
  /** provider_clearing → suspense or unallocated: a return that the network brought back, and its fee. */
  'return_brought_back',
  'return_fee_brought_back',
  /** provider_clearing → provider_fees: the fee of a charge that was not paid, or that another transfer books. */
  'provider_fee_returned',
  /** provider_fees → provider_clearing: a returned fee of a charge that was paid after all. */
  'provider_fee_again',
  /** provider_clearing → wallet: the paid amount of a charge beyond its credit. */
  'credit_added',
] as const
export type TransferKind = (typeof transferKinds)[number]

export const transferKindSchema = z.enum(transferKinds)
