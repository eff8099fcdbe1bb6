/**
 * The two ways to authenticate as an owner: an API key, and the owner's own sign-in. A resource that both may use is written once
 * and registered for each of them. Invariant: every caller acts for exactly one owner in one environment.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { confirmSignedIn, ownerOf, requireUser, type AuthenticateDeps } from '../identity/authenticate.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import type { Tx } from '../platform/db/db.ts'
import type { Http } from '../platform/http/http.ts'
import { invalidFields } from '../platform/refusal.ts'
import { environmentSchema } from '../domain/environment.ts'
import { confirmKey, requireKey, type AuthenticateKeyDeps } from './authenticate-key.ts'
import type { Scope } from './key.ts'

export type OwnerAuthDeps = AuthenticateDeps & AuthenticateKeyDeps

/** How a signed-in person names the owner that they act for; a key already belongs to one. */
const ownerQuery = {
  environment: environmentSchema.default('live').meta({ description: 'May be sent in the body instead.' }),
  business_id: z.string().optional().meta({
    description: 'A business that you represent. Without it: your personal account. May be sent in the body instead.',
  }),
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a schema of a request's part has this field. */
function hasField(schema: unknown, name: string): boolean {
  if (schema instanceof z.ZodPrefault) return hasField(schema.unwrap(), name)
  return schema instanceof z.ZodObject && name in schema.shape
}

/**
 * Accepts the environment and the business of a request with a body in its query or its body, wherever its route expects them; two
 * different values: 400. Must be called before the routes are added.
 */
export function acceptOwnerInQueryOrBody(http: Http): void {
  http.addHook('onRoute', (route) => {
    const { schema, preValidation = [] } = route
    if (!schema?.body) return
    const named = Object.keys(ownerQuery).filter((name) => hasField(schema.querystring, name) !== hasField(schema.body, name))
    if (named.length === 0) return
    const unify = async (request: FastifyRequest): Promise<void> => {
      for (const name of named) moveField(request, name, hasField(schema.querystring, name))
    }
    route.preValidation = [unify, preValidation].flat()
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

type CallerRequest = Pick<FastifyRequest, 'signedIn' | 'keyCaller' | 'query'>

type AuthMethod<Query> = {
  /** The prefix of the resource's path. */
  prefix: string
  /** Part of the operation's id: `listPayouts`, `listMerchantPayouts`. */
  name: string
  /** The authentication hook for `onRequest`: a key with this scope, or a signed-in person. */
  require(scope: Scope): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Tags and security for the description of each operation; `tag` is the group of the operation for keys. */
  describe(tag: string): { tags: string[]; security: Record<string, string[]>[] }
  /** The additional query parameters. */
  query: Query
  /** The owner that the request acts for. Another person's business answers 404. */
  ownerOf(request: CallerRequest): Promise<Owner>
  /**
   * Reads the caller again, in the transaction that moves money, and locks it against changes until the end: once a revocation
   * has been answered, no transaction of its key or session commits. Returns the current owner.
   */
  confirm(tx: Tx, request: CallerRequest & Pick<FastifyRequest, 'ip'>, owner: Owner): Promise<Owner>
}

export type KeyAuth = AuthMethod<Record<never, never>>
export type SignedInAuth = AuthMethod<typeof ownerQuery>
export type OwnerAuth = KeyAuth | SignedInAuth

const current = ({ environment }: Owner, merchant: Merchant): Owner => ({ merchant, environment })

export function keyAuth(deps: OwnerAuthDeps): KeyAuth {
  return {
    prefix: '/v1',
    name: '',
    require: (scope) => requireKey(deps, scope),
    describe: (tag) => ({ tags: [tag], security: [{ apiKey: [] }] }),
    query: {},
    ownerOf: async (request) => request.keyCaller.owner,
    confirm: async (tx, request, owner) => current(owner, await confirmKey(tx, request)),
  }
}

export function signedInAuth(deps: OwnerAuthDeps): SignedInAuth {
  const requireSignedIn = requireUser(deps)
  const ownerFields = z.object(ownerQuery)
  return {
    prefix: '/v1/merchant',
    name: 'Merchant',
    require: () => requireSignedIn,
    describe: () => ({ tags: ['Dashboard'], security: [{ jwt: [] }] }),
    query: ownerQuery,
    async ownerOf(request) {
      // Some callers need the owner before the query has been checked; an invalid query is refused right after.
      const { data } = ownerFields.safeParse(request.query)
      return ownerOf(deps, request, data?.environment ?? 'live', data?.business_id)
    },
    confirm: async (tx, request, owner) => current(owner, await confirmSignedIn(tx, request.signedIn, owner.merchant)),
  }
}

export function ownerAuthMethods(deps: OwnerAuthDeps): readonly [KeyAuth, SignedInAuth] {
  return [keyAuth(deps), signedInAuth(deps)]
}
