/** The mobile networks, in the order of the filters. */
import type { NetworkHealth } from '../api/operations.ts'

export const networks = ['mpesa', 'airtel', 'mixx', 'halotel'] as const satisfies readonly NetworkHealth['network'][]
