/**
 * Outgoing HTTP to addresses that strangers choose. Invariant: nothing is sent to an address that was not checked immediately
 * before. A name is resolved once, every address of the answer is checked, and the connection is made to a checked address, so a
 * name that changes its address between the look-up and the connection (DNS rebinding) has no effect.
 * Ranges: the IANA special-purpose registries for IPv4 and IPv6. IPv6 transition forms contain an IPv4 address, and all of them
 * are refused.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector, Pool, type Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { memoized } from '../process/memoized.ts'

/** Why an address is refused; the owner of the address can act on it. */
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
  /** The name could not be resolved: our resolver, or a name server behind it, failed. Nothing was sent. */
  | 'dns_failure'
  /** The name could not be resolved in time. Nothing was sent. */
  | 'dns_timeout'
  /** This machine could not open a socket, or has no route. Nothing was sent. */
  | 'local_failure'
  /** The address is forbidden, possibly only since the last check. Nothing was sent. */
  | 'blocked_target'
  | 'connection_refused'
  /** The connection ended before the answer began. */
  | 'connection_reset'
  /** The connection ended in the middle of the answer. */
  | 'answer_incomplete'
  /** No trusted authority signed the certificate. */
  | 'tls_untrusted'
  /** The certificate has expired or is not valid yet. */
  | 'tls_expired'
  /** The certificate is for another host. */
  | 'tls_wrong_host'
  /** TLS failed for another reason. */
  | 'tls_error'
  | 'timeout'
  /** The answer is not HTTP. */
  | 'protocol_error'

type Answer = { kind: 'answered'; status: number; body: string; retryAfterSeconds?: number }
type Failure = { kind: 'failed'; code: FailureCode }

export type EgressOutcome = (Answer | Failure) & { durationMs: number }

export type GetRequest = {
  /** Names in lower case; this module sets Host and Content-Length. */
  headers: Record<string, string>
  /** For everything together: look-up, connection, TLS, headers, body. */
  deadlineMs: number
  /** The connection is cut after this many bytes of the answer; the bytes read so far count as the answer. */
  maxAnswerBytes: number
  /** How many bytes of the answer are returned. */
  keptBytes: number
}

export type PostRequest = GetRequest & { body: string }

/** All addresses of a name; rejects with the codes of `node:dns` (ENOTFOUND, ENODATA, ESERVFAIL, …). */
export type Resolver = (hostname: string) => Promise<string[]>

export type EgressOptions = {
  clock: Clock
  /** Allows plain http and this machine; for local use and tests only. */
  allowPrivate: boolean
  /** Our own addresses: a request to them would loop. */
  ownUrls: readonly string[]
  resolver?: Resolver
  /** Connections are kept for reuse to at most this many (host, address) pairs. */
  maxPools?: number
  /** Certificate authorities that replace the built-in ones, in PEM. */
  certificateAuthorities?: string[]
}

