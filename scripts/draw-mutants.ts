/**
 * `node scripts/draw-mutants.ts --seed 37 --count 30`: turns off guards that no one has chosen. The seed draws files of the folders
 * about power and money, and in each a condition: that of an `if`, a part of an `&&`, or one of a where-clause. Each is removed in a copy
 * of the tree, with those tests that run it: of its folder, of a known guard of its file, and generated from the operations and the fields.
 * Which ones run it is measured first, which takes some minutes. A condition of a statement is tried with the test of the plans, too. A condition that no test misses may be one that the compiler does: it
 * makes sure that a value is there. One whose removal neither notices lacks a test, or is of no use.
 *
 * `--seconds 60` is the time of one; `--only 3,17` tries these of the draw; `--list` only names them. `--tests
 * server/pay-out/payouts/refunds.test.ts,…` tries these tests alone, to look further at one that survived.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { createDice } from '../test/fuzz/dice.ts'
import { globalSetup, globalTeardown } from '../test/global-setup.ts'
import { copyTree } from '../test/mutants/copy-tree.ts'
import { measureCoverage, type Coverage } from '../test/mutants/coverage.ts'
import { readMutants } from '../test/mutants/read-mutants.ts'
import { patternOf, runTests } from '../test/mutants/run-tests.ts'
import { readOptions } from './read-options.ts'

const { values: options } = readOptions({
  options: {
    seed: { type: 'string', default: '37' },
    count: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string' },
    tests: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
const folders = ['members', 'approvals', 'payout-batches', 'payouts', 'support-cases', 'controls']
const generated = ['test/homes.test.ts', 'test/attacks/operations.test.ts', 'test/attacks/sight.test.ts']
/** Plans each statement, as its source has it, and runs none. */
const ofPlans = 'test/statements/reads.test.ts'

/** A place in a file, and the text that turns the condition there off. */
type Condition = { start: number; end: number; to: string }

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** The conditions of a where-clause or a join: what stands between `where` or `and` and the next word of the same depth. */
function conditionsOfSql(text: string, { start, end }: Node): Condition[] {
  const sql = text
    .slice(start, end)
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, (value) => 'v'.repeat(value.length))
    .replaceAll(/--.*|'[^']*'/g, (plain) => 'v'.repeat(plain.length))
  const words =
    /\b(?:where|and|or|order by|group by|having|limit|returning|for (?:no key )?(?:update|share)|on|union|then|else|end|when|between|from|set|do|join|left|cross|for)\b|[()`]/g
  const found: Condition[] = []
  const open: { depth: number; at: number }[] = []
  let [depth, isBetween] = [0, false]
  const close = (at: number): void => {
    while (open.length > 0 && open.at(-1)!.depth >= depth) {
      const from = open.pop()!.at
      const clause = sql.slice(from, at)
      const lead = clause.length - clause.trimStart().length
      if (clause.trim() !== '')
        found.push({ start: start + from + lead, end: start + from + clause.trimEnd().length, to: 'true' })
    }
  }
  for (const { 0: word, index } of sql.matchAll(words)) {
    if (word === '(') depth += 1
    else if (word === ')' || word === '`') {
      close(index)
      depth -= 1
    } else if (word === 'between') isBetween = true
    else if (word === 'and' && isBetween) isBetween = false
    else {
      close(index)
      if (word === 'where' || word === 'and') open.push({ depth, at: index + word.length })
    }
  }
  return found
}

function conditionsOf(file: string): Condition[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found: Condition[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    const { type, test, left, right, operator, tag, quasi } = value
    if (type === 'IfStatement' && isNode(test)) found.push({ start: test.start, end: test.end, to: 'false' })
    if (type === 'LogicalExpression' && operator === '&&') {
      for (const part of [left, right] as Node[]) {
        if (part.operator !== '&&') found.push({ start: part.start, end: part.end, to: 'true' })
      }
    }
    if (type === 'TaggedTemplateExpression' && isNode(tag) && tag.name === 'sql')
      found.push(...conditionsOfSql(text, quasi as Node))
    Object.values(value).forEach(visit)
  }
  visit(parseSync(file, text).program)
  return found
}

type Drawn = Condition & { file: string; text: string }

