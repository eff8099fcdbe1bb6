/** Commands that show a list of the service, newest first. */
import { UsageError, wholeNumberOf, type Call, type Option } from './command.ts'
import type { Output } from './output.ts'

const usualCount = 20

export const limitOption: Option = { type: 'string', value: 'count', about: `The maximum number; default ${usualCount}` }

export function readLimit(values: Call['values']): number {
  const limit = wholeNumberOf(values, 'limit') ?? usualCount
  if (limit === 0) throw new UsageError('--limit is 1 or more.')
  return limit
}

/** Prints at most `limit` items, each as one line; returns how many. */
export async function showList<Item extends object>(
  items: AsyncIterable<Item>,
  limit: number,
  out: Output,
  partsOf: (item: Item) => string[],
): Promise<number> {
  let shown = 0
  for await (const item of items) {
    out.line(partsOf(item).filter(Boolean).join('  '), item)
    shown += 1
    if (shown === limit) break
  }
  return shown
}
