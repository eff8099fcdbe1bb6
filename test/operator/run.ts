/**
 * `npm run test:operator`: follows the operations pages from an empty machine on (README.md). This process only starts the
 * namespace and waits; the run is in `follow-pages.ts`. `--stay` leaves the machine open at the end, for a look into it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../../scripts/read-options.ts'

const { values: options } = readOptions({ options: { stay: { type: 'boolean', default: false } } })

/** What is missing for a run here, or undefined. */
function missing(): string | undefined {
  if (process.platform !== 'linux') return 'this machine is not a Linux'
  if (process.getuid?.() !== 0) return 'it needs root, for a mount namespace and other users'
  for (const program of ['unshare', 'nsenter', 'chroot', 'runuser', 'setpriv', 'ip', 'git', 'apt-get', 'pg_createcluster']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`
  }
  if (spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true']).status !== 0) {
    return 'namespaces are not allowed here'
  }
  return undefined
}

const reason = missing()
if (reason !== undefined) {
  process.stdout.write(`Skipped, all of it: ${reason}. See test/operator/README.md.\n`)
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), 'malipo-operator-'))
// The namespace ends with this process, however it ends, and all its processes with the first one of them.
const ending = '--pdeathsig KILL unshare --fork --kill-child'
const spaces = '--mount --propagation private --mount-proc --pid --net --ipc'
const script = 'ip link set lo up; "$@"; exit $?'
const program = [process.execPath, join(import.meta.dirname, 'follow-pages.ts'), folder, ...(options.stay ? ['--stay'] : [])]
const child = spawn('setpriv', [...`${ending} ${spaces}`.split(' '), 'bash', '-c', script, 'bash', ...program], {
  stdio: ['ignore', 'inherit', 'inherit', openSync('/proc/self/ns/net', 'r')],
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGKILL'))
child.once('exit', (code) => {
  rmdirSync(folder)
  process.exit(code ?? 1)
})
