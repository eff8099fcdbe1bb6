import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from './payer-language.ts'

test('the payer’s choice comes first, then the page’s, then the browser’s, then Swahili', () => {
  const cases: [chosen: unknown, page: 'sw' | 'en' | 'auto' | undefined, accept: string | undefined, expected: string][] = [
    [undefined, undefined, undefined, 'sw'],
    [undefined, 'auto', 'fr-FR,fr;q=0.9', 'sw'],
    [undefined, 'auto', 'en-US,en;q=0.9', 'en'],
    [undefined, 'auto', 'en;q=0.5, sw-TZ', 'sw'],
    [undefined, 'auto', 'sw;q=0, en;q=0.1', 'en'],
    [undefined, 'en', 'sw', 'en'],
    [undefined, 'sw', 'en', 'sw'],
    ['en', 'sw', 'sw', 'en'],
    ['sw', 'en', 'en', 'sw'],
    ['xx', 'auto', 'en', 'en'],
    [['en', 'sw'], 'auto', undefined, 'sw'],
  ]
  for (const [chosen, page, acceptLanguage, expected] of cases)
    assert.equal(languageOf({ chosen, page, acceptLanguage }), expected, JSON.stringify([chosen, page, acceptLanguage]))
})
