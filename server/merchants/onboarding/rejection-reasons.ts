/** The usual reasons for a rejection, in Swahili and English; the owner reads them word for word. */
import { z } from 'zod'
import { merchantKinds } from '../../domain/merchant.ts'
import { reviewedKindSchema } from '../../domain/verification.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'

/** What a reason can be about: a document, an entered field, or neither, when it is about the whole case. */
const abouts = ['document', 'field'] as const

/** `one`: the sentence about one document, where it differs. */
type Reason = {
  kinds: readonly Merchant['kind'][]
  about: readonly (typeof abouts)[number][]
  sw: string
  en: string
  one?: { sw: string; en: string }
}

export const rejectionReasons = {
  document_unreadable: {
    kinds: merchantKinds,
    about: ['document'],
    sw: 'Hati moja au zaidi haisomeki. Piga picha tena penye mwanga, hati yote ionekane.',
    en: 'One or more documents cannot be read. Take the picture again in good light, with the whole document in it.',
    one: {
      sw: 'Hati hii haisomeki. Piga picha tena penye mwanga, hati yote ionekane.',
      en: 'This document cannot be read. Take the picture again in good light, with the whole document in it.',
    },
  },
  document_expired: {
    kinds: merchantKinds,
    about: ['document'],
    sw: 'Hati moja au zaidi imeisha muda wake. Pakia iliyo hai.',
    en: 'One or more documents have expired. Upload valid ones.',
    one: { sw: 'Hati hii imeisha muda wake. Pakia iliyo hai.', en: 'This document has expired. Upload a valid one.' },
  },
  document_incomplete: {
    kinds: merchantKinds,
    about: ['document'],
    sw: 'Kuna kurasa zinazokosekana. Pakia hati yote.',
    en: 'Pages are missing. Upload the whole document.',
  },
  wrong_document: {
    kinds: merchantKinds,
    about: ['document'],
    sw: 'Hati iliyopakiwa si ile iliyoombwa.',
    en: 'The document that was uploaded is not the one that was asked for.',
  },
  name_mismatch: {
    kinds: merchantKinds,
    about: abouts,
    sw: 'Jina kwenye hati halilingani na jina ulilojaza.',
    en: 'The name on the documents is not the name that you entered.',
  },
  number_mismatch: {
    kinds: merchantKinds,
    about: abouts,
    sw: 'Namba kwenye hati hailingani na namba uliyojaza.',
    en: 'The number on the documents is not the number that you entered.',
  },
  selfie_mismatch: {
    kinds: ['personal'],
    about: ['document'],
    sw: 'Picha yako hailingani na picha kwenye kitambulisho, au uso hauonekani vizuri.',
    en: 'Your picture does not match the one on the identity card, or the face cannot be seen well.',
  },
  date_of_birth_mismatch: {
    kinds: ['personal'],
    about: ['field'],
    sw: 'Tarehe ya kuzaliwa hailingani na ile ya kwenye kitambulisho.',
    en: 'The date of birth is not the one on the identity card.',
  },
  not_a_student: {
    kinds: ['personal'],
    about: ['document'],
    sw: 'Kitambulisho cha mwanafunzi hakikuthibitishwa na chuo kilichotajwa.',
    en: 'The student card could not be confirmed with the institution named.',
  },
  registration_not_found: {
    kinds: ['business'],
    about: ['field'],
    sw: 'Usajili wa biashara haukupatikana kwa mamlaka husika (BRELA).',
    en: 'The registration of the business was not found with the authority (BRELA).',
  },
  tax_number_not_found: {
    kinds: ['business'],
    about: ['field'],
    sw: 'Namba ya mlipakodi (TIN) haikupatikana kwa TRA, au ni ya mtu mwingine.',
    en: 'The tax identification number (TIN) was not found with TRA, or belongs to someone else.',
  },
  address_not_proven: {
    kinds: ['business'],
    about: abouts,
    sw: 'Uthibitisho wa anwani ni wa zaidi ya miezi mitatu, au anwani hailingani.',
    en: 'The proof of address is older than three months, or shows another address.',
  },
  representative_not_named: {
    kinds: ['business'],
    about: abouts,
    sw: 'Hati hazionyeshi kwamba wewe ni mwakilishi wa biashara hii.',
    en: 'The documents do not show that you represent this business.',
  },
  business_not_supported: {
    kinds: ['business'],
    about: [],
    sw: 'Aina hii ya biashara hairuhusiwi kupokea malipo kupitia Malipo.',
    en: 'This kind of business may not take payments through Malipo.',
  },
} as const satisfies Record<string, Reason>

export type RejectionCode = keyof typeof rejectionReasons

export const rejectionCodes = Object.keys(rejectionReasons) as [RejectionCode, ...RejectionCode[]]

export const rejectionReasonSchema = z
  .object({
    code: z.enum(rejectionCodes),
    kinds: z.array(reviewedKindSchema).meta({ description: 'Who can be rejected for this reason.' }),
    about: z
      .array(z.enum(abouts))
      .meta({ description: 'Whether it can be about one document or one field. Empty: the whole case.' }),
    sw: z.string(),
    en: z.string(),
    item: z.object({ sw: z.string(), en: z.string() }).meta({ description: 'The same about one document or field.' }),
  })
  .meta({ id: 'RejectionReason' })

/** The sentence about one document or field. */
export function wordsAbout(code: RejectionCode): { sw: string; en: string } {
  const reason: Reason = rejectionReasons[code]
  return reason.one ?? { sw: reason.sw, en: reason.en }
}

export function listRejectionReasons(): z.infer<typeof rejectionReasonSchema>[] {
  return rejectionCodes.map((code) => {
    const { kinds, about, sw, en } = rejectionReasons[code]
    return {
      code,
      kinds: kinds.map((kind) => (kind === 'personal' ? 'person' : kind)),
      about: [...about],
      sw,
      en,
      item: wordsAbout(code),
    }
  })
}