function draw(): Drawn[] {
  const dice = createDice(options.seed)
  const files = globSync(`server/*/{${folders.join(',')}}/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8'), left: conditionsOf(file) }))
  return Array.from({ length: Number(options.count) }, () => {
    const { file, text, left } = dice.pick(files.filter((one) => one.left.length > 0))
    return { file, text, ...left.splice(dice.between(0, left.length - 1), 1)[0]! }
  })
}

const { mutants } = readMutants()
const recorded: Record<string, [wall: number, processor: number]> = JSON.parse(
  readFileSync(join(root, 'test/runner/seconds.json'), 'utf8'),
)
const secondsOf = (file: string): number => recorded[file]?.[0] ?? 0

/** A test that fails, and its file. */
type Noticed = { name: string; in: string }

/** The tests of its folder, those that a known guard of its file names, and the generated ones. */
function usualTests(file: string): string[] {
  const own = globSync(`${dirname(file)}/*.test.ts`, { cwd: root })
  const named = mutants.flatMap(({ edits, tests }) =>
    edits.some((one) => one.file === file) ? tests.map((one) => one.file) : [],
  )
  return [...new Set([...named, ...own, ...generated])].filter((one) => !one.endsWith('.long.test.ts') && one !== ofPlans)
}

/** Whether the test names what the condition is about: the longest name in it, as a property or as a column. */
function namesIt(test: string, condition: string): boolean {
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase()
  const [longest] = (condition.match(/\w+/g) ?? []).map(plain).toSorted((a, b) => b.length - a.length)
  return plain(readFileSync(join(root, test), 'utf8')).includes(longest ?? '')
}

/** Undefined: no test that runs the condition has noticed in the time. */
async function noticedBy(folder: string, coverage: Coverage | undefined, drawn: Drawn): Promise<Noticed | undefined> {
  const { file, text, start, end, to } = drawn
  const files = options.tests?.split(',') ?? [
    ...usualTests(file).filter((one) => coverage!.runs(one, file, start)),
    ...(file.endsWith('.sql.ts') ? [ofPlans] : []),
  ]
  // Most conditions are noticed by many: the shortest tells soonest, among those that name it first.
  const named = new Set(files.filter((one) => namesIt(one, text.slice(start, end))))
  files.sort((a, b) => Number(named.has(b)) - Number(named.has(a)) || secondsOf(a) - secondsOf(b))
  const over = new AbortController()
  const deadline = setTimeout(() => over.abort(), Number(options.seconds) * 1000)
  let by: Noticed | undefined
  // Each in a run of its own: one run reports its files in their order, so a failure only after the files before.
  const runNext = async (): Promise<void> => {
    for (let next = files.shift(); next && !over.signal.aborted; next = files.shift()) {
      const { failed } = await runTests({
        folder,
        files: [next],
        options: [],
        isShort: true,
        longestMs: 300_000,
        signal: over.signal,
      })
      if (failed[0] === undefined || by !== undefined) continue
      by = { name: failed[0], in: next }
      over.abort()
    }
  }
  try {
    writeFileSync(join(folder, file), text.slice(0, start) + to + text.slice(end))
    await Promise.all([runNext(), runNext(), runNext(), runNext()])
    return by
  } finally {
    clearTimeout(deadline)
    writeFileSync(join(folder, file), text)
  }
}

/** Whether the test passes with the condition: one that fails for another reason, as on a busy machine, has not noticed. */
async function passesWithout(folder: string, { name, in: file }: Noticed): Promise<boolean> {
  const run = { folder, files: [file], isShort: true, longestMs: 300_000 }
  const alone = await runTests({ ...run, options: [`--test-name-pattern=${patternOf(name)}$`] })
  if (alone.passed.includes(name)) return true
  const { passed, failed } = await runTests({ ...run, options: [] })
  return passed.includes(name) && failed.length === 0
}

/** What the compiler says about the copy. Only the files that a change concerns are read again. */
const complaints = (folder: string): string =>
  spawnSync('tsc', ['-p', '.', '--incremental', '--tsBuildInfoFile', '.types.json'], { cwd: folder, encoding: 'utf8' }).stdout

/** Whether it says something else about the changed file. The copy lacks what is generated, so it complains of the unchanged tree, too. */
function isMissedByCompiler(folder: string, { file, text, start, end, to }: Drawn, before: string): boolean {
  try {
    writeFileSync(join(folder, file), text.slice(0, start) + to + text.slice(end))
    return complaints(folder) !== before
  } finally {
    writeFileSync(join(folder, file), text)
  }
}

const chosen = draw()
  .map((one, index) => ({ ...one, number: index + 1 }))
  .filter(({ number }) => options.only === undefined || options.only.split(',').includes(String(number)))
const nameOf = ({ file, text, start, end, number }: (typeof chosen)[number]): string =>
  `${String(number).padStart(2)} ${file}:${text.slice(0, start).split('\n').length} ${text.slice(start, end).replaceAll(/\s+/g, ' ')}`

if (options.list) {
  process.stdout.write(`${chosen.map(nameOf).join('\n')}\n`)
  process.exit()
}
let noticed = 0
await globalSetup()
const folder = copyTree()
try {
  const tests = new Set(chosen.flatMap(({ file }) => usualTests(file)))
  const coverage = options.tests === undefined ? await measureCoverage(folder, [...tests]) : undefined
  const before = complaints(folder)
  for (const one of chosen) {
    const since = performance.now()
    const isMissed = isMissedByCompiler(folder, one, before)
    const by = isMissed ? undefined : await noticedBy(folder, coverage, one)
    const seconds = ((performance.now() - since) / 1000).toFixed(0)
    const isNoticed = isMissed || (by !== undefined && (await passesWithout(folder, by)))
    if (isNoticed) noticed += 1
    const who = isMissed ? 'the compiler' : (by?.name ?? 'survived')
    const how = by && !isNoticed ? `fails with it, too: ${who}` : who
    process.stdout.write(`${isNoticed ? '✔' : '✖'} ${nameOf(one)}  ${seconds} s  ${how.slice(0, 90)}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  await globalTeardown()
}
process.stdout.write(`${noticed} of ${chosen.length} were noticed: --seed ${options.seed} --count ${options.count}\n`)
process.exit(noticed < chosen.length ? 1 : 0)
