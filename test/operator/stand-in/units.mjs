/** Reads unit files, as far as the units of the operations pages go: see systemd.service(5) and systemd.exec(5). */
import { existsSync, readFileSync } from 'node:fs'

const places = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system']

const isNo = (value) => /^(no|false|off|0)?$/.test(value ?? '')

/** Words as systemd splits them: quotes keep spaces. */
export function splitWords(text) {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

/** The variables of an EnvironmentFile. */
function readVariables(path) {
  const isOptional = path.startsWith('-')
  const file = isOptional ? path.slice(1) : path
  if (isOptional && !existsSync(file)) return {}
  const lines = readFileSync(file, 'utf8').split('\n')
  const pairs = lines.map((line) => /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line)).filter(Boolean)
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value.trim().replace(/^(["'])(.*)\1$/s, '$2')]))
}

/** Puts the environment into a command: `$NAME` becomes words, `${NAME}` a part of one. */
export function commandOf(line, env) {
  return splitWords(line.replace(/^[-@:+!]+/, '')).flatMap((word) => {
    const whole = /^\$(\w+)$/.exec(word)
    if (whole) return splitWords(env[whole[1]] ?? '')
    return [word.replaceAll(/\$\{(\w+)\}/g, (_, name) => env[name] ?? '')]
  })
}

/** Settings as name and value pairs, from a file or from `-p` options. A setting that is set to nothing forgets the values before. */
function collect(pairs) {
  const all = new Map()
  for (const [name, value] of pairs) all.set(name, value === '' ? [] : [...(all.get(name) ?? []), value])
  return all
}

export function serviceOf(pairs) {
  const all = collect(pairs)
  const one = (name) => all.get(name)?.at(-1)
  const user = one('User') ?? 'root'
  const assigned = Object.fromEntries(
    (all.get('Environment') ?? []).flatMap(splitWords).map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]),
  )
  const env = Object.assign({ ...assigned }, ...(all.get('EnvironmentFile') ?? []).map(readVariables))
  return {
    user,
    isDynamic: !isNo(one('DynamicUser')),
    env,
    type: one('Type') ?? 'simple',
    folder: one('WorkingDirectory')?.replace(/^~$/, '') ?? '/',
    before: all.get('ExecStartPre') ?? [],
    start: one('ExecStart'),
    reload: one('ExecReload'),
    pidFile: one('PIDFile'),
    restart: one('Restart') ?? 'no',
    restartMs: Number.parseFloat(one('RestartSec') ?? '0.1') * 1000,
    stopSignal: one('KillSignal') ?? 'SIGTERM',
    stopMs: Number.parseFloat(one('TimeoutStopSec') ?? '90') * 1000,
    stateFolder: one('StateDirectory'),
    stateMode: one('StateDirectoryMode') ?? '0755',
    runtimeFolder: one('RuntimeDirectory'),
    umask: one('UMask') ?? '0022',
    noNewPrivileges: !isNo(one('NoNewPrivileges')),
  }
}

/** The settings of a unit's file, or undefined when there is none. */
export function readUnit(unit) {
  const [, base, instance] = /^([^@]+)(?:@(.*))?\.service$/.exec(unit)
  const names = instance === undefined ? [unit] : [unit, `${base}@.service`]
  const file = places.flatMap((place) => names.map((name) => `${place}/${name}`)).find((path) => existsSync(path))
  if (file === undefined) return undefined
  const text = readFileSync(file, 'utf8')
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll('%i', instance ?? '')
  const section = /^\[Service\]\n([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(text)?.[1] ?? ''
  const lines = section
    .split('\n')
    .map((line) => /^([A-Z]\w+)=(.*)$/.exec(line))
    .filter(Boolean)
  return serviceOf(lines.map(([, name, value]) => [name, value.trim()]))
}