export type Egress = {
  /** Why a target address is not acceptable; undefined when it is. `unknown`: the name could not be resolved. */
  checkTarget(url: string): Promise<TargetProblem | 'unknown' | undefined>
  /** Sends once. A redirect is an answer like any other and is not followed. */
  post(url: string, request: PostRequest): Promise<EgressOutcome>
  /** Requests once; otherwise the same as `post`. */
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

// Global unicast is 2000::/3 only: everything outside (::/8 with the mapped, compatible and NAT64 forms, 100::/64, 5f00::/16,
// fc00::/7, fe80::/10, fec0::/10, ff00::/8) is refused without a separate rule.
const global6: Cidr = ipaddr.parseCIDR('2000::/3')
// Inside it: IETF protocols (including Teredo), documentation, 6to4.
const forbidden6: Cidr[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((cidr) => ipaddr.parseCIDR(cidr))

/** ISATAP (RFC 5214): under any prefix, also a public one, the lower half may be 0:5efe or 200:5efe followed by an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
}

/** Whether an address belongs to the public internet. */
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
/** Maximum number of cached targets and address checks. */
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

/** The host without brackets and without a dot at the end of the name. */
function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** Checks everything that needs no network. */
function parseTarget(text: string, rules: Pick<EgressOptions, 'allowPrivate' | 'ownUrls'>): Target | { problem: TargetProblem } {
  if (text.length > maxUrlLength) return { problem: 'too_long' }
  // The parser silently drops some of these characters, so two readers of one address could see two hosts.
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
  // The final dot is no longer needed; in a certificate or a Host header the name would not match.
  if (url.hostname.endsWith('.')) url.hostname = hostname
  return { origin: url.origin, hostname, path: url.pathname + url.search }
}

function isSameHost(own: URL, hostname: string, port: number): boolean {
  const ownName = hostnameOf(own)
  const isHere = (name: string) => loopbackName.test(name) || isLoopback(name)
  // On one machine all services have the same host, so only the port distinguishes them.
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

/** IPv4 first, because it works nearly everywhere. Within a family the name server's order is kept, which spreads the load. */
function inOrderOfTrial(addresses: string[]): string[] {
  return addresses.toSorted((one, other) => isIP(one) - isIP(other))
}

/** An error before the first byte of the request was sent: another address may be tried. */
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
  // undici reports UND_ERR_SOCKET both for a connection that ended and for an answer of the wrong kind (100, 101).
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
  // No database column can store NUL.
  return decoder.decode(bytes.subarray(0, keptBytes)).replaceAll('\0', '\ufffd')
}

function retryAfterOf(header: string | string[] | undefined, clock: Clock): number | undefined {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - clock.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** `hasBegun`: the headers of the answer had arrived. */
type Broken = { kind: 'broken'; error: Error; hasBegun: boolean }
type Exchange = Answer | Broken

/** When everything must be over. A step that waits sets `onPass`, which ends the wait; only one step waits at a time. */
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
          // A connection that was made only after the deadline must not send the request.
          if (isDone) given.abort(new Error('too late'))
        },
        onResponseStart(_controller, status, headers) {
          answer = { status, retryAfterSeconds: retryAfterOf(headers['retry-after'], clock) }
        },
        onResponseData(given, chunk) {
          // A copy: the bytes are in the memory of the parser, which reuses it.
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
  // Least recently used first. The key contains the checked address, so a kept connection serves no other address of the same
  // name.
  const pools = new Map<string, Pool>()
  const targetOf = memoized((text) => parseTarget(text, options), maxKept)
  const isAllowed = memoized((address) => isPublicAddress(address) || (allowPrivate && isLoopback(address)), maxKept)
  // A pending look-up serves all callers that ask for the same name meanwhile; no answer is kept.
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
    // One forbidden address makes the whole answer forbidden: attackers mix it with a public address to trick a filter.
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
      // Requests in flight finish; nothing waits for that here.
      oldest.close().catch(() => undefined)
    }
    return pool
  }

  async function send(target: Target, request: GetRequest & { body?: string }, deadline: Deadline): Promise<Answer | Failure> {
    const vetted = await vet(target.hostname, deadline)
    if (vetted.kind === 'failed') return vetted
    let failure: FailureCode | undefined
    for (const address of vetted.addresses) {
      // An address that drops packets leaves half of the time to the next address.
      const pool = poolOf(target.origin, address, Math.ceil(request.deadlineMs / 2))
      const result = await exchange(options, pool, target, request, deadline)
      if (result.kind === 'answered') return result
      if (deadline.hasPassed) return { kind: 'failed', code: 'timeout' }
      if (!(result.error instanceof NotConnected)) return { kind: 'failed', code: exchangeFailure(result) }
      // Most machines have no route to any IPv6 address. If another address failed in another way, report that failure, not a
      // local one.
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

/** The promise, or a rejection when the deadline passes; a later result is dropped. */
function beforeDeadline<Result>(promise: Promise<Result>, deadline: Deadline): Promise<Result> {
  return new Promise((resolve, reject) => {
    deadline.onPass = reject
    promise.then(resolve, reject)
  })
}
