/**
 * Personal KYC: a person's statements about themselves. Invariant: the national identity number is sealed, and only its last
 * characters are shown.
 */
import { codeTyped, numberTyped } from '../../domain/typed.ts'
import { z } from 'zod'
import { personalPurposes } from '../../domain/document.ts'
import { verificationStatusSchema } from '../../domain/verification.ts'
import type { Config } from '../../config/config.ts'
import { pathOf } from '../documents/document.ts'
import type { User } from '../../accounts/identity/user.ts'
import { toWire } from '../../platform/ids.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import type { SealedColumn } from '../../platform/db/sealed-column.sql.ts'
import type { ReviewWithDocuments } from './read-review.ts'
import {
  documentSchema,
  documentsToJson,
  requirementsOf,
  requirementsSchema,
  requirementsToJson,
  reviewSchema,
  reviewToJson,
  submittedDocumentSchema,
  submittedDocumentsToJson,
} from './review.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** The person of a review, as reviewers see them. */
export type Person = Pick<User, 'id' | 'fullName' | 'email' | 'studentId' | 'institution' | 'createdAt'>

export type IdentityPapers = { nationalIdLast4: string; dateOfBirth: string }

/** Letters and digits without separators. */
function plainNationalId(text: string): string {
  return codeTyped(text).replaceAll('/', '').toUpperCase()
}

export const nationalIdNumber = z
  .string()
  .overwrite(numberTyped)
  .regex(/^[A-Za-z0-9][A-Za-z0-9 /-]{4,39}$/, 'Enter the number as it is printed on the card: letters, digits, hyphens.')
  .transform(plainNationalId)
  .refine((text) => text.length >= 6, 'Enter the number as it is printed on the card.')
  .meta({
    description: 'NIDA number, or the number of another national identity card or passport. Stored encrypted.',
    example: '19990101-12345-00001-23',
  })

/** Whether a person who registers can be born on this day: at least ten years ago; both as YYYY-MM-DD. */
export function isBirthday(day: string, today: string): boolean {
  const tenYearsAgo = `${Number(today.slice(0, 4)) - 10}${today.slice(4)}`
  return day >= '1900-01-01' && day < tenYearsAgo
}

/** The last characters of a number, never more than a third of it. */
export function endOfNationalId(plain: string): string {
  return plain.slice(-Math.min(4, Math.floor(plain.length / 3)))
}

export const dateOfBirth = z.iso.date().meta({ example: '2003-05-17' })

export function contextOfNationalId(userId: string): string {
  return `identity_papers.sealed_national_id.${userId}`
}

export const nationalIdColumns: SealedColumn[] = [
  { table: 'identity_papers', column: 'sealed_national_id', id: 'user_id', contextOf: contextOfNationalId },
]

/** The same number always gives the same value, and the number cannot be derived from the value. */
export function hashOfNationalId(keys: Pick<Config['keys'], 'nationalId'>, plain: string): Buffer {
  return hmacSha256(keys.nationalId).update(plain).digest()
}

export const kycSchema = z
  .object({
    user_id: z.string(),
    status: verificationStatusSchema,
    rejection_reason: z.string().nullable(),
    national_id_last4: z.string().nullable().meta({ description: 'The last characters of the number, at most four.' }),
    date_of_birth: z.iso.date().nullable(),
    review: reviewSchema,
    requirements: requirementsSchema,
    documents: z.array(documentSchema(personalPurposes)),
    verified_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PersonalKyc' })

export function kycToJson(
  review: ReviewWithDocuments,
  papers: IdentityPapers | undefined,
  urls: Pick<Config['urls'], 'storage'>,
): z.infer<typeof kycSchema> {
  return answerOf(kycSchema, review, {
    user_id: toWire('usr', review.merchantId),
    national_id_last4: papers?.nationalIdLast4 ?? null,
    date_of_birth: papers?.dateOfBirth ?? null,
    review: reviewToJson(review),
    requirements: requirementsToJson(requirementsOf(review, personalPurposes, review, undefined)),
    documents: documentsToJson(personalPurposes, review, (document) => urls.storage + pathOf(document)),
  })
}

export const kycCaseSchema = kycSchema
  .omit({ requirements: true, documents: true })
  .extend({
    full_name: z.string(),
    email: z.string(),
    student_id: z.string().nullable(),
    institution: z.string().nullable(),
    documents: z.array(submittedDocumentSchema).meta({ description: 'The submitted documents, pinned.' }),
  })
  .meta({ id: 'KycCase' })

/** The data of a person for reviewers. */
export function kycCaseToJson(
  review: ReviewWithDocuments,
  person: Person,
  papers: IdentityPapers | undefined,
): z.infer<typeof kycCaseSchema> {
  return answerOf(kycCaseSchema, person, {
    user_id: toWire('usr', review.merchantId),
    student_id: person.studentId,
    status: review.status,
    rejection_reason: review.rejectionReason,
    national_id_last4: papers?.nationalIdLast4 ?? null,
    date_of_birth: papers?.dateOfBirth ?? null,
    review: reviewToJson(review),
    documents: submittedDocumentsToJson(personalPurposes, review.submitted),
    verified_at: review.verifiedAt?.toISOString() ?? null,
  })
}
