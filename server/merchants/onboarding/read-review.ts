/** Reads reviews with their documents, for one merchant or for a list, in the same number of statements. */
import { findDocuments, latestDocuments } from '../documents/document.sql.ts'
import type { Document } from '../documents/document.ts'
import type { Runner } from '../../platform/db/db.ts'
import { must } from '../../platform/refusal.ts'
import { findReviews, submittedDocumentIds } from './review.sql.ts'
import type { Review } from './review.ts'

export type ReviewWithDocuments = Review & {
  /** The newest kept and the newest refused file for each purpose. */
  latest: Document[]
  /** The pinned files of the submitted package. */
  submitted: Document[]
}

export async function readReviews(runner: Runner, merchantIds: string[]): Promise<Map<string, ReviewWithDocuments>> {
  // In sequence: a transaction has one connection, and the version must never be newer than the data read after it.
  const reviews = await findReviews(runner, merchantIds)
  const latest = await latestDocuments(runner, merchantIds)
  const pinned = await submittedDocumentIds(runner, merchantIds)
  const submitted = await findDocuments(
    runner,
    pinned.map(({ documentId }) => documentId),
  )
  const ofMerchant = (documents: Document[], merchantId: string) =>
    documents.filter((document) => document.merchantId === merchantId)
  return new Map(
    reviews.map((review) => {
      const { merchantId } = review
      return [merchantId, { ...review, latest: ofMerchant(latest, merchantId), submitted: ofMerchant(submitted, merchantId) }]
    }),
  )
}

export async function readReview(runner: Runner, merchantId: string): Promise<ReviewWithDocuments> {
  return must((await readReviews(runner, [merchantId])).get(merchantId), 'every merchant has a review')
}
