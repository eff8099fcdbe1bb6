/** Members: invited by mail, joined, changed and removed over HTTP; who may, and what a business always keeps. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { addMember, invitationToken, lastMail, newMember, verifiedBusiness, verifyEmail } from '../../../test/members.ts'
import { registerBusiness } from '../../../test/onboarding.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { fromWire } from '../../platform/ids.ts'

const shared = share((ending) => startTestApp(ending))

type Team = {
  app: TestApp
  owner: Student
  businessId: string
  /** A call below the business. */
  as(person: { token: string }, method: string, path: string, body?: unknown): Promise<Answer>
  invite(person: { token: string }, email: string, role: string): Promise<Answer>
}

async function startTeam(): Promise<Team> {
  const app = await shared()
  const owner = await app.student()
  const { id: businessId } = await registerBusiness(app, owner)
  const as: Team['as'] = ({ token }, method, path, body) =>
    app.call(method, `/v1/businesses/${businessId}${path}`, { token, ...(body !== undefined && { body }) })
  return { app, owner, businessId, as, invite: (person, email, role) => as(person, 'POST', '/members', { email, role }) }
}

const accept = (app: TestApp, { token }: { token: string }, invitation: string): Promise<Answer> =>
  app.call('POST', '/v1/invitations/accept', { token, body: { token: invitation } })

const read = (app: TestApp, invitation: string): Promise<Answer> =>
  app.call('POST', '/v1/invitations/read', { body: { token: invitation } })

