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

export type Proxy = {
  /** Where each cell is asked by its own host name; each of these addresses reaches all cells. */
  settingsOf(place: number): Record<string, string>
  start(cells: readonly Upstream[]): Promise<void>
  /** Seconds of processor time that the proxy has used. */
  cpuSeconds(): number
}

/** The own host name of a cell is an address of this machine: 127.0.0.1 for the first one, 127.0.0.2 for the second. */
const hostOf = (place: number): string => `127.0.0.${place + 1}`

export async function prepareProxy(t: Ending): Promise<Proxy> {
  const [api, checkout] = await freePorts(2)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-cells-'))
  let pid: number | undefined
  return {
    settingsOf: (place) => ({
      BASE_URL: `http://${hostOf(place)}:${api}`,
      CHECKOUT_BASE_URL: `http://${hostOf(0)}:${checkout}`,
      PROVIDER_CALLBACK_BASE_URL: `http://${hostOf(0)}:${api}`,
      TRUSTED_PROXIES: '1',
    }),

    async start(cells) {
      const named = cells.map((cell, place) => ({ ...cell, hosts: [hostOf(place)], api: [cell.api], checkout: [cell.checkout] }))
      const file = { bind: { api: `:${api}`, checkout: `:${checkout}` }, default: cells[0]!.name, cells: named }
      writeFileSync(join(folder, 'cells.json'), JSON.stringify(file))
      const program = [join(root, 'server/start/ops.ts'), 'cells', 'proxy', '--file', join(folder, 'cells.json')]
      writeFileSync(join(folder, 'haproxy.cfg'), `${execFileSync(process.execPath, program, { encoding: 'utf8' })}\n`)
      const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
      const gone = new Promise((resolve) => child.once('exit', resolve))
      pid = child.pid
      t.after(async () => {
        child.kill('SIGTERM')
        await gone
        rmSync(folder, { recursive: true, force: true })
      })
      const isReady = async (place: number): Promise<boolean> => {
        assert.equal(child.exitCode, null, said)
        const asked = await fetch(`http://${hostOf(place)}:${api}/readyz`).catch(() => undefined)
        await asked?.arrayBuffer()
        return asked?.status === 200
      }
      for (const place of cells.keys()) await eventually(`the proxy reaches cell ${place + 1}`, () => isReady(place), 30_000)
    },

    cpuSeconds() {
      // The name of the program is in parentheses; user and system time are fields 14 and 15 (proc(5)), in hundredths.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
  }
}
