/** Which texts tell the merchant of a review. A credit of the proven amount may come before the review of another one ends. */
import type { MerchantPayment } from '../../api/operations.ts'

/** The keys of the title and the text. */
export function reviewTextsOf({ status, under_review: review }: Pick<MerchantPayment, 'status' | 'under_review'>) {
  const isUncredited = review?.reason === 'amount_differs' && status !== 'completed'
  return isUncredited ? (['underReview', 'underReviewText'] as const) : (['underReviewOther', 'underReviewOtherText'] as const)
}
