/** HTTP of developer apps and their API keys, for the signed-in person. */
import type {} from '@fastify/swagger'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { findRepresented, requireUser } from '../identity/authenticate.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../platform/http.ts'
import { fromWire } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { pageByTime, rangeOf, type Cursors } from '../platform/page.ts'
import { notFound } from '../platform/refusal.ts'
import { listApps } from './app.sql.ts'
import { appChangesSchema, appSchema, appToJson, newAppSchema } from './app.ts'
import type { KeyCaller } from './authenticate-key.ts'
import { changeApp } from './change-app.ts'
import { createApp } from './create-app.ts'
import { createKey, findAppForKey } from './create-key.ts'
import { deleteApp } from './delete-app.ts'
import { findOwnApp } from './find-app.ts'
import { listKeys, revokeKey } from './key.sql.ts'
import { createdKeySchema, keySchema, keyToJson, newKeySchema } from './key.ts'

export type AppDeps = {
  db: Db
  log: Log
  clock: Clock
  config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'testWritesBeforeVerification'>
  cursors: Cursors
}

const byId = z.object({ id: z.string() })

/** A field of a body whose shape has not been checked yet: visibility comes before shape. */
function uncheckedField(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}

export async function appRoutes(http: Http, deps: AppDeps): Promise<void> {
  const onRequest = requireUser(deps)
  const security = [{ jwt: [] }]
  // The place is made once, so that every request object has the same shape.
  http.decorateRequest('keyCaller', null as unknown as KeyCaller)

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
      const app = await createApp(deps, userId, wanted)
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
        querystring: z.strictObject(listQuery),
        response: { 200: listOf(appSchema), ...errors(400, 401, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const scope = `apps of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const page = pageByTime(deps.cursors, scope, await listApps(deps.db, userId, range), range.limit)
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
      return { data: appToJson(await deleteApp(deps, request.signedIn.userId, id)) }
    },
  )

  http.post(
    '/developers/keys',
    {
      onRequest,
      preValidation: async (request) => {
        const appId = uncheckedField(request.body, 'app_id')
        if (typeof appId === 'string') await findAppForKey(deps, request.signedIn.userId, appId)
      },
      schema: {
        operationId: 'createKey',
        tags: ['Apps and keys'],
        summary: 'Create an API key',
        description:
          'The answer holds the value of the key, this once. A key of a live app needs a verified owner: 403 `kyc_required` or `business_not_verified`.',
        security,
        body: newKeySchema,
        response: { 201: dataOf(createdKeySchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const { app_id, key_name, scopes, environment, expires_at } = request.body
      const { key, value } = await createKey(deps, request.signedIn.userId, app_id, {
        keyName: key_name,
        scopes,
        environment,
        expiresAt: expires_at ?? null,
      })
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
          ...listQuery,
        }),
        response: { 200: listOf(keySchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const { app_id } = request.query
      const app = app_id === undefined ? undefined : await findOwnApp(deps, userId, app_id)
      const scope = `keys of ${userId} ${app?.id ?? ''}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const page = pageByTime(deps.cursors, scope, await listKeys(deps.db, userId, app?.id ?? null, range), range.limit)
      return { data: page.items.map(keyToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
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
        description: 'It stops working at once and everywhere. A revoked key stays revoked.',
        security,
        params: byId,
        response: { 200: dataOf(keySchema), ...errors(401, 404, 503) },
      },
    },
    async (request) => {
      const id = fromWire('key', request.params.id)
      const key = id && (await revokeKey(deps.db, request.signedIn.userId, id))
      if (!key) throw notFound()
      return { data: keyToJson(key) }
    },
  )
}
