/** The routes of the API, from its own description, with what a call of each needs. */
import type { OperationClass } from '../../server/accounts/identity/operation-classes.ts'
import { eventually, type TestApp } from '../app.ts'

type Parameter = { name: string; in: string; required?: boolean }
export type Operation = {
  operationId: string
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  servers?: unknown
  /** What a signed-in person needs in the merchant. */
  'x-permission'?: string
  /** What an operation that changes something demands. */
  'x-class'?: OperationClass
}
export type Route = { method: string; path: string; operation: Operation }

/** Query values for routes that cannot be called without them. */
const queryValues: Record<string, string> = {
  color: '#0a6148',
  month: '2026-01',
  q: 'chai',
  amount: '5000',
  host: 'duka.example.com',
}

export function neededQuery({ parameters = [] }: Operation): URLSearchParams {
  const needed = parameters.filter((one) => one.in === 'query' && one.required)
  return new URLSearchParams(Object.fromEntries(needed.map((one) => [one.name, queryValues[one.name]!])))
}

/** The document host is left out: the signature in the address is all that it knows of a caller. */
export async function readRoutes(app: TestApp): Promise<Route[]> {
  // A machine that has just started may answer for a moment that it is busy.
  const body = await eventually('the description is served', async () => {
    const answer = await app.call('GET', '/openapi.json')
    return answer.status === 200 && answer.body
  })
  return Object.entries(body.paths as Record<string, Record<string, Operation>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ operation }) => operation.servers === undefined)
}
