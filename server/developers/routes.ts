/** HTTP of developer apps and their API keys, for the signed-in person. */
import type {} from '@fastify/swagger'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { findAccountWait, hasShownFactor } from '../identity/account-wait.ts'
import { findRepresented, originOf, refuseWithoutStepUp, requireUser } from '../identity/authenticate.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Runner } from '../platform/db/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../platform/http/http.ts'
import { fromWire } from '../platform/ids.ts'
import type { Log } from '../platform/process/log.ts'
import { pageByTime, rangeOf, type Cursors } from '../platform/http/page.ts'
import { notFound } from '../platform/refusal.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import { listApps } from './app.sql.ts'
import { environmentSchema } from '../domain/environment.ts'
import { appChangesSchema, appSchema, appToJson, newAppSchema, type App } from './app.ts'
import type { KeyCaller } from './authenticate-key.ts'
import { changeApp } from './change-app.ts'
import { changeKey } from './change-key.ts'
import { createApp } from './create-app.ts'
import { createKey, findAppForKey, type KeyMaker } from './create-key.ts'
import { deleteApp } from './delete-app.ts'
import { findOwnApp } from './find-app.ts'
import { findOwnKey } from './find-key.ts'
import { listKeys } from './key.sql.ts'
import { createdKeySchema, keyChangesSchema, keySchema, keyStatuses, keyToJson, newKeySchema, rollSchema } from './key.ts'
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

/** A field of a body whose shape has not been checked yet: visibility comes before shape. */
function uncheckedField(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}

const makerOf = async (deps: AppDeps, request: FastifyRequest): Promise<KeyMaker> => {
  const { userId } = request.signedIn
  const accountWait = await findAccountWait(deps, request.signedIn)
  return {
    userId,
    hasSecondFactor: await hasShownFactor(deps.db, request.signedIn),
    accountWaitSeconds: accountWait?.seconds ?? 0,
    origin: originOf(request),
  }
}

