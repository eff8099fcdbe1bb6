/** HTTP of the networks: how each does now, and how its payers answer a payment request. Public: merchants' own checkout pages ask too. */
import { z } from 'zod'
import { errors, listOf, type Http } from '../platform/http.ts'
import type { Network } from '../providers/provider.ts'
import { networks } from '../switches/switch.ts'
import type { NetworkView, Networks } from './read-networks.ts'

const stateFields = {
  network: z.enum(networks),
  name: z.string().meta({ example: 'M-Pesa' }),
  status: z.enum(['operational', 'degraded', 'down']).meta({
    description:
      'From what became of payments in the last minutes. `degraded`: many fail. `down`: almost all fail, or it is switched off, and then a checkout is refused with 503.',
  }),
  message: z
    .string()
    .nullable()
    .meta({ description: 'What to tell a payer before they type; null when there is nothing to tell.' }),
  message_sw: z.string().nullable(),
}

/** What a checkout page needs of each network. */
export const networkStateSchema = z.object(stateFields)

const networkSchema = z
  .object({
    ...stateFields,
    since: z.iso.datetime(),
    prompt_instructions: z
      .object({ en: z.string(), sw: z.string() })
      .meta({ description: 'How the payer answers the request on the phone, and what to do when none comes.' }),
    dial_code: z.string().meta({ description: 'Opens the network’s own mobile money menu.', example: '*150*00#' }),
  })
  .meta({ id: 'Network' })

const dialCodes: Record<Network, string> = {
  mpesa: '*150*00#',
  airtel: '*150*60#',
  mixx: '*150*01#',
  halotel: '*150*88#',
}

type Sentence = { en: string; sw: string }

function sentenceOf({ name, status, isSwitchedOff }: NetworkView): Sentence | null {
  if (isSwitchedOff) {
    return {
      en: `${name} payments are switched off for the moment. Use another network, or try again later.`,
      sw: `Malipo ya ${name} yamesimamishwa kwa muda. Tumia mtandao mwingine, au jaribu tena baadaye.`,
    }
  }
  switch (status) {
    case 'operational':
      return null
    case 'degraded':
      return {
        en: `Many ${name} payments fail at the moment. Use another network if you can.`,
        sw: `Malipo mengi ya ${name} hayafanikiwi kwa sasa. Tumia mtandao mwingine ukiweza.`,
      }
    case 'down':
      return {
        en: `${name} payments hardly get through at the moment. Use another network, or try again later.`,
        sw: `Malipo ya ${name} hayapatikani kwa sasa. Tumia mtandao mwingine, au jaribu tena baadaye.`,
      }
  }
}

function instructionsOf(name: string, dialCode: string): Sentence {
  return {
    en: `A message on the phone asks for the ${name} PIN: enter it to approve. If no message comes, unlock the screen, close other menus, and dial ${dialCode} to see whether ${name} answers; then ask for the request again.`,
    sw: `Ujumbe kwenye simu utaomba namba ya siri (PIN) ya ${name}: iweke kuthibitisha. Usipoona ujumbe, fungua skrini, funga menyu nyingine, kisha piga ${dialCode} kuona kama ${name} inapatikana; halafu omba ombi litumwe tena.`,
  }
}

export function networkStateToJson(view: NetworkView): z.infer<typeof networkStateSchema> {
  const sentence = sentenceOf(view)
  return {
    network: view.network,
    name: view.name,
    status: view.status,
    message: sentence?.en ?? null,
    message_sw: sentence?.sw ?? null,
  }
}

export async function networkRoutes(http: Http, deps: { networks: Networks }): Promise<void> {
  http.get(
    '/v1/networks',
    {
      schema: {
        operationId: 'listNetworks',
        tags: ['Payments'],
        summary: 'How the mobile networks do now',
        description:
          'All four, in one answer. Ask before the payer types: a network that is not `operational` comes with a sentence to show.',
        querystring: z.strictObject({ environment: z.enum(['test', 'live']).default('live') }),
        response: { 200: listOf(networkSchema), ...errors(400) },
      },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      const data = deps.networks.view(request.query.environment).map((view) => ({
        ...networkStateToJson(view),
        since: view.since.toISOString(),
        prompt_instructions: instructionsOf(view.name, dialCodes[view.network]),
        dial_code: dialCodes[view.network],
      }))
      return { data, has_more: false, next_cursor: null }
    },
  )
}
