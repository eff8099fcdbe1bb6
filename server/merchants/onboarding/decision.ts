/**
 * What a reviewer sends: a decision, and for a rejection what is wrong with which document or field. The owner reads the reasons word
 * for word, in Swahili and English.
 */
import { z } from 'zod'
import { businessPurposes, personalPurposes } from '../../domain/document.ts'
import { reviewDecisionSchema } from '../../domain/verification.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { paragraphOfText } from '../../platform/http/text.ts'
import { invalidFields, type FieldError } from '../../platform/refusal.ts'
import type { WantedDecision } from './decide.ts'
import { rejectionCodes, rejectionReasons, wordsAbout } from './rejection-reasons.ts'
import { inBothLanguages, type Problem } from './review.ts'

type Words = { sw: string; en: string }

/** The fields of a person and of a business that a reviewer can find wrong, and their names in a mail. */
const fields = {
  personal: {
    full_name: { sw: 'Jina', en: 'Name' },
    national_id_number: { sw: 'Namba ya kitambulisho', en: 'Number of the identity card' },
    date_of_birth: { sw: 'Tarehe ya kuzaliwa', en: 'Date of birth' },
    student_id: { sw: 'Namba ya mwanafunzi', en: 'Student number' },
    institution: { sw: 'Chuo', en: 'University or college' },
  },
  business: {
    legal_name: { sw: 'Jina lililosajiliwa', en: 'Registered name' },
    trading_name: { sw: 'Jina la biashara', en: 'Trading name' },
    business_type: { sw: 'Aina ya biashara', en: 'Kind of business' },
    registration_number: { sw: 'Namba ya usajili', en: 'Registration number' },
    tax_identification_number: { sw: 'TIN', en: 'TIN' },
    address: { sw: 'Anwani', en: 'Address' },
    city: { sw: 'Mji', en: 'Town or city' },
    region: { sw: 'Mkoa', en: 'Region' },
    website: { sw: 'Tovuti', en: 'Website' },
    phone: { sw: 'Namba ya simu', en: 'Phone number' },
    email: { sw: 'Barua pepe', en: 'E-mail address' },
    representative_role: { sw: 'Wadhifa wa mwakilishi', en: 'Role of the representative' },
  },
} as const satisfies Record<Merchant['kind'], Record<string, Words>>

const documents = {
  national_id: { sw: 'Kitambulisho', en: 'Identity card' },
  student_id_card: { sw: 'Kitambulisho cha mwanafunzi', en: 'Student card' },
  selfie: { sw: 'Picha ya uso', en: 'Picture of the face' },
  registration_certificate: { sw: 'Cheti cha usajili', en: 'Registration certificate' },
  tax_certificate: { sw: 'Cheti cha mlipakodi', en: 'Tax certificate' },
  business_license: { sw: 'Leseni ya biashara', en: 'Business licence' },
  proof_of_address: { sw: 'Uthibitisho wa anwani', en: 'Proof of address' },
} as const satisfies Record<(typeof businessPurposes | typeof personalPurposes)[number], Words>

const names = { ...fields.personal, ...fields.business, ...documents }
type Item = keyof typeof names

/** The documents and fields of each kind of case. */
const itemsOf: Record<Merchant['kind'], ReadonlySet<string>> = {
  personal: new Set([...Object.keys(fields.personal), ...personalPurposes]),
  business: new Set([...Object.keys(fields.business), ...businessPurposes]),
}

const itemNames = Object.keys(names) as [Item, ...Item[]]

const problemSchema = z.strictObject({
  item: z.enum(itemNames).meta({ description: 'A purpose of a document, or a field of the case.' }),
  code: z.enum([...rejectionCodes, 'other']).meta({ description: 'A code of the catalogue, or `other` with a `note`.' }),
  note: paragraphOfText(500).nullish().meta({ description: 'Your own words, after the sentence of the catalogue.' }),
})

