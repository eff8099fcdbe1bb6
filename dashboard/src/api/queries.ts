/** React hooks to read and to act. Invariant: a visible screen shows current data without a reload. */
import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError } from './api-error.ts'
import { call, type Answer, type Input, type OperationKey } from './call.ts'

/** Changes are on screen within 2 seconds, including the request. */
const liveEveryMs = 1200

/** For what is not on the screen itself, such as a count in the navigation. */
const slowlyEveryMs = 15_000

const awayAfterMs = 5 * 60_000

let lastSeenAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const) {
  addEventListener(event, () => void (lastSeenAt = Date.now()), { passive: true, capture: true })
}

/** Whether a person is active: an unattended page sends no requests, so that its session expires. */
function isAttended(): boolean {
  return document.visibilityState === 'visible' && Date.now() - lastSeenAt < awayAfterMs
}

/** A refusal is final; a temporary failure is tried again. */
function mayPass(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && mayPass(error) },
      // An action that cannot be sent now fails now, instead of being sent unattended. Its answer may be a secret and is not kept.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  })
}

type Question<Result> = { queryKey: readonly unknown[]; queryFn(context: { signal: AbortSignal }): Promise<Result> }

/** A query, with the key under which its answer is cached and invalidated. */
function question<Key extends OperationKey>(key: Key, input: Input<Key>): Question<Answer<Key>> {
  const { params, query } = input as { params?: unknown; query?: unknown }
  return {
    queryKey: [key, params ?? null, query ?? null],
    queryFn: ({ signal }) => call(key, { ...input, signal }),
  }
}

type Asked = { business_id?: string; environment?: string } | null

/** The previous page stays only within one list of one wallet, so that no data appears under another name. */
function isOfSameList([, params, query]: readonly unknown[], [, otherParams, otherQuery]: readonly unknown[]): boolean {
  const [one, other] = [query as Asked, otherQuery as Asked]
  const isOfSameOwner = one?.business_id === other?.business_id && one?.environment === other?.environment
  return isOfSameOwner && JSON.stringify(params) === JSON.stringify(otherParams)
}

export type Reading = {
  /** Polls while the screen is visible, so that changes appear within 2 seconds; `slowly`: within 15. */
  isLive?: boolean | 'slowly'
  /** False: not yet, a required value is missing. */
  isWanted?: boolean
}

/** Reads; while another page of the same list is loading, the previous page stays. */
export function useAnswer<Key extends OperationKey>(
  key: Key,
  input: Input<Key>,
  { isLive = false, isWanted = true }: Reading = {},
): UseQueryResult<Answer<Key>> {
  const asked = question(key, input)
  return useQuery<Answer<Key>, Error, Answer<Key>, readonly unknown[]>({
    ...asked,
    enabled: isWanted,
    placeholderData: (previous, query) =>
      query && isOfSameList(query.queryKey, asked.queryKey) ? (previous as never) : undefined,
    // The library pauses this while the tab is hidden.
    refetchInterval: isLive ? () => isAttended() && (isLive === 'slowly' ? slowlyEveryMs : liveEveryMs) : false,
  })
}

/**
 * Sends an action and reads the changed data again: the named operations, or everything on screen. Nothing is shown as done before the
 * API confirms it. The same action is not sent again while it is in flight, so a double click sends it once.
 */
export function useAction<Key extends OperationKey>(
  key: Key,
  changes?: readonly OperationKey[],
): UseMutationResult<Answer<Key>, Error, Input<Key>> {
  const client = useQueryClient()
  const inFlight = useRef(new Set<string>())
  const readAgain = async (): Promise<void> => {
    if (changes) await Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] })))
    else await client.invalidateQueries()
  }
  const action = useMutation({
    mutationFn: (input: Input<Key>) => call(key, input),
    onSuccess: readAgain,
    // It may have happened although the answer was lost; and a refusal often means that others changed the data.
    onError: () => void readAgain(),
    onSettled: (_answer, _error, input) => void inFlight.current.delete(JSON.stringify(input)),
  })
  const mutate: typeof action.mutate = (...asked) => {
    const name = JSON.stringify(asked[0])
    if (inFlight.current.has(name)) return
    inFlight.current.add(name)
    action.mutate(...asked)
  }
  return { ...action, mutate }
}
