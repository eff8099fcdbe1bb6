/**
 * `npm run bench -- --against <commit>`: this tree and another commit on this machine, in turns. The other commit is unpacked into the
 * temp folder, with its own packages but with this bench/: the same code measures both, in one driver process (driver.ts) for each tree,
 * each on a durable PostgreSQL of its own. Rounds run A B, B A, …; each gives one ratio a line, above 1 when this tree is better. A
 * line is worse only if all its ratios are below 0.97; then the exit code is 1.
 *
 * It works for any commit in which find-part.ts finds the parts that product.ts names. A line whose part is missing shows "–". When a
 * commit moves files, nothing changes here; when it renames an export or changes what it takes, give product.ts both.
 * The money is not checked here; `npm run bench` does.
 */
import { spawn } from 'node:child_process'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import type { DriverAnswer, DriverQuestion } from './driver.ts'
import type { Measured } from './measures.ts'
import { startServer, type BenchServer } from './postgres.ts'
import { gainOf, isWorse, orderOf, shuffled, spreadOf, worseBelow } from './ratios.ts'
import { commitHere, describe, git, machineOf, middle, number, row } from './rounds.ts'
import type { Scope } from './scope.ts'

/** `only` is one part of the lines. */
export type Effort = { rounds: number; windowMs: number; wholeMs: number; merchants: number; logFiles: number; only?: string }

type Line = { name: string; of: string; figure: keyof Measured; better: 'higher' | 'lower'; digits?: number }

const lines: Line[] = [
  { name: 'settle a second, one hot account', of: 'hot', figure: 'perSecond', better: 'higher' },
  { name: 'settle a second, spread accounts', of: 'spread', figure: 'perSecond', better: 'higher' },
  { name: 'settle p99, hot, ms', of: 'hot', figure: 'p99Ms', better: 'lower', digits: 1 },
  { name: 'settle p99, spread, ms', of: 'spread', figure: 'p99Ms', better: 'lower', digits: 1 },
  { name: 'whole payments a second', of: 'whole', figure: 'perSecond', better: 'higher' },
  { name: 'whole payments, p99, ms', of: 'whole', figure: 'p99Ms', better: 'lower' },
  { name: 'processor a whole payment, µs', of: 'whole', figure: 'cpuMicros', better: 'lower' },
  { name: 'log written a whole payment, kB', of: 'whole', figure: 'logKb', better: 'lower', digits: 1 },
  { name: 'provider webhook to credited row', of: 'webhook', figure: 'perSecond', better: 'higher' },
  { name: 'checkout a second', of: 'checkout', figure: 'perSecond', better: 'higher' },
  { name: 'status a second', of: 'status', figure: 'perSecond', better: 'higher' },
  { name: 'balance a second', of: 'balance', figure: 'perSecond', better: 'higher' },
  { name: 'transactions page a second', of: 'page', figure: 'perSecond', better: 'higher' },
  { name: 'webhook delivery, recorded', of: 'delivery', figure: 'perSecond', better: 'higher' },
]

const here = join(import.meta.dirname, '..')

/** Runs a program; it is ended when the scope closes. */
async function run(scope: Scope, folder: string, program: string, words: string[]): Promise<void> {
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const exited = new Promise<number | null>((resolve, reject) => void child.once('close', resolve).once('error', reject))
  await scope.use(Promise.resolve(), () => {
    if (child.exitCode !== null || child.signalCode !== null) return undefined
    process.kill(-child.pid!, 'SIGTERM')
    return exited
  })
  if ((await exited) !== 0) throw new Error(`${program} ${words.join(' ')} failed:\n${output}`)
}

