/**
 * Starts one role: `api`, `worker`, or `local` (both, with an embedded database and the provider simulator). Owns the lifecycle
 * of the process: it checks the configuration first, drains once on SIGTERM or SIGINT, and ends at once on a second signal.
 */
import { databaseProblem } from '../platform/db/database-problem.ts'
import { ConfigError } from '../config/values.ts'
import { startLocal } from './local.ts'
import { parseWords } from '../platform/process/commands.ts'
import { SimulatorFailed } from './simulator-process.ts'
import { startRole, type Running } from './start-role.ts'

const roles = ['api', 'worker', 'local'] as const

function endWith(message: string, exitCode = 1): never {
  process.stderr.write(`${message}\n`)
  process.exit(exitCode)
}

function readRole(): (typeof roles)[number] {
  const usage = `Usage: node server/start/main.ts ${roles.join('|')}`
  try {
    const { positionals } = parseWords(process.argv.slice(2))
    const role = roles.find((known) => known === positionals[0])
    if (role !== undefined && positionals.length === 1) return role
  } catch (error) {
    endWith(`${(error as Error).message}\n${usage}`, 2)
  }
  return endWith(usage, 2)
}

async function main(): Promise<void> {
  const role = readRole()
  let stopping = false
  let running: Running | undefined
  const stop = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    if (!running) process.exit(0)
    setTimeout(() => process.exit(1), running.drainMs).unref()
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => endWith(`Stopping failed: ${String(error)}`),
    )
  }
  process.on('SIGTERM', stop)
  if (role === 'local') {
    // Under npm, Ctrl-C arrives twice, once from the terminal and once from npm: only the first one counts.
    let isInterrupted = false
    process.on('SIGINT', () => {
      if (isInterrupted) return
      isInterrupted = true
      stop()
    })
  } else process.on('SIGINT', stop)
  process.on('unhandledRejection', (error) =>
    endWith(`A promise was left alone: ${error instanceof Error ? error.stack : String(error)}`),
  )
  running = role === 'local' ? await startLocal() : await startRole(role)
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError || error instanceof SimulatorFailed) endWith(error.message)
  const problem = databaseProblem(error)
  if (problem !== undefined) endWith(problem)
  endWith(error instanceof Error ? (error.stack ?? error.message) : String(error))
})
