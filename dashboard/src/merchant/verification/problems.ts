/** Why a file was refused, in the person's language. */
import { ApiError } from '../../api/api-error.ts'
import type { VerificationSay } from './texts.ts'

const known = [
  'document_content_mismatch',
  'document_active_content',
  'document_encrypted',
  'document_too_complex',
  'document_infected',
  'document_too_large',
  'document_unreadable',
  'address_used',
  'storage_unavailable',
  'scanner_unavailable',
  'upload_too_slow',
  'upload_cut',
] as const

/** From an error or the code of an earlier refusal; undefined if the problem does not concern files. */
export function refusedText(refusal: unknown, say: VerificationSay): string | undefined {
  const code = refusal instanceof ApiError ? refusal.code : refusal
  const name = known.find((one) => one === code)
  return name && say(`refused.${name}`)
}
