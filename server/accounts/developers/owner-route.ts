/**
 * The routes of a merchant, by key and by sign-in. `ownerRoute` shows every step of a request before its handler, in order: who calls,
 * for which merchant, with which scope or role, and what the class of the operation demands.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Http } from '../../platform/http/http.ts'
import {
  addRoute,
  type Answer,
  type AnyRoute,
  type MethodAndPath,
  type ParamsIn,
  type Route,
  type Step,
} from '../../platform/http/route.ts'
import { assert } from '../../platform/refusal.ts'
import { requireUser } from '../identity/authenticate.ts'
import { classConfig, confirmSignedIn, proveRecently } from '../identity/guard-operations.ts'
import { countCalls } from '../identity/limit-operations.ts'
import { joinOwnerFields, ownerNamedIn, ownerQuery } from '../identity/owner-fields.ts'
import { answerOnce, type Sender } from '../idempotency/answer-once.ts'
import { authorize } from '../members/access.ts'
import { permissions, type KeyPermission, type Permission } from '../members/permissions.ts'
import { confirmKeySent, requireKey, type KeyCaller } from './authenticate-key.ts'
import { guardLargeBody } from './large-bodies.ts'
import type { OwnerAuth, OwnerAuthDeps, SignedInAuth } from './owner-auth.ts'

const ownerFields = z.object(ownerQuery)

/** Declares, once for a server, what the steps of its routes set, so that every request object has the same shape. */
export function declareRequestFields(http: Http): void {
  for (const name of ['access', 'actsIn', 'idempotency'] as const) http.decorateRequest(name, null)
  http.decorateRequest('keyCaller', null as unknown as KeyCaller)
  http.decorateRequest('usedKey', undefined)
}

/** Who is counted, after access was checked. */
function whoOf(per: string, { signedIn, keyCaller, access }: FastifyRequest): string {
  if (per === 'person') return signedIn.userId
  const owner = access?.owner ?? (keyCaller as KeyCaller | null)?.owner
  assert(per === 'merchant' && owner, 'the table counts persons and merchants')
  return `${owner.merchant.id} ${owner.environment}`
}

/** Finds the merchant that a signed-in person acts for, and refuses a role without the permission. */
const findOwner =
  ({ db }: OwnerAuthDeps, permission: Permission): Step =>
  async (request) => {
    // The query has not been checked yet; an invalid one is refused right after.
    const { data } = ownerFields.safeParse(request.query)
    const wanted = { permission, environment: data?.environment ?? 'live', businessId: data?.business_id }
    request.access = await authorize(db, request.signedIn, wanted)
  }

const ofKey = ({ keyCaller: { owner } }: FastifyRequest): Sender => ({
  callerId: owner.merchant.id,
  scope: [owner.environment],
})
const ofPerson = (request: FastifyRequest): Sender => ({ callerId: request.signedIn.userId, scope: ownerNamedIn(request) })

/** A permission of people only has no route for keys. */
type Declared<Auth extends OwnerAuth> = { permission: Auth extends SignedInAuth ? Permission : KeyPermission }

/**
 * A route of a merchant, for one of the two ways to authenticate; its path goes on after the prefix of that way. The scope of a key follows
 * from `permission`, and the role of a person must have it. Without `query`: only what names the merchant of a person.
 */
export function ownerRoute<
  Auth extends OwnerAuth,
  R extends MethodAndPath,
  P extends z.ZodType = ParamsIn<R>,
  Q extends z.ZodType = z.ZodUnknown,
  H extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  A extends Record<number, Answer> = Record<number, Answer>,
>(http: Http, deps: OwnerAuthDeps, auth: Auth, declared: Declared<Auth> & Route<R, P, Q, H, B, A>): void {
  const { permission } = declared
  const { prefix, query: named } = auth
  const at = declared.route.replace(' ', ` ${prefix}`)
  const route = { ...declared, route: at, query: declared.query ?? z.strictObject(named) } as unknown as AnyRoute
  const isByKey = auth.callers === 'keys'
  const once = answerOnce(deps, route, isByKey ? ofKey : ofPerson)
  const shared = {
    bodyLimit: route.bodyLimit,
    preHandler: [once?.answerRepeat, ...countCalls(deps, route.operationId, whoOf), ...(route.afterwards ?? [])],
    handler: once?.answerFirst,
  }
  if (isByKey) {
    const { scope } = permissions[permission as KeyPermission]
    addRoute(http, route, {
      ...shared,
      security: [{ apiKey: [scope] }],
      config: classConfig(route),
      onRequest: [requireKey(deps, scope), route.admit],
      preParsing: guardLargeBody(deps.limits.largeBody),
      preValidation: [confirmKeySent(deps, route), route.before, once?.readKey],
    })
    return
  }
  addRoute(http, route, {
    ...shared,
    security: [{ jwt: [] }],
    config: { ...classConfig(route), permission },
    onRequest: [requireUser(deps), route.admit],
    preParsing: guardLargeBody(deps.limits.largeBody, findOwner(deps, permission)),
    preValidation: [
      confirmSignedIn(deps, route),
      joinOwnerFields(route),
      findOwner(deps, permission),
      route.before,
      proveRecently(deps, route),
      once?.readKey,
    ],
  })
}
