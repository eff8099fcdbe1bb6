/**
 * The routes without credentials, those of signed-in people, and those of operators. Each function shows every step of a request before
 * its handler, in order. The routes of a merchant are `ownerRoute` of `developers/owner-route.ts`.
 */
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Http } from '../../platform/http/http.ts'
import {
  addRoute,
  smallBodyBytes,
  type Answer,
  type AnyRoute,
  type MethodAndPath,
  type ParamsIn,
  type Route,
  type Step,
} from '../../platform/http/route.ts'
import { assert } from '../../platform/refusal.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import { requireAdmin, requireUser, type AuthenticateDeps } from './authenticate.ts'
import { classConfig, confirmSignedIn, proveRecently, type GuardDeps } from './guard-operations.ts'
import { countCalls, type LimitDeps } from './limit-operations.ts'
import { joinOwnerFields, ownerNamedIn } from './owner-fields.ts'

export type OperatorRouteDeps = AuthenticateDeps & GuardDeps
export type SignedInRouteDeps = OperatorRouteDeps & LimitDeps

/** Fields that a kind of route does not read: declaring one does not compile. */
type OfSmallBodies = { bodyLimit?: never }
type WithoutKey = { idempotencyKey?: never }

/** A route that anyone may call. */
export function publicRoute<
  R extends MethodAndPath,
  P extends z.ZodType = ParamsIn<R>,
  Q extends z.ZodType = z.ZodUnknown,
  H extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  A extends Record<number, Answer> = Record<number, Answer>,
>(http: Http, declared: OfSmallBodies & WithoutKey & Route<R, P, Q, H, B, A>): void {
  const route = declared as unknown as AnyRoute
  addRoute(http, route, {
    security: [],
    config: classConfig(route),
    bodyLimit: smallBodyBytes,
    onRequest: [route.admit],
    preValidation: [route.before],
    preHandler: route.afterwards ?? [],
  })
}

const perPerson = (per: string, { signedIn }: FastifyRequest): string => {
  assert(per === 'person', 'a route without a merchant counts people')
  return signedIn.userId
}

type PersonRoute = {
  /** What the role of the person needs in the business that the request names. `before` checks it, and the description shows it. */
  permission?: NonNullable<FastifyContextConfig['permission']>
  /** Runs before the caller is known. */
  first?: Step
}

export function personRoute<
  R extends MethodAndPath,
  P extends z.ZodType = ParamsIn<R>,
  Q extends z.ZodType = z.ZodUnknown,
  H extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  A extends Record<number, Answer> = Record<number, Answer>,
>(http: Http, deps: SignedInRouteDeps, declared: PersonRoute & OfSmallBodies & Route<R, P, Q, H, B, A>): void {
  const { first, permission } = declared
  const route = declared as unknown as AnyRoute
  const once = answerOnce(deps, route, (request) => ({ callerId: request.signedIn.userId, scope: ownerNamedIn(request) }))
  addRoute(http, route, {
    security: [{ jwt: [] }],
    config: { ...classConfig(route), ...(permission && { permission }) },
    bodyLimit: smallBodyBytes,
    onRequest: [first, requireUser(deps), route.admit],
    preValidation: [
      confirmSignedIn(deps, route),
      joinOwnerFields(route),
      route.before,
      proveRecently(deps, route),
      once?.readKey,
    ],
    preHandler: [once?.answerRepeat, ...countCalls(deps, route.operationId, perPerson), ...(route.afterwards ?? [])],
    handler: once?.answerFirst,
  })
}

/** A route of an operator of the service, signed in with a second factor. */
export function operatorRoute<
  R extends MethodAndPath,
  P extends z.ZodType = ParamsIn<R>,
  Q extends z.ZodType = z.ZodUnknown,
  H extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  A extends Record<number, Answer> = Record<number, Answer>,
>(http: Http, deps: OperatorRouteDeps, declared: OfSmallBodies & WithoutKey & Route<R, P, Q, H, B, A>): void {
  const route = declared as unknown as AnyRoute
  addRoute(http, route, {
    security: [{ jwt: [] }],
    config: classConfig(route),
    bodyLimit: smallBodyBytes,
    onRequest: [requireAdmin(deps), route.admit],
    preValidation: [confirmSignedIn(deps, route, true), route.before, proveRecently(deps, route)],
    preHandler: route.afterwards ?? [],
  })
}
