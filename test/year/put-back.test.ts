/** The faults of the year's own test still match the sources: `npm run year:put-back` can put each of them back. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutated } from '../mutants/apply.ts'
import { putBack } from './put-back.ts'

const root = join(import.meta.dirname, '../..')

test('each fault that the year must notice can be put back in one place', () => {
  const wrong = putBack.flatMap(({ fault, edits }) => {
    const changed = mutated(edits, (file) => readFileSync(join(root, file), 'utf8'))
    return typeof changed === 'string' ? [`fault ${fault}: ${changed}`] : []
  })
  assert.deepEqual(wrong, [])
})
