/**
 * Prism as a proxy between a program and the service: it refuses requests and answers that are not as the description says, and
 * keeps what it refused.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually, freePorts, type Ending } from '../app.ts'

export type Prism = { url: string; violations(): string[] }

/** `description`: the file of the OpenAPI document; `upstream`: the address of the service. */
export async function startPrism(t: Ending, description: string, upstream: string): Promise<Prism> {
  const [port] = await freePorts(1)
  const program = join(import.meta.dirname, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const child = spawn(process.execPath, [program, 'proxy', description, upstream, '--errors', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  child.stdout.on('data', (piece: Buffer) => void (log += piece.toString()))
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  await eventually('Prism listens', () => Promise.resolve(log.includes('Prism is listening')))
  return {
    url: `http://127.0.0.1:${port}`,
    violations: () => log.split('\n').filter((line) => /✖|violation/i.test(line)),
  }
}
