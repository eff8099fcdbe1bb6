/**
 * The part of Prometheus's language that our alert rules use, parsed and evaluated over scrapes, so that a test can say which alert
 * an incident raises without a Prometheus. One difference: a rate is the growth between the first and the last scrape of its window,
 * not extrapolated to the window's edges.
 */
import assert from 'node:assert/strict'
import type { Sample } from './scrape.ts'

type Matcher = { label: string; operator: '=' | '!=' | '=~' | '!~'; text: string }
type Selector = { kind: 'selector'; name: string; matchers: Matcher[]; windowMs: number | null }
type Node =
  | { kind: 'number'; value: number }
  | Selector
  | { kind: 'call'; name: string; by: string[] | null; args: Node[] }
  | { kind: 'binary'; operator: string; left: Node; right: Node }

export type Expression = Node
export type Series = { labels: Record<string, string>; value: number }
/** All scraped samples of one moment. */
export type Scrape = { atMs: number; samples: Sample[] }

const token = /\s*("(?:[^"\\]|\\.)*"|[a-zA-Z_:][\w:]*|\d+(?:\.\d+)?(?:ms|[smhd])?|=~|!~|!=|==|>=|<=|[-+*/<>=(){}[\],])/y
const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** The operators with the lowest precedence come first. */
const levels = [['or'], ['and', 'unless'], ['==', '!=', '>', '<', '>=', '<='], ['+', '-'], ['*', '/']]
const aggregations = new Set(['sum', 'max', 'min', 'count', 'topk'])

export function durationMs(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(text) ?? assert.fail(`This is no duration: ${text}`)
  return Number(number) * unitMs[unit!]!
}

export function parseExpression(text: string): Expression {
  const tokens: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.trimEnd().length) {
    const from = token.lastIndex
    const [, found] = token.exec(text) ?? assert.fail(`This cannot be read: ${text.slice(from)}`)
    tokens.push(found!)
  }
  let at = 0
  const take = (expected?: string): string => {
    const found = tokens[at]
    assert.ok(
      found !== undefined && (expected === undefined || found === expected),
      `${expected ?? 'more'} is missing in: ${text}`,
    )
    at += 1
    return found
  }
  const isNext = (wanted: string): boolean => tokens[at] === wanted

  /** A list in brackets, separated by commas. */
  function listOf<Item>(open: string, close: string, item: () => Item): Item[] {
    const items: Item[] = []
    take(open)
    while (!isNext(close)) {
      items.push(item())
      if (!isNext(close)) take(',')
    }
    take(close)
    return items
  }

  function matcher(): Matcher {
    const [label, operator, quoted] = [take(), take(), take()]
    return { label, operator: operator as Matcher['operator'], text: JSON.parse(quoted) as string }
  }

  function afterName(name: string): Node {
    if (aggregations.has(name) || isNext('(')) {
      const readBy = (): string[] | null => (isNext('by') ? (take(), listOf('(', ')', take)) : null)
      const by = readBy()
      const args = listOf('(', ')', () => binary(0))
      return { kind: 'call', name, by: by ?? readBy(), args }
    }
    const matchers = isNext('{') ? listOf('{', '}', matcher) : []
    const windowMs = isNext('[') ? durationMs(listOf('[', ']', take)[0]!) : null
    return { kind: 'selector', name, matchers, windowMs }
  }

  function single(): Node {
    if (isNext('(')) return listOf('(', ')', () => binary(0))[0]!
    const found = take()
    return /^\d/.test(found) ? { kind: 'number', value: Number(found) } : afterName(found)
  }

  function binary(level: number): Node {
    const operators = levels[level]
    if (!operators) return single()
    let left = binary(level + 1)
    while (at < tokens.length && operators.includes(tokens[at]!)) {
      const operator = take()
      left = { kind: 'binary', operator, left, right: binary(level + 1) }
    }
    return left
  }

  const expression = binary(0)
  assert.equal(at, tokens.length, `This is left over: ${tokens.slice(at).join(' ')}`)
  return expression
}

/** Every metric that an expression reads, with every label that it uses. */
export function readsOf(node: Expression, by: string[] = []): { name: string; labels: string[]; matchers: Matcher[] }[] {
  switch (node.kind) {
    case 'number':
      return []
    case 'selector':
      return [
        { name: node.name, labels: [...new Set([...node.matchers.map(({ label }) => label), ...by])], matchers: node.matchers },
      ]
    case 'call':
      return node.args.flatMap((arg) => readsOf(arg, [...by, ...(node.by ?? [])]))
    case 'binary':
      return [...readsOf(node.left, by), ...readsOf(node.right, by)]
  }
}

const keys = new WeakMap<object, string>()

function keyOf(labels: Record<string, string>): string {
  const key = keys.get(labels) ?? JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  keys.set(labels, key)
  return key
}

const named = new WeakMap<Scrape, Map<string, Sample[]>>()

/** The samples of a scrape that match a selector; a scrape does not change after it was read. */
function meant(scrape: Scrape, selector: Selector): Sample[] {
  const byName = named.get(scrape) ?? Map.groupBy(scrape.samples, ({ name }) => name)
  named.set(scrape, byName)
  return (byName.get(selector.name) ?? []).filter((sample) => fits(sample, selector))
}

