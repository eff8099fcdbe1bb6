/**
 * The mailbox of a local start: a page with the mails of the folder. Invariant: it exists only in local mode without an SMTP server, and
 * answers only under a name of this machine, because it shows the codes in all mails to every visitor.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Http } from '../../platform/http/http.ts'
import { refuseOtherNames } from '../../platform/http/local-names.ts'
import { escapeHtml } from '../../platform/http/text.ts'
import { assert } from '../../platform/refusal.ts'
import type { KeptMail } from './mailer.ts'

const mailsShown = 100

const css = `*{box-sizing:border-box}
body{margin:0 auto;max-width:44rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.35rem}h2{font-size:1.1rem;margin:0}p{margin:0}
article{border:1px solid #8a8f8d;border-radius:.5rem;padding:1rem;margin:1rem 0}
pre{margin:.75rem 0 0;font:inherit;font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;user-select:text}`

const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'self'`,
].join('; ')

function articleOf({ to, subject, text, sent_at }: KeptMail): string {
  return `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}</p>
<p><time datetime="${escapeHtml(sent_at)}">${escapeHtml(sent_at.slice(0, 19).replace('T', ' '))} UTC</time></p>
<pre>${escapeHtml(text)}</pre></article>`
}

function pageOf(mails: KeptMail[]): string {
  const list =
    mails.length === 0 ? '<p>The mailbox is empty. What the service mails appears here.</p>' : mails.map(articleOf).join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Mailbox – Malipo</title><style>${css}</style></head>
<body><h1>Mailbox</h1>
${list}
</body></html>`
}

/** The newest mails of the folder, newest first: their names are ids, which are in the order of time. */
async function readMails(folder: string): Promise<KeptMail[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // The folder is created with the first mail.
    if (error.code === 'ENOENT') return []
    throw error
  })
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .slice(0, mailsShown)
  return Promise.all(newest.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as KeptMail))
}

export async function mailboxRoutes(
  http: Http,
  { config }: { config: Pick<Config, 'mode' | 'mail'> & { urls: Pick<Config['urls'], 'api'> } },
): Promise<void> {
  assert(config.mode === 'local' && config.mail.smtpUrl === undefined, 'the mailbox is shown on a developer’s machine alone')
  const hidden = { schema: { hide: true }, onRequest: refuseOtherNames(config.urls.api) } as const
  http.get('/local/mail', hidden, async (_request, reply) => {
    void reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      refresh: '10',
    })
    return reply.type('text/html; charset=utf-8').send(pageOf(await readMails(config.mail.folder)))
  })
}
