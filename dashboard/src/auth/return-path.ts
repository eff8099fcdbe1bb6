/** The screen that was requested before sign-in. Only paths within this app are accepted: the parameter may be forged. */

export type ReturnSearch = { return?: string; ended?: boolean }

export function readReturn(search: Record<string, unknown>): ReturnSearch {
  const path = search['return']
  const isWithin = typeof path === 'string' && /^\/(?![/\\])/.test(path)
  return { ...(isWithin && { return: path }), ...(search['ended'] === true && { ended: true }) }
}
