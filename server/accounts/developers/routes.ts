/** HTTP routes of developer apps and their API keys, for the signed-in person. */
import type {} from '@fastify/swagger'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { keyStatusSchema } from '../../domain/developer-app.ts'
import type { Config } from '../../config/config.ts'
import { findAccountWait, hasShownFactor } from '../identity/account-wait.ts'
import { originOf, requireUser } from '../identity/authenticate.ts'
import { authorize } from '../members/access.ts'
import { rolesWith } from '../members/permissions.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { notFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { listApps } from './app.sql.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import type { Owner } from '../identity/merchant.ts'
import { appChangesSchema, appSchema, appToJson, newAppSchema, type App } from './app.ts'
import type { KeyCaller } from './authenticate-key.ts'
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

export type AppDeps = {
  db: Db
  log: Log
  clock: Clock
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'safeguards' | 'testWritesBeforeVerification'>
  cursors: Cursors
  sealer: Sealer
}

const byId = z.object({ id: z.string() })

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

const security = [{ jwt: [] }]

/** The roles whose apps and keys a person sees in lists over all their merchants. */
const managers = rolesWith('apps.write', 'live')

/** Objects that the routes of this file share. */
type Shared = ReturnType<typeof createShared>

function createShared(deps: AppDeps) {
  /** The same for an operation on one of them, before its body is validated: what it demands depends on the environment. */
  const actsOn =
    (find: (deps: AppDeps, userId: string, id: string) => Promise<Pick<App, 'environment'>>) =>
    async (request: FastifyRequest): Promise<void> => {
      request.actsIn = (await find(deps, request.signedIn.userId, (request.params as { id: string }).id)).environment
    }

  const onRequest = requireUser(deps)

  /** The merchant whose apps a person wants to manage; refuses with 404 or 403 `insufficient_role`. */
  const authorizeApps = async (
    request: FastifyRequest,
    environment: Environment,
    businessId: string | undefined,
  ): Promise<Owner> => (await authorize(deps.db, request.signedIn, { permission: 'apps.write', environment, businessId })).owner

  return { onRequest, actsOn, authorizeApps }
}

export async function appRoutes(http: Http, deps: AppDeps): Promise<void> {
  // The property is declared once, so that every request object has the same shape.
  http.decorateRequest('keyCaller', null as unknown as KeyCaller)
  http.decorateRequest('usedKey', undefined)
  const shared = createShared(deps)
  createAppRoute(http, deps, shared)
  listAppsRoute(http, deps, shared)
  getAppRoute(http, deps, shared)
  updateAppRoute(http, deps, shared)
  deleteAppRoute(http, deps, shared)
  createKeyRoute(http, deps, shared)
  listKeysRoute(http, deps, shared)
  updateKeyRoute(http, deps, shared)
  rollKeyRoute(http, deps, shared)
  revokeKeyRoute(http, deps, shared)
  grantKeyRoute(http, deps, shared)
}

