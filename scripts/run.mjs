/**
 * `node scripts/run.mjs scripts/run-tests.ts …`: installs missing packages, then runs that file with the following arguments. Like the
 * installation check, it starts before anything is installed, with any Node: plain JavaScript, no packages.
 */
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [file, ...args] = process.argv.slice(2)
const path = join(root, file)

// Ctrl-C reaches the installation as well: it says what to do, and this process ends after it.
const waitForCheck = () => undefined
process.on('SIGINT', waitForCheck)
const check = spawnSync(process.execPath, [join(root, 'scripts/ensure-installed.mjs')], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.off('SIGINT', waitForCheck)
if (check.status !== 0) process.exit(check.status ?? 1)

if (Number.parseInt(process.versions.node, 10) >= 24) {
  process.argv = [process.execPath, path, ...args]
  await import(pathToFileURL(path).href)
} else {
  // The first run on a machine with an older Node: the packages have installed the right one.
  const child = spawn(join(root, 'node_modules/.bin/node'), [path, ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