/** The session of this person was opened an hour ago. */
const age = (app: TestApp, { userId }: Student) =>
  app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = $1`, [
    fromWire('usr', userId),
  ])

const newAddress = (): string => `${randomBytes(6).toString('hex')}@example.com`

test('an invitation works once, for seven days, for the person whose verified address it is', async () => {
  const { app, owner, businessId, as, invite } = await startTeam()
  const [asha, juma] = [await app.student(), await app.student()]
  const invited = await invite(owner, `  ${asha.email.toUpperCase()} `, 'accountant')
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const { id, created_at, invitation_expires_at, ...facts } = invited.body.data
  assert.match(id, /^mem_/)
  assert.equal(Date.parse(invitation_expires_at) - Date.parse(created_at), 7 * 86_400_000)
  const { full_name: name } = (await app.call('GET', '/v1/me', { token: owner.token })).body.data
  assert.deepEqual(facts, {
    user_id: null,
    name: null,
    email: asha.email,
    role: 'accountant',
    power_from: null,
    status: 'invited',
    pending_role: null,
    invited_by: { user_id: owner.userId, name },
    joined_at: null,
  })
  const token = await invitationToken(app, asha.email)
  assert.match(token, /^[0-9a-f]{64}$/)
  const kept = await app.owner.pool.query('select encode(token_hash, $2) as hash from members where id = $1', [
    fromWire('mem', id),
    'hex',
  ])
  assert.notEqual(kept.rows[0].hash, token, 'only its hash is stored')
  assert.deepEqual((await read(app, token)).body.data, {
    business_name: 'Mwenge Duka',
    role: 'accountant',
    email: asha.email,
    invited_by_name: name,
    expires_at: invitation_expires_at,
  })
  assert.equal(short(await accept(app, juma, token)), '403 invitation_for_another_address')
  assert.equal(short(await accept(app, asha, token)), '403 email_not_verified')
  assert.equal(short(await as(asha, 'GET', '/members')), '404 not_found')
  // The same address again gets another link, and the first one stops working.
  const again = await invite(owner, asha.email, 'cashier')
  assert.deepEqual([again.status, again.body.data.id, again.body.data.role], [200, id, 'cashier'])
  const second = await invitationToken(app, asha.email)
  assert.equal(short(await read(app, token)), '404 not_found')
  await verifyEmail(app, asha.email)
  assert.equal(short(await accept(app, asha, token)), '404 not_found')
  const joined = await Promise.all([accept(app, asha, second), accept(app, asha, second)])
  assert.deepEqual(joined.map(short).toSorted(), ['200', '404 not_found'])
  assert.equal(short(await read(app, second)), '404 not_found')
  const listed = (await as(owner, 'GET', '/members')).body.data
  assert.deepEqual(
    listed.map((one: Record<string, unknown>) => [one['user_id'], one['role'], one['status'], one['email']]),
    [
      [asha.userId, 'cashier', 'active', asha.email],
      [owner.userId, 'owner', 'active', owner.email],
    ],
  )
  assert.equal(short(await invite(owner, asha.email, 'admin')), '409 already_member')
  const memberships = (await app.call('GET', '/v1/memberships', { token: asha.token })).body.data
  assert.deepEqual(
    memberships.map((one: any) => [one.member_id, one.business.id, one.role, one.permissions.live.includes('wallet.read')]),
    [[id, businessId, 'cashier', false]],
  )
  assert.match(await lastMail(app, owner.email, 'power_changed'), /A new member has joined/)
})

test('a member whose new address was invited too is a member already, with the role that they have', async () => {
  const { app, owner, businessId, as, invite } = await startTeam()
  const asha = await newMember(app, owner, businessId, 'cashier')
  const email = newAddress()
  assert.equal((await invite(owner, email, 'admin')).status, 201)
  const token = await invitationToken(app, email)
  assert.equal(short(await app.call('POST', '/v1/auth/contact/change', { token: asha.token, body: { email } })), '200')
  const code = /^\d{6}$/m.exec(await lastMail(app, email, 'email_change'))![0]
  assert.equal(short(await app.call('POST', '/v1/auth/contact/confirm', { token: asha.token, body: { code } })), '200')
  assert.equal(short(await accept(app, asha, token)), '409 already_member')
  const listed = (await as(owner, 'GET', '/members')).body.data
  assert.deepEqual(
    listed.filter((one: any) => one.user_id === asha.userId).map((one: any) => [one.role, one.status]),
    [['cashier', 'active']],
  )
})

test('an expired and a cancelled invitation do not work, and an address that was removed can be invited again', async () => {
  const { app, owner, businessId, as, invite } = await startTeam()
  const person = await app.student()
  await verifyEmail(app, person.email)
  const { id } = (await invite(owner, person.email, 'admin')).body.data
  const token = await invitationToken(app, person.email)
  await app.owner.pool.query(`update members set invitation_expires_at = clock_now() where id = $1`, [fromWire('mem', id)])
  assert.equal(short(await read(app, token)), '404 not_found')
  assert.equal(short(await accept(app, person, token)), '404 not_found')
  assert.equal((await as(owner, 'GET', '/members')).body.data[0].status, 'expired')
  assert.equal(short(await invite(owner, person.email, 'admin')), '200')
  const renewed = await invitationToken(app, person.email)
  const cancelled = await as(owner, 'DELETE', `/members/${id}`)
  assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'removed'])
  assert.equal(short(await accept(app, person, renewed)), '404 not_found')
  assert.equal(short(await as(owner, 'DELETE', `/members/${id}`)), '404 not_found')
  const memberId = await addMember(app, owner, businessId, person, 'admin')
  assert.notEqual(memberId, id)
  assert.equal(short(await as(owner, 'DELETE', `/members/${memberId}`)), '200')
  assert.match(await lastMail(app, owner.email, 'power_changed'), /A member was removed/)
  assert.equal(short(await as(person, 'GET', '/members')), '404 not_found')
  assert.notEqual(await addMember(app, owner, businessId, person, 'approver'), memberId)
  const { rows } = await app.owner.pool.query(
    'select email, removed_at is null as is_active from members where user_id = $1 and merchant_id <> user_id order by joined_at',
    [fromWire('usr', person.userId)],
  )
  assert.deepEqual(rows, [
    { email: null, is_active: false },
    { email: null, is_active: true },
  ])
})

test('an invitation of a business that no reviewer has approved carries no text that a person typed', async () => {
  const { app, owner, invite } = await startTeam()
  const [before, after] = [newAddress(), newAddress()]
  await invite(owner, before, 'cashier')
  assert.doesNotMatch(await lastMail(app, before, 'member_invited'), /Mwenge|Student/)
  const approved = await verifiedBusiness(app, owner, await app.admin())
  await app.call('POST', `/v1/businesses/${approved}/members`, { token: owner.token, body: { email: after, role: 'cashier' } })
  const { full_name: name } = (await app.call('GET', '/v1/me', { token: owner.token })).body.data
  const mail = await lastMail(app, after, 'member_invited')
  assert.ok(mail.includes(`${name} invites you to join Mwenge Duka on Malipo as cashier`), mail)
  assert.ok(mail.includes(`${name} amekualika kujiunga na Mwenge Duka kwenye Malipo kama mtunza fedha`), mail)
  // The name of an inviter who is not verified stays out.
  const admin = await app.student({ verified: false })
  await addMember(app, owner, approved, admin, 'admin')
  const last = newAddress()
  await app.call('POST', `/v1/businesses/${approved}/members`, { token: admin.token, body: { email: last, role: 'cashier' } })
  assert.match(await lastMail(app, last, 'member_invited'), /You are invited to join Mwenge Duka on Malipo as cashier/)
})

test('admins manage everyone but owners, and other roles manage no one', async () => {
  const { app, owner, businessId, as, invite } = await startTeam()
  const admin = await newMember(app, owner, businessId, 'admin')
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const [first] = (await as(owner, 'GET', '/members')).body.data.slice(-1)
  assert.equal(first.role, 'owner')
  assert.equal(short(await as(admin, 'PATCH', `/members/${cashier.memberId}`, { role: 'developer' })), '200')
  assert.equal(short(await as(admin, 'PATCH', `/members/${cashier.memberId}`, { role: 'owner' })), '403 insufficient_role')
  assert.equal(short(await invite(admin, newAddress(), 'owner')), '403 insufficient_role')
  assert.equal(short(await invite(admin, 'not an address', 'owner')), '403 insufficient_role', 'before the body is read')
  assert.equal(short(await as(admin, 'PATCH', `/members/${first.id}`, { role: 'cashier' })), '403 insufficient_role')
  assert.equal(short(await as(admin, 'DELETE', `/members/${first.id}`)), '403 insufficient_role')
  // An admin cannot turn the invitation of an owner into another one, which would end its link.
  const heir = newAddress()
  const invited = await invite(owner, heir, 'owner')
  assert.equal(short(invited), '201')
  assert.equal(short(await invite(admin, heir, 'cashier')), '403 insufficient_role')
  assert.equal(short(await as(admin, 'DELETE', `/members/${invited.body.data.id}`)), '403 insufficient_role')
  // Two who cancel it at once.
  const cancelled = await Promise.all([1, 2].map(() => as(owner, 'DELETE', `/members/${invited.body.data.id}`)))
  assert.deepEqual(cancelled.map(short).toSorted(), ['200', '404 not_found'])
  const refused = await as(cashier, 'PATCH', `/members/${admin.memberId}`, { role: 'cashier' })
  assert.equal(short(refused), '403 insufficient_role')
  assert.deepEqual(refused.body.error.details, { role: 'developer', required_roles: ['owner', 'admin'] })
  assert.equal(short(await as(cashier, 'PATCH', `/members/${admin.memberId}`, { role: 'no role' })), '403 insufficient_role')
  assert.equal(short(await as(cashier, 'DELETE', `/members/${admin.memberId}`)), '403 insufficient_role')
  assert.equal(short(await as(await app.student(), 'DELETE', `/members/${admin.memberId}`)), '404 not_found')
  // Anyone may leave.
  assert.equal(short(await as(cashier, 'DELETE', `/members/${cashier.memberId}`)), '200')
  // Also while the account of the owner is disabled.
  const other = await newMember(app, owner, businessId, 'cashier')
  await app.owner.pool.query('update users set disabled_at = clock_now() where id = $1', [fromWire('usr', owner.userId)])
  assert.equal(short(await as(admin, 'DELETE', `/members/${other.memberId}`)), '200')
})

test('owners are made and removed by an owner who has just signed in, and a new owner has a verified identity', async () => {
  const { app, owner, businessId, as, invite } = await startTeam()
  const member = await newMember(app, owner, businessId, 'admin')
  const stranger = await app.student({ verified: false })
  await age(app, owner)
  assert.equal(short(await as(owner, 'PATCH', `/members/${member.memberId}`, { role: 'owner' })), '401 step_up_required')
  assert.equal(short(await invite(owner, stranger.email, 'owner')), '401 step_up_required')
  await app.call('POST', '/v1/auth/step-up', { token: owner.token, body: { password: owner.password } })
  assert.equal(short(await invite(owner, stranger.email, 'owner')), '201')
  await verifyEmail(app, stranger.email)
  assert.equal(short(await accept(app, stranger, await invitationToken(app, stranger.email))), '403 kyc_required')
  const unverified = await app.student({ verified: false })
  const memberId = await addMember(app, owner, businessId, unverified, 'cashier')
  assert.equal(short(await as(owner, 'PATCH', `/members/${memberId}`, { role: 'owner' })), '403 kyc_required')
  assert.equal(short(await as(owner, 'PATCH', `/members/${member.memberId}`, { role: 'owner' })), '200')
  assert.match(await lastMail(app, owner.email, 'power_changed'), /has a new owner/)
  await age(app, owner)
  assert.equal(short(await as(owner, 'DELETE', `/members/${member.memberId}`)), '401 step_up_required')
})

test('a business is handed over to another owner, and never loses its last one', async () => {
  const { app, owner, businessId, as } = await startTeam()
  const [own] = (await as(owner, 'GET', '/members')).body.data
  const [heir, other] = [await newMember(app, owner, businessId, 'admin'), await newMember(app, owner, businessId, 'cashier')]
  // No owner any more, and one who cannot sign in.
  const [removed, disabled] = [await newMember(app, owner, businessId, 'owner'), await newMember(app, owner, businessId, 'owner')]
  assert.equal(short(await as(owner, 'DELETE', `/members/${removed.memberId}`)), '200')
  await app.owner.pool.query('update users set disabled_at = clock_now() where id = $1', [fromWire('usr', disabled.userId)])
  const lastOne = await as(owner, 'DELETE', `/members/${own.id}`)
  assert.equal(short(lastOne), '409 invalid_state')
  assert.match(lastOne.body.error.message, /Make another member an owner first/)
  assert.equal(short(await as(owner, 'PATCH', `/members/${own.id}`, { role: 'admin' })), '409 invalid_state')
  assert.equal(short(await as(owner, 'PATCH', `/members/${own.id}`, { role: 'owner' })), '200', 'the role that they have')
  assert.equal(short(await as(owner, 'DELETE', `/members/${disabled.memberId}`)), '200')
  assert.equal(short(await as(owner, 'PATCH', `/members/${heir.memberId}`, { role: 'owner' })), '200')
  assert.equal(short(await as(owner, 'PATCH', `/members/${other.memberId}`, { role: 'owner' })), '200')
  assert.equal(short(await as(owner, 'DELETE', `/members/${own.id}`)), '200')
  assert.equal(short(await as(owner, 'GET', '')), '404 not_found')
  const { representative } = (await as(heir, 'GET', '')).body.data
  const me = (await app.call('GET', '/v1/me', { token: heir.token })).body.data
  assert.deepEqual([representative.user_id, representative.student_id], [heir.userId, me.student_id])
  // Both leave at once: one of them stays.
  const both = await Promise.all([heir, other].map((person) => as(person, 'DELETE', `/members/${person.memberId}`)))
  assert.deepEqual(both.map(short).toSorted(), ['200', '409 invalid_state'])
  const { rows } = await app.owner.pool.query(
    `select m.user_id = x.user_id as is_person from merchants m join members x on x.merchant_id = m.id
     where m.id = $1 and x.role = 'owner' and x.removed_at is null`,
    [fromWire('biz', businessId)],
  )
  assert.deepEqual(rows, [{ is_person: true }])
})

test('a person who was invited registers without student data, and no one else does', async () => {
  const { app, owner, invite } = await startTeam()
  const email = newAddress()
  await invite(owner, email, 'cashier')
  const token = await invitationToken(app, email)
  const person = {
    full_name: 'Neema Cashier',
    email,
    phone_number: `+25571${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`,
    password: 'siri ya kaunta 7781',
  }
  const register = (fields: object) => app.call('POST', '/v1/auth/register', { body: { ...person, ...fields } })
  const without = await register({})
  assert.equal(short(without), '400 validation_error')
  assert.deepEqual(
    without.body.error.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`),
    ['student_id required', 'institution required'],
  )
  for (const fields of [{ invitation_token: 'x' }, { invitation_token: token, email: newAddress() }]) {
    const refused = await register(fields)
    assert.deepEqual([short(refused), refused.body.error.param], ['400 validation_error', 'invitation_token'])
  }
  const registered = await register({ invitation_token: token })
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  assert.deepEqual([registered.body.data.user.student_id, registered.body.data.user.institution], [null, null])
  await verifyEmail(app, email)
  assert.equal(short(await accept(app, { token: registered.body.data.access_token }, token)), '200')
  await assert.rejects(
    app.owner.pool.query('update users set was_invited = false where email = $1', [email]),
    { constraint: 'users_students_complete' },
    'the database refuses a person with neither',
  )
})

