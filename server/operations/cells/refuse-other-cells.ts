/**
 * Refuses a request that belongs to another cell with 421 `wrong_cell`. Invariant: it is the only place that decides this for people and
 * programs, before their credentials are checked, so nothing is written; provider messages are decided where they are read.
 */
import type { FastifyRequest } from 'fastify'
import { cellOfKey } from '../../accounts/developers/key.ts'
import { cellOfAccessToken } from '../../accounts/identity/access-token.ts'
import { cellOfToken } from '../../accounts/identity/one-use-token.ts'
import { cellOfRefreshToken } from '../../accounts/identity/refresh-token.ts'
import { cellOfSlug } from '../../collect/pages/page.ts'
import type { Http } from '../../platform/http/http.ts'
import { ownsHome, wrongCell, type Cell } from '../../platform/http/cell.ts'
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import { fromWire, homeOfId, moneyPrefixes } from '../../platform/ids.ts'

export type CellDeps = {
  config: { cell: Cell }
  limits: Record<'unknownPage', Limit>
  readPageOfPayment(slug: string): Promise<unknown>
}

/** The cells that the headers name: of a key, of a session, and of the cookie of the dashboard that asks. */
function cellsInHeaders({ headers, routeOptions }: FastifyRequest): (string | undefined)[] {
  const { authorization = '', cookie = '', 'x-api-key': key, 'x-session-cookie': face } = headers
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  // Elsewhere the cookie decides nothing: a person whose browser kept one of another cell can sign in.
  const kept =
    typeof face === 'string' && routeOptions.url === '/v1/auth/refresh'
      ? new RegExp(`malipo_${face.replaceAll(/\W/g, '')}(?:_\\d+)?=([^;\\s]*)`).exec(cookie)?.[1]
      : undefined
  return [
    typeof key === 'string' ? cellOfKey(key) : undefined,
    bearer && cellOfAccessToken(bearer),
    kept && cellOfRefreshToken(kept),
  ]
}

/** See `withCell`. */
function cellInAddress({ url, query }: FastifyRequest): string | undefined {
  const { cell } = query as Record<string, unknown>
  return /^\/(?:v1\/providers|logo)\//.test(url) && typeof cell === 'string' ? cell : undefined
}

const tokenFields = ['refresh_token', 'challenge_token', 'invitation_token', 'token']

function cellsInBody(body: Record<string, unknown>): (string | undefined)[] {
  const tokens = tokenFields.map((field) => body[field]).filter((value) => typeof value === 'string')
  return tokens.flatMap((token) => [cellOfRefreshToken(token), cellOfToken(token)])
}

const homesIn = (params: Record<string, unknown>): number[] =>
  Object.values(params).flatMap((value) => {
    const ids = typeof value === 'string' ? moneyPrefixes.map((prefix) => fromWire(prefix, value)) : []
    return ids.filter((id) => id !== undefined).map(homeOfId)
  })

export function refuseOtherCells(http: Http, { config: { cell }, limits, readPageOfPayment }: CellDeps): void {
  if (cell.name === '') return
  const isOther = (name: string | undefined): boolean => name !== undefined && name !== '' && name !== cell.name
  // A merchant may have chosen a slug of this form before there were cells: what this cell has is its own. The others count as unknown
  // pages do, so that they cost a stranger as much.
  const refuseSlug = async (slug: unknown, ip: string): Promise<void> => {
    if (typeof slug !== 'string' || !isOther(cellOfSlug(slug))) return
    if (await readPageOfPayment(slug)) return
    const network = networkOf(ip)
    await limits.unknownPage.delay(network)
    await limits.unknownPage.note(network)
    throw wrongCell()
  }
  http.addHook('onRequest', async (request) => {
    const params = request.params as Record<string, unknown>
    const isElsewhere = homesIn(params).some((home) => !ownsHome(cell, home))
    const isNamed = isOther(cellInAddress(request))
    if (isElsewhere || isNamed || cellsInHeaders(request).some(isOther)) throw wrongCell()
    await refuseSlug(params['slug'] ?? params['id_or_slug'], request.ip)
  })
  http.addHook('preValidation', async ({ body, ip, routeOptions }) => {
    if (typeof body !== 'object' || body === null) return
    const fields = body as Record<string, unknown>
    if (cellsInBody(fields).some(isOther)) throw wrongCell()
    // Elsewhere a merchant chooses a slug there.
    if (routeOptions.url === '/v1/payments/checkout') await refuseSlug(fields['slug'], ip)
  })
}
