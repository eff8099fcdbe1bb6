/** HAProxy in front of several cells, started with what `malipo-ops cells proxy` prints. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, freePorts, type Ending } from '../app.ts'

const root = join(import.meta.dirname, '../..')

/** Why there is no proxy here; false where there is one. */
export const noProxy: string | false = spawnSync('haproxy', ['-v']).error
  ? 'SKIPPED: HAProxy is not installed, so no two cells were started behind it: apt-get install haproxy'
  : false

export type Upstream = { name: string; homes: string; api: string; checkout: string }

/** Processor time of a proxy, in seconds. */
export type Running = { cpuSeconds(): number }

export type Proxy = {
  /** Where each cell is asked by its own host name; each of these addresses reaches all cells. */
  settingsOf(place: number): Record<string, string>
  start(cells: readonly Upstream[]): Promise<Running>
}

/** The own host name of a cell is an address of this machine: 127.0.0.1 for the first one, 127.0.0.2 for the second. */
const hostOf = (place: number): string => `127.0.0.${place + 1}`

/** Runs HAProxy until the test ends, and waits until each address is answered. */
async function run(t: Ending, configuration: string, addresses: readonly string[]): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-cells-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, `${configuration}\n`)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGTERM')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  for (const address of addresses) {
    await eventually(
      `the proxy answers at ${address}`,
      async () => {
        assert.equal(child.exitCode, null, said)
        const asked = await fetch(`http://${address}/readyz`).catch(() => undefined)
        await asked?.arrayBuffer()
        return asked?.status === 200
      },
      30_000,
    )
  }
  return {
    cpuSeconds() {
      // The name of the program is in parentheses; user and system time are fields 14 and 15 (proc(5)), in hundredths.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
  }
}

export async function prepareProxy(t: Ending): Promise<Proxy> {
  const [api, checkout] = await freePorts(2)
  return {
    settingsOf: (place) => ({
      BASE_URL: `http://${hostOf(place)}:${api}`,
      CHECKOUT_BASE_URL: `http://${hostOf(0)}:${checkout}`,
      PROVIDER_CALLBACK_BASE_URL: `http://${hostOf(0)}:${api}`,
      TRUSTED_PROXIES: '1',
    }),

    async start(cells) {
      const folder = mkdtempSync(join(tmpdir(), 'malipo-cells-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const path = join(folder, 'cells.json')
      const named = cells.map((cell, place) => ({ ...cell, hosts: [hostOf(place)], api: [cell.api], checkout: [cell.checkout] }))
      const file = { bind: { api: `:${api}`, checkout: `:${checkout}` }, default: cells[0]!.name, cells: named }
      writeFileSync(path, JSON.stringify(file))
      const words = [join(root, 'server/start/ops.ts'), 'cells', 'proxy', '--file', path]
      const configuration = execFileSync(process.execPath, words, { encoding: 'utf8' })
      const addresses = [...cells.keys()].map((place) => `${hostOf(place)}:${api}`)
      return run(t, configuration, addresses)
    },
  }
}

/** A proxy that knows no cells, with the same timeouts: what HAProxy costs by itself. */
export async function startPlainProxy(t: Ending, to: string): Promise<Running & { url: string }> {
  const [port] = await freePorts(1)
  const configuration = `global
  nbthread 1
defaults
  mode http
  option forwardfor
  timeout connect 5s
  timeout client 75s
  timeout server 75s
listen api
  bind :${port}
  server api ${to}`
  const running = await run(t, configuration, [`127.0.0.1:${port}`])
  return { ...running, url: `http://127.0.0.1:${port}` }
}