test('the profile says what the caller may do: the role of a person, the scopes of a key', async () => {
  const { app, owner, businessId } = await startTeam()
  const developer = await newMember(app, owner, businessId, 'developer')
  const profile = async (environment: string) => {
    const { body } = await app.call('GET', `/v1/merchant/profile?business_id=${businessId}&environment=${environment}`, {
      token: developer.token,
    })
    return [body.data.role, body.data.permissions.includes('pages.write'), body.data.permissions.includes('apps.write')]
  }
  assert.deepEqual(await profile('live'), ['developer', false, true])
  assert.deepEqual(await profile('test'), ['developer', true, true])
  const own = (await app.call('GET', '/v1/merchant/profile', { token: developer.token })).body.data
  assert.deepEqual([own.role, own.permissions.includes('payouts.approve')], ['owner', true])
  const { key } = await app.key(owner, 'test', ['profile:read', 'balance:read'])
  const byKey = (await app.call('GET', '/v1/profile', { key })).body.data
  assert.deepEqual([byKey.role, byKey.permissions], [null, ['profile.read', 'wallet.read']])
})

test('an operator sees the members and invitations of a business', async () => {
  const { app, owner, businessId, invite } = await startTeam()
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const email = newAddress()
  await invite(owner, email, 'admin')
  const { body } = await app.call('GET', `/v1/admin/merchants/${businessId}`, { token: (await app.admin()).token })
  assert.deepEqual(
    body.data.members.map((one: Record<string, unknown>) => [one['email'], one['role'], one['status']]),
    [
      [email, 'admin', 'invited'],
      [cashier.email, 'cashier', 'active'],
      [owner.email, 'owner', 'active'],
    ],
  )
})

