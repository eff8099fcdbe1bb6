/** The wallet and the environment of a screen: read from the address, remembered for the next visit. */
import type { Profile } from '../api/operations.ts'

export type Environment = Profile['environment']

/** As in the address: `me`, or the id of a business. */
export type Place = { owner: string; environment: Environment }

const storageKey = 'malipo-place'

export function readPlace({ owner, environment }: { owner?: string; environment?: string }): Place | undefined {
  if (owner === undefined || !/^(me|biz_[0-9a-z]+)$/.test(owner)) return undefined
  return environment === 'test' || environment === 'live' ? { owner, environment } : undefined
}

export function rememberPlace(place: Place): void {
  localStorage.setItem(storageKey, `${place.owner}/${place.environment}`)
}

/** The default: a new merchant has no live money yet, but can try everything in test. */
export function firstPlace(): Place {
  const [owner, environment] = (localStorage.getItem(storageKey) ?? '').split('/')
  return readPlace({ ...(owner && { owner }), ...(environment && { environment }) }) ?? { owner: 'me', environment: 'test' }
}

export type Account = Place & {
  /** The query of every request about this wallet: `{ query: { ...account.query, limit: 20 } }`. */
  query: { environment: Environment; business_id?: string }
}

export function accountOf({ owner, environment }: Place): Account {
  return { owner, environment, query: { environment, ...(owner !== 'me' && { business_id: owner }) } }
}