function createAppRoute(http: Http, deps: AppDeps, { onRequest, authorizeApps }: Shared): void {
  http.post(
    '/developers/apps',
    {
      onRequest,
      preValidation: async (request) => {
        const businessId = uncheckedField(request.body, 'business_id')
        const environment = environmentSchema.catch('live').parse(uncheckedField(request.body, 'environment'))
        if (typeof businessId === 'string') await authorizeApps(request, environment, businessId)
      },
      config: { permission: 'apps.write', idempotencyKey: 'replay_answer' },
      schema: {
        operationId: 'createApp',
        tags: ['Apps and keys'],
        summary: 'Create an app',
        security,
        body: newAppSchema,
        response: { 201: dataOf(appSchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const { name, description, business_id, environment } = request.body
      const { merchant } = await authorizeApps(request, environment, business_id ?? undefined)
      // An empty description counts as missing.
      const wanted = { name, description: description || null, environment, merchantId: merchant.id }
      const app = await createApp(deps, request.signedIn, wanted, originOf(request))
      void reply.code(201)
      return { data: appToJson(app) }
    },
  )
}

function listAppsRoute(http: Http, deps: AppDeps, { onRequest, authorizeApps }: Shared): void {
  http.get(
    '/developers/apps',
    {
      onRequest,
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'listApps',
        tags: ['Apps and keys'],
        summary: 'List your apps',
        security,
        querystring: z.strictObject({
          owner: z.string().optional().meta({
            description: '`personal` for the apps of your personal account, or the id of a business.',
            example: 'personal',
          }),
          environment: environmentSchema.optional(),
          ...listQuery,
        }),
        response: { 200: listOf(appSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
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
  )
}

function getAppRoute(http: Http, deps: AppDeps, { onRequest }: Shared): void {
  http.get(
    '/developers/apps/:id',
    {
      onRequest,
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'getApp',
        tags: ['Apps and keys'],
        summary: 'Get an app',
        security,
        params: byId,
        response: { 200: dataOf(appSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => ({ data: appToJson(await findOwnApp(deps, request.signedIn.userId, request.params.id)) }),
  )
}

function updateAppRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.patch(
    '/developers/apps/:id',
    {
      onRequest,
      preValidation: actsOn(findOwnApp),
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'updateApp',
        tags: ['Apps and keys'],
        summary: 'Update an app',
        security,
        params: byId,
        body: appChangesSchema,
        response: { 200: dataOf(appSchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const { name, description } = request.body
      const id = fromWire('app', request.params.id)
      if (id === undefined) throw notFound()
      const changes = { name, description: description === '' ? null : description }
      return { data: appToJson(await changeApp(deps, request.signedIn, id, changes, originOf(request))) }
    },
  )
}

function deleteAppRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.delete(
    '/developers/apps/:id',
    {
      onRequest,
      preValidation: actsOn(findOwnApp),
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'deleteApp',
        tags: ['Apps and keys'],
        summary: 'Delete an app',
        description: 'Its keys stop working at once, and nothing more is sent to its webhook.',
        security,
        params: byId,
        response: { 200: dataOf(appSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => {
      const id = fromWire('app', request.params.id)
      if (id === undefined) throw notFound()
      return { data: appToJson(await deleteApp(deps, request.signedIn, id, originOf(request))) }
    },
  )
}

function createKeyRoute(http: Http, deps: AppDeps, { onRequest }: Shared): void {
  http.post(
    '/developers/keys',
    {
      onRequest,
      preValidation: async (request) => {
        const appId = uncheckedField(request.body, 'app_id')
        if (typeof appId !== 'string') return
        request.actsIn = (await findAppForKey(deps, request.signedIn.userId, appId)).environment
      },
      config: { permission: 'apps.write', idempotencyKey: 'name_object' },
      schema: {
        operationId: 'createKey',
        tags: ['Apps and keys'],
        summary: 'Create an API key',
        description:
          'The answer contains the value of the key, once only. A key of a live app requires a verified owner (403 `kyc_required` or `business_not_verified`) and a recent sign-in or step-up; its owner is notified by mail. In live, a scope whose rights your role does not have is in `waiting_scopes` until an owner or admin grants it (`POST /developers/keys/{id}/grant`). Unless the session has proven a second factor, the key cannot make payouts for its first hour: 409 `payout_must_wait`.',
        security,
        body: newKeySchema,
        response: { 201: dataOf(createdKeySchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const { app_id, key_name, scopes, environment, expires_at, allowed_ips = [] } = request.body
      const wanted = { keyName: key_name, scopes, environment, expiresAt: expires_at ?? null, allowedIps: allowed_ips }
      const { key, value } = await createKey(deps, app_id, wanted, await makerOf(deps, request))
      void reply.code(201).header('cache-control', 'no-store')
      return { data: { ...keyToJson(key), key: value } }
    },
  )
}

function listKeysRoute(http: Http, deps: AppDeps, { onRequest }: Shared): void {
  http.get(
    '/developers/keys',
    {
      onRequest,
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'listKeys',
        tags: ['Apps and keys'],
        summary: 'List your API keys',
        description: 'Includes revoked and expired keys, but not keys of deleted apps.',
        security,
        querystring: z.strictObject({
          app_id: z.string().optional().meta({ description: 'Only the keys of this app.' }),
          status: keyStatusSchema.optional(),
          environment: environmentSchema.optional(),
          ...listQuery,
        }),
        response: { 200: listOf(keySchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const { app_id, status = null, environment = null } = request.query
      const appId = app_id === undefined ? null : (await findOwnApp(deps, userId, app_id)).id
      const scope = `keys of ${userId} ${appId} ${status} ${environment}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await listKeys(deps.db, userId, { appId, status, environment, roles: managers }, range)
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, keyToJson)
    },
  )
}

function updateKeyRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.patch(
    '/developers/keys/:id',
    {
      onRequest,
      preValidation: actsOn(findOwnKey),
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'updateKey',
        tags: ['Apps and keys'],
        summary: 'Update an API key',
        description:
          'Changes the name or the allowed addresses. `allowed_ips` replaces the whole list and applies from the next request on. Scopes and expiry never change. Allowing more addresses for a live key requires a recent sign-in or step-up, and its owner is notified by mail.',
        security,
        params: byId,
        body: keyChangesSchema,
        response: { 200: dataOf(keySchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const { key_name, allowed_ips } = request.body
      const id = fromWire('key', request.params.id)
      if (id === undefined) throw notFound()
      const changes = { keyName: key_name, allowedIps: allowed_ips }
      return { data: keyToJson(await changeKey(deps, request.signedIn, id, changes, originOf(request))) }
    },
  )
}

function rollKeyRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.post(
    '/developers/keys/:id/roll',
    {
      onRequest,
      preValidation: actsOn(findKeyToRoll),
      config: { permission: 'apps.write', idempotencyKey: 'name_object' },
      schema: {
        operationId: 'rollKey',
        tags: ['Apps and keys'],
        summary: 'Roll an API key',
        description:
          'Replaces a key with a new one. The answer contains the new key with its value, once only. The new key has the same app, name, scopes and addresses. If the old key was created with a lifetime, the new key gets the same lifetime from now. The old key becomes `expiring` and works for `grace_seconds` more, never past its own expiry. A key can be rolled once; a rolled, revoked or expired key: 409 `invalid_state`. A live key requires a verified owner (403 `kyc_required` or `business_not_verified`) and a recent sign-in or step-up; its owner is notified by mail, and payouts wait as with a new key.',
        security,
        params: byId,
        body: rollSchema,
        response: { 200: dataOf(createdKeySchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const maker = await makerOf(deps, request)
      const { key, value } = await rollKey(deps, request.params.id, request.body.grace_seconds, maker)
      void reply.header('cache-control', 'no-store')
      return { data: { ...keyToJson(key), key: value } }
    },
  )
}

function revokeKeyRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.delete(
    '/developers/keys/:id',
    {
      onRequest,
      preValidation: actsOn(findOwnKey),
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'revokeKey',
        tags: ['Apps and keys'],
        summary: 'Revoke an API key',
        description:
          'The key stops working at once. The key that replaced it, or that it replaced, is not affected. Revoking cannot be undone.',
        security,
        params: byId,
        response: { 200: dataOf(keySchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => {
      const id = fromWire('key', request.params.id)
      if (id === undefined) throw notFound()
      return { data: keyToJson(await revokeKey(deps, request.signedIn, id, originOf(request))) }
    },
  )
}

function grantKeyRoute(http: Http, deps: AppDeps, { onRequest, actsOn }: Shared): void {
  http.post(
    '/developers/keys/:id/grant',
    {
      onRequest,
      preValidation: actsOn(findOwnKey),
      config: { permission: 'apps.write' },
      schema: {
        operationId: 'grantKey',
        tags: ['Apps and keys'],
        summary: 'Grant the scopes of a key',
        description:
          'The `waiting_scopes` of a live key work from now on. A key with `unkept_since` is kept: all its scopes are granted by you. You need every right that they give: otherwise 403 `insufficient_role`, and `details.required_roles` says who can grant them. A revoked or expired key: 409 `invalid_state`.',
        security,
        params: byId,
        body: z.strictObject({}).prefault({}),
        response: { 200: dataOf(keySchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => {
      const id = fromWire('key', request.params.id)
      if (id === undefined) throw notFound()
      return { data: keyToJson(await grantKey(deps, request.signedIn, id, originOf(request))) }
    },
  )
}
