/**
 * Sends a mail: to an SMTP server, or, without one, to a folder on this machine. Invariant: it returns within the deadline, and reports a
 * refusal only when the server has refused the recipient.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Config } from '../../config/config.ts'

export type MailMessage = {
  /** The mail's id: every attempt to send it carries the same Message-ID. */
  id: string
  to: string
  subject: string
  text: string
  /** The same as HTML; without it the mail is plain text. */
  html?: string
  /** The time of this attempt, by the database's clock. */
  sentAt: Date
}

export type MailOutcome =
  | { kind: 'sent' }
  | { kind: 'refused'; errorCode: string } // the mailbox does not exist: final
  | { kind: 'later'; errorCode: string } // any other failure; the mail may even have arrived, so a repeat must be recognisable

export type Mailer = {
  /** `send` returns within this time. */
  readonly deadlineMs: number
  send(message: MailMessage): Promise<MailOutcome>
  close(): void
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

function composed(from: string, { id, to, subject, text, html, sentAt }: MailMessage): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: sentAt,
    messageId: `<${id}@${/@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'malipo.invalid'}>`,
    // RFC 3834: no automatic answer is wanted.
    headers: { 'auto-submitted': 'auto-generated' },
  }
}

type SmtpError = { code?: unknown; responseCode?: unknown; response?: unknown; command?: unknown }

/** A code that is safe to store and to log. The server's text is not, because it quotes the address. */
function errorCodeOf({ code, responseCode }: SmtpError): string {
  if (typeof responseCode === 'number') return `smtp_${responseCode}`
  if (code === 'ETIMEDOUT' || code === 'EABORT') return 'timeout'
  return typeof code === 'string' && /^\w{1,50}$/.test(code) ? code.toLowerCase() : 'unknown'
}

/**
 * 550 to 554 in answer to the recipient's address (RFC 5321 section 4.2.2) are about the mailbox, unless the enhanced code says "security
 * or policy" (RFC 3463 section 3.8): that is about us, and ends when our configuration is correct.
 */
function isRefused({ command, responseCode, response }: SmtpError): boolean {
  return (
    command === 'RCPT TO' &&
    typeof responseCode === 'number' &&
    responseCode >= 550 &&
    responseCode <= 554 &&
    !/^\d{3}[ -]5\.7\./.test(String(response))
  )
}

function outcomeOf(error: unknown): MailOutcome {
  const smtpError = (error instanceof Error ? error : {}) as SmtpError
  return { kind: isRefused(smtpError) ? 'refused' : 'later', errorCode: errorCodeOf(smtpError) }
}

// The content of a mail comes from us and from users: it must not make the composer read a file or an address.
const readsNothing = { disableFileAccess: true, disableUrlAccess: true }

function createSmtpMailer(smtpUrl: string, { from, deadlineMs, connections }: Config['mail']): Mailer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'smtps:'
  const isLocal = loopback.test(host)
  const transport = createTransport({
    pool: true,
    // Equal to the mails that are sent at once: one more would wait for a connection while its deadline runs.
    maxConnections: connections,
    // A connection that the server closed while idle is noticed only when it is used: then the mail is sent again on a new one.
    maxRequeues: 1,
    host,
    port: Number(port || (isSecure ? 465 : 587)),
    secure: isSecure,
    // Without this an attacker on the network could hide STARTTLS and read every code. Loopback cannot be intercepted, and certificates are
    // rare there.
    requireTLS: !isSecure && !isLocal,
    ignoreTLS: isLocal,
    auth: username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    dnsTimeout: deadlineMs,
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    ...readsNothing,
  })
  return {
    deadlineMs,
    async send(message) {
      try {
        // The timeouts above cover only silence. The signal cuts off a server that answers too slowly.
        await transport.sendMail({ ...composed(from, message), signal: AbortSignal.timeout(deadlineMs) })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    close: () => transport.close(),
  }
}

/** A reader sees the complete file or none. */
async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.unfinished`
  await writeFile(unfinished, content, { mode: 0o600, flag: 'wx' })
  await rename(unfinished, path)
}

/** The data beside each message in the folder, as `<id>.json`. */
export type KeptMail = { to: string; subject: string; text: string; sent_at: string }

function createFolderMailer({ folder, from, deadlineMs }: Config['mail']): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...readsNothing })
  return {
    deadlineMs,
    async send(message) {
      const { id, to, subject, text, sentAt } = message
      try {
        const { message: composedMessage } = await transport.sendMail(composed(from, message))
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeWhole(join(folder, `${id}.eml`), composedMessage as Buffer)
        const kept: KeptMail = { to, subject, text, sent_at: sentAt.toISOString() }
        await writeWhole(join(folder, `${id}.json`), JSON.stringify(kept, null, 2))
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    close: () => undefined,
  }
}

export function createMailer(config: Config['mail']): Mailer {
  return config.smtpUrl === undefined ? createFolderMailer(config) : createSmtpMailer(config.smtpUrl, config)
}
