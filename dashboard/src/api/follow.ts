/** Which reads a hint concerns, and reading them again. A read that this file does not know follows every hint of its wallet. */
import type { Hint } from './read-events.ts'

/** The key of a query: the operation, its parameters and its query. */
export type QueryKey = readonly unknown[]

type Fields = Record<string, unknown> | null | undefined

/** The first line that fits counts. Only operations that many hints do not concern need one. */
const subjectsOf: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^GET \/v1\/auth\/sessions/, ['sessions']],
  [/^GET \/v1\/memberships/, ['memberships', 'person', 'account']],
  [/\/activity$/, ['activity']],
  [/\/members$/, ['members', 'memberships']],
  [/\/requests$/, ['api_requests']],
  [/^GET \/v1\/kyc|^GET \/v1\/businesses\/[^/]+$/, ['account', 'memberships', 'person']],
  [/\/merchant\/balance/, ['balance', 'payouts']],
  [/\/merchant\/approval/, ['approvals', 'payouts', 'batches', 'members']],
  [/\/merchant\/payout-batches/, ['batches', 'payouts', 'approvals']],
  [/\/merchant\/payouts/, ['payouts', 'approvals', 'batches', 'deliveries']],
  [/\/merchant\/payments(\/totals)?$/, ['payments']],
  [/\/merchant\/payments\/[^/]+\/support-cases$/, ['cases', 'payments']],
  [/\/merchant\/payments\//, ['payments', 'payouts', 'approvals', 'deliveries']],
  [/\/merchant\/(payment-pages|payment-requests)/, ['pages', 'payments']],
  [/\/merchant\/statement/, ['balance', 'payments', 'payouts']],
  [/^GET \/v1\/admin\/switches/, ['switches']],
  [/^GET \/v1\/admin\/breaks/, ['breaks', 'payments', 'payouts']],
  [/^GET \/v1\/admin\/reviews/, ['reviews', 'account']],
  [/^GET \/v1\/admin\/support-cases/, ['cases']],
  [/^GET \/v1\/admin\/payments/, ['payments', 'breaks', 'deliveries', 'payouts', 'cases']],
  [/^GET \/v1\/admin\/payouts/, ['payouts', 'breaks', 'approvals']],
]

/** After these, any wallet may look different. */
const ofThePerson = ['memberships', 'person']

function isOfWallet(params: Fields, query: Fields, { business_id, environment, subjects }: Hint): boolean {
  if (subjects.some((subject) => ofThePerson.includes(subject))) return true
  const asked = query?.['environment']
  if (asked !== undefined && environment !== null && asked !== environment) return false
  const business = query?.['business_id'] ?? params?.['business_id']
  // Without either, it belongs to the person.
  if (business === undefined && asked === undefined) return true
  return (business ?? null) === business_id
}

/** Whether the answer to this read may have changed. */
export function isConcerned([operation, params, query]: QueryKey, hint: Hint): boolean {
  const needed = subjectsOf.find(([pattern]) => pattern.test(operation as string))?.[1]
  if (needed && !hint.subjects.some((subject) => needed.includes(subject))) return false
  // Hints for operators name no wallet.
  return (operation as string).startsWith('GET /v1/admin/') || isOfWallet(params as Fields, query as Fields, hint)
}

export type Rereadable = {
  id: string
  isReading(): boolean
  /** The last read failed in a way that may pass, and its screen is still there. */
  hasFailed(): boolean
  /** Joins a read that is running. */
  read(): Promise<unknown>
}

/** Many hints in a row cause one read in this time. */
const gapMs = 500
/** A failed read is repeated, first soon, then at most this far apart. */
const longestWaitMs = 30_000

/**
 * Reads again, now or as soon as the running read is over: its answer may be from before the change. Any number of calls meanwhile
 * causes one more read.
 */
export function createReadAgain(): (query: Rereadable) => void {
  const running = new Map<string, { isAsked: boolean }>()
  return (query) => {
    const known = running.get(query.id)
    if (known) {
      known.isAsked = true
      return
    }
    const state = { isAsked: true }
    running.set(query.id, state)
    void (async () => {
      try {
        let waitMs = gapMs
        while (state.isAsked) {
          if (query.isReading()) await query.read().catch(() => undefined)
          state.isAsked = false
          await query.read().catch(() => undefined)
          const hasFailed = query.hasFailed()
          waitMs = hasFailed ? Math.min(2 * waitMs, longestWaitMs) : gapMs
          await new Promise((resolve) => setTimeout(resolve, waitMs))
          state.isAsked ||= hasFailed
        }
      } finally {
        running.delete(query.id)
      }
    })()
  }
}
