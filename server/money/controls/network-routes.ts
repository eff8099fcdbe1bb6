/**
 * HTTP routes of the networks: their current status, and how payers answer a payment request. Public: merchants' own checkout
 * pages call them too.
 */
import { publicRoute } from '../../accounts/identity/route.ts'
import { answerAll } from '../../platform/http/page.ts'
import { z } from 'zod'
import { listOf, type Http } from '../../platform/http/http.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networks, networkStatusSchema, type Network } from '../../domain/network.ts'
import { noPromptSteps, payerGuide, troubleOf, troubleTexts, type Sentence } from './payer-guide.ts'
import type { NetworkView, Networks } from './read-networks.ts'
import { answerOf } from '../../platform/http/answer.ts'

const stateFields = {
  network: z.enum(networks),
  name: z.string().meta({ example: 'M-Pesa' }),
  status: networkStatusSchema.meta({
    description:
      'From the outcome of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or the network is switched off; while it is switched off, checkouts get 503.',
  }),
  message: z
    .string()
    .nullable()
    .meta({ description: 'A sentence to show the payer before the form is filled in. Null if there is none.' }),
  message_sw: z.string().nullable(),
}

/** The data about each network that a checkout page needs. */
export const networkStateSchema = z.object(stateFields)

const networkSchema = z
  .object({
    ...stateFields,
    since: z.iso.datetime(),
    prompt_instructions: z
      .object({ en: z.string(), sw: z.string() })
      .meta({ description: 'How the payer answers the payment request on the phone, and what to do if no request arrives.' }),
    dial_code: z.string().meta({ description: 'The code that opens the mobile money menu of the network.', example: '*150*00#' }),
  })
  .meta({ id: 'NetworkHealth' })

function sentenceOf(view: NetworkView): Sentence | null {
  const trouble = troubleOf(view)
  if (trouble === undefined) return null
  const { en, sw } = troubleTexts[trouble]
  return { en: `${view.name}: ${en}`, sw: `${view.name}: ${sw}` }
}

/** The whole guide as one text, for pages with a single field for it. */
function instructionsOf(network: Network): Sentence {
  const { prompt, approve, dial } = payerGuide(network)
  const before = (language: keyof Sentence): string => noPromptSteps.map((step) => step[language]).join(' ')
  return {
    en: `${prompt.en} ${approve.en}. No message? ${before('en')} ${dial.en} Then ask for the request again.`,
    sw: `${prompt.sw} ${approve.sw}. Hujapata ujumbe? ${before('sw')} ${dial.sw} Kisha omba ombi litumwe tena.`,
  }
}

export function networkStateToJson(view: NetworkView): z.infer<typeof networkStateSchema> {
  const sentence = sentenceOf(view)
  return answerOf(networkStateSchema, view, {
    message: sentence?.en ?? null,
    message_sw: sentence?.sw ?? null,
  })
}

export async function networkRoutes(http: Http, deps: { networks: Networks }): Promise<void> {
  publicRoute(http, {
    route: 'GET /v1/networks',
    operationId: 'listNetworks',
    summary: 'List mobile networks',
    description:
      'All four networks and their current state. Call it before the payer fills in the form: a network that is not `operational` has a sentence to show.',
    query: z.strictObject({ environment: environmentSchema.default('live') }),
    answers: { 200: listOf(networkSchema) },
    handler: async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      const data = deps.networks.view(request.query.environment).map((view) => ({
        ...networkStateToJson(view),
        since: view.since.toISOString(),
        prompt_instructions: instructionsOf(view.network),
        dial_code: payerGuide(view.network).dialCode,
      }))
      return answerAll(data)
    },
  })
}
