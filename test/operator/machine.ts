/**
 * A fresh machine for one run: this machine's files under an overlay whose changes are kept in memory, with its own processes,
 * mounts and network (loopback only). Invariant: nothing outside of the overlay changes, and everything ends with the first
 * process of the namespace.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export type Command = {
  as?: string
  /** The folder inside the machine. */
  folder?: string
  env?: Record<string, string>
  /** In the network of the real machine, for the package registries. */
  isOnline?: boolean
  input?: string
  timeoutMs?: number
}

export class CommandFailed extends Error {
  readonly output: string

  constructor(script: string, outcome: string, output: string) {
    super(`${outcome}: ${script}`)
    this.output = output
  }
}

/** The network of the real machine: an open file that the start of the namespace passes on. */
export const realNetwork = 3

const homes: Record<string, string> = { root: '/root', postgres: '/var/lib/postgresql', malipo: '/var/lib/malipo' }

/** The search path of a login on this machine, without our packages, and first the stand-ins. */
const path = [
  '/usr/local/sbin',
  ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => !/node_modules|node-gyp-bin/.test(folder)),
  '/usr/sbin',
  '/sbin',
].join(delimiter)

/** What reaches registries from here: proxies and certificates. */
const passedOn = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i.test(name)),
)

function mount(...words: string[]): void {
  const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount ${words.join(' ')}: ${stderr.trim()}`)
}

/** Mounts the overlay in an empty folder. The namespace must be our own. */
function mountOverlay(folder: string): string {
  mount('-t', 'tmpfs', '-o', 'size=75%', 'tmpfs', folder)
  const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(folder, name)) as [string, string, string]
  for (const part of [upper, work, root]) mkdirSync(part)
  mount('-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`, root)
  mount('-t', 'proc', 'proc', join(root, 'proc'))
  mount('--rbind', '/dev', join(root, 'dev'))
  mount('-t', 'tmpfs', 'tmpfs', join(root, 'dev/shm'))
  for (const part of ['tmp', 'run']) mount('-t', 'tmpfs', 'tmpfs', join(root, part))
  chmodSync(join(root, 'dev/shm'), 0o1777)
  chmodSync(join(root, 'tmp'), 0o1777)
  return root
}

/** Every public name of the pages leads to this machine; the run itself sees the same names. */
const hosts = '127.0.0.1 localhost api.malipo.example pay.malipo.example files.malipo.example\n'

/** Commands of a machine without systemd as process 1: see README.md. */
const standIns = ['systemctl', 'systemd-run', 'journalctl']

export type Machine = ReturnType<typeof startMachine>

export function startMachine(folder: string) {
  const root = mountOverlay(folder)
  const inside = (file: string): string => join(root, file)

  /** Runs a script of bash; returns what it prints. Throws CommandFailed when it fails. */
  async function run(script: string, command: Command = {}): Promise<string> {
    const { as = 'root', folder: within = homes[as] ?? '/', env = {}, isOnline = false, input, timeoutMs = 300_000 } = command
    const variables = { PATH: path, LANG: 'C.UTF-8', HOME: homes[as] ?? '/', USER: as, ...(isOnline && passedOn), ...env }
    const entered = `${isOnline ? `nsenter --net=/proc/self/fd/${realNetwork} ` : ''}chroot ${root} runuser -u ${as} -- env -i`
    const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const whole = `cd ${existsSync(inside(within)) ? within : '/'}\n${script}`
    const words = [...entered.split(' '), ...assigned, 'bash', '--norc', '-euo', 'pipefail', '-c', whole]
    const child = spawn(words[0]!, words.slice(1), { stdio: ['pipe', 'pipe', 'pipe', ...(isOnline ? [realNetwork] : [])] })
    const pieces: Buffer[] = []
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (piece: Buffer) => void pieces.push(piece))
    child.stdin!.on('error', () => undefined).end(input ?? '')
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    const outcome = await new Promise<string | undefined>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code === 0 ? undefined : `exit ${signal ?? code}`))
    })
    clearTimeout(late)
    const output = Buffer.concat(pieces).toString()
    if (outcome !== undefined) throw new CommandFailed(script.trim(), outcome, output)
    return output
  }

  return {
    root,
    run,
    read: (file: string): string => readFileSync(inside(file), 'utf8'),
    exists: (file: string): boolean => existsSync(inside(file)),
    write(file: string, text: string, mode = 0o644): void {
      writeFileSync(inside(file), text, { mode })
    },
    /** Removes what an earlier installation on the real machine has left, and puts the stand-ins into the search path. */
    async prepare(): Promise<void> {
      for (const left of ['opt/malipo', 'etc/malipo', 'var/lib/malipo', 'var/lib/postgresql', 'etc/postgresql']) {
        rmSync(inside(left), { recursive: true, force: true })
      }
      await run('rm -rf /etc/systemd/system/malipo* && (userdel malipo 2>&1 || true)')
      await run('mkdir -p /run/lock /etc/postgresql')
      // Packages are installed in the real network: they must not start their services there.
      writeFileSync(inside('usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 })
      writeFileSync(inside('etc/hosts'), hosts)
      mount('--bind', inside('etc/hosts'), '/etc/hosts')
      for (const file of ['stand-in.mjs', 'units.mjs']) {
        cpSync(join(import.meta.dirname, 'stand-in', file), inside(`usr/local/sbin/${file}`))
      }
      chmodSync(inside('usr/local/sbin/stand-in.mjs'), 0o755)
      for (const name of standIns) {
        rmSync(inside(`usr/local/sbin/${name}`), { force: true })
        symlinkSync('stand-in.mjs', inside(`usr/local/sbin/${name}`))
      }
    },
  }
}
