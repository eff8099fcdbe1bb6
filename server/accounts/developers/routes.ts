/** HTTP routes of developer apps and their API keys, for the signed-in person. */
import { standingRefusals, type Owner } from '../identity/merchant.ts'
import { personRoute, type SignedInRouteDeps } from '../identity/route.ts'
import type {} from '@fastify/swagger'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { keyStatusSchema } from '../../domain/developer-app.ts'
import type { Config } from '../../config/config.ts'
import { findAccountWait, hasShownFactor } from '../identity/account-wait.ts'
import { originOf } from '../identity/authenticate.ts'
import { authorize } from '../members/access.ts'
import { rolesWith } from '../members/permissions.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { listApps } from './app.sql.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { appChangesSchema, appSchema, appToJson, newAppSchema, type App } from './app.ts'
import { changeApp } from './change-app.ts'
import { changeKey } from './change-key.ts'
import { createApp } from './create-app.ts'
import { createKey, findAppForKey, type KeyMaker } from './create-key.ts'
import { deleteApp } from './delete-app.ts'
import { findOwnApp, findOwnKey } from './find-own.ts'
import { grantKey } from './grant-key.ts'
import { listKeys } from './key.sql.ts'
import { createdKeySchema, keyChangesSchema, keySchema, keyToJson, newKeySchema, rollSchema } from './key.ts'
import { revokeKey } from './revoke-key.ts'
import { findKeyToRoll, rollKey } from './roll-key.ts'

export type AppDeps = SignedInRouteDeps & {
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'safeguards' | 'testWritesBeforeVerification'>
  cursors: Cursors
  sealer: Sealer
}

/** A field of a body that the schema has not checked yet: access is checked before the schema. */
function uncheckedField(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}

const makerOf = async (deps: AppDeps, request: FastifyRequest): Promise<KeyMaker> => {
  const accountWait = await findAccountWait(deps, request.signedIn)
  return {
    ...request.signedIn,
    hasSecondFactor: await hasShownFactor(deps.db, request.signedIn),
    accountWaitSeconds: accountWait?.seconds ?? 0,
    origin: originOf(request),
  }
}

/** The roles whose apps and keys a person sees in lists over all their merchants. */
const managers = rolesWith('apps.write', 'live')

