/** Uploads leave no memory in use in the process that accepts them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from './fleet.ts'
import { files, presign, registerBusiness, send } from './onboarding.ts'
import { pdfDocument, pngOfNoise } from './sample-documents.ts'

test('three hundred uploads of a megabyte use no more memory than one hundred', async (t) => {
  const { app, api } = await startFleet(t, { RATE_LIMITS: 'off' })
  const member = await api()
  const student = await app.student()
  const where = `/v1/businesses/${(await registerBusiness(app, student)).id}`
  const noise = await pngOfNoise(600)
  const padding = `(${'x'.repeat(noise.length)})`
  const kinds = [
    { ...files.png(), bytes: noise },
    { ...files.pdf(), bytes: pdfDocument({ objects: { 5: padding } }) },
  ]
  const one = async (number: number) => {
    const file = kinds[number % kinds.length]!
    const { upload_url, ...address } = await presign(app, student, where, 'tax_certificate', file)
    // Of one installation: any of its processes accepts the file.
    const at = upload_url.replace(app.config.urls.storage, member.storageUrl)
    assert.equal((await send({ ...address, upload_url: at }, file.bytes)).status, 200)
  }
  // A process takes memory for about its first sixty uploads and then keeps its size; a kept file would add 200 MB.
  for (let number = 1; number <= 100; number += 1) await one(number)
  const after100 = await member.residentMb()
  for (let number = 101; number <= 300; number += 1) await one(number)
  const after300 = await member.residentMb()
  t.diagnostic(`resident memory after upload 100: ${after100.toFixed(0)} MB, after upload 300: ${after300.toFixed(0)} MB`)
  assert.ok(after300 - after100 <= 50, `${after100} MB grew to ${after300} MB`)
})
