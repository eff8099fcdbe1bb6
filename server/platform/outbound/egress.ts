/**
 * Outgoing HTTP to addresses that strangers choose. Invariant: nothing is ever sent to an address that was not vetted a moment
 * before: a name is resolved once, every address of the answer is judged, and the connection is made to a judged address, so a name
 * that changes its mind between the look-up and the connection (DNS rebinding) gains nothing.
 * Ranges: the IANA special-purpose registries for IPv4 and IPv6; transition forms of IPv6 carry an IPv4 address and are refused whole.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector, Pool, type Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { memoized } from '../process/memoized.ts'

/** Why an address is refused, in words that its owner can act on. */
export type TargetProblem =
  | 'malformed'
  | 'too_long'
  | 'not_https'
  | 'has_credentials'
  | 'has_fragment'
  | 'port_forbidden'
  | 'ip_literal'
  | 'own_host'
  | 'not_resolvable'
  | 'private_target'

export type FailureCode =
  /** The name does not exist, or has no address. */
  | 'dns_not_found'
  /** The name could not be looked up: our resolver, or one behind it, failed. Nothing was sent. */
  | 'dns_failure'
  /** The same, for want of any answer in time. */
  | 'dns_timeout'
  /** This machine could not open a socket, or has no route. Nothing was sent. */
  | 'local_failure'
  /** The address is, or has become, one that nothing may be sent to. Nothing was sent. */
  | 'blocked_target'
  | 'connection_refused'
  /** The connection ended before there was an answer. */
  | 'connection_reset'
  /** It ended in the middle of the answer. */
  | 'answer_incomplete'
  /** Nobody whom we trust has signed the certificate. */
  | 'tls_untrusted'
  /** The certificate's time is over, or has not come. */
  | 'tls_expired'
  /** The certificate is another host's. */
  | 'tls_wrong_host'
  /** TLS failed for another reason. */
  | 'tls_error'
  | 'timeout'
  /** What came back is not HTTP. */
  | 'protocol_error'

type Answer = { kind: 'answered'; status: number; body: string; retryAfterSeconds?: number }
type Failure = { kind: 'failed'; code: FailureCode }

export type EgressOutcome = (Answer | Failure) & { durationMs: number }

export type GetRequest = {
  /** Names in lower case; Host and Content-Length are set here. */
  headers: Record<string, string>
  /** For everything together: look-up, connection, TLS, headers, body. */
  deadlineMs: number
  /** After so many bytes of the answer the connection is cut; what was read counts as the answer. */
  maxAnswerBytes: number
  /** How many of them are given back. */
  keptBytes: number
}

export type PostRequest = GetRequest & { body: string }

/** All addresses of a name; rejects with the codes of `node:dns` (ENOTFOUND, ENODATA, ESERVFAIL, …). */
export type Resolver = (hostname: string) => Promise<string[]>

export type EgressOptions = {
  clock: Clock
  /** Admits plain http and this machine itself; for local use and tests only. */
  allowPrivate: boolean
  /** Our own addresses: sending to them would go in circles. */
  ownUrls: readonly string[]
  resolver?: Resolver
  /** Connections are kept for reuse to at most so many (host, address) pairs. */
  maxPools?: number
  /** Certificate authorities instead of the built-in ones, in PEM. */
  certificateAuthorities?: string[]
}

export type Egress = {
  /** What is wrong with an address that someone asks us to send to; undefined when nothing is. `unknown`: it could not be found out. */
  checkTarget(url: string): Promise<TargetProblem | 'unknown' | undefined>
  /** Sends once. A redirect is an answer like any other and is not followed. */
  post(url: string, request: PostRequest): Promise<EgressOutcome>
  /** Asks once; else as `post`. */
  get(url: string, request: GetRequest): Promise<EgressOutcome>
  /** Cuts all connections. */
  close(): Promise<void>
}

type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number]

const forbidden4: Cidr[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((cidr) => ipaddr.parseCIDR(cidr))

// Global unicast is 2000::/3 and nothing else: what lies outside (::/8 with the mapped, compatible and NAT64 forms, 100::/64,
// 5f00::/16, fc00::/7, fe80::/10, fec0::/10, ff00::/8) is refused without being named.
const global6: Cidr = ipaddr.parseCIDR('2000::/3')
// Inside it: IETF protocols (Teredo among them), documentation, 6to4.
const forbidden6: Cidr[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((cidr) => ipaddr.parseCIDR(cidr))

/** ISATAP (RFC 5214): under any prefix, the public ones included, the lower half may be 0:5efe or 200:5efe and an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
}

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv4
    ? !forbidden4.some((cidr) => parsed.match(cidr))
    : parsed.match(global6) && !forbidden6.some((cidr) => parsed.match(cidr)) && !isIsatap(parsed)
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

const loopbackName = /^(.+\.)?localhost$/
const maxUrlLength = 2048
/** Of addresses that have been judged, and of what was made of them. */
const maxKept = 2_000
// Ports at or above 1024 where something other than a web server listens: databases, and the "bad ports" of the fetch standard.
const otherServices = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566,
  6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200, 10080, 11211, 27017,
])

