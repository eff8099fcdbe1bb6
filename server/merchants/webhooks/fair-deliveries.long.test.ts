/** Measures and prints the time from a payment to its webhook while ninety test endpoints never answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookApi, until, type Person, type WebhookApi } from '../../../test/fixtures/webhook.ts'

/** Owners with eighteen endpoints each that accept connections and never answer, with twelve due deliveries per endpoint. */
async function fillWithSilence(app: WebhookApi, environment: 'test' | 'live', owners: number): Promise<Person[]> {
  const silent = await app.receiver(() => undefined)
  const people = await Promise.all(Array.from({ length: owners }, () => app.person()))
  for (const person of people) {
    for (let endpoint = 0; endpoint < 18; endpoint++) await app.webhook(person, silent.url, environment)
    await app.complete(person, 12, environment)
  }
  return people
}

/** Milliseconds from each of `count` live payments to its webhook, sorted. */
async function measure(app: WebhookApi, count: number): Promise<number[]> {
  const victim = await app.person()
  const receiver = await app.receiver()
  await app.webhook(victim, receiver.url, 'live')
  const sender = app.send()
  // The silent endpoints have taken all slots that they can get.
  await sleep(1_500)
  const begun = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const startedAt = Date.now()
    const [eventId] = await app.complete(victim, 1, 'live')
    begun.set(eventId!, startedAt)
    sender.wake()
    await sleep(50)
  }
  await until('all live webhooks arrive', () => receiver.requests.length >= count, 60_000)
  return [...begun.values()].map((startedAt, n) => receiver.requests[n]!.at - startedAt).toSorted((one, other) => one - other)
}

const at = (sorted: number[], share: number): number => sorted[Math.ceil(sorted.length * share) - 1]!

test('ninety silent test endpoints delay no live webhook of another owner [A73]', async (t) => {
  const app = await startWebhookApi(t)
  await fillWithSilence(app, 'test', 5)
  const waits = await measure(app, 100)
  t.diagnostic(`live webhooks beside 90 silent test endpoints: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms`)
  assert.ok(at(waits, 0.99) < 1_000, `${at(waits, 0.99)} ms`)
})

test('the silent live endpoints of five owners delay no live webhook of another owner [A73]', async (t) => {
  const app = await startWebhookApi(t)
  await fillWithSilence(app, 'live', 5)
  const waits = await measure(app, 100)
  t.diagnostic(`live webhooks beside 90 silent live endpoints of 5 owners: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms`)
  assert.ok(at(waits, 0.99) < 1_000, `${at(waits, 0.99)} ms`)
})
