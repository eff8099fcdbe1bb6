/** Finds secrets by their format in the files of the repository. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWellFormedKey } from '../server/accounts/developers/key.ts'

export type FoundSecret = { file: string; line: number; what: string }

const shapes: [what: string, pattern: RegExp][] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*\n?[A-Za-z0-9+/=\\n]{40}/],
  ['a key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})/],
  ['a token of Slack', /\bxox[abprs]-[A-Za-z0-9-]{20,}/],
  ['a key of Stripe', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['a key of Google', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a signed token', /\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,}/],
  ['keys of this service', /^(?:SERVER_SECRET|[A-Z_]+_KEYS|SNIPPE_\w+_API_KEY|CLICKPESA_\w+_API_KEY)=[^\s#…<]{24,}/m],
]

const ourKey = /\bsvc_(?:live|test)_(?:[a-z0-9]{2})?[A-Za-z0-9]{38}\b/g

/** Binary files are skipped. */
const isBinary = (text: string): boolean => text.includes('\0')

/** Our API keys count only with a correct checksum: the examples in the documentation have a wrong one. */
export function findSecrets(root: string, files: string[]): FoundSecret[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (isBinary(text)) return []
    const lineAt = (index: number): number => text.slice(0, index).split('\n').length
    const byShape = shapes.flatMap(([what, pattern]) => {
      const found = pattern.exec(text)
      return found ? [{ file, line: lineAt(found.index), what }] : []
    })
    const ours = [...text.matchAll(ourKey)]
      .filter(([value]) => isWellFormedKey(value))
      .map((match) => ({ file, line: lineAt(match.index), what: 'an API key of this service' }))
    return [...byShape, ...ours]
  })
}
