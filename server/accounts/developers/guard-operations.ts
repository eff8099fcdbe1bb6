/**
 * What the class of an operation demands of its caller, for all routes in one place. Invariant: a route that changes something has a class,
 * and a session or key that ended while the body arrived changes nothing.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/environment.ts'
import { confirmStillSignedIn, refuseWithoutStepUp, type StepUpDeps } from '../identity/authenticate.ts'
import { classOf, stepUpOf, usesPower, type OperationClass } from '../members/operation-classes.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Http } from '../../platform/http/http.ts'
import { assert } from '../../platform/refusal.ts'
import { confirmStillValid, type AuthenticateKeyDeps, type KeyCaller } from './authenticate-key.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operationClass?: OperationClass
  }
  interface FastifyRequest {
    /** The environment of the app or key that the request names, set before the body is validated; null on other routes. */
    actsIn: Environment | null
  }
}

type GuardDeps = StepUpDeps & AuthenticateKeyDeps & { db: Db; config: Pick<Config, 'safeguards'> }

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

type Callers = { signedIn: FastifyRequest['signedIn'] | null; keyCaller: KeyCaller | null }

/** Must be called after `resolveOwners` and before the routes are added. */
export function guardOperations(http: Http, deps: GuardDeps): void {
  const { safeguards, sessions } = deps.config
  http.decorateRequest('actsIn', null)
  http.addHook('onRoute', (route) => {
    // Hidden routes have no caller: providers sign their messages.
    if ([route.method].flat().every((method) => reading.has(method)) || route.schema?.hide) return
    const operation = route.schema?.operationId ?? ''
    const operationClass = classOf(operation)
    assert(operationClass, `${operation || route.url} has no class: give it one in server/accounts/members/operation-classes.ts`)
    const isOfOperators = route.schema?.tags?.includes('Operators') ?? false

    // A session or key that was valid when the headers arrived may have ended before the last byte of the body did.
    const confirmCaller = async (request: FastifyRequest): Promise<void> => {
      const { signedIn, keyCaller } = request as Callers
      if (request.body === undefined) return
      if (keyCaller) await confirmStillValid(deps, request)
      else if (signedIn) await confirmStillSignedIn(deps.db, signedIn, isOfOperators)
    }
    const { when, covers } = stepUpOf(operation)
    const seconds = covers === 'set_up' ? sessions.powerStepUpSeconds : sessions.stepUpSeconds
    const proveRecently = async (request: FastifyRequest): Promise<void> => {
      const { signedIn } = request as Callers
      const environment = request.access?.owner.environment ?? request.actsIn ?? 'live'
      const isDemanded = when === 'always' || (environment === 'live' && safeguards.powerNeedsStepUp)
      if (signedIn && isDemanded) await refuseWithoutStepUp(deps, signedIn, seconds)
    }
    route.config = { ...route.config, operationClass, usesPower: usesPower(operation) }
    const own = route.preValidation ?? []
    route.preValidation = [confirmCaller, own, when === 'never' ? [] : proveRecently].flat()
  })
}
