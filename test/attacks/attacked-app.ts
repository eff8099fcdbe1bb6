/**
 * A service under attack. After each attack four things are checked: the answer is a refusal in the standard shape; no table has
 * changed except those that the attack is expected to change; no request has left this process; and the log has one security line
 * if an operator should be notified, and contains nothing that the attacker sent.
 */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect } from 'node:net'
import { isRefusal } from '../refusals.ts'
import { startTestApp, type Answer, type CallOptions, type Ending, type TestApp, type TestAppOptions } from '../app.ts'

export type Attack = {
  name: string
  send(): Promise<Answer>
  /** Status and code of the refusal, as `401 invalid_token`. */
  expects: string
  /** A mistake that any caller may make; it leaves no security line. */
  isMistake?: boolean
  /** Tables that it does change: counters of tries, or rows that end a stolen credential. */
  changes?: string[]
}

export type AttackedApp = TestApp & {
  attack(attack: Attack): Promise<Answer>
  /** The checks for an attack that gets no refusal: nothing changed, nothing sent, this many security lines, nothing leaked. */
  leavesNoTrace<Result>(name: string, act: () => Promise<Result>, changes?: string[], lines?: number): Promise<Result>
  /** Looks at the tables once for all attacks within, which costs more than the attacks themselves. */
  changesNothing(name: string, act: () => Promise<void>): Promise<void>
  /** Sends bytes that no HTTP client would, and reads one answer. */
  sendRaw(bytes: string | Buffer, port?: number): Promise<Answer>
}

/** A request may be counted and recorded, and each use updates the last-used time. */
const countingTables = ['rate_limits', 'api_requests', 'api_request_places', 'row_seals']
const notedColumns = ['last_used_at']
/** A row is taken and given back as it was: only its values tell whether anything changed. */
const givenBack = ['documents']

/** A test may rename tables before its first attack. */
const digestStatements = new WeakMap<TestApp, string>()

async function writeDigestStatement(app: TestApp): Promise<string> {
  const { rows: tables } = await app.owner.pool.query<{ name: string; byValue: boolean }>(
    `select t.tablename as name, exists (select from information_schema.columns c
        where c.table_schema = 'public' and c.table_name = t.tablename and c.column_name = any ($2)) or t.tablename = any ($3) as "byValue"
      from pg_tables t where t.schemaname = 'public' and t.tablename <> all ($1) order by 1`,
    [countingTables, notedColumns, givenBack],
  )
  const columns = `array[${notedColumns.map((column) => `'${column}'`).join(', ')}]`
  const texts = tables.map(({ name, byValue }) => {
    // The writing transactions of the rows show any change without reading the values.
    const ofRow = byValue ? `hashtextextended((to_jsonb(t) - ${columns})::text, 0)::numeric` : 't.xmin::text::numeric'
    return `select '${name}' as name, count(*) || ':' || coalesce(sum(${ofRow}), 0) as digest from "${name}" t`
  })
  return texts.join(' union all ')
}

async function digestTables(app: TestApp): Promise<Map<string, string>> {
  const text = digestStatements.get(app) ?? (await writeDigestStatement(app))
  digestStatements.set(app, text)
  // Prepared: it runs before and after each of hundreds of attacks, and planning it costs more than reading.
  const { rows } = await app.owner.pool.query({ name: 'digest', text })
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

function changedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...after].flatMap(([name, digest]) => (before.get(name) === digest ? [] : [name])).toSorted()
}

const wireId = /^[a-z]{2,5}_[0-9a-z]{26}$/

/** Every text inside a value that is long enough to be recognised in a log. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length < 6 || wireId.test(value) ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Values that a caller has sent and no one else may read: the secret part of credentials, and texts of the body. */
function secretsOf({ token, key, body, rawBody }: CallOptions): string[] {
  return [
    ...(token === undefined || token.length < 12 ? [] : [token.split('.').at(-1) || token.slice(0, 40)]),
    ...(key === undefined || key.length < 16 ? [] : [key.slice(9)]),
    ...textsIn(body),
    ...(typeof rawBody === 'string' && rawBody.length > 12 ? [rawBody.slice(0, 200)] : []),
  ]
}

/** Values of a body that are also words of the routes: the log may contain them. */
const commonWords = /^(completed|verified|rejected|pending|personal|business|payment|company|image\/.*|application\/.*)$/

