/**
 * The two ways to authenticate as an owner: an API key, and the owner's own sign-in. A resource that both may use is written once
 * and registered for each of them. Invariant: every caller acts for exactly one owner in one environment.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Origin } from '../../base/audit/audit.ts'
import { originOf, requireUser, type AuthenticateDeps } from '../identity/authenticate.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import { authorize, confirmAccess, requireRole, type Access } from '../members/access.ts'
import { permissions, permissionsOf, permissionsOfKey, type KeyPermission, type Permission } from '../members/permissions.ts'
import { sightOf, type Sight } from '../members/sight.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Http } from '../../platform/http/http.ts'
import { toWire } from '../../platform/ids.ts'
import { assert, invalidFields } from '../../platform/refusal.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import { confirmKey, requireKey, type AuthenticateKeyDeps, type KeyCaller } from './authenticate-key.ts'

export type OwnerAuthDeps = AuthenticateDeps & AuthenticateKeyDeps

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is validated, on routes that a signed-in person calls for a merchant; null elsewhere. */
    access: Access | null
  }
}

/** How a signed-in person names the owner that they act for; a key already belongs to one. */
const ownerQuery = {
  environment: environmentSchema.default('live').meta({ description: 'May be sent in the body instead.' }),
  business_id: z.string().optional().meta({
    description: 'A business that you are a member of. Without it: your personal account. May be sent in the body instead.',
  }),
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a schema of a request's part has this field. */
function hasField(schema: unknown, name: string): boolean {
  if (schema instanceof z.ZodPrefault) return hasField(schema.unwrap(), name)
  return schema instanceof z.ZodObject && name in schema.shape
}

type Resolver = { permission: Permission; resolve(request: FastifyRequest): Promise<void> }

/** By the hook that authenticates a person: what finds the merchant that they act for. */
const resolvers = new WeakMap<object, Resolver>()

/** What finds, after this hook, the merchant that a signed-in person acts for, by the query alone if the body was not read. */
export function resolverOfHook(hook: object): Resolver | undefined {
  return resolvers.get(hook)
}

/**
 * For each route of a merchant, before the body is validated: accepts the environment and the business in the query or the body (two
 * different values: 400), and finds the merchant that a signed-in person acts for. Must be called before the routes are added.
 */
export function resolveOwners(http: Http): void {
  http.decorateRequest('access', null)
  http.addHook('onRoute', (route) => {
    const { schema, onRequest = [], preValidation = [] } = route
    const isElsewhere = (name: string): boolean => hasField(schema?.querystring, name) !== hasField(schema?.body, name)
    const named = schema?.body ? Object.keys(ownerQuery).filter(isElsewhere) : []
    const unify = async (request: FastifyRequest): Promise<void> => {
      for (const name of named) moveField(request, name, hasField(schema?.querystring, name))
    }
    const found = [onRequest].flat().flatMap((hook) => resolvers.get(hook) ?? [])
    for (const { permission } of found) route.config = { ...route.config, permission }
    const resolve = found.map((one) => one.resolve)
    if (named.length + resolve.length > 0) route.preValidation = [unify, resolve, preValidation].flat()
  })
}

function moveField(request: FastifyRequest, name: string, isForQuery: boolean): void {
  const body = request.body ?? {}
  const query = request.query as Fields
  // A body that is no object is refused by its schema.
  if (!isFields(body)) return
  const [inQuery, inBody] = [query[name], body[name]]
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidFields([{ field: name, code: 'invalid', message: 'The query and the body have different values. Send one.' }])
  }
  const value = inQuery ?? inBody
  if (value === undefined) return
  const { [name]: _query, ...queryWithout } = query
  const { [name]: _body, ...bodyWithout } = body
  request.query = isForQuery ? { ...query, [name]: value } : queryWithout
  request.body = isForQuery ? bodyWithout : { ...body, [name]: value }
}

type CallerRequest = Pick<FastifyRequest, 'signedIn' | 'keyCaller' | 'access'>

type AuthMethod<Query, Wanted extends Permission> = {
  /** The prefix of the resource's path. */
  prefix: string
  /** Part of the operation's id: `listPayouts`, `listMerchantPayouts`. */
  name: string
  /** The authentication hook for `onRequest`: a key with the permission's scope, or a signed-in person whose role has the permission. */
  require(permission: Wanted): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Tags and security for the description of each operation; `tag` is the group of the operation for keys. */
  describe(tag: string): { tags: string[]; security: Record<string, string[]>[] }
  /** The additional query parameters. */
  query: Query
  /** The owner that the request acts for, after the body was read. A business that the person is no member of answers 404. */
  ownerOf(request: CallerRequest): Owner
  /** Refuses with 403 `insufficient_role` a person whose role lacks another permission, too; keys need only the one of the route. */
  requireAlso(request: CallerRequest, permission: Permission): void
  /** What the caller may do in the environment of the request; the role is null for a key. */
  reachOf(request: CallerRequest): { role: MemberRole | null; permissions: Permission[] }
  /** The fields that the caller sees beyond those that everyone sees who may call the route. */
  sightOf(request: CallerRequest): Sight
  /**
   * Reads the caller again, in the transaction that moves money, and locks it against changes until the end: once a revocation
   * has been answered, no transaction of its key or session commits. Returns the current owner.
   */
  confirm(tx: Tx, request: ConfirmedRequest, owner: Owner): Promise<Owner>
  /**
   * For an answer that takes long: refuses as soon as the caller may no longer read what it contains. `permission`: what a person
   * needs for it, if not that of the route.
   */
  mayStill(request: ConfirmedRequest, permission?: Permission): () => Promise<void>
}