test('a repeated invitation with one key is one invitation, and 51 open ones are too many', async () => {
  const { app, owner, businessId, invite } = await startTeam()
  const email = newAddress()
  const once = () =>
    app.call('POST', `/v1/businesses/${businessId}/members`, {
      token: owner.token,
      headers: { 'idempotency-key': 'first' },
      body: { email, role: 'cashier' },
    })
  const [first, second] = [await once(), await once()]
  assert.deepEqual([first.status, second.status, second.headers.get('idempotency-replayed')], [201, 201, 'true'])
  assert.equal(first.body.data.id, second.body.data.id)
  const mails = await app.owner.pool.query(`select 1 from mails where recipient = $1`, [email])
  assert.equal(mails.rows.length, 1)
  await app.owner.pool.query(
    `insert into members (id, merchant_id, role, email, token_hash, invited_by, invitation_expires_at)
     select gen_random_uuid(), $1, 'cashier', n || '@many.example', sha256(n::text::bytea || $3::bytea), $2, clock_now() + interval '1 day'
     from generate_series(1, 49) n`,
    [fromWire('biz', businessId), fromWire('usr', owner.userId), randomBytes(8)],
  )
  const refused = await invite(owner, newAddress(), 'cashier')
  assert.deepEqual([short(refused), refused.body.error.details], ['409 too_many_members', { members: 1, invitations: 50 }])
  // One that has expired counts again when it is renewed.
  await app.owner.pool.query(`update members set invitation_expires_at = clock_now() where email = '1@many.example'`)
  assert.equal(short(await invite(owner, newAddress(), 'cashier')), '201')
  assert.equal(short(await invite(owner, '1@many.example', 'cashier')), '409 too_many_members')
})

