/** Settings of webhook deliveries. */
import { z } from 'zod'
import type { Environment } from '../domain/environment.ts'
import { delays, flag, seconds, type Frozen, type Given } from './values.ts'

export const webhookVariables = {
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag.default(false),
  WEBHOOK_RETRY_DELAYS_SECONDS: delays.pipe(z.array(z.number()).length(4)).default([30, 300, 3600, 28_800]),
  WEBHOOK_SOURCE_ADDRESSES: z
    .string()
    .regex(/^[0-9a-f.:/, ]*$/i, 'write IP addresses or ranges, with commas')
    .default(''),
  WEBHOOK_DEADLINE_MS: seconds.default(10_000),
}

export function webhookSettings(env: Given<typeof webhookVariables>) {
  return {
    webhooks: {
      allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      /** Seconds before attempt 2, 3, …: the list has one entry fewer than there are attempts. */
      retryDelaysSeconds: env.WEBHOOK_RETRY_DELAYS_SECONDS,
      /** What the operator states to merchants; empty without a statement. */
      sourceAddresses: env.WEBHOOK_SOURCE_ADDRESSES,
      deadlineMs: env.WEBHOOK_DEADLINE_MS,
      maxAnswerBytes: 16 * 1024,
      keptAnswerBytes: 4 * 1024,
      perEndpointConcurrency: 8,
      /** How many sends are in flight at once, in total and for one owner. Test traffic takes no slot of live traffic. */
      lanes: {
        live: { concurrency: 512, perOwnerConcurrency: 64 },
        test: { concurrency: 128, perOwnerConcurrency: 16 },
      } satisfies Record<Environment, object>,
      /** Maximum number of webhooks of one owner in one environment. */
      endpointsPerOwner: 20,
    },
  }
}

export type WebhookSettings = Frozen<ReturnType<typeof webhookSettings>>
