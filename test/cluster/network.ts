/**
 * Machines of a network that exist on this machine only: one network namespace each, on one bridge. They belong to the namespaces of the
 * process that `scripts/run-cluster.ts` started, and vanish with it, however it ends.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (...words: string[]) => run('ip', words)

export const subnet = '10.46.0.0/24'
/** Where the simulator and the clients are: no fault reaches this address. */
export const outside = '10.46.0.254'

/** An address that no network card has: frames to it are lost without a reply, as in a real partition. */
const nowhere = '02:00:00:00:00:99'

export type Machine = {
  name: string
  address: string
  /** Starts a program on this machine, its output appended to the file. The process id is the program's own. */
  spawn(words: string[], logFile: string, env?: NodeJS.ProcessEnv): ChildProcess
  /** Sends a signal to all processes of the machine; with `only`, to those whose command line contains it. */
  signal(signal: NodeJS.Signals, only?: string): Promise<void>
  /** Whether a process runs there; with `only`, one whose command line contains it. */
  runs(only?: string): Promise<boolean>
}

export type Network = {
  /** Its programs are started through these words. */
  add(name: string, address: string, through?: readonly string[]): Promise<Machine>
  /** Loses everything that one machine sends to the other; the opposite way is not changed. */
  block(from: Machine, to: Machine): Promise<void>
  healAll(): Promise<void>
}

export async function makeNetwork(): Promise<Network> {
  await ip('link', 'set', 'lo', 'up')
  await ip('link', 'add', 'bridge', 'type', 'bridge')
  await ip('addr', 'add', `${outside}/24`, 'dev', 'bridge')
  await ip('link', 'set', 'bridge', 'up')
  const blocked = new Map<string, [Machine, Machine]>()

  async function pidsOf(name: string, only = ''): Promise<number[]> {
    const { stdout } = await ip('netns', 'pids', name)
    const words = (pid: string) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const found = await Promise.all(
      stdout
        .split('\n')
        .filter(Boolean)
        .map(async (pid) => ({ pid, words: await words(pid) })),
    )
    return found.filter(({ words: own }) => own.includes(only)).map(({ pid }) => Number(pid))
  }

  return {
    async add(name, address, through = []) {
      await ip('netns', 'add', name)
      await ip('link', 'add', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      await ip('link', 'set', `to-${name}`, 'master', 'bridge', 'up')
      await ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      for (const card of ['lo', 'eth0']) await ip('-n', name, 'link', 'set', card, 'up')
      return {
        name,
        address,
        spawn(words, logFile, env = process.env) {
          const log = openSync(logFile, 'a')
          const [program, ...rest] = [...through, 'ip', 'netns', 'exec', name, ...words] as [string, ...string[]]
          const child = spawn(program, rest, { env, cwd: '/', stdio: ['ignore', log, log] })
          closeSync(log)
          return child
        },
        async signal(signal, only) {
          for (const pid of await pidsOf(name, only)) {
            try {
              process.kill(pid, signal)
            } catch {
              // It ended in the meantime.
            }
          }
        },
        runs: async (only) => (await pidsOf(name, only)).length > 0,
      }
    },
    async block(from, to) {
      await ip('-n', from.name, 'neigh', 'replace', to.address, 'lladdr', nowhere, 'dev', 'eth0', 'nud', 'permanent')
      blocked.set(`${from.name} ${to.name}`, [from, to])
    },
    async healAll() {
      for (const [from, to] of blocked.values()) await ip('-n', from.name, 'neigh', 'del', to.address, 'dev', 'eth0')
      blocked.clear()
    },
  }
}
