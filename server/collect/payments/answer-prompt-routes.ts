/** The HTTP route of the payer's phone in the dashboard: test environment only. */
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { phoneActions } from '../../money/providers/simulated-phone.ts'
import { answerPrompt, findTestPayment, requireSimulatedPhone, type AnswerPromptDeps } from './answer-prompt.ts'

export async function answerPromptRoutes(http: Http, deps: AnswerPromptDeps & OwnerAuthDeps): Promise<void> {
  const auth = signedInAuth(deps)

  http.post(
    `${auth.prefix}/payments/:reference/answer`,
    {
      onRequest: auth.require('payments.write'),
      // Before the body is validated: a live payment, or none of the merchant, is refused for any body.
      preValidation: async (request) => {
        const owner = auth.ownerOf(request)
        requireSimulatedPhone(deps, owner)
        await findTestPayment(deps, owner, request.params.reference)
      },
      schema: {
        ...auth.describe('Payments'),
        operationId: 'answerTestPrompt',
        summary: 'Answer a test payment’s prompt',
        description:
          'Answers on the simulator’s phone as the payer would: the payment ends a moment later, and its webhook is sent. A number with a scenario answers by itself. No PIN is sent. The live environment: 403 `test_environment_only`. No open prompt: 409 `invalid_state`.',
        params: z.object({ reference: z.string() }),
        querystring: z.strictObject(auth.query),
        body: z.strictObject({ action: z.enum(phoneActions) }),
        response: {
          200: dataOf(
            z.object({
              reference: z.string(),
              tries_left: z.int().meta({ description: 'How many wrong PINs the prompt still takes.' }),
            }),
          ),
          ...errors(400, 401, 403, 404, 409, 413, 415, 503),
        },
      },
    },
    async (request) => {
      const { reference } = request.params
      const { triesLeft } = await answerPrompt(deps, auth.ownerOf(request), reference, request.body.action)
      return { data: { reference, tries_left: triesLeft } }
    },
  )
}