type Target = { origin: string; hostname: string; path: string }

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'http:' ? 80 : 443
}

/** The host without brackets and without the dot that may stand at the end of a name. */
function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** Everything that can be judged without asking anyone. */
function parseTarget(text: string, rules: Pick<EgressOptions, 'allowPrivate' | 'ownUrls'>): Target | { problem: TargetProblem } {
  if (text.length > maxUrlLength) return { problem: 'too_long' }
  // The parser would silently drop some of these, so that two readers of one address see two hosts.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) return { problem: 'malformed' }
  const url = new URL(text)
  const hostname = hostnameOf(url)
  const port = portOf(url)
  if (url.protocol !== 'https:' && !(rules.allowPrivate && url.protocol === 'http:')) return { problem: 'not_https' }
  if (hostname === '') return { problem: 'malformed' }
  if (url.username !== '' || url.password !== '') return { problem: 'has_credentials' }
  if (text.includes('#')) return { problem: 'has_fragment' }
  if (isIP(hostname) !== 0 && !(rules.allowPrivate && isLoopback(hostname))) return { problem: 'ip_literal' }
  const isWebPort = port === 443 || port >= 1024 || (url.protocol === 'http:' && port === 80)
  if (!isWebPort || otherServices.has(port)) return { problem: 'port_forbidden' }
  if (rules.ownUrls.some((own) => isSameHost(new URL(own), hostname, port))) return { problem: 'own_host' }
  // The dot at the end has done its work; in a certificate or a Host header it would be a stranger.
  if (url.hostname.endsWith('.')) url.hostname = hostname
  return { origin: url.origin, hostname, path: url.pathname + url.search }
}

function isSameHost(own: URL, hostname: string, port: number): boolean {
  const ownName = hostnameOf(own)
  const isHere = (name: string) => loopbackName.test(name) || isLoopback(name)
  // On one machine everybody has the same host: there only the port tells us apart.
  return isHere(ownName) ? isHere(hostname) && portOf(own) === port : ownName === hostname
}

const notFoundCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR'])

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Asks the name servers directly: unlike getaddrinfo it has a timeout, blocks no thread, and appends no search domains. */
function createResolver(): Resolver {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    if (loopbackName.test(hostname)) return ['127.0.0.1', '::1']
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const errors = [four, six].flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
    throw errors.find((error) => !notFoundCodes.has(codeOf(error))) ?? errors[0]
  }
}

type Vetted = { kind: 'vetted'; addresses: string[] } | Failure

/** IPv4 first, because it works nearly everywhere; within a family the name server's order, which spreads the load. */
function inOrderOfTrial(addresses: string[]): string[] {
  return addresses.toSorted((one, other) => isIP(one) - isIP(other))
}

/** An error that came before the first byte of the request left: another address may be tried. */
class NotConnected extends Error {
  readonly failure: FailureCode
  constructor(failure: FailureCode, cause?: Error) {
    super(`not connected: ${failure}`, { cause })
    this.failure = failure
  }
}

const localCodes = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'ENETUNREACH',
  'ENETDOWN',
  'EACCES',
  'EPERM',
])
const resetCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])
const timeoutCodes = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
const refusedCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN'])
const certificateFailures: Record<string, FailureCode> = {
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  CERT_UNTRUSTED: 'tls_untrusted',
  CERT_REVOKED: 'tls_untrusted',
}

function connectFailure(error: Error, isTls: boolean): FailureCode {
  const code = codeOf(error)
  if (localCodes.has(code)) return 'local_failure'
  if (refusedCodes.has(code)) return 'connection_refused'
  if (resetCodes.has(code)) return 'connection_reset'
  if (timeoutCodes.has(code)) return 'timeout'
  return isTls ? (certificateFailures[code] ?? 'tls_error') : 'protocol_error'
}

