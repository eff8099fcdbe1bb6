/** Businesses with members, for tests. */
import assert from 'node:assert/strict'
import { newId, fromWire } from '../server/platform/ids.ts'
import type { MemberRole } from '../server/domain/member.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from './onboarding.ts'
import type { Admin, Student, TestApp } from './app.ts'

/** A verified business of this person. */
export async function verifiedBusiness(app: TestApp, owner: Student, admin: Admin): Promise<string> {
  const business = await registerBusiness(app, owner)
  const submitted = await submitBusiness(app, owner, business.id, await uploadFour(app, owner, business.id))
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  return business.id
}

/** A new person who is a member of the business. */
export async function newMember(app: TestApp, businessId: string, role: MemberRole): Promise<Student & { memberId: string }> {
  const person = await app.student()
  const id = newId()
  await app.owner.pool.query(
    `insert into members (id, merchant_id, user_id, role, joined_at) values ($1, $2, $3, $4, clock_now())`,
    [id, fromWire('biz', businessId), fromWire('usr', person.userId), role],
  )
  return { ...person, memberId: id }
}

export async function removeMember(app: TestApp, memberId: string): Promise<void> {
  await app.owner.pool.query('update members set removed_at = clock_now() where id = $1', [memberId])
}
