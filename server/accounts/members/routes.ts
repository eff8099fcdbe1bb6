/** HTTP routes of the members of a business, for signed-in people: the list, invitations, changes, and one's own memberships. */
import { personRoute, publicRoute, type SignedInRouteDeps } from '../identity/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { mailboxOf } from '../../base/mail/mail.ts'
import { businessStatusSchema } from '../../domain/verification.ts'
import { memberRoleSchema } from '../../domain/member.ts'
import { originOf } from '../identity/authenticate.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { networkOf, takeOrSlowly, type Limit } from '../../platform/http/limits.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { acceptInvitation, readInvitation } from './accept-invitation.ts'
import { authorize, type Access } from './access.ts'
import { changeRole, removeMember, type RemoveMemberDeps } from './change-member.ts'
import { inviteMember, requireManager } from './invite-member.ts'
import { leftBehindSchema, leftBehindToJson } from './left-behind.ts'
import { findMember, listMembers, listMemberships } from './member.sql.ts'
import { memberChangeSchema, memberSchema, memberToJson, newMemberSchema, powerFromSchema, type Member } from './member.ts'
import { confirmMember } from './new-power.ts'
import { permissionsOf, type Permission } from './permissions.ts'

export type MemberRouteDeps = SignedInRouteDeps &
  Pick<RemoveMemberDeps, 'onMemberRemoved' | 'onRightsLost' | 'renewReview'> & {
    config: Pick<Config, 'urls' | 'sessions' | 'safeguards'>
    cursors: Cursors
    sealer: Sealer
    limits: Record<'invitation' | 'invitationAddress' | 'invitationAddressSlow' | 'unknownReference', Limit>
  }

const tokenBody = z.strictObject({ token: z.string().max(200).meta({ description: 'From the link of the mail.' }) })

const membershipSchema = z
  .object({
    member_id: z.string(),
    business: z.object({ id: z.string(), name: z.string(), status: businessStatusSchema }),
    role: memberRoleSchema,
    power_from: powerFromSchema,
    permissions: z
      .object({ live: z.array(z.string()), test: z.array(z.string()) })
      .meta({ description: 'What the role may do in each environment: `payouts.approve`. See the guide about members.' }),
    joined_at: z.iso.datetime(),
  })
  .meta({ id: 'Membership' })

const removedMemberSchema = memberSchema
  .extend({
    invitations_ended: z.number().int().meta({ description: 'How many open invitations of the person have ended with it.' }),
    left_behind: leftBehindSchema,
  })
  .meta({ id: 'RemovedMember' })

