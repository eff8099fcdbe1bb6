/** Expired rows are removed, other rows stay, every table has a rule, and removing many rows blocks no other work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from 'node:path'
import { findFolder, insertFolder } from '../../merchants/documents/document.sql.ts'
import { listStored } from '../../merchants/documents/list-stored.ts'
import { openStore } from '../../merchants/documents/open-store.ts'
import { StoreUnavailable } from '../../merchants/documents/document-store.ts'
import { sql, type Db } from '../../platform/db/db.ts'
import { firstIdOf, fromWire, toWire } from '../../platform/ids.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { pruneExpiredRows } from './prune-expired-rows.ts'
import { days, kept, removedElsewhere, rules } from './retention-rules.ts'
import { describeRetention } from './person-commands.ts'
import { mustMatch } from '../../../test/must-match.ts'

const dayMs = 86_400_000

/** Runs until no rule is due. */
async function keepAll(app: TestApp): Promise<void> {
  await app.owner.rows(sql`update retention_turns set next_at = clock_now(), lease_until = null`)
  while (await pruneExpiredRows(app.deps)) {
    // The next one.
  }
}

/** Writes rows as they are after a long time: the rows that they refer to need not exist. */
async function insertOldRows(owner: Db, statements: { text: string; values: unknown[] }[]): Promise<void> {
  const client = await owner.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const { text, values } of statements) await client.query(text, values)
  } finally {
    await client.query('set session_replication_role = origin')
    // Old rows have seals, too.
    await client.query('update sealed_tables set read_to = null')
    await client.query('select seal_old_rows(name, 1000000) from sealed_tables')
    client.release()
  }
}

