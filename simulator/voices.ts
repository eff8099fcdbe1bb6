/** The format of an event. Invariant: each simulated provider has one voice, chosen by the account alone. */
import type { Charge, ChargeStatus } from './charge.ts'
import { clickPesaVoice } from './clickpesa-voice.ts'
import { isClickPesa } from './config.ts'
import type { AccountName, SimulatorConfig } from './config.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import type { WebhookFlaw } from './scenarios.ts'
import type { Switches } from './switches.ts'
import { chargeEventBody, payoutEventBody } from './webhook-event.ts'
import type { News } from './webhook-event.ts'

type Spoken = { type: string; body: string }

/** Null where the provider has no event for this. */
export type Voice = {
  chargeEvent: (charge: Charge, news: News<ChargeStatus>, flaw: WebhookFlaw | null) => Spoken | null
  payoutEvent: (payout: Payout, news: News<PayoutStatus>, flaw: WebhookFlaw | null) => Spoken | null
}

export type VoiceOf = (account: AccountName) => Voice

export function voicesOf(deps: { config: SimulatorConfig; switches: Switches }): VoiceOf {
  const snippe: Voice = {
    chargeEvent: (charge, news) => ({
      type: `payment.${news.status}`,
      body: chargeEventBody(charge, news, deps.switches.webhookAmount),
    }),
    payoutEvent: (payout, news) =>
      news.status === 'pending'
        ? null
        : { type: `payout.${news.status}`, body: payoutEventBody(payout, news, deps.switches.webhookAmount) },
  }
  return (account) => (isClickPesa(account) ? clickPesaVoice(deps, account) : snippe)
}
