#!/usr/bin/env node
/**
 * `systemctl`, `systemd-run` and `journalctl` on a machine where systemd is not process 1, for `npm run test:operator`. Starts
 * services from their real unit files: user, environment, folders, umask, restarts, stop signals. It does not build the sandbox of
 * a unit, and nothing starts at boot. Any Node, no packages.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { commandOf, readUnit, serviceOf } from './units.mjs'

const [state, logs] = ['/run/stand-in', '/var/log/stand-in']
for (const folder of [state, logs]) mkdirSync(folder, { recursive: true })

const nameOf = (word) => (word.endsWith('.service') ? word : `${word}.service`)
const stateOf = (unit) => `${state}/${unit}`
const logOf = (unit) => `${logs}/${unit}.log`

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const pause = (ms) => new Promise((resolve) => void setTimeout(resolve, ms))

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The supervisor and the process of a unit, or undefined when it does not run. */
function running(unit) {
  try {
    const pids = JSON.parse(readFileSync(stateOf(unit), 'utf8'))
    return isAlive(pids.supervisor) ? pids : undefined
  } catch {
    return undefined
  }
}

/** The user of the service, when systemd would make it up, and its folders. */
function makePlace(service) {
  if (service.isDynamic && spawnSync('id', [service.user], { stdio: 'ignore' }).status !== 0) {
    spawnSync('useradd', ['--system', '--user-group', '--no-create-home', service.user])
  }
  const folders = [
    [service.stateFolder, '/var/lib', service.stateMode],
    [service.runtimeFolder, '/run', '0755'],
  ]
  for (const [name, above, mode] of folders) {
    if (name !== undefined) spawnSync('install', ['-d', '-m', mode, '-o', service.user, '-g', service.user, `${above}/${name}`])
  }
}

/** The command as the user of the service. */
function asUser(service, words) {
  const rights = service.noNewPrivileges ? ['--no-new-privs'] : []
  return ['setpriv', `--reuid=${service.user}`, `--regid=${service.user}`, '--init-groups', ...rights, '--', ...words]
}

function environmentOf(service) {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', LANG: 'C.UTF-8', USER: service.user, ...service.env }
}

/** Starts the process of a unit, and again when it ends, until it is told to stop. */
async function supervise(unit) {
  const service = readUnit(unit)
  let isStopping = false
  let child
  const note = () => writeFileSync(stateOf(unit), JSON.stringify({ supervisor: process.pid, main: child?.pid }))
  process.on('SIGTERM', () => {
    isStopping = true
    const process_ = child
    process_?.kill(service.stopSignal)
    setTimeout(() => process_?.kill('SIGKILL'), service.stopMs).unref()
  })
  while (!isStopping) {
    const [command, ...words] = asUser(service, commandOf(service.start, service.env))
    process.umask(Number.parseInt(service.umask, 8))
    child = spawn(command, words, { cwd: service.folder, env: environmentOf(service), stdio: ['ignore', 'inherit', 'inherit'] })
    note()
    const code = await new Promise((resolve) => void child.once('close', resolve).once('error', () => resolve(1)))
    const isAgain = service.restart === 'always' || (service.restart !== 'no' && code !== 0)
    if (isStopping || !isAgain) break
    child = undefined
    note()
    await pause(service.restartMs)
  }
  rmSync(stateOf(unit), { force: true })
}

function runToEnd(service, line) {
  const [command, ...words] = asUser(service, commandOf(line, service.env))
  const { status } = spawnSync(command, words, { cwd: service.folder, env: environmentOf(service), stdio: ['ignore', 2, 2] })
  return status
}

