/** A version of the service that is still to come: this tree with a column more, which its code writes and reads, and its migrations. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ending } from '../app.ts'

const root = join(import.meta.dirname, '../..')

/** What each step of the way is: the old code lives through the first two, the last two wait until it has gone. */
export const steps = {
  expand: '9000-channel',
  index: '9001-channel-index',
  require: '9002-channel-required',
  validate: '9003-channel-validated',
  contract: '9004-channel-contract',
} as const

export const migrations: Record<keyof typeof steps, string> = {
  expand: `alter table payments add column channel text;
alter table payments add constraint payments_channel_known check (channel in ('page', 'api')) not valid;
`,
  index: `-- outside a transaction
drop index concurrently if exists payments_by_channel;
create index concurrently payments_by_channel on payments (channel, created_at desc);
alter table payments validate constraint payments_channel_known;
`,
  require: `alter table payments add constraint payments_channel_there check (channel is not null) not valid;
`,
  validate: `-- outside a transaction
alter table payments validate constraint payments_channel_there;
`,
  contract: `-- contract: every version from the one with 9000 on writes a channel
alter table payments alter column channel set not null;
alter table payments drop constraint payments_channel_there;
`,
}

const edits: [file: string, from: string, to: string][] = [
  [
    'server/collect/payments/payment.sql.ts',
    'idempotency_hash, request_hash, holds_place,',
    'idempotency_hash, request_hash, channel, holds_place,',
  ],
  [
    'server/collect/payments/payment.sql.ts',
    'i.idempotency_hash, i.request_hash, i.needs_place,',
    "i.idempotency_hash, i.request_hash, 'page', i.needs_place,",
  ],
  [
    'server/collect/payments/payment.sql.ts',
    'const paymentColumns = sql`p.home,',
    "const paymentColumns = sql`coalesce(p.channel, 'page') as channel, p.home,",
  ],
]

export type NextVersion = {
  folder: string
  /** Lays the migrations of the next steps in place. */
  lay(...names: (keyof typeof steps)[]): Promise<string>
}

export async function makeNextVersion(t: Ending): Promise<NextVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-next-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const part of ['server', 'test/faults', 'migrations', 'docs', 'dashboard/dist', 'package.json']) {
    await cp(join(root, part), join(folder, part), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, from, to] of edits) {
    const text = await readFile(join(folder, file), 'utf8')
    assert.equal(text.split(from).length, 2, `${file} has one place like ${from}`)
    await writeFile(join(folder, file), text.replace(from, to))
  }
  const lay = async (...names: (keyof typeof steps)[]): Promise<string> => {
    for (const name of names) await writeFile(join(folder, 'migrations', `${steps[name]}.sql`), migrations[name])
    return join(folder, 'migrations')
  }
  return { folder, lay }
}