const invitationSchema = z
  .object({
    business_name: z.string(),
    role: memberRoleSchema,
    email: z.string(),
    invited_by_name: z.string().nullable(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' })

/** No one is a member of more businesses than this. */
const shownMemberships = 200

export async function memberRoutes(http: Http, deps: MemberRouteDeps): Promise<void> {
  /** The business in a path, for a person whose role has the permission. */
  const allowed = (request: FastifyRequest, permission: Permission): Promise<Access> => {
    const businessId = (request.params as { business_id: string }).business_id
    return authorize(deps.db, request.signedIn, { permission, environment: 'live', businessId })
  }

  /** The member in a path. Whether the caller may change them is confirmed in the transaction: everyone may leave. */
  async function found(request: FastifyRequest): Promise<{ access: Access; member: Member }> {
    const access = await allowed(request, 'profile.read')
    const id = fromWire('mem', (request.params as { member_id: string }).member_id)
    const member = orNotFound(id === undefined ? undefined : await findMember(deps.db, access.owner.merchant.id, id))
    return { access, member }
  }
  personRoute(http, deps, {
    route: 'GET /v1/businesses/:business_id/members',
    permission: 'members.read',
    operationId: 'listMembers',
    summary: 'List members of a business',
    description: 'Members and open invitations, newest first.',
    query: z.strictObject(listQuery),
    answers: { 200: listOf(memberSchema) },
    before: (request) => allowed(request, 'members.read'),
    handler: async (request) => {
      const { merchant } = (await allowed(request, 'members.read')).owner
      const scope = `members ${merchant.id}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const page = pageByTime(deps.cursors, scope, await listMembers(deps.db, merchant.id, range), range.limit)
      return answerPage(page, memberToJson)
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/businesses/:business_id/members',
    permission: 'members.write',
    operationId: 'inviteMember',
    summary: 'Invite a member',
    description:
      'Mails an invitation that works once, for seven days, for the person whose verified e-mail address it is. The same address again: 200, and the mail is sent again with a new link. An owner is invited by an owner with a recent sign-in or step-up.',
    body: newMemberSchema,
    answers: { 200: dataOf(memberSchema), 201: dataOf(memberSchema) },
    refuses: ['already_member', 'too_many_members', 'approvers_missing'],
    idempotencyKey: 'replay_answer',
    before: async (request) => {
      const { role } = await allowed(request, 'members.write')
      const wanted = uncheckedRole(request.body)
      if (wanted !== undefined) requireManager(role, wanted)
    },
    handler: async (request, reply: FastifyReply) => {
      const { merchant } = (await allowed(request, 'members.write')).owner
      await deps.limits.invitation.take(merchant.id, reply)
      const mailbox = mailboxOf(request.body.email)
      // Not shown in headers: they would say how often others have invited this address.
      const usual = { limit: deps.limits.invitationAddress, who: mailbox }
      const slow = { limit: deps.limits.invitationAddressSlow, who: `${mailbox} ${merchant.id}` }
      // An account that costs nothing gets no more than the usual.
      if (merchant.verificationStatus === 'verified') await takeOrSlowly(usual, slow, null)
      else await usual.limit.take(usual.who, null)
      const { member, isNew } = await inviteMember(deps, merchant, request.body, request.signedIn, originOf(request))
      void reply.code(isNew ? 201 : 200)
      return { data: memberToJson(member) }
    },
  })

  personRoute(http, deps, {
    route: 'PATCH /v1/businesses/:business_id/members/:member_id',
    permission: 'members.write',
    operationId: 'changeMember',
    summary: 'Change the role of a member',
    description:
      'Holds from the next request of the member on. Owners are made and changed by an owner with a recent sign-in or step-up; a new owner has a verified identity. The last owner: 409 `invalid_state`. Too few people who may approve: 409 `approvers_missing`.',
    body: memberChangeSchema,
    answers: { 200: dataOf(memberSchema) },
    refuses: ['kyc_required', 'invalid_state', 'approvers_missing'],
    before: async (request) => {
      const { access, member } = await found(request)
      requireManager(access.role, member.role, uncheckedRole(request.body) ?? member.role)
    },
    handler: async (request) => {
      const { role } = request.body
      const { access, member } = await found(request)
      const { signedIn } = request
      return { data: memberToJson(await changeRole(deps, access.owner.merchant, member.id, role, signedIn, originOf(request))) }
    },
  })
  personRoute(http, deps, {
    route: 'POST /v1/businesses/:business_id/members/:member_id/confirm',
    permission: 'owners.write',
    operationId: 'confirmMember',
    summary: 'Confirm a new role',
    description:
      'The role of the member is active at once: they do not wait until `power_from`. For another owner, whose own wait is over: otherwise 403 `self_approval_forbidden` or 409 `power_not_active_yet`. An owner whose own payouts wait: 409 `payout_must_wait`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(memberSchema) },
    refuses: ['self_approval_forbidden', 'payout_must_wait'],
    before: (request) => allowed(request, 'owners.write'),
    handler: async (request) => {
      const { merchant } = (await allowed(request, 'owners.write')).owner
      const id = orNotFound(fromWire('mem', request.params.member_id))
      return { data: memberToJson(await confirmMember(deps, merchant, id, request.signedIn, originOf(request))) }
    },
  })
  personRoute(http, deps, {
    route: 'DELETE /v1/businesses/:business_id/members/:member_id',
    permission: 'members.write',
    operationId: 'removeMember',
    summary: 'Remove a member',
    description:
      'Or cancel an invitation; with your own id: leave. No request of the member succeeds after the answer, also not one that was under way, and their open invitations end. What else they have made goes on: `left_behind` lists it, newest first. Keys that they made keep working: roll them. The last owner: 409 `invalid_state`. Too few people who may approve: 409 `approvers_missing`.',
    answers: { 200: dataOf(removedMemberSchema) },
    refuses: ['invalid_state', 'approvers_missing'],
    before: (request) => found(request),
    handler: async (request) => {
      const { access, member } = await found(request)
      const removed = await removeMember(deps, access.owner.merchant, member.id, request.signedIn, originOf(request))
      const { invitationsEnded: invitations_ended, leftBehind } = removed
      return { data: { ...memberToJson(removed.member), invitations_ended, left_behind: leftBehindToJson(leftBehind) } }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/invitations/read',
    operationId: 'readInvitation',
    summary: 'Read an invitation',
    description: 'What the link of an invitation offers. Used, cancelled or expired: 404.',
    body: tokenBody,
    answers: { 200: dataOf(invitationSchema) },
    refuses: ['not_found'],
    handler: async (request, reply) => {
      const found = await readInvitation(deps.db, request.body.token).catch(async (error: unknown) => {
        await deps.limits.unknownReference.take(networkOf(request.ip), reply)
        throw error
      })
      const { businessName, role, email, inviterName, invitationExpiresAt } = found
      void reply.header('cache-control', 'no-store')
      return {
        data: {
          business_name: businessName,
          role,
          email,
          invited_by_name: inviterName,
          expires_at: invitationExpiresAt!.toISOString(),
        },
      }
    },
  })
  personRoute(http, deps, {
    route: 'POST /v1/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'For the person whose verified e-mail address was invited: otherwise 403 `invitation_for_another_address` or `email_not_verified`. An owner without a verified identity: 403 `kyc_required`.',
    body: tokenBody,
    answers: { 200: dataOf(memberSchema) },
    refuses: [
      'invitation_for_another_address',
      'email_not_verified',
      'kyc_required',
      'already_member',
      'invalid_state',
      'not_found',
    ],
    handler: async (request) => ({
      data: memberToJson(await acceptInvitation(deps, request.body.token, request.signedIn, originOf(request))),
    }),
  })

  personRoute(http, deps, {
    route: 'GET /v1/memberships',
    operationId: 'listMemberships',
    summary: 'List your memberships',
    description: 'The businesses that you are a member of, with what your role may do.',
    answers: { 200: dataOf(z.array(membershipSchema)) },
    handler: async (request) => {
      const memberships = await listMemberships(deps.db, request.signedIn.userId, shownMemberships)
      return {
        data: memberships.map((one) => ({
          member_id: toWire('mem', one.memberId),
          business: {
            id: toWire('biz', one.merchantId),
            name: one.name,
            status: businessStatusSchema.catch('pending').parse(one.status),
          },
          role: one.role,
          power_from: one.powerFrom?.toISOString() ?? null,
          permissions: { live: permissionsOf(one.role, 'live'), test: permissionsOf(one.role, 'test') },
          joined_at: one.joinedAt.toISOString(),
        })),
      }
    },
  })
}

/** A role that the schema has not checked yet: access is checked before the schema. */
function uncheckedRole(body: unknown): Member['role'] | undefined {
  const { data } = memberRoleSchema.safeParse((body as { role?: unknown } | null)?.role)
  return data
}
