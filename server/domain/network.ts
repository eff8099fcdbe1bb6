/** The mobile networks of Tanzania that our providers reach. */
import { z } from 'zod'

export const networks = ['mpesa', 'airtel', 'mixx', 'halotel'] as const
export const networkSchema = z.enum(networks)
export type Network = (typeof networks)[number]

/** What the networks call the account that a payer pays from. */
export const networkNames: Record<Network, string> = {
  mpesa: 'M-Pesa',
  airtel: 'Airtel Money',
  mixx: 'Mixx by Yas',
  halotel: 'HaloPesa',
}

export const networkStatuses = ['operational', 'degraded', 'down'] as const
export const networkStatusSchema = z.enum(networkStatuses)
export type NetworkStatus = (typeof networkStatuses)[number]
