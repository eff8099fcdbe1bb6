/**
 * The two doors to what an owner has: an API key, and the owner's own sign-in. A resource that both may use is written once, for each
 * door in turn. Invariant: whoever comes through a door acts for exactly one owner in one environment.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { confirmSignedIn, ownerOf, requireUser, type AuthenticateDeps } from '../identity/authenticate.ts'
import type { Merchant, Owner } from '../identity/merchant.ts'
import type { Tx } from '../platform/db/db.ts'
import { environmentSchema } from '../domain/environment.ts'
import { confirmKey, requireKey, type AuthenticateKeyDeps } from './authenticate-key.ts'
import type { Scope } from './key.ts'

export type OwnerDoorDeps = AuthenticateDeps & AuthenticateKeyDeps

/** How a signed-in person says in whose name they ask; a key says it by itself. */
const ownerQuery = {
  environment: environmentSchema.default('live'),
  business_id: z.string().optional().meta({ description: 'A business that you represent. Without it: your personal account.' }),
}

type Asker = Pick<FastifyRequest, 'signedIn' | 'keyCaller' | 'query'>

type Door<Query> = {
  /** Before the path of the resource. */
  prefix: string
  /** Within an operation's id: `listPayouts`, `listMerchantPayouts`. */
  name: string
  /** Who may enter, as a hook for `onRequest`: a key with this scope, or whoever is signed in. */
  enter(scope: Scope): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** What the description of each operation says of this door; `tag` names the group of the operation for keys. */
  describe(tag: string): { tags: string[]; security: Record<string, string[]>[] }
  /** Query parameters that belong to the door. */
  query: Query
  /** In whose name the request is made. A business of somebody else is not there: 404. */
  ownerOf(request: Asker): Promise<Owner>
  /**
   * Reads again, in the transaction that moves money, who asks for it, and locks it against changes until the end: once a revocation has
   * been answered, nothing of its key or session commits. Answers with the owner as it is now.
   */
  confirm(tx: Tx, request: Asker & Pick<FastifyRequest, 'ip'>, owner: Owner): Promise<Owner>
}

export type KeyDoor = Door<Record<never, never>>
export type SignedInDoor = Door<typeof ownerQuery>
export type OwnerDoor = KeyDoor | SignedInDoor

const current = ({ environment }: Owner, merchant: Merchant): Owner => ({ merchant, environment })

export function keyDoor(deps: OwnerDoorDeps): KeyDoor {
  return {
    prefix: '/v1',
    name: '',
    enter: (scope) => requireKey(deps, scope),
    describe: (tag) => ({ tags: [tag], security: [{ apiKey: [] }] }),
    query: {},
    ownerOf: async (request) => request.keyCaller.owner,
    confirm: async (tx, request, owner) => current(owner, await confirmKey(tx, request)),
  }
}

export function signedInDoor(deps: OwnerDoorDeps): SignedInDoor {
  const requireSignedIn = requireUser(deps)
  const asked = z.object(ownerQuery)
  return {
    prefix: '/v1/merchant',
    name: 'Merchant',
    enter: () => requireSignedIn,
    describe: () => ({ tags: ['Dashboard'], security: [{ jwt: [] }] }),
    query: ownerQuery,
    async ownerOf(request) {
      // Some ask in whose name before the query has been checked: what is no answer then is refused right after.
      const { data } = asked.safeParse(request.query)
      return ownerOf(deps, request, data?.environment ?? 'live', data?.business_id)
    },
    confirm: async (tx, request, owner) => current(owner, await confirmSignedIn(tx, request.signedIn, owner.merchant)),
  }
}

export function ownerDoors(deps: OwnerDoorDeps): readonly [KeyDoor, SignedInDoor] {
  return [keyDoor(deps), signedInDoor(deps)]
}
