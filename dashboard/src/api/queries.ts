/** What screens read and do, as React hooks. Invariant: a screen that is looked at shows what is true now, without a reload. */
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

/** What happens is on screen within 2 seconds, the way of question and answer included. */
const liveEveryMs = 1200

const awayAfterMs = 5 * 60_000

let lastSeenAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const) {
  addEventListener(event, () => void (lastSeenAt = Date.now()), { passive: true, capture: true })
}

/** Whether somebody sits in front of the screen: a page that nobody looks at asks nothing, and lets its session run out. */
function isPersonHere(): boolean {
  return document.visibilityState === 'visible' && Date.now() - lastSeenAt < awayAfterMs
}

/** A refusal stays one; what may pass is tried again. */
function mayPass(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && mayPass(error) },
      // What cannot be asked now fails now, instead of being sent when nobody looks; what was answered may be a secret, and is not kept.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  })
}

type Question<Result> = { queryKey: readonly unknown[]; queryFn(context: { signal: AbortSignal }): Promise<Result> }

/** A question to the API, under the name by which its answer is kept and said to be out of date. */
function question<Key extends OperationKey>(key: Key, input: Input<Key>): Question<Answer<Key>> {
  const { params, query } = input as { params?: unknown; query?: unknown }
  return {
    queryKey: [key, params ?? null, query ?? null],
    queryFn: ({ signal }) => call(key, { ...input, signal }),
  }
}

type Asked = { business_id?: string; environment?: string } | null

/** The page before stays only within one list of one wallet: nothing is shown under the name of something else. */
function isOfSameList([, params, query]: readonly unknown[], [, otherParams, otherQuery]: readonly unknown[]): boolean {
  const [one, other] = [query as Asked, otherQuery as Asked]
  const isOfSameOwner = one?.business_id === other?.business_id && one?.environment === other?.environment
  return isOfSameOwner && JSON.stringify(params) === JSON.stringify(otherParams)
}

export type Reading = {
  /** Asks again and again while the screen is looked at, so that what happens is there within 2 seconds. */
  isLive?: boolean
  /** False: not yet, something that it needs is missing. */
  isWanted?: boolean
}

/** Reads; while another page of the same list is fetched, the one before it stays. */
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
    // The library itself pauses this where the tab is hidden.
    refetchInterval: isLive ? () => (isPersonHere() ? liveEveryMs : false) : false,
  })
}

/**
 * Does something; what it changes is read anew: the named operations, or everything on screen. An action is never shown as done before
 * the API has said so, and the same is not begun again while it is under way: the second press of a double one is none.
 */
export function useAction<Key extends OperationKey>(
  key: Key,
  changes?: readonly OperationKey[],
): UseMutationResult<Answer<Key>, Error, Input<Key>> {
  const client = useQueryClient()
  const underWay = useRef(new Set<string>())
  const readAnew = async (): Promise<void> => {
    if (changes) await Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] })))
    else await client.invalidateQueries()
  }
  const action = useMutation({
    mutationFn: (input: Input<Key>) => call(key, input),
    onSuccess: readAnew,
    // It may have been done although the answer was lost; and what was refused is often something that others have changed.
    onError: () => void readAnew(),
    onSettled: (_answer, _error, input) => void underWay.current.delete(JSON.stringify(input)),
  })
  const mutate: typeof action.mutate = (...asked) => {
    const name = JSON.stringify(asked[0])
    if (underWay.current.has(name)) return
    underWay.current.add(name)
    action.mutate(...asked)
  }
  return { ...action, mutate }
}
