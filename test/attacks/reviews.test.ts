/** Attacks on the review of businesses: deciding on oneself, twice, without a reason, against each other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setKycStatus } from '../../server/verification/decide-by-operator.ts'
import { decideBusiness, registerBusiness, submitBusiness, submittedBusiness, uploadFour } from '../onboarding.ts'
import type { Student } from '../world.ts'
import { attackAll, startAttackedWorld } from './attacked-world.ts'

/** Who tries an operators’ door is written down once in a while. */
const triedDoor = ['audit_head', 'audit_log']

test('a decision is somebody else’s, made once, with a reason [A18]', async (t) => {
  const world = await startAttackedWorld(t)
  const [admin, other] = [await world.admin(), await world.admin()]
  const { business, student } = await submittedBusiness(world)
  await setKycStatus(world.deps, admin.email, 'verified')
  const own = await registerBusiness(world, admin as unknown as Student)
  const urls = await uploadFour(world, admin as unknown as Student, own.id)
  assert.equal((await submitBusiness(world, admin as unknown as Student, own.id, urls)).status, 200)
  const rejects = (reason?: string | null) => () => decideBusiness(world, admin, business.id, { status: 'rejected', reason })
  await attackAll(world, [
    {
      name: 'on oneself',
      send: () => decideBusiness(world, admin, own.id, { status: 'verified' }),
      says: '403 self_review_forbidden',
    },
    {
      name: 'by its representative',
      send: () => decideBusiness(world, student, business.id, { status: 'verified' }),
      says: '403 admin_required',
      changes: triedDoor,
    },
    { name: 'no reason', send: rejects(), says: '400 validation_error', isMistake: true },
    { name: 'a blank reason', send: rejects(' \n\t '), says: '400 validation_error', isMistake: true },
    { name: 'null', send: rejects(null), says: '400 validation_error', isMistake: true },
    { name: 'ten kilobytes of reason', send: rejects('x'.repeat(10_000)), says: '400 validation_error', isMistake: true },
  ])
  assert.equal((await decideBusiness(world, admin, business.id, { status: 'verified' })).status, 200)
  await world.attack({
    name: 'verified twice',
    send: () => decideBusiness(world, other, business.id, { status: 'verified' }),
    says: '409 invalid_state',
    isMistake: true,
  })
})

test('what is verified is not submitted again, and nothing is without the person behind it [A19]', async (t) => {
  const world = await startAttackedWorld(t)
  const admin = await world.admin()
  const { business, student, urls } = await submittedBusiness(world)
  const { version } = business.review
  const decisions = await Promise.all([
    decideBusiness(world, admin, business.id, { status: 'verified', version }),
    submitBusiness(world, student, business.id, urls),
  ])
  const now = (await world.call('GET', `/v1/businesses/${business.id}`, { token: student.token })).body.data
  const [decided, submitted] = decisions.map(({ status }) => status)
  assert.deepEqual([decided, submitted, now.status], decided === 200 ? [200, 409, 'verified'] : [409, 200, 'pending'])
  if (now.status === 'pending') {
    assert.equal((await decideBusiness(world, admin, business.id, { status: 'verified' })).status, 200)
  }
  const newcomer = await world.student({ verified: false })
  const draft = await registerBusiness(world, newcomer)
  const four = await uploadFour(world, newcomer, draft.id)
  await attackAll(world, [
    {
      name: 'a verified business',
      send: () => submitBusiness(world, student, business.id, urls),
      says: '409 business_already_verified',
      isMistake: true,
    },
    {
      name: 'with addresses that are not ours',
      send: () => submitBusiness(world, student, business.id, { ...urls, tax_certificate_url: 'https://evil.example/x' }),
      says: '409 business_already_verified',
      isMistake: true,
    },
    {
      name: 'a person whom nobody has verified',
      send: () => submitBusiness(world, newcomer, draft.id, four),
      says: '403 representative_kyc_required',
      isMistake: true,
    },
  ])
  await setKycStatus(world.deps, newcomer.email, 'verified')
  const twice = await Promise.all([1, 2].map(() => submitBusiness(world, newcomer, draft.id, four)))
  assert.ok(twice.some(({ status }) => status === 200) && twice.every(({ status }) => status === 200 || status === 409))
})
