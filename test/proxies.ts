/** Starts the reverse proxies of ops/ as an operator would, with a certificate of their own, and calls them over HTTP/2. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { eventually, freePorts } from './app.ts'

const root = join(import.meta.dirname, '..')

export const hosts = { api: 'api.malipo.example', checkout: 'pay.malipo.example', documents: 'files.malipo.example' } as const
export type HostName = keyof typeof hosts
/** The ports of the processes behind each host. */
export type Upstreams = Record<HostName, readonly [string, string]>

export type ProxyName = 'nginx' | 'caddy'

export type Answered = { status: number; headers: Record<string, string>; raw: Buffer; text: string; json(): any }

export type Proxy = {
  ask(
    host: HostName,
    request: { method?: string; path: string; headers?: Record<string, string>; body?: Buffer | string; from?: string },
  ): Promise<Answered>
  /** Sends bytes over one connection of HTTP/1.1, and returns what comes back until it is closed or silent for a second. */
  sendRaw(host: HostName, bytes: string): Promise<string>
  /** The status and the target of a request without TLS. */
  askPlain(host: HostName): Promise<{ status: number; location: string | undefined }>
  /** The lines of its log of requests; of Caddy, which has none, all that it prints, as if each line were a warning. */
  log(): string
}

type Place = { folder: string; tls: number; plain: number; upstreams: Upstreams }

/** Replaces text that must be there, so that a changed sample does not leave a test without effect. */
function swap(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), `the sample contains ${from}`)
  return text.replaceAll(from, to)
}

function nginxConfiguration({ folder, tls, plain, upstreams }: Place): string[] {
  let sample = readFileSync(join(root, 'ops/nginx.conf'), 'utf8')
  sample = swap(sample, 'listen 443 ', `listen 127.0.0.1:${tls} `)
  sample = sample.replaceAll(/listen 80(?=[ ;])/g, `listen 127.0.0.1:${plain}`)
  sample = swap(sample, '/etc/malipo/tls', folder)
  sample = swap(sample, '/var/log/nginx', folder)
  for (const [port, [one, two]] of [
    [3000, upstreams.api],
    [3001, upstreams.checkout],
    [3002, upstreams.documents],
  ] as const) {
    const options = 'max_fails=2 fail_timeout=5s;'
    sample = swap(sample, `  server 127.0.0.1:${port} ${options}`, `  server ${one} ${options}\n  server ${two} ${options}`)
  }
  writeFileSync(join(folder, 'malipo.conf'), sample)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const whole = `${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 512; }
    http { ${temporary.join(' ')} include ${folder}/malipo.conf; }`
  writeFileSync(join(folder, 'nginx.conf'), whole)
  return ['-c', join(folder, 'nginx.conf'), '-p', folder]
}

