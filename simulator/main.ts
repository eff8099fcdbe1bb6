/**
 * Starts the simulator as a program. Invariant: it never outlives the parent that started it, and ends within two seconds of the
 * request to stop.
 */
import { readConfig } from './config.ts'
import { startSimulator, type Simulator } from './start.ts'

const endsWithinMs = 1_500

const say = (entry: Record<string, unknown>): boolean =>
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`)

try {
  run(await startSimulator(readConfig()))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
  if (process.connected) process.disconnect()
}

function run(simulator: Simulator): void {
  let ending = false
  const end = (): void => {
    if (ending) return
    ending = true
    setTimeout(() => process.exit(0), endsWithinMs).unref()
    simulator.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.on('disconnect', end)
  say({ level: 'info', msg: 'simulator ready', url: simulator.url, phone: `${simulator.url}/phone` })
  process.send?.({ ready: true, port: simulator.port })
}
