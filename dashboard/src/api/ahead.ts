/**
 * Asks for the data of the first screen while the scripts of the screen are still loading. Invariant: an answer is handed over once, to
 * the cache that a sign-out clears, and is not kept here.
 */
import type { QueryClient } from '@tanstack/react-query'
import { call, type Answer, type Input, type OperationKey } from './call.ts'

type Ask = (client: QueryClient) => void

let asked: Ask[] = []
let receiver: QueryClient | undefined

/** The key under which an answer is cached, the same for one that was asked for ahead. */
export function queryKeyOf<Key extends OperationKey>(key: Key, input: Input<Key>): readonly unknown[] {
  const { params, query, body } = input as { params?: unknown; query?: unknown; body?: unknown }
  return [key, params ?? null, query ?? null, body ?? null]
}

export function askAhead<Key extends OperationKey>(key: Key, input: Input<Key>): Promise<Answer<Key>> {
  const queryKey = queryKeyOf(key, input)
  // If the app was faster, its cache does not send what a screen has already asked for.
  const answer = receiver ? receiver.fetchQuery({ queryKey, queryFn: () => call(key, input) }) : call(key, input)
  // The screen that uses the answer shows the failure.
  answer.catch(() => undefined)
  if (!receiver) asked.push((client) => void client.prefetchQuery({ queryKey, queryFn: () => answer, retry: false }))
  return answer
}

/** For the start of the app: its screens find the answers, or wait for them. */
export function handOver(client: QueryClient): void {
  receiver = client
  for (const ask of asked) ask(client)
  asked = []
}
