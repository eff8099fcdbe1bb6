/** Commands that show one object of the service, or a list of them, newest first. */
import { keyOf, UsageError, wholeNumberOf, type Call, type Command, type Option } from './command.ts'

const usualCount = 20

export const limitOption: Option = { type: 'string', value: 'count', about: `The maximum number; default ${usualCount}` }

function readLimit(values: Call['values']): number {
  const limit = wholeNumberOf(values, 'limit') ?? usualCount
  if (limit === 0) throw new UsageError('--limit is 1 or more.')
  return limit
}

type ListCommand<Item> = {
  /** `limit`: how many to ask for at once. */
  items(call: Call, query: { limit: number }): AsyncIterable<Item>
  /** The columns of an item; empty ones are left out. */
  partsOf(item: Item): string[]
  /** What is said when there are none. */
  none: { text: string; code: string }
  /** Shows all of them: the command has no `--limit`. */
  isWhole?: true
}

/** Prints at most `--limit` items, each as one line. */
export function showList<Item extends object>({ items, partsOf, none, isWhole }: ListCommand<Item>): Command['run'] {
  return async (call) => {
    const limit = isWhole ? Infinity : readLimit(call.values)
    let shown = 0
    for await (const item of items(call, { limit: Math.min(limit, 100) })) {
      call.out.line(partsOf(item).filter(Boolean).join('  '), item)
      shown += 1
      if (shown === limit) break
    }
    if (shown === 0) call.out.aside(none.text, { kind: 'notice', code: none.code })
    return 0
  }
}

/** Makes one call to the service, and prints the object of its answer. */
export function showOne<Item extends object>(
  rowsOf: (item: Item) => string,
  ask: (call: Call, options: { signal: AbortSignal; idempotencyKey?: string }) => Promise<Item>,
): Command['run'] {
  return async (call) => {
    const item = await ask(call, { signal: call.signal, ...keyOf(call.values) })
    call.out.line(rowsOf(item), item)
    return 0
  }
}