function deliveries(count: number, fromId: string, ageDays: number): { text: string; values: unknown[] }[] {
  // The ids have the same time and home: their last 48 bits differ.
  const id = `(substr($1, 1, 14) || '7' || lpad(to_hex(n % 256), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  return [
    {
      text: `insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, status, attempts, created_at, finished_at)
        select n % 256, ${id}, ${id}, $2, $2, 'exhausted', 2, clock_now() - make_interval(days => $3), clock_now() - make_interval(days => $3)
        from generate_series(1, $4::integer) n`,
      values: [fromId, fromId, ageDays, count],
    },
    {
      text: `insert into webhook_attempts (home, id, delivery_id, event_id, event_type, endpoint_id, app_id, url, attempt, trigger, outcome,
          error_code, duration_ms, attempted_at)
        select n % 256, gen_random_uuid(), ${id}, ${id}, 'payment.completed', $2, $2, 'https://example.com', a, 'automatic', 'failed',
          'timeout', 5, clock_now() - make_interval(days => $3)
        from generate_series(1, $4::integer) n, generate_series(1, 2) a`,
      values: [fromId, fromId, ageDays, count],
    },
  ]
}

async function count(app: TestApp, table: string): Promise<number> {
  const { rows } = await app.owner.pool.query<{ count: number }>(`select count(*)::integer as count from ${table}`)
  return rows[0]!.count
}

test('every table has a period, or a reason to be kept, and not both', async (t) => {
  const app = await startTestApp(t)
  const tables = await app.owner.rows<{ name: string }>(sql`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`)
  const decided = [...new Set(rules.flatMap((rule) => rule.tables)), ...Object.keys(removedElsewhere), ...Object.keys(kept)]
  mustMatch(
    tables.map(({ name }) => name),
    decided,
    {
      add: (table) =>
        `in server/operations/data-lifecycle/retention-rules.ts name it in the tables of a rule, or write ${table}: 'why its rows stay' into kept, or 'what removes them' into removedElsewhere`,
      remove: () => 'remove it from server/operations/data-lifecycle/retention-rules.ts',
    },
  )
})

test('for each rule, expired rows are removed and other rows stay', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const userId = fromWire('usr', student.userId)!
  const old = (days: number) => firstIdOf(Date.now() - days * dayMs)
  const values = [userId]
  const both = `(values (89), (91)) as v (days)`
  await app.owner.pool.query('delete from sessions')
  for (const table of ['mails', 'mailed_tokens']) await app.owner.pool.query(`delete from ${table}`)
  await insertOldRows(app.owner, [
    ...deliveries(3, old(31), 31),
    // Its event is as old, but it was requested again yesterday.
    ...deliveries(2, old(40), 1),
    ...deliveries(1, old(29), 29),
    {
      text: `insert into provider_inbox (provider, environment, event_id, body_hash, body, state, request_id, received_at, settled_at)
        select 'snippe', 'test', state || days, '\\x00', '{}', state, 'r', clock_now() - make_interval(days => days), case when state = 'settled' then clock_now() end
        from unnest(array['settled', 'ignored', 'orphan']) state, (values (89), (91), (364), (366)) as v (days)`,
      values: [],
    },
    {
      text: `insert into provider_inbox (provider, environment, event_id, body_hash, body, state, request_id, received_at, next_attempt_at)
        values ('snippe', 'test', 'waiting', '\\x00', '{}', 'received', 'r', clock_now() - interval '400 days', clock_now() + interval '1 day')`,
      values: [],
    },
    {
      text: `insert into mails (id, kind, recipient, state, next_attempt_at, finished_at)
        select gen_random_uuid(), 'receipt', 'a@example.com', 'sent', null, clock_now() - make_interval(days => days)
        from (values (29), (31)) as v (days)`,
      values: [],
    },
    {
      text: `insert into sessions (id, user_id, amr, refresh_hash, idle_expires_at, expires_at)
        select gen_random_uuid(), $1, '{pwd}', '\\x00', clock_now(), clock_now() - make_interval(days => days) from ${both}`,
      values,
    },
    {
      text: `insert into members (id, merchant_id, role, email, token_hash, invited_by, invitation_expires_at)
        select gen_random_uuid(), $1, 'cashier', days || '@example.com', sha256(days::text::bytea), $1, clock_now() - make_interval(days => days)
        from (values (29), (31)) as v (days)`,
      values,
    },
    {
      text: `insert into members (id, merchant_id, role, user_id, joined_at, removed_at)
        select gen_random_uuid(), $1, 'cashier', person, case when person is not null then clock_now() end, clock_now() - make_interval(days => days)
        from (values (29), (31)) as v (days), (values ($1::uuid), (null)) as p (person)`,
      values,
    },
    {
      text: `insert into sign_in_challenges (token_hash, user_id, expires_at)
        select sha256(days::text::bytea), $1, clock_now() - make_interval(hours => days) from (values (23), (25)) as v (days)`,
      values,
    },
    {
      text: `insert into mailed_tokens (token_hash, user_id, purpose, email, expires_at)
        select sha256(days::text::bytea), $1, 'password_reset', 'a@example.com', clock_now() - make_interval(hours => days)
        from (values (23), (25)) as v (days)`,
      values,
    },
    {
      text: `insert into document_views (id, document_id, session_id, expires_at) values ($1, $1, $1, clock_now()), ($2, $1, $1, clock_now())`,
      values: [old(91), old(89)],
    },
    {
      text: `insert into idempotent_answers (key_hash, caller_id, operation, request_hash, status, body, created_at)
        select sha256(days::text::bytea), $1, 'createApp', '\\x00', 201, '{}', clock_now() - make_interval(hours => days)
        from (values (23), (25)) as v (days)`,
      values,
    },
    {
      text: `insert into rate_limits (key, points, expire) values ('a', 1, 1000), ('b', 1, 9999999999999)`,
      values: [],
    },
  ])
  await keepAll(app)
  const left = await app.owner.rows<{ name: string }>(sql`
    select event_id as name from provider_inbox order by 1`)
  assert.deepEqual(
    left.map(({ name }) => name),
    ['ignored89', 'orphan364', 'orphan89', 'orphan91', 'settled89', 'waiting'],
  )
  const tables = [
    ['webhook_deliveries', 3],
    ['webhook_attempts', 6],
    ['mails', 1],
    ['sessions', 1],
    ['sign_in_challenges', 1],
    ['mailed_tokens', 1],
    ['document_views', 1],
    ['idempotent_answers', 1],
    // The person, an invitation, one that was cancelled, and two members that were removed.
    ['members', 5],
    // One of them is from the person's registration from this network.
    ['rate_limits', 2],
  ] as const
  for (const [table, rows] of tables) assert.equal(await count(app, table), rows, table)
  const [turn] = await app.owner.rows<{ removed: number }>(sql`
    select removed from retention_turns where rule = 'webhooks/deliveries' and next_at > clock_now() + interval '59 minutes'`)
  assert.equal(turn?.removed, 3)
  assert.deepEqual(await verify(app.owner), [])
})

test('a file that was never submitted is removed with its bytes; a submitted one stays, and no file is checked twice', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student({ verified: false })
  const merchant = fromWire('usr', student.userId)!
  await setKycStatus(app.deps, student.email, 'rejected')
  const id = (day: number) => firstIdOf(Date.now() - day * dayMs)
  const [submitted, never, awaiting, young] = [id(94), id(93), id(92), id(89)]
  const document = (one: string, state: string): { text: string; values: unknown[] } => ({
    text: `insert into documents (id, merchant_id, purpose, content_type, state, address_expires_at, upload_id, size_bytes, sha256, finished_at)
      values ($1, $2, 'selfie', 'image/png', $3, clock_now(), $1, ${state === 'uploaded' ? `3, sha256('x'), clock_now()` : 'null, null, null'})`,
    values: [one, merchant, state],
  })
  await insertOldRows(app.owner, [
    document(submitted, 'uploaded'),
    document(never, 'uploaded'),
    document(awaiting, 'awaiting'),
    document(young, 'uploaded'),
    {
      text: `insert into verification_history (merchant_id, version, action, from_status, to_status, package, request_id)
        values ($1, 0, 'submitted', 'rejected', 'pending', $2, 'r')`,
      values: [merchant, { facts: {}, documents: [{ id: toWire('doc', submitted), purpose: 'selfie', sha256: '' }] }],
    },
  ])
  await keepAll(app)
  const left = await app.owner.rows<{ id: string }>(sql`select id from documents order by id`)
  assert.deepEqual(
    left.map((row) => row.id),
    [submitted, young],
  )
  const keys = await app.owner.rows<{ key: string }>(sql`select key from unfinished_objects order by key`)
  assert.deepEqual(
    keys.map(({ key }) => key.replace(/^.*\//, '')),
    [never, `${never}.review`],
  )
  const [turn] = await app.owner.rows<{ position: string }>(sql`
    select position from retention_turns where rule = 'documents/unsubmitted'`)
  assert.equal(turn!.position, awaiting)
})

test('the customer of a request that ended unpaid is removed after the period, also where it has no phone', async (t) => {
  const app = await startTestApp(t)
  const { key } = await app.key(await app.student())
  const end = {
    cancelled: `update payment_requests set cancelled_at = clock_now() - make_interval(days => $2::integer) where id = $1`,
    expired: `update payment_pages set expires_at = clock_now() - make_interval(days => $2::integer) where id = $1`,
  }
  const request = async (name: string, how?: keyof typeof end, endedDays?: number, isPaid = false): Promise<void> => {
    const body = { amount: 900, title: 'Chai', customer: { name, email: `${name}@example.com` } }
    const { data } = (await app.call('POST', '/v1/payment-requests', { key, body })).body
    if (isPaid) {
      const paid = await app.checkout(data.url.split('/pay/')[1])
      assert.equal((await app.settled(paid.body.data.reference)).status, 'completed')
    }
    if (how) await app.owner.pool.query(end[how], [fromWire('preq', data.id)!, endedDays])
  }
  await request('open')
  await request('paid91', 'expired', 91, true)
  for (const how of ['cancelled', 'expired'] as const) {
    for (const age of [89, 91]) await request(`${how}${age}`, how, age)
  }
  const rule = rules.filter(({ name }) => name === 'payment-requests/customers').map((one) => ({ ...one, batchSize: 2 }))
  const keep = async (): Promise<void> => {
    await app.owner.rows(sql`update retention_turns set next_at = clock_now(), lease_until = null`)
    while (await pruneExpiredRows(app.deps, rule)) {
      // The next batch.
    }
  }
  const left = (): Promise<string[]> =>
    app.owner.values(sql`select customer_name as name from payment_requests where customer_email is not null order by 1`)
  await keep()
  assert.deepEqual(await left(), ['cancelled89', 'expired89', 'open', 'paid91'])
  // It looks at all of them again: this one has ended meanwhile.
  await app.owner.pool.query(
    `update payment_requests set cancelled_at = clock_now() - interval '91 days' where customer_name = 'open'`,
  )
  await keep()
  assert.deepEqual(await left(), ['cancelled89', 'expired89', 'paid91'])
})

test('a worker whose clock is a year ahead removes no file and no view of today', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student({ verified: false })
  const today = firstIdOf(Date.now())
  await insertOldRows(app.owner, [
    {
      text: `insert into documents (id, merchant_id, purpose, content_type, state, address_expires_at, upload_id, size_bytes, sha256, finished_at)
        values ($1, $2, 'selfie', 'image/png', 'uploaded', clock_now(), $1, 3, sha256('x'), clock_now())`,
      values: [today, fromWire('usr', student.userId)!],
    },
    {
      text: `insert into document_views (id, document_id, session_id, expires_at) values ($1, $1, $1, clock_now())`,
      values: [today],
    },
  ])
  const inAYear = Date.now() + 365 * dayMs
  const ahead = { ...app.deps, clock: { ...app.deps.clock, now: () => inAYear } }
  await pruneExpiredRows(ahead)
  assert.deepEqual([await count(app, 'documents'), await count(app, 'document_views')], [1, 1])
})

test('several workers remove many rows in short batches while deliveries continue, and a worker replaces one that crashed', async (t) => {
  const app = await startTestApp(t)
  const many = 8_000
  await insertOldRows(app.owner, deliveries(many, firstIdOf(Date.now() - 31 * dayMs), 31))
  await insertOldRows(app.owner, deliveries(50, firstIdOf(Date.now() - dayMs), 1))
  const [rule] = rules.filter(({ name }) => name === 'webhooks/deliveries')
  let longestMs = 0
  const timed = {
    ...rule!,
    remove: async (...given: Parameters<NonNullable<typeof rule>['remove']>) => {
      const startedAt = performance.now()
      const removed = await rule!.remove(...given)
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      return removed
    },
  }
  // The first worker dies while it holds the rule.
  const dying = { ...timed, remove: () => Promise.reject(new Error('killed')) }
  await assert.rejects(pruneExpiredRows(app.deps, [dying]), /killed/)
  assert.equal(await pruneExpiredRows(app.deps, [timed]), false, 'its lease is still there')
  await app.owner.rows(sql`update retention_turns set lease_until = clock_now() - interval '1 second'`)
  const startedAt = performance.now()
  while ((await count(app, 'webhook_deliveries')) > 50) {
    await Promise.all([1, 2, 3].map(() => pruneExpiredRows(app.deps, [timed])))
  }
  const seconds = (performance.now() - startedAt) / 1000
  assert.equal(await count(app, 'webhook_attempts'), 100)
  t.diagnostic(
    `${many} deliveries with ${2 * many} attempts in ${seconds.toFixed(1)} s, the longest batch ${longestMs.toFixed(0)} ms`,
  )
  // A statement of the service may take 15 s. Senders would notice a batch that locked rows for a second.
  assert.ok(longestMs < 2_000, `the longest batch took ${longestMs} ms`)
})

test('a rule that fails does not stop the other rules', async (t) => {
  const app = await startTestApp(t)
  await insertOldRows(app.owner, deliveries(10, firstIdOf(Date.now() - 31 * dayMs), 31))
  const failing = {
    ...rules.find(({ name }) => name === 'mail/mails')!,
    remove: () => Promise.reject(new Error('no such column')),
  }
  const other = rules.find(({ name }) => name === 'webhooks/deliveries')!
  await assert.rejects(pruneExpiredRows(app.deps, [failing, other]), /no such column/)
  assert.equal(await count(app, 'webhook_deliveries'), 0)
  const turns = await app.owner.rows<{ rule: string; isLeased: boolean }>(sql`
    select rule, lease_until is not null as is_leased from retention_turns order by rule`)
  assert.deepEqual(turns, [
    { rule: 'mail/mails', isLeased: true },
    { rule: 'webhooks/deliveries', isLeased: false },
  ])
})

test('an object that the store does not remove holds up no other object, and is reported', async (t) => {
  const removed: string[] = []
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      documentStore: {
        ...deps.documentStore,
        async remove(key) {
          if (key.startsWith('locked/')) throw new StoreUnavailable('The object is locked.')
          removed.push(key)
        },
      },
    }),
  })
  const rule = rules.find(({ name }) => name === 'documents/unfinished-objects')!
  // The oldest are locked.
  await app.owner.rows(sql`
    insert into unfinished_objects (key, since)
    select case when n <= 8 then 'locked/' else 'free/' end || n, clock_now() - interval '2 days' + n * interval '1 second'
    from generate_series(1, 20) n`)
  const round = () => pruneExpiredRows(app.deps, [rule])
  for (let turn = 0; turn < 2; turn += 1) {
    await assert.rejects(round(), /The object is locked/)
    await app.owner.rows(sql`update retention_turns set lease_until = clock_now() - interval '1 second'`)
  }
  assert.equal(removed.length, 12)
  assert.equal(await count(app, 'unfinished_objects'), 8)
  await round()
  await app.owner.rows(sql`update unfinished_objects set since = clock_now() - interval '2 days'`)
  await app.owner.rows(sql`update retention_turns set next_at = clock_now()`)
  await assert.rejects(round(), /The object is locked/, 'it is tried again later')
})

test('a worker on another machine removes no file of a folder that it does not have, and keeps it on the list', async (t) => {
  const app = await startTestApp(t)
  const place = join(app.config.dataDir, 'other')
  const folders = {
    find: () => findFolder(app.db),
    insert: (id: string) => insertFolder(app.db, id),
    stored: () => listStored(app.db),
  }
  assert.equal(await app.deps.documentStore.sizeOf('kyc-docs/x'), undefined)
  await app.owner.rows(sql`insert into unfinished_objects (key, since) values ('kyc-docs/x', clock_now() - interval '2 days')`)
  const other = { ...app.deps, documentStore: openStore({ kind: 'disk', folder: place }, 1_000, folders) }
  const rule = rules.find(({ name }) => name === 'documents/unfinished-objects')!
  await assert.rejects(pruneExpiredRows(other, [rule]), /DOCUMENT_STORE=disk is for one machine/)
  assert.equal(await count(app, 'unfinished_objects'), 1)
})

test('an operator can read the retention rules and the time of their last run', async (t) => {
  const app = await startTestApp(t)
  await keepAll(app)
  const text = await describeRetention(app.db)
  for (const { name, tables, keeps } of rules)
    assert.ok(
      text.includes(`${name} (${tables.join(', ')})
  kept:     ${keeps}