function exchangeFailure({ error, hasBegun }: Broken): FailureCode {
  const code = codeOf(error)
  const cut = hasBegun ? 'answer_incomplete' : 'connection_reset'
  if (timeoutCodes.has(code)) return 'timeout'
  if (resetCodes.has(code)) return cut
  // undici says UND_ERR_SOCKET both for a connection that ended and for an answer of the wrong kind (100, 101).
  if (code === 'UND_ERR_SOCKET') return error.message.startsWith('bad ') ? 'protocol_error' : cut
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return 'tls_error'
  return 'protocol_error'
}

function sameAddress(one: string | undefined, other: string): boolean {
  if (one === undefined || !ipaddr.isValid(one)) return false
  return ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function cleanText(chunks: Buffer[], keptBytes: number): string {
  if (chunks.length === 0) return ''
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  // No database column can hold NUL.
  return decoder.decode(bytes.subarray(0, keptBytes)).replaceAll('\0', '\ufffd')
}

function retryAfterOf(header: string | string[] | undefined, clock: Clock): number | undefined {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - clock.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** `hasBegun`: after the headers of the answer. */
type Broken = { kind: 'broken'; error: Error; hasBegun: boolean }
type Exchange = Answer | Broken

/** When everything must be over. Whoever waits for something says how to end that; one thing is waited for at a time. */
class Deadline {
  hasPassed = false
  onPass = (_error: Error): void => undefined
  readonly #timer: NodeJS.Timeout
  constructor(afterMs: number) {
    this.#timer = setTimeout(() => {
      this.hasPassed = true
      this.onPass(new Error('the deadline has passed'))
    }, afterMs)
  }
  clear(): void {
    clearTimeout(this.#timer)
  }
}

function makePool(options: EgressOptions, origin: string, address: string, connectTimeoutMs: number): Pool {
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    autoSelectFamily: false,
    lookup: (_hostname, lookupOptions, callback) => {
      const family = isIP(address)
      if (lookupOptions.all) callback(null, [{ address, family }])
      else callback(null, address, family)
    },
    ...(options.certificateAuthorities && { ca: options.certificateAuthorities }),
  })
  return new Pool(origin, {
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    // The one deadline of the request is stricter than both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (connectOptions, callback) => {
      connect(connectOptions, (error, socket) => {
        if (error) {
          callback(new NotConnected(connectFailure(error, connectOptions.protocol === 'https:'), error), null)
        } else if (!sameAddress(socket.remoteAddress, address)) {
          socket.destroy()
          callback(new NotConnected(socket.remoteAddress === undefined ? 'connection_reset' : 'blocked_target'), null)
        } else {
          callback(null, socket)
        }
      })
    },
  })
}

function exchange(
  { clock }: EgressOptions,
  pool: Pool,
  target: Target,
  request: GetRequest & { body?: string },
  deadline: Deadline,
): Promise<Exchange> {
  return new Promise((done) => {
    let controller: Dispatcher.DispatchController | undefined
    let answer: { status: number; retryAfterSeconds?: number } | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    let isDone = false

    function finish(result: Exchange): void {
      if (isDone) return
      isDone = true
      done(result)
    }
    function finishAnswered(): void {
      if (answer) finish({ kind: 'answered', ...answer, body: cleanText(chunks, request.keptBytes) })
    }
    deadline.onPass = (error) => {
      finish({ kind: 'broken', error, hasBegun: answer !== undefined })
      controller?.abort(error)
    }

    pool.dispatch(
      {
        path: target.path,
        method: request.body === undefined ? 'GET' : 'POST',
        headers: { ...request.headers, 'accept-encoding': 'identity' },
        body: request.body,
      },
      {
        onRequestStart(given) {
          controller = given
          // A connection that was made only after the deadline must not carry the request any more.
          if (isDone) given.abort(new Error('too late'))
        },
        onResponseStart(_controller, status, headers) {
          answer = { status, retryAfterSeconds: retryAfterOf(headers['retry-after'], clock) }
        },
        onResponseData(given, chunk) {
          // A copy: the bytes lie in the memory of the parser, which goes on using it.
          if (bytes < request.keptBytes) chunks.push(Buffer.from(chunk))
          bytes += chunk.length
          if (bytes < request.maxAnswerBytes) return
          finishAnswered()
          given.abort(new Error('the answer is longer than anyone reads'))
        },
        onResponseEnd: finishAnswered,
        onResponseError: (_controller, error) => finish({ kind: 'broken', error, hasBegun: answer !== undefined }),
      },
    )
  })
}