function caddyConfiguration({ folder, tls, plain, upstreams }: Place): string[] {
  let sample = readFileSync(join(root, 'ops/Caddyfile'), 'utf8')
  sample = swap(sample, '{\n\tservers {', `{\n\tadmin off\n\tdebug\n\thttp_port ${plain}\n\thttps_port ${tls}\n\tservers {`)
  sample = swap(sample, 'reverse_proxy 127.0.0.1:{args.0} {', 'reverse_proxy {args.0} {args.1} {')
  sample = swap(sample, 'lb_policy {args.1}', 'lb_policy {args.2}')
  const ofTest = `bind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`
  sample = swap(sample, '\nhttps:// {', `\nhttps:// {\n\t${ofTest}`)
  for (const [name, port] of [
    ['api', 3000],
    ['checkout', 3001],
    ['documents', 3002],
  ] as const) {
    sample = swap(sample, `\n${hosts[name]} {`, `\n${hosts[name]} {\n\t${ofTest}`)
    sample = swap(sample, `import processes ${port}`, `import processes ${upstreams[name].join(' ')}`)
  }
  writeFileSync(join(folder, 'Caddyfile'), sample)
  return ['--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}

const kinds: Record<
  ProxyName,
  { program: string; configure(place: Place): string[]; check(words: string[]): string[]; run(words: string[]): string[] }
> = {
  nginx: {
    program: 'nginx',
    configure: nginxConfiguration,
    check: (words) => ['-t', ...words],
    run: (words) => words,
  },
  caddy: {
    program: 'caddy',
    configure: caddyConfiguration,
    check: (words) => ['validate', ...words],
    run: (words) => ['run', ...words],
  },
}

/** Why the proxy cannot run here; undefined where it can. */
export function whyNot(name: ProxyName): string | undefined {
  for (const [program, word] of [
    [kinds[name].program, name === 'nginx' ? '-v' : 'version'],
    ['openssl', 'version'],
  ] as const) {
    if (spawnSync(program, [word]).error) return `SKIPPED: ${program} is not installed, so ${name} was not started`
  }
  return undefined
}

function makeCertificate(folder: string): string {
  const names = Object.values(hosts).map((host) => `DNS:${host}`)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', join(folder, 'privkey.pem')]
  const certificate = join(folder, 'fullchain.pem')
  const facts = ['-subj', '/CN=malipo.example', '-addext', `subjectAltName=${names.join(',')}`, '-days', '2', '-out', certificate]
  execFileSync('openssl', ['req', '-x509', ...key, ...facts], { stdio: 'ignore' })
  return readFileSync(certificate, 'utf8')
}

/** Checks the configuration with the proxy's own program, starts it, and waits until it answers. */
export async function startProxy(t: TestContext, name: ProxyName, upstreams: Upstreams): Promise<Proxy> {
  const { program, configure, check, run } = kinds[name]
  const folder = mkdtempSync(join(tmpdir(), `malipo-${name}-`))
  const [tls, plain] = await freePorts(2)
  const ca = makeCertificate(folder)
  const words = configure({ folder, tls: tls!, plain: plain!, upstreams })
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const checked = spawnSync(program, check(words), { env, encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const child: ChildProcess = spawn(program, run(words), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr!.on('data', (piece: Buffer) => (output += piece.toString()))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const sessions = new Set<ClientHttp2Session>()
  t.after(async () => {
    for (const session of sessions) session.destroy()
    child.kill('SIGTERM')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })

  /** One connection for each request: a client must not see how another one's connection ended. */
  async function ask(
    host: HostName,
    { method = 'GET', path, headers = {}, body, from }: Parameters<Proxy['ask']>[1],
  ): Promise<Answered> {
    const servername = hosts[host]
    const session = connectHttp2(`https://${servername}:${tls}`, {
      createConnection: () =>
        connectTls({
          host: '127.0.0.1',
          port: tls!,
          servername,
          ca,
          ALPNProtocols: ['h2'],
          ...(from !== undefined && { localAddress: from }),
        }),
    })
    sessions.add(session)
    try {
      return await new Promise<Answered>((resolve, reject) => {
        session.once('error', reject)
        const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
        const pieces: Buffer[] = []
        let seen: Record<string, string> = {}
        stream.once('response', (given) => (seen = given as unknown as Record<string, string>))
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        const finish = (): void => {
          if (seen[':status'] === undefined) return reject(new Error(`${method} ${path} has no answer`))
          const raw = Buffer.concat(pieces)
          const text = raw.toString()
          return resolve({ status: Number(seen[':status']), headers: seen, raw, text, json: () => JSON.parse(text) })
        }
        // An upload that is refused early is answered before its end, and then cut.
        stream.once('end', finish)
        stream.once('close', finish)
        stream.once('error', finish)
        if (body !== undefined) stream.end(body)
      })
    } finally {
      sessions.delete(session)
      session.destroy()
    }
  }

  await eventually(`${name} answers: ${output}`, () =>
    ask('api', { path: '/livez' }).then(
      () => true,
      () => false,
    ),
  )
  return {
    ask,
    sendRaw: (host, bytes) =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ host: '127.0.0.1', port: tls!, servername: hosts[host], ca, ALPNProtocols: ['http/1.1'] })
        let answered = ''
        socket.setTimeout(1_000, () => socket.destroy())
        socket.on('data', (piece: Buffer) => (answered += piece.toString('latin1')))
        socket.once('error', reject).once('close', () => resolve(answered))
        socket.write(Buffer.from(bytes, 'latin1'))
      }),
    askPlain: (host) =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port: plain, headers: { host: hosts[host] } }, (response) => {
          response.resume()
          resolve({ status: response.statusCode!, location: response.headers.location })
        })
          .once('error', reject)
          .end()
      }),
    log: () => (name === 'nginx' ? readFileSync(join(folder, 'malipo.log'), 'utf8') : output),
  }
}