function fits(sample: Sample, { matchers }: Selector): boolean {
  return matchers.every(({ label, operator, text }) => {
    const value = sample.labels[label] ?? ''
    const isSame = operator.includes('~') ? new RegExp(`^(?:${text})$`).test(value) : value === text
    return operator.startsWith('!') ? !isSame : isSame
  })
}

/** The growth of a counter, and its duration; a counter that restarts has grown by its whole value. */
function growthOf(selector: Selector, history: Scrape[], nowMs: number, scale: number): (Series & { overMs: number })[] {
  const within = history.filter(({ atMs }) => atMs > nowMs - selector.windowMs! * scale && atMs <= nowMs)
  const series = new Map<string, { labels: Record<string, string>; points: { atMs: number; value: number }[] }>()
  for (const scrape of within) {
    const { atMs } = scrape
    for (const sample of meant(scrape, selector)) {
      const key = keyOf(sample.labels)
      const known = series.get(key) ?? { labels: sample.labels, points: [] }
      known.points.push({ atMs, value: sample.value })
      series.set(key, known)
    }
  }
  return [...series.values()].flatMap(({ labels, points }) => {
    if (points.length < 2) return []
    const value = points.slice(1).reduce((sum, point, index) => {
      const before = points[index]!.value
      return sum + (point.value < before ? point.value : point.value - before)
    }, 0)
    return [{ labels, value, overMs: points.at(-1)!.atMs - points[0]!.atMs }]
  })
}

function aggregate(name: string, by: string[], series: Series[]): Series[] {
  const groups = new Map<string, Series[]>()
  for (const one of series) {
    const labels = Object.fromEntries(by.flatMap((label) => (label in one.labels ? [[label, one.labels[label]!]] : [])))
    const key = keyOf(labels)
    groups.set(key, [...(groups.get(key) ?? []), { labels, value: one.value }])
  }
  return [...groups.values()].map((group) => {
    const values = group.map(({ value }) => value)
    const total = values.reduce((sum, value) => sum + value, 0)
    const value = { sum: total, count: values.length, max: Math.max(...values), min: Math.min(...values) }[name]
    assert.ok(value !== undefined, `${name} is not known here`)
    return { labels: group[0]!.labels, value }
  })
}

const arithmetic: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}
const comparisons: Record<string, (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

function combine(operator: string, left: Series[] | number, right: Series[] | number): Series[] | number {
  const calculate = arithmetic[operator]
  if (typeof left === 'number' && typeof right === 'number') {
    assert.ok(calculate, `${operator} of two numbers says nothing`)
    return calculate(left, right)
  }
  const partner = (labels: Record<string, string>, among: Series[]) => among.find((one) => keyOf(one.labels) === keyOf(labels))
  if (operator === 'or') {
    const first = left as Series[]
    return [...first, ...(right as Series[]).filter(({ labels }) => !partner(labels, first))]
  }
  if (operator === 'and') return (left as Series[]).filter(({ labels }) => partner(labels, right as Series[]))
  if (operator === 'unless') return (left as Series[]).filter(({ labels }) => !partner(labels, right as Series[]))
  const vector = typeof left === 'number' ? (right as Series[]) : left
  return vector.flatMap(({ labels, value }) => {
    const a = typeof left === 'number' ? left : value
    const b = typeof left === 'number' ? value : typeof right === 'number' ? right : partner(labels, right)?.value
    if (b === undefined) return []
    if (calculate) return [{ labels, value: calculate(a, b) }]
    return comparisons[operator]!(a, b) ? [{ labels, value }] : []
  })
}

/** The value of an expression at a moment; its windows are as long as written, times `scale`. */
export function evaluate(node: Expression, history: Scrape[], nowMs: number, scale = 1): Series[] | number {
  switch (node.kind) {
    case 'number':
      return node.value
    case 'selector': {
      assert.equal(node.windowMs, null, 'a window stands in rate or increase')
      const last = history.findLast(({ atMs }) => atMs <= nowMs)
      return last ? meant(last, node).map(({ labels, value }) => ({ labels, value })) : []
    }
    case 'binary':
      return combine(node.operator, evaluate(node.left, history, nowMs, scale), evaluate(node.right, history, nowMs, scale))
    case 'call': {
      const [arg] = node.args
      if (node.name === 'rate' || node.name === 'increase') {
        assert.ok(arg?.kind === 'selector' && arg.windowMs !== null, `${node.name} needs a window`)
        return growthOf(arg, history, nowMs, scale).map(({ labels, value, overMs }) => ({
          labels,
          value: node.name === 'rate' ? (value * 1000) / overMs : value,
        }))
      }
      const given = evaluate(arg!, history, nowMs, scale)
      if (node.name === 'vector') return [{ labels: {}, value: given as number }]
      if (node.name === 'abs') return (given as Series[]).map(({ labels, value }) => ({ labels, value: Math.abs(value) }))
      return aggregate(node.name, node.by ?? [], given as Series[])
    }
  }
}
