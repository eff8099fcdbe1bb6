/** The run itself, as root in a namespace of its own (`run.ts`): every step with its time, and a table at the end. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { plans } from './blocks.ts'
import { startMachine, type Machine } from './machine.ts'
import { createOperator } from './operator.ts'
import { steps, type Step } from './steps.ts'

const tree = join(import.meta.dirname, '../..')
const [folder, ...words] = process.argv.slice(2)

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`

type Line = { title: string; took: string; remark: string }

/** The last lines of every service's log. */
function logsOf(machine: Machine): string {
  const files = globSync('var/log/stand-in/*.log', { cwd: machine.root })
  return files
    .map((file) => `--- ${file}\n${readFileSync(join(machine.root, file), 'utf8').split('\n').slice(-15).join('\n')}`)
    .join('\n')
}

const lacks = ({ needs = [] }: Step, machine: Machine): string[] =>
  needs.filter((program) => spawnSync('chroot', [machine.root, 'which', program]).status !== 0)

async function follow(machine: Machine): Promise<boolean> {
  const startedAt = performance.now()
  const operator = createOperator(machine, tree)
  const lines: Line[] = []
  for (const step of steps) {
    const missing = lacks(step, machine)
    const since = performance.now()
    if (missing.length > 0) {
      lines.push({ title: step.title, took: ' skipped', remark: `not installed: ${missing.join(', ')}` })
      print(` skipped  ${step.title} (not installed: ${missing.join(', ')})`)
      continue
    }
    try {
      const remark = (await step.run(operator)) ?? ''
      lines.push({ title: step.title, took: seconds(since), remark })
      print(`${seconds(since)}  ${step.title}${remark && ` (${remark})`}`)
    } catch (error) {
      print(`${seconds(since)}  ${step.title}: FAILED\n\n${inspect(error)}\n\n${logsOf(machine)}`)
      return false
    }
  }
  const isWhole = lines.every(({ took }) => took !== ' skipped')
  const left = Object.entries(plans).filter(([name, plan]) => !('skipped' in plan) && !operator.ran.has(name))
  const width = Math.max(...lines.map(({ title }) => title.length))
  print('')
  for (const { title, took, remark } of lines) print(`${title.padEnd(width)}  ${took}  ${remark}`)
  print(`${'total'.padEnd(width)}  ${seconds(startedAt)}  ${operator.ran.size} blocks of the operations pages`)
  const notRun = Object.entries(plans).flatMap(([name, plan]) => ('skipped' in plan ? [`${name}: ${plan.skipped}`] : []))
  print(`\nNot run here:\n${notRun.map((line) => `  ${line}`).join('\n')}`)
  if (left.length > 0) print(`\nNo step ran: ${left.map(([name]) => name).join(', ')}`)
  return left.length === 0 || !isWhole
}

const machine = startMachine(folder!)
execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${tree}`, join(machine.root, 'root/malipo')])
await machine.prepare()
print(
  'A fresh machine: an overlay over this one. systemd is not process 1 in it: a stand-in reads the unit files and starts the\n' +
    'services as their users, without the sandbox of the units.\n',
)
const isGood = await follow(machine)
if (words.includes('--stay')) {
  print(`\nThe machine is open at ${machine.root}, in the namespaces of this program. Ctrl-C ends it.`)
  await new Promise(() => setInterval(() => undefined, 60_000))
}
process.exit(isGood ? 0 : 1)
