/**
 * ClickPesa's webhooks: no event id, no signature header; the checksum is in the body. Invariant: an event's body is written once,
 * together with its checksum.
 */
import type { ChargeStatus } from './charge.ts'
import { checksumOf } from './clickpesa-checksum.ts'
import { channelOf, decimal, messageOf, paymentStatus, payoutStatus, shownPayout, walletName } from './clickpesa-wire.ts'
import type { ClickPesaAccount, SimulatorConfig } from './config.ts'
import type { PayoutStatus } from './payout.ts'
import type { WebhookFlaw } from './scenarios.ts'
import type { Switches } from './switches.ts'
import type { EventFormat } from './event-formats.ts'
import { drifted } from './drift.ts'
import { isoTime } from './wire.ts'

const paymentEvents: Record<ChargeStatus, string | null> = {
  pending: null,
  completed: 'PAYMENT RECEIVED',
  failed: 'PAYMENT FAILED',
  voided: 'PAYMENT FAILED',
  expired: 'PAYMENT FAILED',
}

// No event is named as a payout's success; the published example of PAYOUT INITIATED has the status SUCCESS. Our interpretation: it
// is sent for both.
const payoutEvents: Record<PayoutStatus, string> = {
  pending: 'PAYOUT INITIATED',
  completed: 'PAYOUT INITIATED',
  failed: 'PAYOUT REFUNDED',
  reversed: 'PAYOUT REVERSED',
}

type Deps = { config: SimulatorConfig; switches: Switches }

export function clickPesaEvents({ config, switches }: Deps, account: ClickPesaAccount): EventFormat {
  const { checksumKey, clientId } = config.clickPesa[account]

  const contentOf = (event: string, data: Record<string, unknown>, flaw: WebhookFlaw | null) => {
    const currency = { dollars: 'USD', 'lower-case': 'tzs' }[switches.webhookAmount as string] ?? 'TZS'
    const written = JSON.stringify({ event, data }).replaceAll('"TZS"', `"${currency}"`)
    const document = JSON.parse(drifted(written, switches.drift)) as Record<string, unknown>
    if (switches.clickPesaChecksum === 'off') return { type: event, body: JSON.stringify(document) }
    // An old timestamp is no flaw here, because the checksum covers no timestamp.
    const key = flaw === 'bad-signature' ? `not-${checksumKey}` : checksumKey
    const proof = { checksum: checksumOf(key, document), checksumMethod: 'canonical' }
    return { type: event, body: JSON.stringify({ ...document, ...proof }) }
  }

  return {
    chargeEvent(charge, { amount, at, failureReason, status }, flaw) {
      const event = paymentEvents[status]
      if (event === null) return null
      const data = {
        id: charge.reference,
        status: paymentStatus(status, switches),
        paymentReference: charge.externalReference,
        orderReference: charge.orderReference,
        // The page shows `collectedAmount`, the related pages `amount`; both are given. Our interpretation.
        amount: decimal(amount),
        collectedAmount: decimal(amount),
        collectedCurrency: 'TZS',
        message: messageOf(status, failureReason),
        channel: channelOf(charge.network),
        updatedAt: isoTime(at),
        createdAt: isoTime(charge.createdAt),
        customer: { customerName: walletName, customerPhoneNumber: charge.phone },
        clientId,
      }
      return contentOf(event, data, flaw)
    },

    payoutEvent(payout, { amount, status }, flaw) {
      const shown = shownPayout({ ...payout, amount }, clientId, payoutStatus(status))
      return contentOf(payoutEvents[status], shown, flaw)
    },
  }
}
