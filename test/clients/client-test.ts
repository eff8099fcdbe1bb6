/**
 * One generated client after the other against the running service, through a proxy that compares every call with the description:
 * it creates a payment, reads it, lists it by its reference, and decodes a refusal.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { after } from 'node:test'
import { share, startTestApp, type Ending } from '../app.ts'
import { startPrism, type Prism } from './prism.ts'

const here = import.meta.dirname

type Surroundings = { prism: Prism; description: string; key: string }

async function start(ending: Ending): Promise<Surroundings> {
  const app = await startTestApp(ending)
  const { key } = await app.key(await app.student())
  const folder = mkdtempSync(join(tmpdir(), 'malipo-description-'))
  ending.after(() => rmSync(folder, { recursive: true, force: true }))
  const description = join(folder, 'openapi-merchants.json')
  writeFileSync(description, await (await fetch(`${app.config.urls.api}/openapi-merchants.json`)).text())
  return { prism: await startPrism(ending, description, app.config.urls.api), description, key }
}

const surroundings = share(start)

/** Runs a program, and returns what it printed; fails with its output. The service of the test runs in this process meanwhile. */
export async function run(
  command: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, DO_NOT_TRACK: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, complaints, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('error', (error) => resolve(error.message)).once('close', resolve)),
  ])
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${`${printed}${complaints}`.slice(-8_000)}`)
  return printed
}

const lines: string[] = []
after(() => process.stdout.write(lines.map((line) => `# ${line}\n`).join('')))

/** What a client's program needs: its folder, which has the packages of this one, and the document. */
export type Workplace = { folder: string; description: string; url: string }

/**
 * Generates a client in a temporary folder, runs its program there, and checks what it printed. `build` returns the command that
 * runs the program, or a sentence that says why this machine cannot run it.
 */
export async function tryClient(
  title: string,
  program: string,
  build: (place: Workplace) => Promise<string[] | string>,
): Promise<void> {
  const { prism, description, key } = await surroundings()
  const folder = mkdtempSync(join(tmpdir(), 'malipo-client-'))
  try {
    mkdirSync(join(folder, 'src'))
    symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'))
    cpSync(join(here, 'programs', program), join(folder, 'src', program))
    const built = await build({ folder, description, url: prism.url })
    if (typeof built === 'string') {
      lines.push(`${title}: generated, compiled, SKIPPED its calls: ${built}`)
      return
    }
    const [command, ...args] = built
    const before = prism.violations().length
    const order = `ORDER-${randomUUID()}`
    const printed = await run(command!, args, { cwd: folder, env: { BASE_URL: prism.url, API_KEY: key, ORDER: order } })
    assert.deepEqual(prism.violations().slice(before), [])
    const { created, read, listed, refused } = JSON.parse(printed)
    assert.match(created, /^pay_/)
    assert.deepEqual([read, listed, refused], [created, [created], 'idempotency_key_reused'])
    lines.push(`${title}: generated, compiled, four calls`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