export async function appRoutes(http: Http, deps: AppDeps): Promise<void> {
  /** What opens the live environment wants a person who has just shown who they are. */
  const refuseStaleFor = async (request: FastifyRequest, { environment }: Pick<App, 'environment'>): Promise<void> => {
    if (environment === 'live') await refuseWithoutStepUp(deps, request.signedIn)
  }
  const onRequest = requireUser(deps)
  const security = [{ jwt: [] }]
  // The place is made once, so that every request object has the same shape.
  http.decorateRequest('keyCaller', null as unknown as KeyCaller)
  http.decorateRequest('usedKey', undefined)

  http.post(
    '/developers/apps',
    {
      onRequest,
      preValidation: async (request) => {
        const businessId = uncheckedField(request.body, 'business_id')
        if (typeof businessId === 'string') await findRepresented(deps, request.signedIn.userId, businessId)
      },
      schema: {
        operationId: 'createApp',
        tags: ['Apps and keys'],
        summary: 'Create an app',
        security,
        body: newAppSchema,
        response: { 201: dataOf(appSchema), ...errors(400, 401, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const { name, description, business_id, environment } = request.body
      const { userId } = request.signedIn
      const business = typeof business_id === 'string' ? await findRepresented(deps, userId, business_id) : undefined
      // An empty description is none.
      const wanted = { name, description: description || null, environment, merchantId: business?.id }
      const app = await createApp(deps, userId, wanted, originOf(request))
      void reply.code(201)
      return { data: appToJson(app) }
    },
  )

  http.get(
    '/developers/apps',
    {
      onRequest,
      schema: {
        operationId: 'listApps',
        tags: ['Apps and keys'],
        summary: 'List your apps',
        security,
        querystring: z.strictObject({
          owner: z
            .string()
            .optional()
            .meta({ description: 'Only the apps of `personal`, which act for you, or of this business.', example: 'personal' }),
          environment: environmentSchema.optional(),
          ...listQuery,
        }),
        response: { 200: listOf(appSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const { owner, environment } = request.query
      const ownerOfApps = (named: string) => (named === 'personal' ? { id: userId } : findRepresented(deps, userId, named))
      const merchantId = owner === undefined ? undefined : (await ownerOfApps(owner)).id
      const scope = `apps of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const rows = await listApps(deps.db, userId, { merchantId, environment }, range)
      const page = pageByTime(deps.cursors, scope, rows, range.limit)
      return { data: page.items.map(appToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
    },
  )

  http.get(
    '/developers/apps/:id',
    {
      onRequest,
      schema: {
        operationId: 'getApp',
        tags: ['Apps and keys'],
        summary: 'Read an app',
        security,
        params: byId,
        response: { 200: dataOf(appSchema), ...errors(401, 404, 503) },
      },
    },
    async (request) => ({ data: appToJson(await findOwnApp(deps, request.signedIn.userId, request.params.id)) }),
  )

  http.patch(
    '/developers/apps/:id',
    {
      onRequest,
      preValidation: async (request) => {
        await findOwnApp(deps, request.signedIn.userId, (request.params as { id: string }).id)
      },
      schema: {
        operationId: 'updateApp',
        tags: ['Apps and keys'],
        summary: 'Change the name or description of an app',
        security,
        params: byId,
        body: appChangesSchema,
        response: { 200: dataOf(appSchema), ...errors(400, 401, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const { name, description } = request.body
      const id = fromWire('app', request.params.id)
      if (id === undefined) throw notFound()
      const changes = { name, description: description === '' ? null : description }
      return { data: appToJson(await changeApp(deps, request.signedIn.userId, id, changes)) }
    },
  )

  http.delete(
    '/developers/apps/:id',
    {
      onRequest,
      schema: {
        operationId: 'deleteApp',
        tags: ['Apps and keys'],
        summary: 'Delete an app',
        description: 'Its keys stop working at once, and its webhook is not sent to any more.',
        security,
        params: byId,
        response: { 200: dataOf(appSchema), ...errors(401, 404, 503) },
      },
    },
    async (request) => {
      const id = fromWire('app', request.params.id)
      if (id === undefined) throw notFound()
      return { data: appToJson(await deleteApp(deps, request.signedIn.userId, id, originOf(request))) }
    },
  )

  http.post(
    '/developers/keys',
    {
      onRequest,
      preValidation: async (request) => {
        const appId = uncheckedField(request.body, 'app_id')
        if (typeof appId !== 'string') return
        await refuseStaleFor(request, await findAppForKey(deps, request.signedIn.userId, appId))
      },
      schema: {
        operationId: 'createKey',
        tags: ['Apps and keys'],
        summary: 'Create an API key',
        description:
          'The answer holds the value of the key, this once. A key of a live app needs a verified owner: 403 `kyc_required` or `business_not_verified`, and a sign-in or step-up of a moment ago. Its owner is mailed. Unless the session has shown a second factor, it makes no payouts for its first hour: 409 `payout_must_wait`.',
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

  http.get(
    '/developers/keys',
    {
      onRequest,
      schema: {
        operationId: 'listKeys',
        tags: ['Apps and keys'],
        summary: 'List your API keys',
        description: 'Revoked and expired keys stay in the list; keys of deleted apps do not.',
        security,
        querystring: z.strictObject({
          app_id: z.string().optional().meta({ description: 'Only the keys of this app.' }),
          status: z.enum(keyStatuses).optional(),
          environment: environmentSchema.optional(),
          ...listQuery,
        }),
        response: { 200: listOf(keySchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const { app_id, status = null, environment = null } = request.query
      const appId = app_id === undefined ? null : (await findOwnApp(deps, userId, app_id)).id
      const scope = `keys of ${userId} ${appId} ${status} ${environment}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await listKeys(deps.db, userId, { appId, status, environment }, range)
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return { data: page.items.map(keyToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
    },
  )

  http.patch(
    '/developers/keys/:id',
    {
      onRequest,
      preValidation: async (request) => {
        await findOwnKey(deps, request.signedIn.userId, (request.params as { id: string }).id)
      },
      schema: {
        operationId: 'updateKey',
        tags: ['Apps and keys'],
        summary: 'Change the name of an API key, or the addresses that may use it',
        description:
          '`allowed_ips` replaces the whole list and holds from the next request on. Scopes and expiry never change. More addresses for a live key need a sign-in or step-up of a moment ago, and its owner is mailed.',
        security,
        params: byId,
        body: keyChangesSchema,
        response: { 200: dataOf(keySchema), ...errors(400, 401, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const { key_name, allowed_ips } = request.body
      const id = fromWire('key', request.params.id)
      if (id === undefined) throw notFound()
      const changes = { keyName: key_name, allowedIps: allowed_ips }
      const { userId } = request.signedIn
      const proveFresh = (tx: Runner) => refuseWithoutStepUp({ ...deps, db: tx }, request.signedIn)
      return { data: keyToJson(await changeKey(deps, userId, id, changes, originOf(request), proveFresh)) }
    },
  )

  http.post(
    '/developers/keys/:id/roll',
    {
      onRequest,
      preValidation: async (request) => {
        await refuseStaleFor(request, await findKeyToRoll(deps, request.signedIn.userId, (request.params as { id: string }).id))
      },
      schema: {
        operationId: 'rollKey',
        tags: ['Apps and keys'],
        summary: 'Replace an API key by a new one',
        description:
          'The answer holds the new key with its value, this once: same app, name, scopes and addresses; a key that was made to live for some time gets a successor that lives as long from now. The old key is `expiring` and works for `grace_seconds` more, never longer than it would have. Each key is rolled once; one that was rolled, revoked or has expired: 409 `invalid_state`. A live key of an owner who is not verified: 403 `kyc_required` or `business_not_verified`; it needs a sign-in or step-up of a moment ago, its owner is mailed, and it waits as a new key does.',
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

  http.delete(
    '/developers/keys/:id',
    {
      onRequest,
      schema: {
        operationId: 'revokeKey',
        tags: ['Apps and keys'],
        summary: 'Revoke an API key',
        description:
          'It stops working at once and everywhere; a key that took its place, or whose place it took, goes on. A revoked key stays revoked.',
        security,
        params: byId,
        response: { 200: dataOf(keySchema), ...errors(401, 404, 503) },
      },
    },
    async (request) => {
      const id = fromWire('key', request.params.id)
      if (id === undefined) throw notFound()
      return { data: keyToJson(await revokeKey(deps, request.signedIn.userId, id, originOf(request))) }
    },
  )
}