export async function appRoutes(http: Http, deps: AppDeps): Promise<void> {
  /** The same for an operation on one of them, before its body is validated: what it demands depends on the environment. */
  const actsOn =
    (find: (deps: AppDeps, userId: string, id: string) => Promise<Pick<App, 'environment'>>) =>
    async (request: FastifyRequest): Promise<void> => {
      request.actsIn = (await find(deps, request.signedIn.userId, (request.params as { id: string }).id)).environment
    }

  /** The merchant whose apps a person wants to manage; refuses with 404 or 403 `insufficient_role`. */
  const authorizeApps = async (
    request: FastifyRequest,
    environment: Environment,
    businessId: string | undefined,
  ): Promise<Owner> => (await authorize(deps.db, request.signedIn, { permission: 'apps.write', environment, businessId })).owner
  personRoute(http, deps, {
    route: 'POST /developers/apps',
    permission: 'apps.write',
    operationId: 'createApp',
    summary: 'Create an app',
    body: newAppSchema,
    answers: { 201: dataOf(appSchema) },
    refuses: ['too_many_objects'],
    idempotencyKey: 'replay_answer',
    before: async (request) => {
      const businessId = uncheckedField(request.body, 'business_id')
      const environment = environmentSchema.catch('live').parse(uncheckedField(request.body, 'environment'))
      if (typeof businessId === 'string') await authorizeApps(request, environment, businessId)
    },
    handler: async (request, reply) => {
      const { name, description, business_id, environment } = request.body
      const { merchant } = await authorizeApps(request, environment, business_id ?? undefined)
      // An empty description counts as missing.
      const wanted = { name, description: description || null, environment, merchantId: merchant.id }
      const app = await createApp(deps, request.signedIn, wanted, originOf(request))
      void reply.code(201)
      return { data: appToJson(app) }
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps',
    permission: 'apps.write',
    operationId: 'listApps',
    summary: 'List your apps',
    query: z.strictObject({
      owner: z.string().optional().meta({
        description: '`personal` for the apps of your personal account, or the id of a business.',
        example: 'personal',
      }),
      environment: environmentSchema.optional(),
      ...listQuery,
    }),
    answers: { 200: listOf(appSchema) },
    handler: async (request) => {
      const { userId } = request.signedIn
      const { owner, environment } = request.query
      const businessId = owner === 'personal' ? undefined : owner
      const merchantId =
        owner === undefined ? undefined : (await authorizeApps(request, environment ?? 'live', businessId)).merchant.id
      const scope = `apps of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const rows = await listApps(deps.db, userId, { merchantId, environment, roles: managers }, range)
      const page = pageByTime(deps.cursors, scope, rows, range.limit)
      return answerPage(page, appToJson)
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/apps/:id',
    permission: 'apps.write',
    operationId: 'getApp',
    summary: 'Get an app',
    answers: { 200: dataOf(appSchema) },
    handler: async (request) => ({ data: appToJson(await findOwnApp(deps, request.signedIn.userId, request.params.id)) }),
  })

  personRoute(http, deps, {
    route: 'PATCH /developers/apps/:id',
    permission: 'apps.write',
    operationId: 'updateApp',
    summary: 'Update an app',
    body: appChangesSchema,
    answers: { 200: dataOf(appSchema) },
    before: actsOn(findOwnApp),
    handler: async (request) => {
      const { name, description } = request.body
      const id = orNotFound(fromWire('app', request.params.id))
      const changes = { name, description: description === '' ? null : description }
      return { data: appToJson(await changeApp(deps, request.signedIn, id, changes, originOf(request))) }
    },
  })

  personRoute(http, deps, {
    route: 'DELETE /developers/apps/:id',
    permission: 'apps.write',
    operationId: 'deleteApp',
    summary: 'Delete an app',
    description: 'Its keys stop working at once, and nothing more is sent to its webhook.',
    answers: { 200: dataOf(appSchema) },
    before: actsOn(findOwnApp),
    handler: async (request) => {
      const id = orNotFound(fromWire('app', request.params.id))
      return { data: appToJson(await deleteApp(deps, request.signedIn, id, originOf(request))) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /developers/keys',
    permission: 'apps.write',
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'The answer contains the value of the key, once only. A key of a live app requires a verified owner (403 `kyc_required` or `business_not_verified`) and a recent sign-in or step-up; its owner is notified by mail. In live, a scope whose rights your role does not have is in `waiting_scopes` until an owner or admin grants it (`POST /developers/keys/{id}/grant`). Unless the session has proven a second factor, the key cannot make payouts for its first hour: 409 `payout_must_wait`.',
    body: newKeySchema,
    answers: { 201: dataOf(createdKeySchema) },
    refuses: [...standingRefusals, 'email_not_verified', 'too_many_objects'],
    idempotencyKey: 'name_object',
    before: async (request) => {
      const appId = uncheckedField(request.body, 'app_id')
      if (typeof appId !== 'string') return
      request.actsIn = (await findAppForKey(deps, request.signedIn.userId, appId)).environment
    },
    handler: async (request, reply) => {
      const { app_id, key_name, scopes, environment, expires_at, allowed_ips = [] } = request.body
      const wanted = { keyName: key_name, scopes, environment, expiresAt: expires_at ?? null, allowedIps: allowed_ips }
      const { key, value } = await createKey(deps, app_id, wanted, await makerOf(deps, request))
      void reply.code(201).header('cache-control', 'no-store')
      return { data: { ...keyToJson(key), key: value } }
    },
  })

  personRoute(http, deps, {
    route: 'GET /developers/keys',
    permission: 'apps.write',
    operationId: 'listKeys',
    summary: 'List your API keys',
    description: 'Includes revoked and expired keys, but not keys of deleted apps.',
    query: z.strictObject({
      app_id: z.string().optional().meta({ description: 'Only the keys of this app.' }),
      status: keyStatusSchema.optional(),
      environment: environmentSchema.optional(),
      ...listQuery,
    }),
    answers: { 200: listOf(keySchema) },
    handler: async (request) => {
      const { userId } = request.signedIn
      const { app_id, status = null, environment = null } = request.query
      const appId = app_id === undefined ? null : (await findOwnApp(deps, userId, app_id)).id
      const scope = `keys of ${userId} ${appId} ${status} ${environment}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await listKeys(deps.db, userId, { appId, status, environment, roles: managers }, range)
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, keyToJson)
    },
  })

  personRoute(http, deps, {
    route: 'PATCH /developers/keys/:id',
    permission: 'apps.write',
    operationId: 'updateKey',
    summary: 'Update an API key',
    description:
      'Changes the name or the allowed addresses. `allowed_ips` replaces the whole list and applies from the next request on. Scopes and expiry never change. Allowing more addresses for a live key requires a recent sign-in or step-up, and its owner is notified by mail.',
    body: keyChangesSchema,
    answers: { 200: dataOf(keySchema) },
    before: actsOn(findOwnKey),
    handler: async (request) => {
      const { key_name, allowed_ips } = request.body
      const id = orNotFound(fromWire('key', request.params.id))
      const changes = { keyName: key_name, allowedIps: allowed_ips }
      return { data: keyToJson(await changeKey(deps, request.signedIn, id, changes, originOf(request))) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /developers/keys/:id/roll',
    permission: 'apps.write',
    operationId: 'rollKey',
    summary: 'Roll an API key',
    description:
      'Replaces a key with a new one. The answer contains the new key with its value, once only. The new key has the same app, name, scopes and addresses. If the old key was created with a lifetime, the new key gets the same lifetime from now. The old key becomes `expiring` and works for `grace_seconds` more, never past its own expiry. A key can be rolled once; a rolled, revoked or expired key: 409 `invalid_state`. A live key requires a verified owner (403 `kyc_required` or `business_not_verified`) and a recent sign-in or step-up; its owner is notified by mail, and payouts wait as with a new key.',
    body: rollSchema,
    answers: { 200: dataOf(createdKeySchema) },
    refuses: [...standingRefusals, 'email_not_verified', 'invalid_state', 'too_many_objects'],
    idempotencyKey: 'name_object',
    before: actsOn(findKeyToRoll),
    handler: async (request, reply) => {
      const maker = await makerOf(deps, request)
      const { key, value } = await rollKey(deps, request.params.id, request.body.grace_seconds, maker)
      void reply.header('cache-control', 'no-store')
      return { data: { ...keyToJson(key), key: value } }
    },
  })

  personRoute(http, deps, {
    route: 'DELETE /developers/keys/:id',
    permission: 'apps.write',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description:
      'The key stops working at once. The key that replaced it, or that it replaced, is not affected. Revoking cannot be undone.',
    answers: { 200: dataOf(keySchema) },
    before: actsOn(findOwnKey),
    handler: async (request) => {
      const id = orNotFound(fromWire('key', request.params.id))
      return { data: keyToJson(await revokeKey(deps, request.signedIn, id, originOf(request))) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /developers/keys/:id/grant',
    permission: 'apps.write',
    operationId: 'grantKey',
    summary: 'Grant the scopes of a key',
    description:
      'The `waiting_scopes` of a live key work from now on. A key with `unkept_since` is kept: all its scopes are granted by you. You need every right that they give: otherwise 403 `insufficient_role`, and `details.required_roles` says who can grant them. A revoked or expired key: 409 `invalid_state`. `payouts:write` while your own payouts wait: 409 `payout_must_wait`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(keySchema) },
    refuses: ['invalid_state', 'payout_must_wait'],
    before: actsOn(findOwnKey),
    handler: async (request) => {
      const id = orNotFound(fromWire('key', request.params.id))
      return { data: keyToJson(await grantKey(deps, request.signedIn, id, originOf(request))) }
    },
  })
}
