/**
 * The only access to check_cursors: how far the full check has come in each of its parts, its findings there, and the next turns of the
 * incremental check. Invariant: a step that was not recorded is repeated; none is skipped.
 */
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { Violation, Turns } from './verify.ts'
import type { Cursor } from './scope.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'

/** Longer than a step may take: after it another process continues. */
const leaseSeconds = 60

/** The maximum for one part in one pass. */
const findingsAtMost = 100

type Claim = { part: string; after: Cursor; rows: number | null }

/**
 * Claims the unfinished part of the full check that was started first. A finished part starts again a day after its start, or minutes
 * after its end if it had findings. Undefined if no part is due.
 */
export async function claimPart(db: Runner, parts: string[]): Promise<Claim | undefined> {
  const claim = await claimDuePart(db, parts)
  if (claim) return claim
  return (await addParts(db, parts)) ? claimDuePart(db, parts) : undefined
}

/** Inserts the parts that do not exist yet; returns whether there was one. */
async function addParts(db: Runner, parts: string[]): Promise<boolean> {
  return db.any(sql`
    insert into check_cursors (pass, walked, home, last_id, pass_started_at)
    select 'whole', part, -1, '', clock_now() from unnest(${parts}::text[]) as part
    where not exists (select from check_cursors c where c.pass = 'whole' and c.walked = part)
    on conflict do nothing
    returning walked`)
}

async function claimDuePart(db: Runner, parts: string[]): Promise<Claim | undefined> {
  const [claimed] = await db.rows<{ walked: string; home: number; lastId: string; stepRows: number | null }>(sql`
    update check_cursors c set lease_until = clock_now() + make_interval(secs => ${leaseSeconds}),
      home = case when n.is_new then -1 else c.home end, last_id = case when n.is_new then '' else c.last_id end,
      step_rows = case when n.is_new then null else c.step_rows end,
      pass_started_at = case when n.is_new then clock_now() else c.pass_started_at end, finished_at = null
    from (
      select pass, walked, finished_at is not null as is_new from check_cursors
      where pass = 'whole' and walked = any(${parts}::text[]) and (lease_until is null or lease_until < clock_now())
        and (finished_at is null or pass_started_at < clock_now() - interval '1 day'
          or (earlier_findings <> '[]' and finished_at < clock_now() - interval '4 minutes'))
      order by finished_at is not null, pass_started_at, walked
      limit 1 for update skip locked
    ) n
    where c.pass = n.pass and c.walked = n.walked
    returning c.walked, c.home, c.last_id, c.step_rows`)
  return claimed && { part: claimed.walked, after: { home: claimed.home, id: claimed.lastId }, rows: claimed.stepRows }
}

/** Records the findings of a step and the start of the next one. Does nothing if another process has recorded it. */
export async function recordStep(db: Runner, { part, after }: Claim, next: Cursor, findings: Violation[]): Promise<void> {
  await db.rows(sql`
    update check_cursors set home = ${next.home}, last_id = ${next.id}, lease_until = null,
      findings = case when jsonb_array_length(findings) < ${findingsAtMost}::integer then findings || ${JSON.stringify(findings)}::jsonb else findings end
    where pass = 'whole' and walked = ${part} and home = ${after.home} and last_id = ${after.id}`)
}

/** Ends the pass: its findings replace those of the previous pass. */
export async function recordEnd(db: Runner, { part, after }: Claim): Promise<void> {
  await db.rows(sql`
    update check_cursors set finished_at = clock_now(), lease_until = null, earlier_findings = findings, findings = '[]'
    where pass = 'whole' and walked = ${part} and home = ${after.home} and last_id = ${after.id} and finished_at is null`)
}

/** The step took too long or failed: it is retried with fewer rows, after its lease, while other parts continue. */
export async function recordFailure(db: Runner, { part }: Claim, rows: number): Promise<void> {
  await db.rows(sql`update check_cursors set step_rows = ${rows} where pass = 'whole' and walked = ${part}`)
}

/** The findings of the full check: of the current pass and of the previous one. */
export async function readWholeFindings(db: Runner): Promise<Violation[]> {
  const rows = await db.rows<{ findings: Violation[] }>(sql`
    select earlier_findings || findings as findings from check_cursors
    where pass = 'whole' and (findings <> '[]' or earlier_findings <> '[]') order by walked`)
  return rows.flatMap(({ findings }) => findings)
}

/** The earliest start among the current or last passes of these parts. Undefined before the first pass. */
export async function readWholeCheckStart(db: Runner, parts: readonly string[]): Promise<Date | undefined> {
  const [first] = await db.rows<{ startedAt: Date | null }>(sql`
    select min(pass_started_at) as started_at from check_cursors where pass = 'whole' and walked = any(${parts}::text[])`)
  return first?.startedAt ?? undefined
}

export async function readTurns(db: Runner): Promise<Turns> {
  const rows = await db.rows<{ walked: keyof Turns; home: number; lastId: string }>(sql`
    select walked, home, last_id from check_cursors where pass = 'turn'`)
  return Object.fromEntries(rows.map(({ walked, home, lastId }) => [walked, { home, id: lastId }]))
}

const placeColumns = { walked: 'text', home: 'smallint', id: 'text' } as const

export async function recordTurns(db: Runner, turns: Turns): Promise<void> {
  const places = Object.entries(turns).map(([walked, { home, id }]) => ({ walked, home, id }))
  await db.rows(sql`
    insert into check_cursors (pass, walked, home, last_id, pass_started_at)
    select 'turn', t.walked, t.home, t.id, clock_now()
    from ${recordset(places, 't', placeColumns)}
    on conflict (pass, walked) do update set home = excluded.home, last_id = excluded.last_id`)
}

/** Moves the leases of steps together with a clock that was set back by this many seconds. */
export async function moveCursorTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update check_cursors set lease_until = ${moved(sql`lease_until`, seconds)} where lease_until > clock_now()`)
}
