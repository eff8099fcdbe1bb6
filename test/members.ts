/** Businesses with members, for tests: each person is invited by mail and accepts, over HTTP. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemberRole } from '../server/domain/member.ts'
import { openContent } from '../server/base/mail/mail.ts'
import { eventually, type Admin, type Student, type TestApp } from './app.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from './onboarding.ts'

/** A verified business of this person. */
export async function verifiedBusiness(app: TestApp, owner: Student, admin: Admin): Promise<string> {
  const business = await registerBusiness(app, owner)
  const submitted = await submitBusiness(app, owner, business.id, await uploadFour(app, owner, business.id))
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  return business.id
}

/** The text of the last mail of a kind to an address, whether it was sent or still waits. */
export async function lastMail(app: TestApp, to: string, kind: string): Promise<string> {
  return eventually(`a mail ${kind} to ${to}`, async () => {
    const { rows } = await app.owner.pool.query(
      'select id, sealed_content from mails where recipient = $1 and kind = $2 order by created_at desc, id desc limit 1',
      [to, kind],
    )
    const [mail] = rows
    if (!mail) return undefined
    if (mail.sealed_content !== null) return openContent(app.deps.sealer, mail.id, mail.sealed_content).text
    const kept = await readFile(join(app.config.mail.folder, `${mail.id}.json`), 'utf8').catch(() => undefined)
    return kept && (JSON.parse(kept) as { text: string }).text
  })
}

export async function invitationToken(app: TestApp, email: string): Promise<string> {
  const token = /\/dashboard\/invitation#(\S+)/.exec(await lastMail(app, email, 'member_invited'))?.[1]
  assert.ok(token, 'the mail has a link')
  return token
}

/** As if the person had entered the code of the mail that verifies their address. */
export async function verifyEmail(app: TestApp, email: string): Promise<void> {
  await app.owner.pool.query('update users set email_verified_at = coalesce(email_verified_at, clock_now()) where email = $1', [
    email,
  ])
}

/** Invites a person and lets them accept; returns the id of the member. */
export async function addMember(
  app: TestApp,
  owner: Pick<Student, 'token'>,
  businessId: string,
  person: Student,
  role: MemberRole,
): Promise<string> {
  const invited = await app.call('POST', `/v1/businesses/${businessId}/members`, {
    token: owner.token,
    body: { email: person.email, role },
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  await verifyEmail(app, person.email)
  const token = await invitationToken(app, person.email)
  const accepted = await app.call('POST', '/v1/invitations/accept', { token: person.token, body: { token } })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  return accepted.body.data.id
}

/** A new person who is a member of the business. */
export async function newMember(
  app: TestApp,
  owner: Pick<Student, 'token'>,
  businessId: string,
  role: MemberRole,
): Promise<Student & { memberId: string }> {
  const person = await app.student()
  return { ...person, memberId: await addMember(app, owner, businessId, person, role) }
}

export async function removeMember(
  app: TestApp,
  owner: Pick<Student, 'token'>,
  businessId: string,
  memberId: string,
): Promise<void> {
  const removed = await app.call('DELETE', `/v1/businesses/${businessId}/members/${memberId}`, { token: owner.token })
  assert.equal(removed.status, 200, JSON.stringify(removed.body))
}
