/** The filter and the position of a list, in the address: a link, a reload and going back show the same rows. */
import { useNavigate, useSearch } from '@tanstack/react-router'

type Search = Record<string, unknown> & { cursor?: string | undefined }

/** Undefined removes a part of a filter. */
export type Changes<Filter> = { [Key in keyof Filter]?: Filter[Key] | undefined }

function useAddress() {
  const { cursor, ...filter } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const go = (search: Search, replace: boolean) => void navigate({ to: '.', search: search as never, replace })
  return { cursor, filter, go }
}

/** On a route whose `validateSearch` gives `Filter` and `cursor`. After a change, the list starts again at its first page. */
export function useFilter<Filter extends Record<string, unknown>>(): { filter: Filter; change(changes: Changes<Filter>): void } {
  const { filter, go } = useAddress()
  return {
    filter: filter as Filter,
    change: (changes) => {
      const changed = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined && value !== '')
      go(Object.fromEntries(changed), true)
    },
  }
}

type Page = { has_more: boolean; next_cursor: string | null }

/** The ways to the next and to the first page, from the API's answer, on a route with `cursor`. */
export function useListPages(answer: Page | undefined): Record<'onOlder' | 'onNewest', (() => void) | undefined> {
  const { cursor, filter, go } = useAddress()
  const next = answer?.has_more ? answer.next_cursor : null
  return {
    onOlder: next === null ? undefined : () => go({ ...filter, cursor: next }, false),
    onNewest: cursor === undefined ? undefined : () => go(filter, false),
  }
}
