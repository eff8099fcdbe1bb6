/**
 * Cleans the answer of a receiver before it is stored. Invariant: a stored attempt contains no secret, no signature of ours and no control
 * character.
 */
import { secretPrefix } from './signature.ts'

const removed = '[removed]'
/** The secret of any webhook, complete or cut off. */
const anySecret = new RegExp(`${secretPrefix}[A-Za-z0-9+/_=-]*`, 'g')
/** Line ends and tabs stay. Characters that control a terminal or the direction of text are removed. */
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** `sent` contains the headers of the attempt that was answered. */
export function scrubAnswer(body: string, sent: Record<string, string>): string {
  const signatures = Object.entries(sent)
    .filter(([name]) => name.includes('signature'))
    .flatMap(([, value]) => value.split(/[ ,]/))
    .filter((part) => part.length > 8)
  const withoutSignatures = signatures.reduce(
    (text, signature) => text.replaceAll(signature, removed),
    body.replace(controls, ''),
  )
  return withoutSignatures.replace(anySecret, removed)
}
