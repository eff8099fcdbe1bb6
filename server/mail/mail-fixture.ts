/**
 * The environment of the mail tests: a separate database whose clock can be moved, a folder, a stored log, and real SMTP servers on
 * loopback.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createTestDatabase } from '../../test/databases.ts'
import type { Config } from '../config.ts'
import { openDb, sql, type Db } from '../platform/db/db.ts'
import { createLog, type Log } from '../platform/process/log.ts'
import { createSealer, type Sealer } from '../platform/crypto/secrets.ts'
import { createMeters } from '../platform/process/meters.ts'
import { claimMails } from './mail.sql.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { createSend, leaseSecondsOf, type SendMailsDeps } from './send-mails.ts'

export type MailState = {
  id: string
  kind: string
  recipient: string
  state: string
  attempts: number
  lastErrorCode: string | null
  secondsLeft: number | null
  hasContent: boolean
  isClaimed: boolean
  isFinished: boolean
}

export type MailFixture = {
  /** The service's role. */
  db: Db
  /** The owner of the schema. */
  owner: Db
  sealer: Sealer
  log: Log
  meters: SendMailsDeps['meters']
  config: SendMailsDeps['config']
  /** Every logged line. */
  lines: string[]
  mails(): Promise<MailState[]>
  moveClock(seconds: number): Promise<void>
}

export async function startMailFixture(t: TestContext): Promise<MailFixture> {
  const database = await createTestDatabase()
  const open = (role?: string) =>
    openDb({
      url: database.url,
      role,
      poolSize: 4,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 15_000,
      applicationName: 'mail-test',
      onError: () => undefined,
    })
  const [db, owner] = [open('malipo_service'), open()]
  t.after(async () => {
    await Promise.all([db.close(), owner.close()])
    await database.drop()
  })
  const lines: string[] = []
  return {
    db,
    owner,
    sealer: createSealer({ currentId: 'test', keys: new Map([['test', randomBytes(32)]]) }),
    log: createLog({ level: 'debug', role: 'test', destination: { write: (line: string) => void lines.push(line) } }),
    meters: createMeters(),
    config: { mail: { connections: 20, perMinute: undefined } },
    lines,
    mails: () =>
      owner.rows<MailState>(sql`
        select id, kind, recipient, state, attempts, last_error_code, sealed_content is not null as has_content,
          lease_until is not null as is_claimed, finished_at is not null as is_finished,
          extract(epoch from next_attempt_at - clock_now())::double precision as seconds_left
        from mails order by id`),
    moveClock: (seconds) =>
      owner.script(
        `create or replace function clock_now() returns timestamptz language sql stable as
         $$ select now() + interval '${seconds} seconds' $$`,
      ),
  }
}

/** A mailer for one test. By default it writes mail to a folder that is removed after the test. */
export async function openMailer(t: TestContext, changes: Partial<Config['mail']> = {}): Promise<Mailer & { folder: string }> {
  const home = await mkdtemp(join(tmpdir(), 'malipo-mail-'))
  const folder = join(home, 'data', 'mail')
  const from = 'Malipo <no-reply@malipo.example>'
  const mailer = createMailer({
    smtpUrl: undefined,
    from,
    folder,
    deadlineMs: 5_000,
    connections: 20,
    perMinute: undefined,
    ...changes,
  })
  t.after(async () => {
    mailer.close()
    await rm(home, { recursive: true })
  })
  return { ...mailer, folder }
}

/** One round of what the worker repeats: claims due mails, sends each, and records the outcomes. Returns their number. */
export async function sendMails(deps: SendMailsDeps, limit: number): Promise<number> {
  const mails = await claimMails(deps.db, { limit, isBulk: false, leaseSeconds: leaseSecondsOf(deps) })
  await Promise.all(mails.map(createSend(deps)))
  return mails.length
}

export type MailServer = { url: string; port: number; accepted: { from: string; to: string[]; source: string }[] }

/**
 * An SMTP server that decides by the recipient: unknown@ is refused, stranger@ is refused for a reason that is not about the recipient,
 * later@ is deferred, hang@ never gets an answer, drop@ loses the connection. Mail to others is accepted, after `accepts`.
 */
export async function startMailServer(
  t: TestContext,
  { accepts, ...options }: SMTPServerOptions & { accepts?(): Promise<unknown> } = {},
): Promise<MailServer> {
  const accepted: MailServer['accepted'] = []
  const sockets = new Set<Socket>()
  const reply = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode })
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 50,
    logger: false,
    onRcptTo({ address }, _session, done) {
      switch (address.slice(0, address.indexOf('@'))) {
        case 'unknown':
          return done(reply(550, `5.1.1 <${address}>: no such mailbox`))
        case 'stranger':
          return done(reply(554, `5.7.1 <${address}>: relay access denied`))
        case 'later':
          return done(reply(451, `4.3.0 <${address}>: try again later`))
        case 'hang':
          return undefined
        case 'drop':
          for (const socket of sockets) socket.destroy()
          return undefined
        default:
          return done()
      }
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const arrived = (): void => {
          accepted.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString(),
          })
          done()
        }
        if (accepts) void accepts().then(arrived)
        else arrived()
      })
    },
    ...options,
  })
  // Some tests check a client that gives up in the middle.
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, port, accepted }
}