async function start(unit) {
  const service = readUnit(unit) ?? fail(`Unit ${unit} not found.`)
  if (running(unit)) return
  makePlace(service)
  for (const line of service.before) if (runToEnd(service, line) !== 0) fail(`${unit}: ${line} failed`)
  if (service.type === 'forking') {
    if (runToEnd(service, service.start) !== 0) fail(`Job for ${unit} failed.`)
    const pid = Number(readFileSync(service.pidFile, 'utf8'))
    return void writeFileSync(stateOf(unit), JSON.stringify({ supervisor: pid, main: pid }))
  }
  const log = openSync(logOf(unit), 'a')
  const words = [process.argv[1], 'supervise', unit]
  spawn(process.execPath, words, { detached: true, stdio: ['ignore', log, log], argv0: 'supervise' }).unref()
  closeSync(log)
  // `systemctl start` waits until the program has been executed.
  for (let tries = 0; tries < 50 && !running(unit)?.main; tries += 1) await pause(100)
}

async function stop(unit) {
  const pids = running(unit)
  if (pids === undefined) return
  process.kill(pids.supervisor, 'SIGTERM')
  while (isAlive(pids.supervisor)) await pause(50)
  rmSync(stateOf(unit), { force: true })
}

function reload(unit) {
  const service = readUnit(unit) ?? fail(`Unit ${unit} not found.`)
  const pids = running(unit) ?? fail(`Unit ${unit} is not active.`)
  if (runToEnd(service, service.reload.replace('$MAINPID', String(pids.main))) !== 0) fail(`Job for ${unit} failed.`)
}

async function systemctl(words) {
  const [verb, ...names] = words.filter((word) => !word.startsWith('-'))
  const units = names.map(nameOf)
  const each = async (act) => {
    for (const unit of units) await act(unit)
  }
  switch (verb) {
    case 'daemon-reload':
      return
    case 'enable':
      for (const unit of units) if (!readUnit(unit)) fail(`Unit ${unit} does not exist.`)
      if (words.includes('--now')) await each(start)
      return
    case 'disable':
      if (words.includes('--now')) await each(stop)
      return
    case 'start':
      return each(start)
    case 'stop':
      return each(stop)
    case 'restart':
      await each(stop)
      return each(start)
    case 'reload':
      return each(reload)
    case 'is-active': {
      const states = units.map((unit) => (running(unit) ? 'active' : 'inactive'))
      process.stdout.write(`${states.join('\n')}\n`)
      process.exitCode = states.includes('inactive') ? 3 : 0
      return
    }
    default:
      fail(`systemctl ${verb}: this stand-in does not know it`)
  }
}

/** `systemd-run --pipe --wait`: one command with the settings of a unit. */
function systemdRun(words) {
  const pairs = []
  let at = 0
  for (; words[at]?.startsWith('-'); at += 1) {
    const [option, value] = words[at].startsWith('--property=') ? ['-p', words[at].slice(11)] : [words[at], undefined]
    if (option === '-p') {
      const pair = value ?? words[(at += 1)]
      pairs.push([pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)])
    } else if (option.startsWith('--uid=')) pairs.push(['User', option.slice(6)])
    else if (!/^(--pipe|--wait|--quiet|--collect|-[PGq]+)$/.test(option))
      fail(`systemd-run ${option}: this stand-in does not know it`)
  }
  const service = serviceOf(pairs)
  makePlace(service)
  process.umask(Number.parseInt(service.umask, 8))
  const [command, ...rest] = asUser(service, words.slice(at))
  const { status } = spawnSync(command, rest, { cwd: service.folder, env: environmentOf(service), stdio: 'inherit' })
  process.exitCode = status ?? 1
}

function journalctl(words) {
  const unit = nameOf(words[words.findIndex((word) => word === '-u' || word === '--unit') + 1])
  process.stdout.write(existsSync(logOf(unit)) ? readFileSync(logOf(unit)) : '')
}

const words = process.argv.slice(2)
const program = basename(process.argv[1])
if (words[0] === 'supervise') await supervise(words[1])
else if (program === 'systemctl') await systemctl(words)
else if (program === 'systemd-run') systemdRun(words)
else journalctl(words)