export async function startAttackedApp(t: Ending, options: TestAppOptions = {}): Promise<AttackedApp> {
  const lines: string[] = []
  const app = await startTestApp(t, {
    logLevel: 'info',
    logTo: (line) => lines.push(line),
    ...options,
    settings: { SECURITY_LOG_LINES_PER_MINUTE: '1000000', ...options.settings },
  })
  const ourOrigins = Object.values(app.config.urls)
  const sent: string[] = []
  const note = (message: unknown): void => {
    const { origin } = (message as { request: { origin: string } }).request
    if (!ourOrigins.includes(String(origin))) sent.push(String(origin))
  }
  // All outgoing requests, from a provider adapter or the webhook egress, go through undici.
  subscribe('undici:request:create', note)
  t.after(() => unsubscribe('undici:request:create', note))

  const secrets = new Set<string>()
  const remember = (options?: CallOptions): void => {
    for (const secret of secretsOf(options ?? {})) if (!commonWords.test(secret)) secrets.add(secret)
  }

  /** Whether the tables of before and after the attacks of now are compared already. */
  let isCompared = false
  const compared = async <Result>(name: string, changes: string[], act: () => Promise<Result>): Promise<Result> => {
    await app.deps.backgroundDone()
    const before = isCompared && changes.length === 0 ? undefined : await digestTables(app)
    const result = await act()
    await app.deps.backgroundDone()
    if (before) assert.deepEqual(changedTables(before, await digestTables(app)), changes.toSorted(), `${name}: what changed`)
    return result
  }

  const attacked: AttackedApp = {
    ...app,
    call(method, path, callOptions) {
      remember(callOptions)
      return app.call(method, path, callOptions)
    },

    async changesNothing(name, act) {
      await compared(name, [], async () => {
        isCompared = true
        await act().finally(() => (isCompared = false))
      })
    },

    async leavesNoTrace(name, act, changes = [], expectedLines = 0) {
      const [sentBefore, linesBefore] = [sent.length, lines.length]
      const result = await compared(name, changes, act)
      assert.deepEqual(sent.slice(sentBefore), [], `${name}: no request was sent`)
      const written = lines.slice(linesBefore)
      const ofSecurity = written.filter((line) => JSON.parse(line).event === 'security.refused')
      assert.equal(ofSecurity.length, expectedLines, `${name}: ${written.join('')}`)
      for (const line of written) {
        for (const secret of secrets) assert.ok(!line.includes(secret), `${name}: ${secret} is in the log: ${line}`)
        assert.doesNotMatch(line, /@example\.com|(?<![0-9a-f])\+?2557\d{8}(?![0-9a-f])|eyJ[\w-]+\./, name)
      }
      return result
    },

    async attack({ name, send, expects, isMistake = false, changes = [] }) {
      const answer = await attacked.leavesNoTrace(name, send, changes, isMistake ? 0 : 1)
      const [status, code] = expects.split(' ') as [string, string]
      try {
        isRefusal(answer, Number(status), code)
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
      }
      if (!isMistake) {
        const line = JSON.parse(lines.findLast((one) => JSON.parse(one).event === 'security.refused')!)
        assert.deepEqual([line.code, line.status, line.level], [code, Number(status), 'warn'], name)
        assert.equal(line.request_id, answer.headers.get('x-request-id'), name)
      }
      return answer
    },

    sendRaw(bytes, port = app.config.ports.api) {
      return new Promise((resolve, reject) => {
        let received = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
        socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of the answer: ${received}`)))
        socket.on('data', (chunk) => (received += chunk.toString()))
        socket.on('error', reject)
        socket.on('close', () => {
          const [head = '', text = ''] = received.split('\r\n\r\n', 2)
          const [first = '', ...headers] = head.split('\r\n')
          const pairs = headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
          const body = text.startsWith('{') ? JSON.parse(text) : text
          resolve({ status: Number(first.split(' ')[1]), headers: new Headers(pairs as [string, string][]), body })
        })
      })
    },
  }
  return attacked
}

/** Tries each attack in turn, in its own words. */
export async function attackAll(app: AttackedApp, attacks: Attack[]): Promise<void> {
  for (const attack of attacks) await app.attack(attack)
}
