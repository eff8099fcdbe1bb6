import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCursors, toPage } from './page.ts'
import { Refusal } from '../refusal.ts'

const isRefused = (error: unknown) => error instanceof Refusal && error.code === 'cursor_invalid'

test('a cursor is read back to its position, in its own list only', () => {
  const cursors = createCursors([randomBytes(32)])
  const cursor = cursors.encode('pages of a', [1737800000000, 'x'])
  assert.deepEqual(cursors.decode('pages of a', cursor), [1737800000000, 'x'])
  assert.throws(() => cursors.decode('pages of b', cursor), isRefused)
  assert.throws(() => createCursors([randomBytes(32)]).decode('pages of a', cursor), isRefused)
})

test('a cursor that was changed, cut or invented is refused', () => {
  const cursors = createCursors([randomBytes(32)])
  const cursor = cursors.encode('l', [5])
  const [payload, mac] = cursor.split('.')
  const forged = Buffer.from('[6]').toString('base64url')
  for (const wrong of [
    '',
    '.',
    'x',
    `${forged}.${mac}`,
    `${payload}.`,
    `${payload}.${mac!.slice(1)}`,
    `${cursor}.x`,
    `${payload}`,
  ]) {
    assert.throws(() => cursors.decode('l', wrong), isRefused, wrong)
  }
})

test('a page ends at the requested limit and reports whether there are more items', () => {
  assert.deepEqual(
    toPage([1, 2, 3], 2, (last) => `after ${last}`),
    { items: [1, 2], hasMore: true, nextCursor: 'after 2' },
  )
  assert.deepEqual(
    toPage([1, 2], 2, (last) => `after ${last}`),
    { items: [1, 2], hasMore: false, nextCursor: null },
  )
})
