/** Uploads leave no memory in use in the process that accepts them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from './fleet.ts'
import { files, presign, registerBusiness, send } from './onboarding.ts'

test('two hundred uploads use no more memory than twenty', async (t) => {
  const { app, api } = await startFleet(t, { RATE_LIMITS: 'off' })
  const member = await api()
  const student = await app.student()
  const where = `/v1/businesses/${(await registerBusiness(app, student)).id}`
  const kinds = [files.jpeg(), files.png(), files.pdf()]
  const one = async (number: number) => {
    const file = kinds[number % 3]!
    const { upload_url, ...address } = await presign(app, student, where, 'tax_certificate', file)
    // Of one installation: any of its processes accepts the file.
    const at = upload_url.replace(app.config.urls.storage, member.storageUrl)
    assert.equal((await send({ ...address, upload_url: at }, file.bytes)).status, 200)
  }
  for (let number = 1; number <= 20; number += 1) await one(number)
  const after20 = await member.residentMb()
  for (let number = 21; number <= 200; number += 1) await one(number)
  const after200 = await member.residentMb()
  t.diagnostic(`resident memory after upload 20: ${after20.toFixed(0)} MB, after upload 200: ${after200.toFixed(0)} MB`)
  assert.ok(after200 - after20 <= 20, `${after20} MB grew to ${after200} MB`)
})
