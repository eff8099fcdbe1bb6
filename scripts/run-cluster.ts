/**
 * A cluster of several machines on this one, in network namespaces (Linux, root).
 *   npm run cluster -- --nodes 3: starts it, prints its addresses, and stops it on Ctrl-C.
 *   npm run test:cluster -- --from 1 --to 20 [--results FILE]: one schedule of faults after another, each drawn from its number, under
 *     load; appends one line for each to the file.
 * All of it has its own namespaces of network, mounts, memory and processes: however it ends, the kernel removes them. Only its folder and
 * empty control groups stay, if this process is killed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { removeGroups } from '../test/cluster/disk.ts'
import { missingPrograms } from '../test/cluster/programs.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions({
  args: process.argv.slice(2),
  options: {
    nodes: { type: 'string' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '1' },
    results: { type: 'string', default: join(tmpdir(), 'malipo-cluster-results.txt') },
  },
})

function endWith(message: string): never {
  process.stdout.write(`${message}\n`)
  process.exit(2)
}

const missing = missingPrograms()
if (missing.length > 0) endWith(`The cluster needs programs that are not here. Install them:\n${missing.join('\n')}`)
if (process.getuid!() !== 0) endWith('The cluster needs root, for network namespaces.')
if (values.nodes !== undefined && values.nodes !== '3') endWith('The cluster has three database machines: --nodes 3.')

const unshare = ['--net', '--mount', '--ipc', '--pid', '--fork', '--mount-proc', '--kill-child']
if (spawnSync('unshare', [...unshare, 'true']).status !== 0) endWith('This machine does not let root make namespaces.')

/** The shell is process 1 and collects the processes that PostgreSQL's start leaves to it. libfaketime names files in /dev/shm by process ids. */
const inside = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && mount -t tmpfs tmpfs /dev/shm && "$@"; exit $?'
const program = join(import.meta.dirname, `../test/cluster/${values.nodes ? 'show' : 'schedules'}.ts`)
const folder = mkdtempSync(join(tmpdir(), 'malipo-cluster-'))
const words = [folder, values.from, values.to, values.results]
const child = spawn('unshare', [...unshare, 'sh', '-c', inside, 'sh', process.execPath, program, ...words], {
  stdio: ['pipe', 'inherit', 'inherit'],
  env: { ...process.env, TMPDIR: folder },
})
process.stdout.write(`A shell on its network: nsenter -t ${child.pid} -n -m. Logs: ${folder}\n`)
// The program ends when its standard input does, so also when this process is killed; the kernel then ends everything in its namespaces.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.stdin!.end())
child.once('exit', (code) => {
  removeGroups(basename(folder))
  // After a failure its logs are wanted.
  if (code !== 1) rmSync(folder, { recursive: true, force: true })
  process.exit(code ?? 1)
})
