/** The tables of limits and caps in Markdown, for the documentation and for the description of the API. */
import { caps, consequences, counters, limitTable } from '../../config/limits.ts'

const units = [
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

function periodOf(seconds: number): string {
  const [unit, length] = units.find(([, one]) => seconds % one === 0)!
  return `${seconds / length} ${unit}`
}

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export const limitsTable = (): string =>
  table(
    ['Limit', 'Operations', 'Counted for', 'At most', 'Above it'],
    [...limitTable].map(([name, { operations, per, quota, windowSeconds, above }]) => [
      `\`${name}\``,
      code(operations),
      counters[per],
      `\`${quota} / ${periodOf(windowSeconds)}\``,
      consequences[above],
    ]),
  )

/** The limits that are not counted together by all processes. */
export const ofOneProcess = (): string =>
  code([...limitTable].flatMap(([name, { countedBy }]) => (countedBy === 'each_process' ? [name] : [])))

export const capsTable = (): string =>
  table(
    ['Objects', 'Operations', 'At most', 'Above it'],
    Object.values(caps).map(({ what, operations, most, ...cap }) => [
      what,
      code(operations),
      String(most),
      'isEnded' in cap ? 'the oldest one ends' : '409 `too_many_objects`',
    ]),
  )