`),
      name,
    )
  assert.equal([...text.matchAll(/last run: \d{4}-\d\d-\d\dT.*, 0 removed so far$/gm)].length, rules.length)
})

test('the privacy notice shows the configured periods, in both languages, without a script', async (t) => {
  const app = await startTestApp(t, {
    settings: { PRIVACY_CONTROLLER: 'Duka <Kubwa> Ltd', PRIVACY_CONTACT: 'faragha@example.com', KYC_RECORD_YEARS: '7' },
  })
  const read = async (language: string): Promise<string> => {
    const response = await fetch(`${app.config.urls.api}/privacy?lang=${language}`)
    assert.equal(response.url, `${app.config.urls.checkout}/privacy?lang=${language}`)
    assert.equal(response.status, 200)
    return response.text()
  }
  const periods = [days.providerMessages, days.mails, days.sessions, days.unsubmittedDocuments]
  const expected = {
    en: [...periods.map((period) => `${period} days`), '7 years'],
    sw: [...periods.map((period) => `siku ${period}`), 'miaka 7'],
  }
  for (const [language, words] of Object.entries(expected)) {
    const text = await read(language)
    for (const word of [...words, 'Duka &lt;Kubwa&gt; Ltd', 'mailto:faragha@example.com'])
      assert.ok(text.includes(word), `${language}: ${word}`)
    assert.doesNotMatch(text, /<script/)
  }
})
