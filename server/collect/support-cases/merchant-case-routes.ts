/** HTTP route with which a merchant sees that a payer has reported one of its payments: the state and what is proven, nothing of the payer. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { caseFindingSchema, caseStateSchema } from '../../domain/support-case.ts'
import { findOwnerPayment } from '../payments/owner-payment.sql.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { listCasesOf } from './support-case.sql.ts'
import { publicCaseOf } from './support-case.ts'

/** A payment has few cases: their number is limited by day. */
const shownAtMost = 20

const caseSchema = z
  .object({
    id: z.string().meta({ example: 'case_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    state: caseStateSchema,
    finding: caseFindingSchema.nullable().meta({ description: 'What is proven about the payment.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'MerchantSupportCase' })

export async function merchantCaseRoutes(http: Http, deps: OwnerAuthDeps): Promise<void> {
  const auth = signedInAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'GET /payments/:reference/support-cases',
    permission: 'payments.read',
    operationId: 'listMerchantSupportCases',
    summary: 'List the cases of a payment',
    description: `The newest ${shownAtMost} reports of payers who say that money was taken. What a payer wrote is not shown.`,
    answers: { 200: dataOf(z.array(caseSchema)) },
    handler: async (request) => {
      const id = fromWire('pay', request.params.reference)
      const payment = orNotFound(id === undefined ? undefined : await findOwnerPayment(deps.db, auth.ownerOf(request), id))
      const cases = await listCasesOf(deps.db, { home: payment.home, paymentId: payment.id }, shownAtMost)
      return {
        data: cases.map((one) => ({
          id: toWire('case', one.id),
          ...publicCaseOf(one),
          created_at: one.createdAt.toISOString(),
        })),
      }
    },
  })
}
