/** Reads the options of a script. A wrong command line ends the script with a message and exit code 2. */
import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from 'node:util'

function namesOf(options: ParseArgsOptionsConfig): string {
  const names = Object.entries(options).map(([name, { type }]) => (type === 'string' ? `--${name} <value>` : `--${name}`))
  return names.length > 0 ? names.join(', ') : 'none'
}

export function readOptions<const Wanted extends ParseArgsConfig>(wanted: Wanted): ReturnType<typeof parseArgs<Wanted>> {
  try {
    return parseArgs(wanted)
  } catch (error) {
    // The first sentence of Node's message names the error.
    const [message] = (error as Error).message.split(/\.\s|\n/)
    process.stderr.write(`${message!.replace(/\.$/, '')}. Options: ${namesOf(wanted.options ?? {})}.\n`)
    return process.exit(2)
  }
}
