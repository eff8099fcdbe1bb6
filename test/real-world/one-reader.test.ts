/** What people type is read in server/domain/typed.ts alone: another place that cleans it would read less, or otherwise. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mustBeNone } from '../must-match.ts'

const root = join(import.meta.dirname, '../..')

/** How a reader of its own looks, and the files that may look so. */
const signs: Record<string, { pattern: RegExp; allowed: Record<string, string> }> = {
  'leaves spaces, dots or dashes out': {
    pattern: /\.replace(?:All)?\(\s*\/\[[^\]\n]*\\s[^\]\n]*\]/,
    allowed: {},
  },
  'composes letters': {
    pattern: /\.normalize\('NFK?[CD]'\)/,
    allowed: {
      'server/domain/typed.ts': 'the reader',
      'cli/src/amount.ts': 'its copy: the package cannot import it, and test/figures-of compares them',
      'server/accounts/identity/password.ts': 'a password keeps what cannot be seen',
      'server/accounts/identity/password-strength.ts': 'the same password',
      'server/views/web/checkout/clean-text.ts': 'text of a merchant as a page shows it',
    },
  },
  'reads a number of any country': {
    pattern: /parsePhoneNumber/,
    allowed: { 'server/domain/any-phone.ts': 'the reader' },
  },
  'reads an e-mail address': {
    pattern: /\bz\.email\(|\.email\(\)/,
    allowed: {
      'server/platform/http/text.ts': 'mailAddress',
      'server/config/accounts.ts': 'settings of an operator',
      'server/config/providers.ts': 'settings of an operator',
    },
  },
}

test('no other place reads what people type', () => {
  const files = globSync('{server,cli/src}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const others = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return Object.entries(signs).flatMap(([what, { pattern, allowed }]) =>
      pattern.test(text) && !(file in allowed) ? [`${file} ${what}`] : [],
    )
  })
  mustBeNone(
    others,
    'Use a reader of server/domain/typed.ts or platform/http/text.ts, or say in test/real-world/one-reader.test.ts why not',
  )
  const gone = Object.values(signs).flatMap(({ pattern, allowed }) =>
    Object.keys(allowed).filter((file) => !pattern.test(readFileSync(join(root, file), 'utf8'))),
  )
  mustBeNone(gone, 'These files do not read any more: remove them in test/real-world/one-reader.test.ts')
})
