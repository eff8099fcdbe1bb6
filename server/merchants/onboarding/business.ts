/** The business record: the statements of its representative, the status of its review, and its rights. */
import { z } from 'zod'
import { businessTypeSchema } from '../../domain/merchant.ts'
import { anyPhoneTyped } from '../../domain/any-phone.ts'
import { textTyped } from '../../domain/typed.ts'
import { businessPurposes } from '../../domain/document.ts'
import { businessStatusSchema, verificationStatusSchema, type VerificationStatus } from '../../domain/verification.ts'
import type { Config } from '../../config/config.ts'
import { pathOf } from '../documents/document.ts'
import { suspensionSchema, suspensionToJson } from '../../accounts/identity/merchant.ts'
import { sandboxSchema } from '../../accounts/identity/sandbox.ts'
import { emailAddress } from '../../accounts/identity/user.ts'
import { toWire } from '../../platform/ids.ts'
import { resembledName } from '../../accounts/identity/known-names.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { answerOf, fieldsOf, type FieldsOf } from '../../platform/http/answer.ts'
import { lineOfText, plainHttpsUrl } from '../../platform/http/text.ts'
import type { ReviewWithDocuments } from './read-review.ts'
import {
  caseFields,
  documentSchema,
  documentsToJson,
  duplicateBusinesses,
  historySchema,
  requirementsOf,
  requirementsSchema,
  requirementsToJson,
  reviewSchema,
  reviewToJson,
  submittedDocumentSchema,
} from './review.ts'

export type Business = BusinessFacts & {
  id: string
  status: VerificationStatus
  representativeUserId: string
  representativeName: string
  /** The value when the business was registered. */
  representativeStudentId: string | null
  representativeKycStatus: VerificationStatus
  suspendedAt: Date | null
  suspensionReason: string | null
  createdAt: Date
  updatedAt: Date
}

/** The name that payers see. */
export function displayNameOf(facts: Pick<BusinessFacts, 'legalName' | 'tradingName'>): string {
  return facts.tradingName ?? facts.legalName
}

/** Refuses a name that equals a network's, a bank's or an office's name in any spelling. Reviewers judge a name that only contains one. */
export function refuseKnownName(facts: Pick<BusinessFacts, 'legalName' | 'tradingName'>): void {
  const message =
    'This name belongs to a network, a bank or a public office. Choose another, or add a word of your own, such as your town.'
  const named = { legal_name: facts.legalName, trading_name: facts.tradingName }
  const errors = Object.entries(named).flatMap(([field, name]) =>
    name !== null && resembledName(name)?.isExact ? [{ field, code: 'name_reserved', message }] : [],
  )
  if (errors.length > 0) throw invalidFields(errors)
}

/** Refuses an empty registration number, except for a sole proprietor. */
export function requireRegistrationNumber(facts: Pick<BusinessFacts, 'businessType' | 'registrationNumber'>): void {
  if (facts.registrationNumber !== '' || facts.businessType === 'sole_proprietor') return
  throw invalidFields([
    { field: 'registration_number', code: 'required', message: 'This field may be blank only for an informal sole_proprietor.' },
  ])
}

/** E.164 of any valid number, including landlines; numbers without a country code are Tanzanian. */
const contactPhone = z
  .string()
  .max(60)
  .transform((text, context) => {
    const phone = anyPhoneTyped(text)
    if (phone !== undefined) return phone
    context.addIssue({ code: 'custom', message: 'Enter a valid phone number, such as +255222112345.' })
    return z.NEVER
  })
  .meta({ description: 'Any valid phone number. Stored as E.164.', example: '+255222112345' })

const factFields = {
  legal_name: lineOfText(120).meta({ example: 'Mwenge Traders Limited' }),
  trading_name: lineOfText(120)
    .nullable()
    .meta({ description: 'The name that payers see. Default: the legal name.', example: 'Mwenge Duka' }),
  business_type: businessTypeSchema,
  registration_number: z
    .union([z.string().overwrite(textTyped).length(0), lineOfText(64)])
    .meta({ type: 'string', description: 'May be `""` for an informal `sole_proprietor` only.', example: '123456789' }),
  tax_identification_number: lineOfText(32)
    .nullable()
    .meta({ description: 'The TIN, if one was issued.', example: '123-456-789' }),
  country: z.literal('TZ', 'The only supported country is Tanzania (`TZ`).'),
  address: lineOfText(200).meta({ example: 'Plot 12, Bagamoyo Road' }),
  city: lineOfText(80).meta({ example: 'Dar es Salaam' }),
  region: lineOfText(80).meta({ description: 'Usually one of the 31 regions of Tanzania.', example: 'Dar es Salaam' }),
  website: plainHttpsUrl.nullable().meta({ example: 'https://mwenge.example.com' }),
  phone: contactPhone,
  email: emailAddress,
  representative_role: lineOfText(60).meta({ description: 'The role of the person who registers it.', example: 'director' }),
}

