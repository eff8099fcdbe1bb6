/** React hooks to read and to act. Invariant: a visible screen shows current data without a reload, or a banner says that it does not. */
import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import { queryKeyOf } from './ahead.ts'
import { ApiError } from './api-error.ts'
import { call, type Answer, type Input, type OperationKey } from './call.ts'
import { createReadAgain, isConcerned } from './follow.ts'
import { isWatched, live, useLiveState } from './use-live.ts'

/** For what also changes with time alone, or what the service keeps for some seconds. */
const slowlyEveryMs = 15_000

/** In case a hint was lost between the database and the stream. */
const safetyEveryMs = 10 * 60_000

/** A refusal is final; a temporary failure is tried again. */
function mayPass(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

type State = { data: unknown; error: Error | null; dataUpdatedAt: number }

/** Reading again has failed: what is shown is old. */
const isOld = ({ data, error }: Pick<State, 'data' | 'error'>): boolean => data !== undefined && error !== null

/** Reads again what the changes concern, of what is on screen. */
function followChanges(client: QueryClient): void {
  const readAgain = createReadAgain()
  live.onChanges(({ is_gap, hints }) => {
    for (const query of client.getQueryCache().getAll()) {
      if (query.meta?.['isLive'] !== true) continue
      if (!is_gap && !hints.some((hint) => isConcerned(query.queryKey, hint))) continue
      const { queryKey } = query
      // What is not on screen now is read when it is shown again, however soon.
      const forget = () => client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
      if (!query.isActive()) {
        void forget()
        continue
      }
      readAgain({
        id: query.queryHash,
        isReading: () => query.state.fetchStatus === 'fetching',
        hasFailed: () => query.isActive() && query.state.error !== null && mayPass(query.state.error),
        read: () =>
          query.isActive()
            ? client.refetchQueries({ queryKey, exact: true, type: 'active' }, { cancelRefetch: false })
            : forget(),
      })
    }
  })
}

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && mayPass(error) },
      // An action that cannot be sent now fails now, instead of being sent unattended. Its answer may be a secret and is not kept.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  })
  followChanges(client)
  return client
}

type Question<Result> = { queryKey: readonly unknown[]; queryFn(context: { signal: AbortSignal }): Promise<Result> }

/** A query, with the key under which its answer is cached and invalidated. */
function question<Key extends OperationKey>(key: Key, input: Input<Key>): Question<Answer<Key>> {
  return {
    queryKey: queryKeyOf(key, input),
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
  /** Changes appear within a second; `slowly`: what changes with time alone, too, within 15 seconds. */
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
  const follows = isLive !== false && isWanted
  useEffect(() => (follows ? live.hold() : undefined), [follows])
  return useQuery<Answer<Key>, Error, Answer<Key>, readonly unknown[]>({
    ...asked,
    enabled: isWanted,
    placeholderData: (previous, query) =>
      query && isOfSameList(query.queryKey, asked.queryKey) ? (previous as never) : undefined,
    meta: { isLive: isLive !== false },
    // The library pauses this while the tab is hidden.
    refetchInterval: ({ state }) => {
      const isAgain = isOld(state) && mayPass(state.error!)
      if (!isWatched() || (isLive === false && !isAgain)) return false
      return isAgain || isLive === 'slowly' ? slowlyEveryMs : safetyEveryMs
    },
  })
}

/** When the oldest of these answers was read, if one is old; otherwise undefined. */
export function useOldSince(answers: readonly State[]): number | undefined {
  const { state, since } = useLiveState()
  const times = answers.filter(isOld).map(({ dataUpdatedAt }) => dataUpdatedAt)
  if (state === 'old' || state === 'paused') times.push(since)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** When the oldest answer on screen was read of those that are old and read again until that succeeds. */
export function useOldestOnScreen(): number | undefined {
  const cache = useQueryClient().getQueryCache()
  const listen = useCallback((changed: () => void) => cache.subscribe(changed), [cache])
  return useSyncExternalStore(listen, () => {
    const old = cache.getAll().filter((one) => one.isActive() && isOld(one.state) && mayPass(one.state.error!))
    return old.length === 0 ? undefined : Math.min(...old.map(({ state }) => state.dataUpdatedAt))
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
