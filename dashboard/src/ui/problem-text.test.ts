/** What a person reads of a refusal, in the language of the screen. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiError, type FieldProblem } from '../api/api-error.ts'
import { setCurrentLanguage } from '../i18n/current-language.ts'

// What the language of the page is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
const { problemText } = (await import(join(import.meta.dirname, 'problem-text.ts'))) as {
  problemText(error: unknown): string
}

const message = 'The provider refuses this payout. This number has no mobile money account.'

const refused = (errors?: FieldProblem[]) =>
  problemText(new ApiError(400, { code: 'validation_error', message, message_sw: 'Mtoa huduma amekataa.', errors }))

test('only a refusal whose fields say what is wrong is a general sentence', () => {
  setCurrentLanguage('en')
  assert.equal(refused(), message)
  const field = { field: 'phone_number', code: 'recipient_not_found', message, message_sw: 'Mtoa huduma amekataa.' }
  assert.equal(refused([field]), 'Some fields are not correct.')
  setCurrentLanguage('sw')
  assert.equal(refused(), 'Mtoa huduma amekataa.')
})
