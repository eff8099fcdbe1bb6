/**
 * `npm run quickstart`: follows the documentation's page `Run it yourself` word for word in a clean clone in a temporary folder, and
 * measures the time. It ends when the shop of the page reports that the signature of its first webhook is correct. `--ports
 * 4100,4101,4102,4103,4104` uses other ports than the page; `--keep` keeps the clone.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { databasePlace } from '../test/npm-start.ts'
import { readOptions } from './read-options.ts'

const root = join(import.meta.dirname, '..')
const { values: options } = readOptions({ options: { ports: { type: 'string' }, keep: { type: 'boolean', default: false } } })

const startedAt = performance.now()
const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)
const report = (what: string): void => void process.stdout.write(`${seconds()} s  ${what}\n`)

/** The page uses 3000 to 3003 and 4000; on a test machine these ports may be in use. */
const [api, checkout, storage, simulator, shop] = (options.ports ?? '3000,3001,3002,3003,4000').split(',')
const settings = { PORT: api!, CHECKOUT_PORT: checkout!, STORAGE_PORT: storage!, SIMULATOR_PORT: simulator! }
const withPorts = (text: string): string => text.replaceAll('4000', shop!).replaceAll('127.0.0.1:3000', `127.0.0.1:${api}`)

/** The maximum time until the first webhook. */
const deadlineMs = 10 * 60_000

const home = mkdtempSync(join(tmpdir(), 'malipo-quickstart-'))
const folder = join(home, 'malipo')

/**
 * The environment of a terminal on this machine: with its proxies and certificates, and without the variables that npm set for
 * this script, so that it finds the machine's Node and not the one in our packages.
 */
const ownEnvironment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_ENV$)/.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !/node_modules|node-gyp-bin/.test(folder))
    .join(delimiter),
}

type Terminal = { child: ChildProcess; gone: Promise<void>; output(): string; printed(words: string): Promise<void> }

function terminal(command: string, args: string[], env: Record<string, string> = {}): Terminal {
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    env: { ...ownEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
      for (const listener of listeners) listener()
    })
  }
  const printed = (words: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(words)) resolve()
      }
      listeners.add(look)
      child.once('close', (code) => {
        look()
        reject(new Error(`"${command}" ended with ${code} before it printed "${words}":\n${output}`))
      })
      setTimeout(() => reject(new Error(`"${words}" was not printed in time:\n${output}`)), deadlineMs).unref()
      look()
    })
  return { child, gone, output: () => output, printed }
}

function end({ child }: Terminal, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal)
  } catch {
    // It has already ended.
  }
}

async function followPage(): Promise<void> {
  execFileSync('git', ['clone', '--quiet', root, folder])
  report('cloned')
  const page = readFileSync(join(folder, 'docs/operations/quick-start.md'), 'utf8')
  const blocks = [...page.matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm)].map((match) => ({ language: match[1]!, text: match[2]! }))
  const [first, ...others] = blocks
  const service = terminal('bash', ['-c', first!.text], settings)
  try {
    await service.printed('Malipo is ready')
    report('npm start is ready')
    // Files that the page says to save are saved; the other commands run in one second terminal.
    const commands = others.filter(({ language, text }) => {
      const name = /^\/\/ (\S+)\n/.exec(text)?.[1]
      if (language === 'js' && name) writeFileSync(join(folder, name), withPorts(text))
      return language === 'sh'
    })
    const second = terminal('bash', ['-euo', 'pipefail', '-c', withPorts(commands.map(({ text }) => text).join('\n'))])
    const ended = new Promise<number | null>((resolve) => second.child.once('exit', resolve))
    await second.printed('The signature is right.')
    report('the first verified webhook')
    const code = await ended
    if (code !== 0) throw new Error(`The commands of the page ended with ${code}:\n${second.output()}`)
    report('every command of the page has run')
    end(second, 'SIGKILL')
  } finally {
    end(service, 'SIGTERM')
    await service.gone
  }
}

try {
  await followPage()
} finally {
  if (options.keep) report(folder)
  else for (const place of [databasePlace(folder), home]) rmSync(place, { recursive: true, force: true })
}
