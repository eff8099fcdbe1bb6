/** HTTP route of the operators' search. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { z } from 'zod'
import { type Http } from '../../platform/http/http.ts'
import { paragraphOfText } from '../../platform/http/text.ts'
import { findAnything, foundOfAKind, foundSchema, readMessageSchema, searchWaySchema, type FindDeps } from './find-anything.ts'

export async function operatorSearchRoutes(http: Http, deps: OperatorRouteDeps & FindDeps): Promise<void> {
  operatorRoute(http, deps, {
    // With a body: an address is kept in logs of proxies and histories of browsers, and a message names people.
    route: 'POST /v1/admin/search',
    operationId: 'searchEverything',
    summary: 'Search all merchants',
    description: `Finds merchants, payments, payouts, pages and support cases by any id, complete phone number, provider reference, slug, registration number or TIN, and payments by any five characters of their short code or network receipt. A support case is found by its id, the number that the payer gave as the one in the SMS, or the phone that the payer named. The id of a key, app, event, transaction, break or support case finds the object that it belongs to. People and businesses are also found by the beginning of their name or e-mail address, and payments by the beginning of the name that the payer gave. \`q\` may be the whole message of a network: its number is searched, else the phone numbers in it together with its amount. At most the newest ${foundOfAKind} of each kind.`,
    body: z.strictObject({
      q: paragraphOfText(1_000).min(2, 'Enter at least two characters.').meta({ example: '0754 123 789' }),
    }),
    answers: {
      200: z.object({
        data: z.array(foundSchema),
        understood_as: z.array(searchWaySchema).meta({ description: 'What the text was; if nothing was found, what it may be.' }),
        message: readMessageSchema
          .nullable()
          .meta({ description: 'What was read in a pasted message. Null: the text was none.' }),
      }),
    },
    handler: async (request) => findAnything(deps, request.body.q),
  })
}
