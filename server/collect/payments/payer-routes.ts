/** HTTP route by which a member sees the whole number of who paid. People only: a key sees what the list of payments gives. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findOwnerPayment } from './owner-payment.sql.ts'
import { payerSchema, revealPayer, type RevealDeps } from './reveal-payer.ts'

export async function payerRoutes(http: Http, deps: OwnerAuthDeps & RevealDeps): Promise<void> {
  const auth = signedInAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'POST /payments/:reference/payer',
    permission: 'payers.read',
    operationId: 'revealMerchantPayer',
    summary: 'Show who paid',
    description:
      'The whole phone number, the name and the e-mail address of the payer. Requires a recent sign-in or step-up. Each call is in the audit log and in the activity of the business, with who made it. At most 30 an hour for each person.',
    answers: { 200: dataOf(payerSchema) },
    refuses: ['step_up_required'],
    handler: async (request, reply) => {
      const id = orNotFound(fromWire('pay', request.params.reference))
      const payer = await revealPayer(deps, { auth, request, reply }, request.params.reference, async (tx, owner) => {
        const payment = await findOwnerPayment(tx, owner, id)
        return payment && { phoneNumber: payment.phoneNumber, name: payment.customerName, email: payment.customerEmail }
      })
      return { data: payer }
    },
  })
}
