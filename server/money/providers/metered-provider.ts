/** Counts the requests to a provider and its answers: by operation, outcome and network, with their duration. */
import type { Environment } from '../../domain/environment.ts'
import type { Meters } from '../../platform/process/meters.ts'
import { troubles, type Provider } from './provider.ts'

const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30]

type Answered = { kind: string; trouble?: string; snapshot?: { network: string | null } }

/** Wraps the adapter directly: a call that a guard holds back was not made, and is not counted. */
export function createProviderMeter(meters: Meters): (provider: Provider, environment: Environment) => Provider {
  const calls = meters.counter('malipo_provider_calls_total', 'Calls to providers, by outcome.', [
    'provider',
    'environment',
    'operation',
    'outcome',
    'network',
  ])
  const durations = meters.histogram(
    'malipo_provider_call_seconds',
    'Duration of calls to providers.',
    ['provider', 'environment', 'operation'],
    bounds,
  )
  const messages = meters.counter('malipo_provider_messages_total', 'Messages from providers, by kind.', [
    'provider',
    'environment',
    'kind',
  ])

  const troubleCounter = meters.counter(
    'malipo_provider_troubles_total',
    'Calls that failed because a provider is unavailable or refuses our credentials.',
    ['provider', 'environment', 'trouble'],
  )

  return (provider, environment) => {
    const who = { provider: provider.name, environment }
    // A counter that starts at zero shows its first increase.
    for (const trouble of troubles) troubleCounter({ ...who, trouble }, 0)
    messages({ ...who, kind: 'invalid_signature' }, 0)

    async function timed<Outcome extends Answered>(operation: string, call: () => Promise<Outcome>): Promise<Outcome> {
      const startedAt = performance.now()
      let outcome: Outcome | undefined
      try {
        outcome = await call()
        return outcome
      } finally {
        calls({ ...who, operation, outcome: outcome?.kind ?? 'error', network: outcome?.snapshot?.network ?? 'unknown' })
        if (outcome?.trouble !== undefined) troubleCounter({ ...who, trouble: outcome.trouble })
        durations({ ...who, operation }, (performance.now() - startedAt) / 1000)
      }
    }

    return {
      ...provider,
      charge: (request) => timed('charge', () => provider.charge(request)),
      fetchCharge: (key, priority) => timed('fetch_charge', () => provider.fetchCharge(key, priority)),
      pushCharge: (key) => timed('push_charge', () => provider.pushCharge(key)),
      listCharges: (page) => timed('list_charges', () => provider.listCharges(page)),
      sendPayout: (request) => timed('send_payout', () => provider.sendPayout(request)),
      fetchPayout: (key) => timed('fetch_payout', () => provider.fetchPayout(key)),
      listPayouts: (page) => timed('list_payouts', () => provider.listPayouts(page)),
      quotePayout: (amount, phoneNumber) => timed('quote_payout', () => provider.quotePayout(amount, phoneNumber)),
      readBalance: () => timed('read_balance', () => provider.readBalance()),
      readWebhook(headers, rawBody, nowMs) {
        const message = provider.readWebhook(headers, rawBody, nowMs)
        messages({ ...who, kind: message.kind === 'invalid' ? `invalid_${message.reason}` : message.kind })
        return message
      },
    }
  }
}
