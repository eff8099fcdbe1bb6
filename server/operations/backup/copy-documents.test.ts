/** Documents are copied once, and a store without documents is no error. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyDocuments } from './copy-documents.ts'

test('documents are copied once, and from a folder that does not exist yet none is copied', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'malipo-documents-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const [from, to] = [join(place, 'from'), join(place, 'to')]
  assert.equal(await copyDocuments(from, to), 0)
  await mkdir(join(from, 'a'), { recursive: true })
  await writeFile(join(from, 'a/one'), 'a document')
  assert.equal(await copyDocuments(from, to), 1)
  assert.equal(await readFile(join(to, 'a/one'), 'utf8'), 'a document')
  assert.equal(await copyDocuments(from, to), 0)
})
