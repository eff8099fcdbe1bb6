/** The usual reasons for a rejection, in Swahili and English; the owner reads them word for word. */
import { z } from 'zod'
import { merchantKinds } from '../domain/merchant.ts'
import { reviewDecisionSchema, reviewedKindSchema } from '../domain/verification.ts'
import type { Merchant } from '../identity/merchant.ts'
import { paragraphOfText } from '../platform/http/text.ts'

type Reason = { kinds: readonly Merchant['kind'][]; sw: string; en: string }

export const rejectionReasons = {
  document_unreadable: {
    kinds: merchantKinds,
    sw: 'Hati moja au zaidi haisomeki. Piga picha tena penye mwanga, hati yote ionekane.',
    en: 'One or more documents cannot be read. Take the picture again in good light, with the whole document in it.',
  },
  document_expired: {
    kinds: merchantKinds,
    sw: 'Hati moja au zaidi imeisha muda wake. Pakia iliyo hai.',
    en: 'One or more documents have expired. Upload valid ones.',
  },
  document_incomplete: {
    kinds: merchantKinds,
    sw: 'Kuna kurasa zinazokosekana. Pakia hati yote.',
    en: 'Pages are missing. Upload the whole document.',
  },
  wrong_document: {
    kinds: merchantKinds,
    sw: 'Hati iliyopakiwa si ile iliyoombwa.',
    en: 'The document that was uploaded is not the one that was asked for.',
  },
  name_mismatch: {
    kinds: merchantKinds,
    sw: 'Jina kwenye hati halilingani na jina ulilojaza.',
    en: 'The name on the documents is not the name that you entered.',
  },
  number_mismatch: {
    kinds: merchantKinds,
    sw: 'Namba kwenye hati hailingani na namba uliyojaza.',
    en: 'The number on the documents is not the number that you entered.',
  },
  selfie_mismatch: {
    kinds: ['personal'],
    sw: 'Picha yako hailingani na picha kwenye kitambulisho, au uso hauonekani vizuri.',
    en: 'Your picture does not match the one on the identity card, or the face cannot be seen well.',
  },
  date_of_birth_mismatch: {
    kinds: ['personal'],
    sw: 'Tarehe ya kuzaliwa hailingani na ile ya kwenye kitambulisho.',
    en: 'The date of birth is not the one on the identity card.',
  },
  not_a_student: {
    kinds: ['personal'],
    sw: 'Kitambulisho cha mwanafunzi hakikuthibitishwa na chuo kilichotajwa.',
    en: 'The student card could not be confirmed with the institution named.',
  },
  registration_not_found: {
    kinds: ['business'],
    sw: 'Usajili wa biashara haukupatikana kwa mamlaka husika (BRELA).',
    en: 'The registration of the business was not found with the authority (BRELA).',
  },
  tax_number_not_found: {
    kinds: ['business'],
    sw: 'Namba ya mlipakodi (TIN) haikupatikana kwa TRA, au ni ya mtu mwingine.',
    en: 'The tax identification number (TIN) was not found with TRA, or belongs to someone else.',
  },
  address_not_proven: {
    kinds: ['business'],
    sw: 'Uthibitisho wa anwani ni wa zaidi ya miezi mitatu, au anwani hailingani.',
    en: 'The proof of address is older than three months, or shows another address.',
  },
  representative_not_named: {
    kinds: ['business'],
    sw: 'Hati hazionyeshi kwamba wewe ni mwakilishi wa biashara hii.',
    en: 'The documents do not show that you represent this business.',
  },
  business_not_supported: {
    kinds: ['business'],
    sw: 'Aina hii ya biashara hairuhusiwi kupokea malipo kupitia Malipo.',
    en: 'This kind of business may not take payments through Malipo.',
  },
} as const satisfies Record<string, Reason>

type RejectionCode = keyof typeof rejectionReasons

const codes = Object.keys(rejectionReasons) as [RejectionCode, ...RejectionCode[]]

export const rejectionReasonSchema = z
  .object({
    code: z.enum(codes),
    kinds: z.array(reviewedKindSchema).meta({ description: 'Who can be rejected for this reason.' }),
    sw: z.string(),
    en: z.string(),
  })
  .meta({ id: 'RejectionReason' })

export function listRejectionReasons(): z.infer<typeof rejectionReasonSchema>[] {
  return codes.map((code) => {
    const { kinds, sw, en } = rejectionReasons[code]
    return { code, kinds: kinds.map((kind) => (kind === 'personal' ? 'person' : kind)), sw, en }
  })
}

/** The body of a decision; the decision itself checks that a rejection has a reason. */
export const decisionSchema = z.strictObject({
  status: reviewDecisionSchema,
  reason: paragraphOfText(2000).nullish().meta({
    description: 'Required for `rejected` without `reason_codes`. The owner reads it.',
    example: 'The certificate has expired.',
  }),
  reason_codes: z
    .array(z.enum(codes))
    .max(10)
    .optional()
    .meta({ description: 'Reasons from the catalogue. Their texts come first, in both languages, followed by `reason`.' }),
  version: z.int().min(0).optional().meta({
    description: 'The `review.version` that you have read. Not the newest version: 409 `review_version_changed`.',
  }),
})

/** The text for the owner: the sentences of the catalogue, then the reviewer's own text; null without both. */
export function reasonOf({ reason, reason_codes: chosen = [] }: z.infer<typeof decisionSchema>): string | null {
  const sentences = [...new Set(chosen)].map((code) => `${rejectionReasons[code].sw}\n${rejectionReasons[code].en}`)
  return [...sentences, ...(reason ? [reason] : [])].join('\n\n') || null
}
