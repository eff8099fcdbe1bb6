/**
 * What the class of an operation demands of its caller. Invariant: a route that changes something has a class, and a session that ended
 * while the body arrived changes nothing.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Db } from '../../platform/db/db.ts'
import { changesSomething, type AnyRoute, type Step } from '../../platform/http/route.ts'
import { assert } from '../../platform/refusal.ts'
import { confirmStillSignedIn, refuseWithoutStepUp, type StepUpDeps } from './authenticate.ts'
import { classOf, stepUpOf, usesPower, type OperationClass } from './operation-classes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operationClass?: OperationClass
  }
  interface FastifyRequest {
    /** The environment of the app or key that the request names, set before the body is validated; null on other routes. */
    actsIn: Environment | null
  }
}

export type GuardDeps = StepUpDeps & { db: Db; config: Pick<Config, 'safeguards'> }

type Guarded = Pick<AnyRoute, 'route' | 'operationId'>

/** The class of a route that changes something, for its hooks and for the description of the API. */
export function classConfig(route: Guarded): { operationClass?: OperationClass; usesPower?: boolean } {
  if (!changesSomething(route)) return {}
  const operationClass = classOf(route.operationId)
  assert(operationClass, `${route.operationId} has no class: give it one in server/accounts/identity/operation-classes.ts`)
  return { operationClass, usesPower: usesPower(route.operationId) }
}

/** A session that was valid when the headers arrived may have ended before the last byte of the body did. */
export function confirmSignedIn({ db }: { db: Db }, route: Guarded, asOperator = false): Step | undefined {
  if (!changesSomething(route)) return undefined
  return async ({ body, signedIn }) => body !== undefined && confirmStillSignedIn(db, signedIn, asOperator)
}

/** Demands a recent sign-in or step-up, where the class of the operation does. */
export function proveRecently(deps: GuardDeps, route: Guarded): Step | undefined {
  const { when, covers } = stepUpOf(route.operationId)
  if (when === 'never' || !changesSomething(route)) return undefined
  const { safeguards, sessions } = deps.config
  const seconds = covers === 'set_up' ? sessions.powerStepUpSeconds : sessions.stepUpSeconds
  return async (request: FastifyRequest) => {
    const environment = request.access?.owner.environment ?? request.actsIn ?? 'live'
    const isDemanded = when === 'always' || (environment === 'live' && safeguards.powerNeedsStepUp)
    if (isDemanded) await refuseWithoutStepUp(deps, request.signedIn, seconds)
  }
}
