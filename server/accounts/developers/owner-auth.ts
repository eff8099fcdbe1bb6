/**
 * The two ways to authenticate as an owner: an API key, and the owner's own sign-in. A resource that both may use is written once
 * and declared for each of them with `ownerRoute`. Invariant: every caller acts for exactly one owner in one environment.
 */
import type { FastifyRequest } from 'fastify'
import type { Origin } from '../../base/audit/audit.ts'
import { originOf, type AuthenticateDeps } from '../identity/authenticate.ts'
import type { GuardDeps } from '../identity/guard-operations.ts'
import type { LimitDeps } from '../identity/limit-operations.ts'
import { ownerQuery } from '../identity/owner-fields.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import { confirmAccess, requireRole, type Access } from '../members/access.ts'
import { permissionsOf, permissionsOfKey, type Permission } from '../members/permissions.ts'
import { sightOf, type Sight } from '../members/sight.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { assert } from '../../platform/refusal.ts'
import type { MemberRole } from '../../domain/member.ts'
import { confirmKey, type AuthenticateKeyDeps, type KeyCaller } from './authenticate-key.ts'

export type OwnerAuthDeps = AuthenticateDeps & AuthenticateKeyDeps & GuardDeps & LimitDeps

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is validated, on routes that a signed-in person calls for a merchant; null elsewhere. */
    access: Access | null
  }
}

type CallerRequest = Pick<FastifyRequest, 'signedIn' | 'keyCaller' | 'access'>

type AuthMethod<Callers, Query> = {
  callers: Callers
  prefix: string
  /** Part of the operation's id: `listPayouts`, `listMerchantPayouts`. */
  name: string
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

export type KeyAuth = AuthMethod<'keys', Record<never, never>>
export type SignedInAuth = AuthMethod<'people', typeof ownerQuery>
export type OwnerAuth = KeyAuth | SignedInAuth

const current = ({ environment }: Owner, merchant: Merchant): Owner => ({ merchant, environment })

export function keyAuth(deps: OwnerAuthDeps): KeyAuth {
  return {
    callers: 'keys',
    prefix: '/v1',
    name: '',
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
  function reachOf(request: CallerRequest): { role: MemberRole; permissions: Permission[] } {
    const { role, owner } = accessOf(request)
    return { role, permissions: permissionsOf(role, owner.environment) }
  }

  return {
    callers: 'people',
    prefix: '/v1/merchant',
    name: 'Merchant',
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
