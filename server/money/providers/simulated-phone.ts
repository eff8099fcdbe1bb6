/**
 * The payer's phone at the simulator, for people who try the test environment without a second phone. Invariant: the live environment
 * and a real provider have no such phone.
 */
import { createJsonClient, type JsonClient } from '../../platform/outbound/json-client.ts'
import { providerNames, type ProviderName } from '../../domain/provider.ts'

export const phoneActions = ['approve', 'wrong_pin', 'insufficient', 'cancel'] as const
export type PhoneAction = (typeof phoneActions)[number]

export type PhoneOutcome =
  | { kind: 'answered'; triesLeft: number }
  /** The prompt has been answered or is closed. */
  | { kind: 'no_prompt' }
  | { kind: 'unavailable'; reason: string }

export type SimulatedPhone = {
  /** Whether the test environment has such a phone. */
  isThere: boolean
  /** `reference`: the provider's reference of the charge. Never sends a PIN. */
  answer(provider: string, reference: string, action: PhoneAction): Promise<PhoneOutcome>
  close(): Promise<void>
}

type Account = { baseUrl: string; apiKey: string }

export type SimulatedPhoneOptions = {
  /** The test environment's; undefined accounts are not used. */
  test: { isSimulated: boolean } & Record<ProviderName, Account | undefined>
  timeoutMs: number
  maxResponseBytes: number
}

export function openSimulatedPhone({ test, timeoutMs, maxResponseBytes }: SimulatedPhoneOptions): SimulatedPhone {
  const accounts = providerNames.flatMap((name) => (test.isSimulated && test[name] ? [{ name, ...test[name] }] : []))
  const clients = new Map(
    accounts.map(({ name, baseUrl, apiKey }): [string, { apiKey: string; client: JsonClient }] => {
      const options = { baseUrl: new URL(baseUrl).origin, timeoutMs, maxResponseBytes, connections: 4 }
      return [name, { apiKey, client: createJsonClient(options) }]
    }),
  )
  return {
    isThere: clients.size > 0,
    async answer(provider, reference, action) {
      const one = clients.get(provider)
      if (!one) return { kind: 'unavailable', reason: 'this provider is not simulated' }
      const result = await one.client.call('POST', '/phone/answers', {
        headers: { authorization: `Bearer ${one.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reference, action }),
      })
      if (result.kind !== 'answered') return { kind: 'unavailable', reason: result.reason }
      const { status, body } = result.answer
      if (status === 409) return { kind: 'no_prompt' }
      const triesLeft = (body as { tries_left?: unknown } | undefined)?.tries_left
      if (status !== 200 || typeof triesLeft !== 'number') return { kind: 'unavailable', reason: `status ${status}` }
      return { kind: 'answered', triesLeft }
    },
    async close() {
      for (const { client } of clients.values()) await client.close()
    },
  }
}
