/** Where the verification of a business stands, in the words of the screens. */
import type { Business } from '../api/operations.ts'

/** The API calls a business pending from its registration on: before it has sent anything there is nothing to wait for. */
export function standingOf({ status, review }: Pick<Business, 'status' | 'review'>): Business['status'] | 'unsubmitted' {
  return review.stage === 'draft' ? 'unsubmitted' : status
}
