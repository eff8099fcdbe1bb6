/** The verification state of a business, in the words of the screens. */
import type { Business } from '../api/operations.ts'

/** The API calls a business pending from its registration on; before the submission, the person is not waiting for anything. */
export function standingOf({ status, review }: Pick<Business, 'status' | 'review'>): Business['status'] | 'unsubmitted' {
  return review.stage === 'draft' ? 'unsubmitted' : status
}
