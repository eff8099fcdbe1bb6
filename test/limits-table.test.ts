/** The table of limits: every operation that creates something is in it, and the documentation and the description repeat it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsTable } from '../server/views/description/limits-table.ts'
import { caps, limitTable, limitsOf } from '../server/config/limits.ts'
import { share, startTestApp } from './app.ts'
import { mustBeNone } from './must-match.ts'

const shared = share((ending) => startTestApp(ending))

type Operation = {
  operationId: string
  description: string
  security?: unknown[]
  responses: Record<string, unknown>
  'x-limits'?: string[]
}

async function readOperations(): Promise<{ text: string; operations: (Operation & { method: string })[] }> {
  const { body } = await (await shared()).call('GET', '/openapi.json')
  const paths = Object.values(body.paths as Record<string, Record<string, Operation>>)
  const operations = paths.flatMap((path) => Object.entries(path).map(([method, one]) => ({ ...one, method })))
  return { text: body.info.description, operations }
}

const ofCaps = Object.values(caps).flatMap(({ operations }) => operations as readonly string[])
const inTable = (id: string): boolean =>
  limitsOf(id).length > 0 || ofCaps.includes(id) || ofCaps.includes(id.replace('Merchant', ''))

test('every operation that creates something is named by a limit or a cap', async () => {
  const { operations } = await readOperations()
  const creating = operations.filter(({ method, responses }) => method !== 'get' && '201' in responses)
  assert.ok(creating.length > 15)
  mustBeNone(
    creating.map(({ operationId }) => operationId).filter((id) => !inTable(id)),
    'Give these a limit in server/config/limits.ts',
  )
})

test('every operation of the table exists, describes 429 and names its limits', async () => {
  const { operations } = await readOperations()
  const ids = new Set(operations.flatMap(({ operationId: id }) => [id, id.replace('Merchant', '')]))
  const named = [...[...limitTable.values()].flatMap((row) => row.operations), ...ofCaps]
  mustBeNone(
    named.filter((name) => /^\w+$/.test(name) && !ids.has(name)),
    'These operations of server/config/limits.ts do not exist',
  )
  for (const { operationId, responses, 'x-limits': limits = [] } of operations) {
    assert.equal(limits.length, limitsOf(operationId).length, operationId)
    if (limits.length > 0) assert.ok('429' in responses, operationId)
  }
})

test('a public operation describes 429 only if the table limits it, or its own description says when', async () => {
  const { operations } = await readOperations()
  const open = operations.filter(({ security = [], responses }) => security.length === 0 && '429' in responses)
  assert.ok(open.length > 5)
  mustBeNone(
    open
      .filter(({ operationId, description }) => limitsOf(operationId).length === 0 && !description.includes('rate_limited'))
      .map(({ operationId }) => operationId),
    'These are not limited: take `rate_limited` out of `refuses` of their routes',
  )
})

test('the description contains the table', async () => {
  const { text } = await readOperations()
  assert.ok(text.includes(limitsTable()))
})

test('what is counted by a network address alone is generous, counts mistakes, or only slows', () => {
  for (const [name, { per, quota, windowSeconds, above }] of limitTable) {
    if (per !== 'network' || above !== 'refused' || name === 'register-in-rush') continue
    assert.ok(quota >= 60 && quota / windowSeconds >= 1 / 60, name)
  }
})