test('the 201st member is one too many; those who have left do not count', async () => {
  const { app, owner, businessId, invite } = await startTeam()
  await app.owner.pool.query(
    `with people as (
       insert into users select (jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid(), 'email', n || $3::text || u.email, 'phone_number', '+25578' || lpad(n::text, 7, '0'), 'student_id', n || $3::text))).*
       from users u cross join generate_series(1, 210) n where u.id = $2 returning id
     )
     insert into members (id, merchant_id, user_id, role, joined_at, removed_at)
     select id, $1, id, 'cashier', clock_now(), case when row_number() over () > 198 then clock_now() end from people`,
    [fromWire('biz', businessId), fromWire('usr', owner.userId), 'crowd'],
  )
  assert.equal(short(await invite(owner, newAddress(), 'cashier')), '201')
  const refused = await invite(owner, newAddress(), 'cashier')
  assert.deepEqual([short(refused), refused.body.error.details], ['409 too_many_members', { members: 199, invitations: 1 }])
})

test('a business that has used up its limit of invitations waits', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'invitation=2/3600' } })
  const owner = await app.student()
  const { id } = await registerBusiness(app, owner)
  const invite = () =>
    app.call('POST', `/v1/businesses/${id}/members`, { token: owner.token, body: { email: newAddress(), role: 'cashier' } })
  assert.deepEqual([short(await invite()), short(await invite()), short(await invite())], ['201', '201', '429 rate_limited'])
})

test('a member of another business is not found, whatever their role there: the answer does not tell that they exist', async () => {
  const [ours, theirs] = [await startTeam(), await startTeam()]
  const admin = await newMember(ours.app, ours.owner, ours.businessId, 'admin')
  const { body } = await theirs.as(theirs.owner, 'GET', '/members')
  const path = `/members/${body.data[0].id}`
  assert.equal(body.data[0].role, 'owner')
  assert.equal(short(await ours.as(admin, 'PATCH', path, { role: 'viewer' })), '404 not_found')
  assert.equal(short(await ours.as(admin, 'DELETE', path)), '404 not_found')
})
