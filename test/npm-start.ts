/**
 * The environment of a newcomer: a checkout in a separate home, a terminal that runs `npm start` in it, and a check for processes
 * that still run.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePorts } from './app.ts'

const root = join(import.meta.dirname, '..')

/** A separate checkout under a home that only its owner may enter. */
export function checkoutInPrivateHome(t: TestContext, owner?: number): string {
  const home = mkdtempSync(join(tmpdir(), 'malipo-home-'))
  chmodSync(home, 0o700)
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'projects', 'malipo')
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  execFileSync('cp', ['-al', join(root, 'node_modules'), folder])
  // Built once for all tests: a checkout of the same sources has nothing to build.
  execFileSync('cp', ['-al', join(root, 'dashboard/dist'), join(folder, 'dashboard')])
  // The packages' files are hard links and keep their owner; their folders belong to this checkout.
  const own = ['(', '-type', 'd', '-o', '-not', '-path', '*/node_modules/*', ')']
  if (owner !== undefined) execFileSync('find', [home, ...own, '-exec', 'chown', '-h', `${owner}:${owner}`, '{}', '+'])
  return folder
}

export type Started = { child: ChildProcess; output(): string; exited: Promise<number | null>; readyMs: Promise<number> }

/** Runs `npm start` as a terminal does: in a separate process group, which receives the signals. */
export function npmStart(t: TestContext, folder: string, settings: Record<string, string>, uid?: number): Started {
  const startedAt = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env['PATH'], HOME: dirname(dirname(folder)), TMPDIR: tmpdir(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const readyMs = new Promise<number>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('Malipo is ready')) resolve(performance.now() - startedAt)
    }
    child.stdout!.on('data', onOutput)
    child.stderr!.on('data', onOutput)
    void exited.then(() => reject(new Error(`npm start ended:\n${output}`)))
  })
  readyMs.catch(() => undefined)
  t.after(async () => {
    killGroup(child, 'SIGKILL')
    await exited
  })
  return { child, output: () => output, exited, readyMs }
}

export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal)
  } catch {
    // The group is already gone.
  }
}

export async function portSettings(): Promise<Record<string, string>> {
  const [api, checkout, storage, simulator] = await freePorts(4)
  return { PORT: String(api), CHECKOUT_PORT: String(checkout), STORAGE_PORT: String(storage), SIMULATOR_PORT: String(simulator) }
}

/**
 * The location of a checkout's database: in its data folder, or at the path in the note there, when the database's user cannot
 * enter the data folder.
 */
export function databasePlace(folder: string): string {
  try {
    return readFileSync(join(folder, 'data/postgres/where.txt'), 'utf8').trim().split('\n').at(-1)!
  } catch {
    return join(folder, 'data/postgres')
  }
}

/** Processes whose command line names this checkout or the folder of its database. */
export function processesOf(folder: string): string[] {
  const places = [folder, databasePlace(folder)]
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => places.some((place) => line.includes(place)) && !line.includes('ps -eo'))
}

export const readDemo = (folder: string) => JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8'))
