/** Parses the command line into a command, and writes the help. */
import { parseArgs } from 'node:util'
import { UsageError, type Command, type Option, type OptionValue } from './command.ts'
import { eventCommands } from './events.ts'
import { listen } from './listen.ts'
import { login, logout, whoami } from './login.ts'
import { columns } from './output.ts'
import { paymentCommands } from './payments.ts'
import { payoutCommands } from './payouts.ts'
import { refundCommands } from './refunds.ts'
import { requestCommands } from './requests.ts'
import { simulate } from './simulate.ts'
import { trigger } from './trigger.ts'

const commands: Record<string, Command> = {
  login,
  logout,
  whoami,
  listen,
  simulate,
  trigger,
  ...eventCommands,
  ...paymentCommands,
  ...requestCommands,
  ...payoutCommands,
  ...refundCommands,
}

const everywhere: Record<string, Option> = {
  json: { type: 'boolean', about: 'One JSON object per line, for programs' },
  config: {
    type: 'string',
    value: 'file',
    about: 'The configuration file; default $XDG_CONFIG_HOME/malipo/config.json; or MALIPO_CONFIG',
  },
  'base-url': { type: 'string', value: 'url', about: 'The address of the service; or MALIPO_BASE_URL' },
  help: { type: 'boolean', about: 'Show this' },
}

export type Parsed =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | { kind: 'command'; command: Command; values: Record<string, OptionValue>; words: string[] }

function optionRows(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, { value, about }]): [string, string] => [
    `  --${name}${value === undefined ? '' : ` <${value}>`}`,
    about,
  ])
  return columns(rows)
}

export function generalHelp(): string {
  const rows = Object.entries(commands).map(([name, { summary }]): [string, string] => [`  ${name}`, summary])
  return `malipo: build on Malipo from your laptop, in the test environment.

Usage: malipo <command> [options]

${columns(rows)}

"malipo <command> --help" says more about one; "malipo --version" says which version this is. MALIPO_API_KEY and MALIPO_BASE_URL go
before what login has kept.
`
}

function usageOf({ word, usage, options = {} }: Command): string {
  if (usage !== undefined) return usage
  const flags = Object.entries(options).map(([name, { value, isRequired }]) => {
    const flag = value === undefined ? `--${name}` : `--${name} <${value}>`
    return isRequired ? flag : `[${flag}]`
  })
  return [...(word === undefined ? [] : [word]), ...flags].join(' ')
}

function helpOf(name: string, command: Command): string {
  return `${command.summary}.

Usage: ${`malipo ${name} ${usageOf(command)}`.trimEnd()}

${command.about}

${optionRows({ ...command.options, ...everywhere })}
`
}

/** A command's name has one or two words. */
function findCommand(args: readonly string[]): { name: string; rest: string[] } | undefined {
  for (const count of [2, 1]) {
    const name = args.slice(0, count).join(' ')
    if (Object.hasOwn(commands, name)) return { name, rest: args.slice(count) }
  }
  return undefined
}

function unknownCommand(args: readonly string[]): UsageError {
  const [first] = args
  if (first === undefined) return new UsageError('Name a command: "malipo --help" shows them.')
  if (first.startsWith('-'))
    return new UsageError('The command comes first, its options after it: "malipo --help" shows the commands.')
  const family = Object.keys(commands).filter((name) => name.startsWith(`${first} `))
  const choice = family.length > 0 ? family : Object.keys(commands)
  return new UsageError(
    `There is no command ${JSON.stringify(args.slice(0, family.length > 0 ? 2 : 1).join(' '))}. There are: ${choice.join(', ')}.`,
  )
}

/** Refuses an unknown command or option with a `UsageError`. */
export function readCommandLine(args: readonly string[]): Parsed {
  if (args[0] === '--help') return { kind: 'help', text: generalHelp() }
  if (args[0] === '--version') return { kind: 'version' }
  const found = findCommand(args)
  if (!found) {
    const family = Object.entries(commands).filter(([name]) => name.startsWith(`${args[0]} `))
    if (family.length > 0 && args[1] === '--help') {
      return { kind: 'help', text: family.map(([name, command]) => helpOf(name, command)).join('\n\n') }
    }
    throw unknownCommand(args)
  }
  const { name, rest } = found
  const command = commands[name]!
  const more = `"malipo ${name} --help" shows its usage.`
  let parsed: { values: Record<string, OptionValue>; positionals: string[] }
  try {
    const options = Object.fromEntries(
      Object.entries({ ...command.options, ...everywhere }).map(([option, { type }]) => [option, { type }]),
    )
    parsed = parseArgs({ args: rest, options, allowPositionals: true }) as typeof parsed
  } catch (error) {
    // Node's first sentence names the error; the following ones are about Node.
    throw new UsageError(`${(error as Error).message.split(/\.\s|\n/)[0]!.replace(/\.$/, '')}. ${more}`)
  }
  if (parsed.values['help'] === true) return { kind: 'help', text: helpOf(name, command) }
  const { values, positionals: words } = parsed
  const count = command.word === undefined ? 0 : 1
  if (words.length > count) throw new UsageError(`Unexpected argument ${JSON.stringify(words[count])}. ${more}`)
  if (words.length < count) throw new UsageError(`An argument is missing. ${more}`)
  return { kind: 'command', command, values, words }
}
