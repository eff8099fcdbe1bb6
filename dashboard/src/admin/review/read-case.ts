/** Converts a case of a person or a business into one form for the screen. */
import type { BusinessCase, OpenKycCase, WaitingReview } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'

export type CaseKind = WaitingReview['kind']

export type PinnedDocument = OpenKycCase['documents'][number]

export type Double = { id: string; name: string; same: readonly string[] }

export type Case = Pick<
  OpenKycCase,
  'status' | 'review' | 'rejection_reason' | 'self_review' | 'resembles' | 'claim' | 'history'
> & {
  id: string
  kind: CaseKind
  name: string
  facts: Record<string, string | null>
  documents: readonly PinnedDocument[]
  doubles: readonly Double[]
  representative?: BusinessCase['representative']
  suspension?: BusinessCase['suspension']
}

/** The fields of a business that its documents show, in reading order. */
export const factNames = [
  'legal_name',
  'trading_name',
  'business_type',
  'registration_number',
  'tax_identification_number',
  'address',
  'city',
  'region',
  'website',
  'phone',
  'email',
] as const

const double =
  (id: 'user_id' | 'business_id', name: 'full_name' | 'legal_name') =>
  (one: { same: string[] } & Record<string, unknown>): Double => ({
    id: String(one[id]),
    name: String(one[name]),
    same: one.same,
  })

function ofPerson(read: OpenKycCase): Case {
  const { full_name, email, national_id_number, date_of_birth, student_id, institution } = read
  return {
    ...read,
    id: read.user_id,
    kind: 'person',
    name: full_name,
    facts: { full_name, national_id_number, date_of_birth, student_id, institution, email },
    doubles: [
      ...read.duplicate_people.map(double('user_id', 'full_name')),
      ...read.duplicate_businesses.map(double('business_id', 'legal_name')),
    ],
  }
}

function ofBusiness(read: BusinessCase): Case {
  return {
    ...read,
    kind: 'business',
    name: read.legal_name,
    facts: Object.fromEntries(factNames.map((name) => [name, read[name]])),
    documents: read.submitted_documents,
    doubles: [
      ...read.duplicates.map(double('business_id', 'legal_name')),
      ...read.duplicate_people.map(double('user_id', 'full_name')),
    ],
  }
}

export const kindOf = (id: string): CaseKind => (id.startsWith('usr_') ? 'person' : 'business')

export type ReadCase = { found: Case | undefined; newestVersion: number | undefined; error: unknown; refetch: () => unknown }

/**
 * The case as it was when it was opened, and the number of its newest version. Each view of an identity number is recorded, so the case
 * is read once; only its version is polled.
 */
export function useCase(id: string): ReadCase {
  const isPerson = kindOf(id) === 'person'
  const person = useAnswer('GET /v1/admin/kyc/{user_id}', { params: { user_id: id } }, { isWanted: isPerson })
  const business = useAnswer('GET /v1/admin/businesses/{business_id}', { params: { business_id: id } }, { isWanted: !isPerson })
  const people = useAnswer('GET /v1/admin/kyc', { query: { q: id, limit: 1 } }, { isLive: true, isWanted: isPerson })
  const businesses = useAnswer('GET /v1/admin/businesses', { query: { q: id, limit: 1 } }, { isLive: true, isWanted: !isPerson })
  const newest = (isPerson ? people : businesses).data?.data[0]
  const newestVersion = newest?.review.version
  if (isPerson) {
    return { found: person.data && ofPerson(person.data.data), newestVersion, error: person.error, refetch: person.refetch }
  }
  return {
    found: business.data && ofBusiness(business.data.data),
    newestVersion,
    error: business.error,
    refetch: business.refetch,
  }
}
