/** HTTP routes of the kill switches, for operators who have just authenticated. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { onOffSchema, switchSubjectSchema } from '../../domain/switch.ts'
import { answerAll } from '../../platform/http/page.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import type { Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, type Http } from '../../platform/http/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { lineOfText } from '../../platform/http/text.ts'
import type { Switches } from './read-switches.ts'
import { neverTurned, switches, type Switch, type SwitchState } from './switch.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type SwitchRouteDeps = OperatorRouteDeps & { switches: Switches }

const switchSchema = z
  .object({
    name: z.string().meta({ example: 'live.checkout.mpesa' }),
    subject: switchSubjectSchema.meta({ description: 'What cannot start while the switch is off.' }),
    environment: environmentSchema.nullable().meta({ description: 'Null: both environments.' }),
    network: networkSchema.nullable().meta({ description: 'Null: all networks.' }),
    state: onOffSchema,
    reason: z.string().nullable().meta({ description: 'The reason for the last change.' }),
    changed_by: z
      .string()
      .nullable()
      .meta({ description: 'A user, or `system` for the service itself. Null if it was never changed.' }),
    changed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Switch' })

function switchToJson(one: Switch, state: SwitchState = neverTurned): z.infer<typeof switchSchema> {
  return answerOf(switchSchema, one, {
    state: state.isOn ? 'on' : 'off',
    reason: state.reason,
    changed_by: state.changedBy,
    changed_at: state.changedAt?.toISOString() ?? null,
  })
}

function switchNamed(name: string): Switch {
  return orNotFound(switches.find((one) => one.name === name))
}

export async function switchRoutes(http: Http, deps: SwitchRouteDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/switches',
    operationId: 'listSwitches',
    summary: 'List kill switches',
    description: 'All switches in one answer.',
    answers: { 200: listOf(switchSchema) },
    handler: async () => {
      const states = await deps.switches.read()
      return answerAll(switches.map((one) => switchToJson(one, states.get(one.name))))
    },
  })

  operatorRoute(http, deps, {
    route: 'PUT /v1/admin/switches/:name',
    operationId: 'turnSwitch',
    summary: 'Set a kill switch',
    description:
      'Every process knows the change within 5 seconds. While a checkout switch is off, new checkouts get 503 (`network_unavailable`, or `provider_unavailable` for all networks) before anything is stored; payments in flight still settle. While a payout switch is off, payouts stay queued. The service switches `payouts` off itself when a check of the books fails and the affected merchant is not known (see `GET /v1/admin/payout-freezes`). Requires a recent sign-in or step-up.',
    body: z.strictObject({
      state: onOffSchema,
      reason: lineOfText(300).meta({ description: 'One sentence for the other operators.' }),
      force: z.boolean().optional().meta({
        description:
          'Switch on even though the database was restored and the lost time has not been compared with the providers (otherwise 409 `restore_not_compared`).',
      }),
    }),
    answers: { 200: dataOf(switchSchema) },
    refuses: ['restore_not_compared'],
    before: async (request) => void switchNamed((request.params as { name: string }).name),
    handler: async (request) => {
      const one = switchNamed(request.params.name)
      const { state, reason, force: isForced } = request.body
      const confirm = (tx: Tx) => confirmOperator(tx, request.signedIn)
      const turned = await deps.switches.turn(one.name, { isOn: state === 'on', reason, isForced }, originOf(request), confirm)
      return { data: switchToJson(one, turned) }
    },
  })
}
