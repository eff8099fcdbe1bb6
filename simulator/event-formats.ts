/** The format of an event. Invariant: each simulated provider has one format, chosen by the account alone. */
import type { Charge, ChargeStatus } from './charge.ts'
import { clickPesaEvents } from './clickpesa-events.ts'
import { isClickPesa, type AccountName, type SimulatorConfig } from './config.ts'
import { drifted } from './drift.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import type { WebhookFlaw } from './scenarios.ts'
import type { Switches } from './switches.ts'
import { chargeEventBody, payoutEventBody, type News } from './webhook-event.ts'

type EventContent = { type: string; body: string }

/** Null where the provider has no event for this. */
export type EventFormat = {
  chargeEvent: (charge: Charge, news: News<ChargeStatus>, flaw: WebhookFlaw | null) => EventContent | null
  payoutEvent: (payout: Payout, news: News<PayoutStatus>, flaw: WebhookFlaw | null) => EventContent | null
}

export type EventFormatOf = (account: AccountName) => EventFormat

export function eventFormats(deps: { config: SimulatorConfig; switches: Switches }): EventFormatOf {
  const told = <Status>(news: News<Status>): News<Status> =>
    deps.switches.webhookAmount === 'hundredfold' ? { ...news, amount: news.amount * 100 } : news
  const snippe: EventFormat = {
    chargeEvent: (charge, news) => ({
      type: `payment.${news.status}`,
      body: drifted(chargeEventBody(charge, told(news), deps.switches.webhookAmount), deps.switches.drift),
    }),
    payoutEvent: (payout, news) =>
      news.status === 'pending'
        ? null
        : {
            type: `payout.${news.status}`,
            body: drifted(payoutEventBody(payout, told(news), deps.switches.webhookAmount), deps.switches.drift),
          },
  }
  return (account) => {
    if (!isClickPesa(account)) return snippe
    const clickPesa = clickPesaEvents(deps, account)
    return {
      chargeEvent: (charge, news, flaw) => clickPesa.chargeEvent(charge, told(news), flaw),
      payoutEvent: (payout, news, flaw) => clickPesa.payoutEvent(payout, told(news), flaw),
    }
  }
}