/** The body of a decision; the decision itself checks that a rejection has a reason. */
export const decisionSchema = z.strictObject({
  status: reviewDecisionSchema,
  reason: paragraphOfText(2000).nullish().meta({
    description: 'Required for `rejected` without `reason_codes` and `problems`. The owner reads it.',
    example: 'The certificate has expired.',
  }),
  reason_codes: z
    .array(z.enum(rejectionCodes))
    .max(10)
    .optional()
    .meta({ description: 'Reasons from the catalogue. Their texts come first, in both languages, followed by `reason`.' }),
  problems: z.array(problemSchema).max(20).optional().meta({
    description:
      'What is wrong with which document or field, for `rejected` only, one entry for each. The owner sees each one at its place; everything else stays as submitted.',
  }),
  version: z.int().min(0).optional().meta({
    description: 'The `review.version` that you have read. Not the newest version: 409 `review_version_changed`.',
  }),
})

/** The codes that a decision refuses with, besides that of a case that was not submitted. */
export const decisionRefusals = [
  'self_review_forbidden',
  'document_unreadable',
  'documents_not_opened',
  'invalid_state',
  'review_version_changed',
  'review_claimed',
]

type Body = z.infer<typeof decisionSchema>

function wordsOf(sentences: readonly Words[], note: string | null | undefined): Words {
  const own = note ? [note] : []
  return { sw: [...sentences.map(({ sw }) => sw), ...own].join('\n'), en: [...sentences.map(({ en }) => en), ...own].join('\n') }
}

/** The texts for the owner about the whole case: the sentences of the catalogue, then the reviewer's own text; null without both. */
function generalReason({ reason, reason_codes: chosen = [] }: Body): string | null {
  const sentences = [...new Set(chosen)].map((code) => `${rejectionReasons[code].sw}\n${rejectionReasons[code].en}`)
  return [...sentences, ...(reason ? [reason] : [])].join('\n\n') || null
}

function refuseWrongItems(kind: Merchant['kind'], { status, problems = [] }: Body): void {
  const errors = problems.flatMap(({ item, code, note }, place): FieldError[] => {
    const wrong = (field: string, message: string, messageSw: string, why = 'invalid'): FieldError[] => [
      { field: `problems.${place}${field}`, code: why, message, messageSw },
    ]
    if (status !== 'rejected') return wrong('', 'Only a rejection names problems.', 'Kasoro zinatajwa wakati wa kukataa tu.')
    if (!itemsOf[kind].has(item)) return wrong('.item', `This case has no ${item}.`, 'Hati au sehemu hii haipo hapa.')
    if (problems.findIndex((one) => one.item === item) < place) {
      return wrong('.item', `Send one entry for ${item}.`, 'Hati au sehemu hii imetajwa mara mbili.')
    }
    if (code === 'other') {
      const message = 'Say in your own words what is wrong.'
      return note ? [] : wrong('.note', message, 'Eleza kasoro kwa maneno yako.', 'required')
    }
    const isOfKind = rejectionReasons[code].kinds.some((one) => one === kind)
    return isOfKind ? [] : wrong('.code', 'This reason is for the other kind of case.', 'Sababu hii si ya aina hii.')
  })
  if (errors.length > 0) throw invalidFields(errors)
}

/**
 * The decision as it is recorded: the whole reason as one text, and the same by item, where `review` is about the whole case. Refuses
 * with 400 a problem of an item that such a case does not have.
 */
export function readDecision(kind: Merchant['kind'], body: Body): WantedDecision {
  refuseWrongItems(kind, body)
  const { status, version, reason, reason_codes: codes = [], problems = [] } = body
  const found = problems.map(({ item, code, note }): Problem => ({
    item,
    code,
    ...wordsOf(code === 'other' ? [] : [wordsAbout(code)], note),
  }))
  const general = generalReason(body)
  const sentences = [...new Set(codes)].map((one) => rejectionReasons[one])
  const byItem = found.map((problem) => {
    const { sw, en } = names[problem.item as Item]
    return `${sw === en ? sw : `${sw} · ${en}`}:\n${inBothLanguages(problem)}`
  })
  return {
    status,
    version,
    reason: [...(general === null ? [] : [general]), ...byItem].join('\n\n') || null,
    // Without items there is nothing to separate.
    problems:
      found.length === 0 || general === null
        ? found
        : [{ item: 'review', code: 'rejected', ...wordsOf(sentences, reason) }, ...found],
  }
}