type ConfirmedRequest = CallerRequest & Pick<FastifyRequest, 'ip'>

export type KeyAuth = AuthMethod<Record<never, never>, KeyPermission>
export type SignedInAuth = AuthMethod<typeof ownerQuery, Permission>
export type OwnerAuth = KeyAuth | SignedInAuth

const current = ({ environment }: Owner, merchant: Merchant): Owner => ({ merchant, environment })

export function keyAuth(deps: OwnerAuthDeps): KeyAuth {
  return {
    prefix: '/v1',
    name: '',
    require: (permission) => requireKey(deps, permissions[permission].scope),
    describe: (tag) => ({ tags: [tag], security: [{ apiKey: [] }] }),
    query: {},
    ownerOf: (request) => request.keyCaller.owner,
    requireAlso: () => undefined,
    reachOf: (request) => ({ role: null, permissions: permissionsOfKey(request.keyCaller.scopes) }),
    sightOf: (request) => sightOf(permissionsOfKey(request.keyCaller.scopes)),
    confirm: async (tx, request, owner) => current(owner, await confirmKey(tx, request)),
    mayStill: (request) => () => deps.db.tx(async (tx) => void (await confirmKey(tx, request))),
  }
}

function accessOf({ access }: CallerRequest): Access {
  assert(access, 'the route of a signed-in person names a permission')
  return access
}

export function signedInAuth(deps: OwnerAuthDeps): SignedInAuth {
  const requireSignedIn = requireUser(deps)
  const ownerFields = z.object(ownerQuery)

  function reachOf(request: CallerRequest): { role: MemberRole; permissions: Permission[] } {
    const { role, owner } = accessOf(request)
    return { role, permissions: permissionsOf(role, owner.environment) }
  }

  return {
    prefix: '/v1/merchant',
    name: 'Merchant',
    require(permission) {
      // A hook of its own for each route, because the next step is found by it.
      const hook = (request: FastifyRequest): Promise<void> => requireSignedIn(request)
      const resolve = async (request: FastifyRequest): Promise<void> => {
        // The query has not been checked yet; an invalid one is refused right after.
        const { data } = ownerFields.safeParse(request.query)
        const wanted = { permission, environment: data?.environment ?? 'live', businessId: data?.business_id }
        request.access = await authorize(deps.db, request.signedIn, wanted)
      }
      resolvers.set(hook, { permission, resolve })
      return hook
    },
    describe: () => ({ tags: ['Dashboard'], security: [{ jwt: [] }] }),
    query: ownerQuery,
    ownerOf: (request) => accessOf(request).owner,
    requireAlso(request, permission) {
      const { role, owner } = accessOf(request)
      requireRole(role, permission, owner.environment)
    },
    reachOf,
    sightOf: (request) => sightOf(reachOf(request).permissions),
    confirm: (tx, request, owner) => confirmAccess(tx, request.signedIn, owner, accessOf(request).permission),
    mayStill(request, wanted) {
      const { owner, permission } = accessOf(request)
      return () => deps.db.tx(async (tx) => void (await confirmAccess(tx, request.signedIn, owner, wanted ?? permission)))
    },
  }
}

export function ownerAuthMethods(deps: OwnerAuthDeps): readonly [KeyAuth, SignedInAuth] {
  return [keyAuth(deps), signedInAuth(deps)]
}

/** Who calls: `key_…` or `usr_…`. */
export function actorOf(request: Pick<FastifyRequest, 'signedIn' | 'keyCaller'>): string {
  const caller = request.keyCaller as KeyCaller | null
  return caller ? toWire('key', caller.keyId) : toWire('usr', request.signedIn.userId)
}

/** The signed-in person, for the audit log; null for a key, whose requests are in the log of requests. */
export function personOf(request: Pick<FastifyRequest, 'signedIn' | 'id' | 'ip'>): Origin | null {
  const { signedIn } = request as { signedIn: FastifyRequest['signedIn'] | null }
  return signedIn ? originOf(request) : null
}

/** Who changes something: `confirm` refuses, in the transaction, a caller that may no longer; `person`: as in `personOf`. */
export type ChangedBy = { confirm?(tx: Tx): Promise<unknown>; person: Origin | null }

export function changedBy(auth: OwnerAuth, request: FastifyRequest, owner: Owner): ChangedBy {
  return { confirm: (tx) => auth.confirm(tx, request, owner), person: personOf(request) }
}
