/** A command line as a table: the name of each command, its options, its usage text and its function. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** Wrong words on the command line. The message is the usage text. */
export class UsageError extends Error {}

/** A command cannot be done. The message says what to do; the terminal shows it without a stack. */
export class CommandError extends Error {}

export type Command<Deps> = {
  /** What follows the name in the usage text. */
  parameters: string
  summary: string
  run(deps: Deps, args: string[]): Promise<void>
}

/** By name: the fixed words that begin a command. */
export type Commands<Deps> = Record<string, Command<Deps>>

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>['values']

type Words<Takes extends readonly string[]> = { [Position in keyof Takes]: string }

/**
 * One row of the table. `takes` names the words that must follow, `flags` shows the options in the usage text. `run` throws a
 * `UsageError` for wrong values.
 */
export function command<
  Deps,
  const Takes extends readonly string[] = readonly [],
  const Options extends ParseArgsOptionsConfig = Record<never, never>,
>(row: {
  takes?: Takes
  flags?: string
  options?: Options
  summary: string
  run(deps: Deps, words: Words<Takes>, values: Parsed<Options>): Promise<void> | void
}): Command<Deps> {
  const takes: readonly string[] = row.takes ?? []
  return {
    parameters: [...takes.map((word) => `<${word}>`), ...(row.flags === undefined ? [] : [row.flags])].join(' '),
    summary: row.summary,
    run: async (deps, args) => {
      const { values, positionals } = parseWords(args, row.options)
      if (positionals.length !== takes.length) throw new UsageError()
      await row.run(deps, positionals as Words<Takes>, values as Parsed<Options>)
    },
  }
}

/** The options and the other words. Throws a `UsageError` for an unknown option and for one without its value. */
export function parseWords(args: string[], options: ParseArgsOptionsConfig = {}) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    // Node's first sentence names the error.
    throw new UsageError(`${(error as Error).message.split(/\.\s|\n/)[0]!.replace(/\.$/, '')}.`)
  }
}

const column = 27

function usageLine(name: string, { parameters, summary }: Pick<Command<never>, 'parameters' | 'summary'>): string {
  const words = `  ${name} ${parameters}`.trimEnd()
  const gap = words.length + 2 > column ? `\n${' '.repeat(column)}` : ' '.repeat(column - words.length)
  return `${words}${gap}${summary}`
}

function usageOf<Deps>(program: string, commands: Commands<Deps>): string {
  const lines = Object.entries(commands).map(([name, row]) => usageLine(name, row))
  return `Usage: ${program} <command>\n\n${lines.join('\n')}`
}

/** Runs the command that the words begin with. The usage text lists one command when its name is known, otherwise all. */
export async function runCommand<Deps>(
  { program, commands }: { program: string; commands: Commands<Deps> },
  words: readonly string[],
  deps: Deps,
): Promise<void> {
  const found = Object.entries(commands)
    .filter(([name]) => name.split(' ').every((word, index) => words[index] === word))
    // `second-step list` is also a beginning of `second-step`.
    .toSorted(([a], [b]) => b.length - a.length)[0]
  if (!found) throw new UsageError(usageOf(program, commands))
  const [name, row] = found
  try {
    await row.run(deps, words.slice(name.split(' ').length))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError([usageOf(program, { [name]: row }), ...(error.message === '' ? [] : ['', error.message])].join('\n'))
  }
}
