/** The two worlds that share nothing: test, in which no money moves, and live. */
import { z } from 'zod'

export const environments = ['test', 'live'] as const
export const environmentSchema = z.enum(environments).meta({
  description: '`test` charges the simulator and credits the test wallet; `live` moves money.',
})
export type Environment = (typeof environments)[number]
