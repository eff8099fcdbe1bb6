/** Documents come back whole, for the user of the service, and only those that a row names. */
import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { upload } from '../../../test/onboarding.ts'
import { listStored } from '../../merchants/documents/list-stored.ts'
import { copyDocuments } from './copy-documents.ts'
import { ownerOf } from './copy-files.ts'
import { restoreDocuments } from './restore-documents.ts'

test('a restore of documents copies what rows name, for the owner of the store, and reports a damaged and a missing copy', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student({ verified: false })
  for (const purpose of ['national_id', 'selfie']) await upload(app, student, '/v1/kyc', purpose)
  const [store, copies] = [join(app.config.dataDir, 'documents'), join(app.config.dataDir, 'copies')]
  assert.equal(await copyDocuments(store, copies), 4)
  await writeFile(join(copies, 'erased'), 'a document without a row')
  await rm(store, { recursive: true })
  const [whole, , damaged] = await Array.fromAsync(listStored(app.db))
  await writeFile(join(copies, damaged!.key), 'another document')

  const owner = process.getuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : await ownerOf(copies)
  const restore = () => restoreDocuments(app.db, copies, store, owner)
  assert.deepEqual(await restore(), { copied: 3, missing: [damaged!.documentId] })
  for (const path of [whole!.key, dirname(whole!.key), '']) assert.deepEqual(await ownerOf(join(store, path)), owner, path)
  await assert.rejects(stat(join(store, damaged!.key)), /ENOENT/)
  await assert.rejects(stat(join(store, 'erased')), /ENOENT/)

  assert.ok((await app.deps.documentStore.sizeOf(whole!.key))! > 0, 'the restored folder is the one of the database')

  await writeFile(join(store, whole!.key), 'torn')
  assert.deepEqual(await restore(), { copied: 1, missing: [damaged!.documentId] })

  await rm(join(copies, damaged!.key))
  assert.deepEqual(await restore(), { copied: 0, missing: [damaged!.documentId] })
})
