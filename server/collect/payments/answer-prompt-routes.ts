/** The HTTP route of the payer's phone in the dashboard: test environment only. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { phoneActions } from '../../money/providers/simulated-phone.ts'
import { answerPrompt, findTestPayment, requireSimulatedPhone, type AnswerPromptDeps } from './answer-prompt.ts'

export async function answerPromptRoutes(http: Http, deps: AnswerPromptDeps & OwnerAuthDeps): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'POST /payments/:reference/answer',
    permission: 'payments.write',
    operationId: 'answerTestPrompt',
    summary: 'Answer a test payment’s prompt',
    description:
      'Answers on the simulator’s phone as the payer would: the payment ends a moment later, and its webhook is sent. A number with a scenario answers by itself. No PIN is sent. The live environment: 403 `test_environment_only`. No open prompt: 409 `invalid_state`.',
    body: z.strictObject({ action: z.enum(phoneActions) }),
    answers: {
      200: dataOf(
        z.object({
          reference: z.string(),
          tries_left: z.int().meta({ description: 'How many wrong PINs the prompt still takes.' }),
        }),
      ),
    },
    refuses: ['test_environment_only', 'invalid_state', 'provider_unavailable'],
    // Before the body is validated: a live payment, or none of the merchant, is refused for any body.
    before: async (request) => {
      const owner = auth.ownerOf(request)
      requireSimulatedPhone(deps, owner)
      await findTestPayment(deps, owner, request.params.reference)
    },
    handler: async (request) => {
      const { reference } = request.params
      const { triesLeft } = await answerPrompt(deps, auth.ownerOf(request), reference, request.body.action)
      return { data: { reference, tries_left: triesLeft } }
    },
  })
}