/** Unpacks the commit with this bench/ and its own packages; those of this tree when both have the same lock file. */
async function install(scope: Scope, commit: string): Promise<string> {
  const tree = await scope.folder('against')
  await run(scope, here, 'sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, tree])
  await rm(join(tree, 'bench'), { recursive: true, force: true })
  await cp(import.meta.dirname, join(tree, 'bench'), { recursive: true })
  const [ours, theirs] = await Promise.all([here, tree].map((folder) => readFile(join(folder, 'package-lock.json'), 'utf8')))
  if (ours === theirs) await symlink(join(here, 'node_modules'), join(tree, 'node_modules'))
  else await run(scope, tree, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'])
  return tree
}

type Driver = {
  server: BenchServer
  warmUps: Record<string, number>
  missing: Record<string, string>
  ask(question: DriverQuestion): Promise<Measured>
}

async function startDriver(scope: Scope, tree: string, effort: Effort): Promise<Driver> {
  const server = await startServer(scope, effort.logFiles)
  const settings = {
    DATABASE_URL: await server.empty('main'),
    DELIVERY_URL: await server.empty('delivery'),
    WHOLE_URL: await server.empty('whole'),
    EFFORT: JSON.stringify(effort),
  }
  const child: Child = await startChild(scope, ['driver.ts'], settings, join(tree, 'bench'))
  const must = async (question: DriverQuestion) => {
    const answer = await child.ask<DriverAnswer>(question)
    if ('error' in answer) throw new Error(answer.error)
    return answer
  }
  const opened = await must({ do: 'open' })
  if (!('warmUps' in opened)) throw new Error('The driver did not open.')
  return {
    server,
    ...opened,
    async ask(question) {
      const answer = await must(question)
      return 'window' in answer ? answer.window : { perSecond: Number.NaN, p50Ms: Number.NaN, p99Ms: Number.NaN }
    },
  }
}

/** Returns the names of the lines that are worse. */
export async function compareCommits(scope: Scope, name: string, effort: Effort, isJson: boolean): Promise<string[]> {
  const commit = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  if (commit === '') {
    console.error(
      `--against ${name}: this repository has no such commit. Give a commit, a branch or a tag; "git fetch" gets missing ones.`,
    )
    process.exitCode = 2
    return []
  }
  const say = (text: string) => {
    if (!isJson) console.log(text)
  }
  const label = git('rev-parse', '--short', commit)
  const startedAt = performance.now()
  const tree = await install(scope, commit)
  say(`${label} is installed after ${number((performance.now() - startedAt) / 1000, 0)} s`)
  const sides = { ours: await startDriver(scope, here, effort), theirs: await startDriver(scope, tree, effort) }
  const measured: Record<'ours' | 'theirs', Record<string, Measured[]>> = { ours: {}, theirs: {} }
  const names = new Set(Object.keys(sides.ours.warmUps).filter((line) => line in sides.theirs.warmUps))
  const measure = async (side: 'ours' | 'theirs', line: string, isCounted: boolean) => {
    await sides[side].ask({ do: 'prepare', line })
    const window = await sides[side].ask({ do: 'run', line })
    if (isCounted) (measured[side][line] ??= []).push(window)
  }
  const warmUps = Math.max(...Object.values(sides.ours.warmUps))
  for (let round = -warmUps; round < effort.rounds; round += 1) {
    if (round === 0) for (const side of Object.values(sides)) await side.ask({ do: 'analyze' })
    for (const line of shuffled([...names])) {
      if (round < -sides.ours.warmUps[line]!) continue
      for (const side of orderOf(Math.abs(round), ['ours', 'theirs'] as const)) {
        try {
          await measure(side, line, round >= 0)
        } catch (error) {
          // One line that fails, in an old commit perhaps, does not cost the others.
          sides[side].missing[line] = error instanceof Error ? error.message : String(error)
          names.delete(line)
          delete measured.ours[line]
          delete measured.theirs[line]
          break
        }
      }
    }
  }
  const compared = lines.map(({ name: title, of, figure, better, digits = 0 }) => {
    const [ours, theirs] = [measured.ours[of] ?? [], measured.theirs[of] ?? []]
    const ratios = ours.map((window, round) => gainOf(window[figure] ?? Number.NaN, theirs[round]![figure] ?? Number.NaN, better))
    const spread = ratios.length > 0 ? spreadOf(ratios) : { median: Number.NaN, low: Number.NaN, high: Number.NaN, rounds: 0 }
    return { title, of, ours: middle(ours, figure), theirs: middle(theirs, figure), digits, ...spread, isWorse: isWorse(spread) }
  })
  const worse = compared.filter((line) => line.isWorse).map(({ title }) => title)
  const machine = machineOf(sides.ours.server)
  if (isJson) console.log(JSON.stringify({ machine, commit: label, effort, compared, worse }, null, 2))
  say(`${describe(machine)}
${effort.rounds} rounds A B B A of ${effort.windowMs} ms, whole payments ${effort.wholeMs} ms; a ratio above 1: this tree is better\n`)
  const widths = [38, 11, 11, 9, 15]
  say(row(widths, ['', commitHere(), label, 'ratio', 'spread']))
  for (const { title, ours, theirs, digits, median, low, high } of compared) {
    const spread = `${number(low, 2)}–${number(high, 2)}`
    say(
      row(widths, [title, number(ours, digits), number(theirs, digits), number(median, 2), Number.isNaN(median) ? '–' : spread]),
    )
  }
  for (const [side, { missing }] of Object.entries(sides))
    for (const [line, why] of Object.entries(missing)) say(`not measured in ${side}: ${line}: ${why}`)
  say(`\nworse (whole spread below ${worseBelow}): ${worse.length === 0 ? 'none' : worse.join('; ')}`)
  return worse
}
