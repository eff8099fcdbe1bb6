/** The payment providers, the two kinds of business with each, the states of its circuit and of its messages. */
import { z } from 'zod'

export const providerNames = ['snippe', 'clickpesa'] as const
export const providerNameSchema = z.enum(providerNames)
export type ProviderName = (typeof providerNames)[number]

/**
 * What the signature of a Snippe webhook covers, and for the last one the header that it stands in: its documentation and SDKs disagree.
 * The first one also proves the time of the message.
 */
export const snippeSignatures = ['timestamp.body', 'body', 'x-snippe-signature'] as const
export type SnippeSignature = (typeof snippeSignatures)[number]

/** The two kinds of business with a provider, and of its records; each can be unhealthy alone, and is compared with our books alone. */
export const directions = ['charges', 'payouts'] as const
export const directionSchema = z.enum(directions)
export type Direction = (typeof directions)[number]

export const circuitStates = ['closed', 'open', 'half_open'] as const
export const circuitStateSchema = z.enum(circuitStates)
export type CircuitState = (typeof circuitStates)[number]

/** The states of a provider's message in the inbox; each but `received` is final. */
export const messageStates = ['received', 'settled', 'asked', 'ignored', 'orphan'] as const
export type MessageState = (typeof messageStates)[number]