export function createEgress(options: EgressOptions): Egress {
  const { clock, allowPrivate, maxPools = 512 } = options
  const resolve = options.resolver ?? createResolver()
  // Least recently used first. The key has the vetted address in it, so a kept connection serves no other answer of the same name.
  const pools = new Map<string, Pool>()
  const targetOf = memoized((text) => parseTarget(text, options), maxKept)
  const isAllowed = memoized((address) => isPublicAddress(address) || (allowPrivate && isLoopback(address)), maxKept)
  // The answer on its way serves all who ask for the same name meanwhile; none is kept.
  const lookUps = new Map<string, Promise<string[]>>()

  function lookUp(hostname: string): Promise<string[]> {
    const pending = lookUps.get(hostname) ?? resolve(hostname).finally(() => lookUps.delete(hostname))
    lookUps.set(hostname, pending)
    return pending
  }

  async function vet(hostname: string, deadline: Deadline): Promise<Vetted> {
    let addresses: string[]
    if (isIP(hostname) !== 0) addresses = [hostname]
    else {
      try {
        addresses = await beforeDeadline(lookUp(hostname), deadline)
      } catch (error) {
        if (deadline.hasPassed || codeOf(error) === 'ETIMEOUT') return { kind: 'failed', code: 'dns_timeout' }
        return { kind: 'failed', code: notFoundCodes.has(codeOf(error)) ? 'dns_not_found' : 'dns_failure' }
      }
    }
    if (addresses.length === 0) return { kind: 'failed', code: 'dns_not_found' }
    // One forbidden address condemns the whole answer: mixing it with a public one is how a filter is tricked.
    const isAdmitted = addresses.every((address) => isAllowed(address))
    return isAdmitted ? { kind: 'vetted', addresses: inOrderOfTrial(addresses) } : { kind: 'failed', code: 'blocked_target' }
  }

  function poolOf(origin: string, address: string, connectTimeoutMs: number): Pool {
    const key = `${origin} ${address}`
    const pool = pools.get(key) ?? makePool(options, origin, address, connectTimeoutMs)
    pools.delete(key)
    pools.set(key, pool)
    if (pools.size > maxPools) {
      const [oldestKey, oldest] = pools.entries().next().value!
      pools.delete(oldestKey)
      // Requests on their way are finished; nobody waits for that here.
      oldest.close().catch(() => undefined)
    }
    return pool
  }

  async function send(target: Target, request: GetRequest & { body?: string }, deadline: Deadline): Promise<Answer | Failure> {
    const vetted = await vet(target.hostname, deadline)
    if (vetted.kind === 'failed') return vetted
    let failure: FailureCode | undefined
    for (const address of vetted.addresses) {
      // An address that swallows packets leaves the other half of the time to the next one.
      const pool = poolOf(target.origin, address, Math.ceil(request.deadlineMs / 2))
      const result = await exchange(options, pool, target, request, deadline)
      if (result.kind === 'answered') return result
      if (deadline.hasPassed) return { kind: 'failed', code: 'timeout' }
      if (!(result.error instanceof NotConnected)) return { kind: 'failed', code: exchangeFailure(result) }
      // Most machines have no way to any IPv6 address: where another address said no, that is what came of it, not a fault of ours.
      if (failure === undefined || result.error.failure !== 'local_failure') failure = result.error.failure
    }
    return { kind: 'failed', code: failure ?? 'dns_not_found' }
  }

  async function sendTo(text: string, request: GetRequest & { body?: string }): Promise<EgressOutcome> {
    const startedAt = clock.now()
    const target = targetOf(text)
    if ('problem' in target) return { kind: 'failed', code: 'blocked_target', durationMs: 0 }
    const deadline = new Deadline(request.deadlineMs)
    try {
      const result = await send(target, request, deadline)
      return { ...result, durationMs: Math.max(0, clock.now() - startedAt) }
    } finally {
      deadline.clear()
    }
  }

  return {
    async checkTarget(text) {
      const target = parseTarget(text, options)
      if ('problem' in target) return target.problem
      const deadline = new Deadline(5_000)
      const vetted = await vet(target.hostname, deadline).finally(() => deadline.clear())
      if (vetted.kind === 'vetted') return undefined
      if (vetted.code === 'blocked_target') return 'private_target'
      return vetted.code === 'dns_not_found' ? 'not_resolvable' : 'unknown'
    },
    post: sendTo,
    get: sendTo,
    async close() {
      const all = [...pools.values()]
      pools.clear()
      await Promise.all(all.map((pool) => pool.destroy()))
    },
  }
}

/** The promise, or a rejection when the deadline passes; what comes later is dropped. */
function beforeDeadline<Result>(promise: Promise<Result>, deadline: Deadline): Promise<Result> {
  return new Promise((resolve, reject) => {
    deadline.onPass = reject
    promise.then(resolve, reject)
  })
}
