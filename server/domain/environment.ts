/** The two environments, test and live. They share no money, no keys and no events. */
import { z } from 'zod'

export const environments = ['test', 'live'] as const
export const environmentSchema = z.enum(environments).meta({
  description: '`test` charges the simulator and credits the test wallet. `live` moves real money.',
})
export type Environment = (typeof environments)[number]

/** The order in which operators see them, and in which work is done. */
export const liveFirst = environments.toReversed()
