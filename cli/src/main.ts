#!/usr/bin/env node
/** `malipo`: reads the command line, runs one command, and turns every error into a sentence and an exit code. */
import { readFileSync } from 'node:fs'
import { generalHelp, readCommandLine } from './command-line.ts'
import { textOf, type Call } from './command.ts'
import { readSettings, type Settings } from './config.ts'
import { createOutput, withoutControls } from './output.ts'
import { troubleOf } from './trouble.ts'

/** The exit code of a shell for a program that Ctrl-C has ended. */
const interrupted = 130

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

async function main(args: readonly string[]): Promise<number> {
  const left = new AbortController()
  const leave = (): void => {
    // A second Ctrl-C ends the program at once.
    if (left.signal.aborted) process.exit(interrupted)
    left.abort()
  }
  process.on('SIGINT', leave)
  process.on('SIGTERM', leave)
  let settings: Settings | undefined
  let mayRepeat = false
  // Determined first, so that an error in the command line is also reported as JSON.
  const isJson = args.includes('--json')
  try {
    if (args.length === 0) {
      process.stderr.write(generalHelp())
      return 2
    }
    const parsed = readCommandLine(args)
    if (parsed.kind === 'help') process.stdout.write(parsed.text)
    if (parsed.kind === 'version') process.stdout.write(`${version()}\n`)
    if (parsed.kind !== 'command') return 0
    const { command, values, words } = parsed
    mayRepeat = command.options?.['key'] !== undefined
    settings = await readSettings(textOf(values, 'config'), textOf(values, 'base-url'))
    const call: Call = { values, words, settings, out: createOutput(isJson), signal: left.signal }
    return await command.run(call)
  } catch (error) {
    const { exitCode, text, data } = troubleOf(error, settings?.baseUrl, mayRepeat)
    // The user has ended it and needs no reason, but the key of an order that may have been carried out.
    if (left.signal.aborted && !(mayRepeat && 'idempotency_key' in data)) return interrupted
    process.stderr.write(`${isJson ? JSON.stringify({ error: data }) : withoutControls(text)}\n`)
    return left.signal.aborted ? interrupted : exitCode
  }
}

// An error that no other handler caught must not show a stack either.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${withoutControls(troubleOf(error, undefined, false).text)}\n`)
  process.exit(1)
})

// A reader that stops early, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await main(process.argv.slice(2))
