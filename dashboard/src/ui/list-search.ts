/** The filter and the position of a list, in the address: a link, a reload and going back show the same rows. */
import { useNavigate, useSearch } from '@tanstack/react-router'

type Search = Record<string, unknown> & { cursor?: string | undefined }

export type ListSearch<Filter> = {
  filter: Filter
  cursor: string | undefined
  /** Undefined removes a part of the filter. The list starts again at its first page. */
  change(changes: { [Key in keyof Filter]?: Filter[Key] | undefined }): void
  /** For the table, from the API's answer. */
  onOlder: (() => void) | undefined
  onNewest: (() => void) | undefined
}

/** On a route whose `validateSearch` gives `Filter` and `cursor`. */
export function useListSearch<Filter extends Record<string, unknown>>(
  answer: { has_more: boolean; next_cursor: string | null } | undefined,
): ListSearch<Filter> {
  const { cursor, ...filter } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const go = (search: Search, replace: boolean) => void navigate({ to: '.', search: search as never, replace })
  const next = answer?.has_more ? answer.next_cursor : null
  return {
    filter: filter as Filter,
    cursor,
    change: (changes) => {
      const changed = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined && value !== '')
      go(Object.fromEntries(changed), true)
    },
    onOlder: next === null ? undefined : () => go({ ...filter, cursor: next }, false),
    onNewest: cursor === undefined ? undefined : () => go(filter, false),
  }
}