const optionalFacts = {
  trading_name: factFields.trading_name.optional(),
  tax_identification_number: factFields.tax_identification_number.optional(),
  website: factFields.website.optional(),
}

const factsSchema = z.strictObject(factFields)

/** The fields of a business, as its representative entered them. The registration number of an informal sole proprietor is empty. */
export type BusinessFacts = FieldsOf<z.infer<typeof factsSchema>>

export const newBusinessSchema = z.strictObject({ ...factFields, ...optionalFacts })
export const businessChangesSchema = factsSchema.partial().prefault({})

/** The facts of a new business; a fact that its body leaves out is null. */
export function factsOf(body: z.infer<typeof newBusinessSchema>): BusinessFacts {
  return { tradingName: null, taxIdentificationNumber: null, website: null, ...fieldsOf(body) }
}

/** The facts under their public names, as in the history of a review. */
export function factsToJson(facts: BusinessFacts): z.infer<typeof factsSchema> {
  return answerOf(factsSchema, facts, {})
}

const nullableText = z.string().nullable()

const representativeSchema = z.object({
  user_id: z.string(),
  student_id: nullableText.meta({ description: 'The student id at the time of registration.' }),
  role: z.string(),
  kyc_status: verificationStatusSchema,
})

export const businessSchema = z
  .object({
    id: z.string().meta({ example: 'biz_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    status: businessStatusSchema,
    legal_name: z.string(),
    trading_name: nullableText,
    business_type: businessTypeSchema,
    registration_number: z.string(),
    tax_identification_number: nullableText,
    country: z.literal('TZ'),
    address: z.string(),
    city: z.string(),
    region: z.string(),
    website: nullableText,
    phone: z.string(),
    email: z.string(),
    representative_role: z.string(),
    rejection_reason: nullableText.meta({
      description: 'The reason for the rejection. Cleared when the business is submitted again.',
    }),
    representative: representativeSchema,
    review: reviewSchema,
    requirements: requirementsSchema,
    documents: z.array(documentSchema(businessPurposes)),
    capabilities: z.object({ live_keys: z.boolean(), page_writes: z.boolean(), payouts: z.boolean() }),
    suspension: suspensionSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    verified_at: z.iso.datetime().nullable(),
    sandbox: sandboxSchema.optional().meta({ description: 'Only in the answer to its registration.' }),
  })
  .meta({ id: 'Business' })

export const businessCaseSchema = businessSchema
  .extend({
    representative: representativeSchema.extend({ full_name: z.string() }),
    submitted_documents: z.array(submittedDocumentSchema).meta({ description: 'The documents under review, pinned.' }),
    duplicates: duplicateBusinesses.meta({
      description: 'Other businesses with the same registration number, TIN, phone or file.',
    }),
    ...caseFields,
    history: z.array(historySchema),
  })
  .meta({ id: 'BusinessCase' })

export function businessToJson(
  business: Business,
  review: ReviewWithDocuments,
  urls: Pick<Config['urls'], 'storage'>,
): z.infer<typeof businessSchema> {
  const mayTakeMoney = business.status === 'verified' && business.suspendedAt === null
  const isRepresentativeVerified = business.representativeKycStatus === 'verified'
  return answerOf(businessSchema, business, {
    id: toWire('biz', business.id),
    // A business is never unsubmitted: it is pending from its registration on.
    status: business.status === 'unsubmitted' ? 'pending' : business.status,
    rejection_reason: review.rejectionReason,
    representative: {
      user_id: toWire('usr', business.representativeUserId),
      student_id: business.representativeStudentId,
      role: business.representativeRole,
      kyc_status: business.representativeKycStatus,
    },
    review: reviewToJson(review),
    requirements: requirementsToJson(requirementsOf(review, businessPurposes, review, isRepresentativeVerified)),
    documents: documentsToJson(businessPurposes, review, (document) => urls.storage + pathOf(document)),
    capabilities: { live_keys: mayTakeMoney, page_writes: mayTakeMoney, payouts: mayTakeMoney },
    suspension: suspensionToJson(business),
    verified_at: review.verifiedAt?.toISOString() ?? null,
  })
}
