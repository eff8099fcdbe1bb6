/** HTTP routes of saved filters: the same three for each list, each with the permission of its list. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { filteredLists, type FilteredList } from '../../domain/saved-filter.ts'
import type { Permission } from '../../accounts/members/permissions.ts'
import { dataOf, listOf, type Http } from '../../platform/http/http.ts'
import { answerAll } from '../../platform/http/page.ts'
import type { FiltersKey } from './saved-filter.sql.ts'
import {
  filterSchemas,
  listSavedFilters,
  maxFilters,
  nameSchema,
  removeFilter,
  savedFilterSchemas,
  saveFilter,
} from './saved-filters.ts'

const lists = {
  payments: { name: 'Payment', title: 'payments', permission: 'payments.read' },
  payouts: { name: 'Payout', title: 'payouts', permission: 'payouts.read' },
} as const satisfies Record<FilteredList, { name: string; title: string; permission: Permission }>

export async function savedFilterRoutes(http: Http, deps: OwnerAuthDeps): Promise<void> {
  for (const list of filteredLists) {
    const auth = signedInAuth(deps)
    const { name, title, permission } = lists[list]
    const saved = savedFilterSchemas[list]
    const keyOf = (request: FastifyRequest): FiltersKey => {
      const { merchant, environment } = auth.ownerOf(request)
      return { userId: request.signedIn.userId, merchantId: merchant.id, environment, list }
    }
    const changeBy = (request: FastifyRequest) => ({
      confirm: (tx: Parameters<typeof auth.confirm>[0]) => auth.confirm(tx, request, auth.ownerOf(request)),
    })

    ownerRoute(http, deps, auth, {
      route: `GET /saved-filters/${list}`,
      permission: permission,
      operationId: `listSaved${name}Filters`,
      summary: `List your saved filters of ${title}`,
      description: `By name. Each member has their own, for each wallet; at most ${maxFilters}, so all are in one answer.`,
      answers: { 200: listOf(saved) },
      handler: async (request) => answerAll(await listSavedFilters(deps, keyOf(request))),
    })

    ownerRoute(http, deps, auth, {
      route: `PUT /saved-filters/${list}`,
      permission: permission,
      operationId: `save${name}Filter`,
      summary: `Save a filter of ${title}`,
      description: `Saves the filter under a name, or replaces the one of that name. A search text cannot be saved, because it may name a person. At most ${maxFilters}: 409 \`too_many_filters\`.`,
      body: z.strictObject({ name: nameSchema, filter: filterSchemas[list] }),
      answers: { 200: dataOf(saved) },
      refuses: ['too_many_filters'],
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        return { data: await saveFilter(deps, { key: keyOf(request), owner }, request.body, changeBy(request)) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: `DELETE /saved-filters/${list}/:filter_id`,
      permission: permission,
      operationId: `deleteSaved${name}Filter`,
      summary: `Delete a saved filter of ${title}`,
      answers: { 200: dataOf(z.object({ id: z.string(), deleted: z.literal(true) })) },
      handler: async (request) => {
        const id = request.params.filter_id
        await removeFilter(deps, keyOf(request), id, changeBy(request))
        return { data: { id, deleted: true as const } }
      },
    })
  }
}
