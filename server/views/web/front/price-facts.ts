/** What `/prices` shows, from the configuration and the rules that enforce it. */
import type { Config } from '../../../config/config.ts'
import { documentTypes } from '../../../domain/document.ts'
import { ceilingAmount, minimumAmount } from '../../../collect/pages/page.ts'
import { ceilingPayout, leastOf, type Providers } from '../../../money/providers/provider.ts'
import type { PriceFacts } from './prices-page.ts'

export type PriceDeps = {
  config: Pick<Config, 'payments' | 'payouts' | 'safeguards' | 'limits' | 'http' | 'webhooks' | 'documents'>
  providers: Providers
}

/** The limits of the live environment. */
export function pricesOf({ config, providers }: PriceDeps): PriceFacts {
  const { payments, payouts, safeguards, limits, http, webhooks, documents } = config
  const { key, checkout, status, payout, webhookTest, presign } = limits.policies
  return {
    payment: { least: minimumAmount, most: ceilingAmount, expirySeconds: payments.expirySeconds },
    payout: {
      least: leastOf(providers.live.payouts),
      most: ceilingPayout,
      approvalAbove: payouts.approvalAbove,
      keyWaitSeconds: safeguards.keyPayoutWaitSeconds,
      accountWaitSeconds: safeguards.accountPayoutWaitSeconds,
      recipientWaitSeconds: safeguards.newRecipientPayoutWaitSeconds,
    },
    prompts: limits.prompts,
    requests: { key, checkout, status, payout, bodyBytes: http.bodyLimitBytes },
    webhooks: {
      retryDelaysSeconds: webhooks.retryDelaysSeconds,
      deadlineSeconds: webhooks.deadlineMs / 1000,
      endpoints: webhooks.endpointsPerOwner,
      sourceAddresses: webhooks.sourceAddresses,
      tests: webhookTest,
    },
    documents: {
      types: documentTypes.map((type) => type.split('/')[1]!.toUpperCase()),
      mostBytes: documents.maxBytes,
      uploads: presign,
    },
  }
}
