/** Where a person wanted to go before they had to sign in. Only ways within this app are taken: an address could say anything. */

export type ReturnSearch = { return?: string; ended?: boolean }

export function readReturn(search: Record<string, unknown>): ReturnSearch {
  const path = search['return']
  const isWithin = typeof path === 'string' && /^\/(?![/\\])/.test(path)
  return { ...(isWithin && { return: path }), ...(search['ended'] === true && { ended: true }) }
}
