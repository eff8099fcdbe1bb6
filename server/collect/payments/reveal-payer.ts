/**
 * The whole phone number and name of a payer for a member whose role may see them and who has just authenticated. Invariant: nothing is
 * answered before the audit log says who read it, and no caller reads more than the limit.
 */
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import { originOf, refuseWithoutStepUp, type StepUpDeps } from '../../accounts/identity/authenticate.ts'
import type { SignedInAuth } from '../../accounts/developers/owner-auth.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { orNotFound } from '../../platform/refusal.ts'

export type RevealDeps = StepUpDeps & { db: Db; limits: Record<'payerReveal', Limit> }

export type RevealedPayer = { phoneNumber: string; name: string | null; email: string | null }

export const payerSchema = z
  .object({
    phone_number: z.string().nullable().meta({ description: 'E.164. Null if the payer was erased.', example: '+255754123789' }),
    name: z.string().nullable(),
    email: z.string().nullable(),
  })
  .meta({ id: 'Payer' })

/** Erasure stores a pseudonym in place of the number. */
const isErased = (phoneNumber: string): boolean => !phoneNumber.startsWith('+')

/** Refuses with 404 what `find` does not find for this owner. */
export async function revealPayer(
  deps: RevealDeps,
  caller: { auth: SignedInAuth; request: FastifyRequest; reply: FastifyReply },
  object: string,
  find: (tx: Tx, owner: Owner) => Promise<RevealedPayer | undefined>,
): Promise<z.infer<typeof payerSchema>> {
  const { auth, request, reply } = caller
  const owner = auth.ownerOf(request)
  await refuseWithoutStepUp(deps, request.signedIn)
  await deps.limits.payerReveal.take(request.signedIn.userId, reply)
  const payer = await deps.db.tx(async (tx) => {
    const current = await auth.confirm(tx, request, owner)
    const found = orNotFound(await find(tx, current))
    await appendAudit(tx, originOf(request), {
      action: 'payer.revealed',
      object,
      merchantId: owner.merchant.id,
      after: { environment: owner.environment },
    })
    return found
  })
  void reply.header('cache-control', 'no-store')
  const { phoneNumber, name, email } = payer
  return isErased(phoneNumber) ? { phone_number: null, name: null, email: null } : { phone_number: phoneNumber, name, email }
}
