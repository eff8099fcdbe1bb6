/** The disk of the database is full, under load, and has space again. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { codeBlocksOf } from '../code-blocks.ts'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { startOwnDatabase } from './own-database.ts'
import { askToPay, assertPaidOnce, insistToPay, payAll, readBooks, waiting, type Asked } from './shop.ts'
import { putOnSmallDisk } from './small-disk.ts'

async function readiness(url: string): Promise<{ status: number; message: string | undefined }> {
  const answer = await fetch(`${url}/readyz`)
  const { error } = (await answer.json()) as { error?: { message: string } }
  return { status: answer.status, message: error?.message }
}

const skipped = 'skipped: this user may not mount a small disk'

test('a full disk takes the processes out of service, and everything goes on by itself when there is space [F30]', async (t) => {
  const own = await startOwnDatabase()
  const disk = await putOnSmallDisk(own)
  if (!disk) {
    await own.drop()
    t.diagnostic(skipped)
    return
  }
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { database: disk.database })
  const { app } = fleet
  const members = [await fleet.api(), await fleet.worker()] as const
  const [{ url }] = members
  const ended: (number | null)[] = []
  for (const { gone } of members) void gone.then((code) => ended.push(code))
  const page = await app.page(await app.student())
  const [first] = await insistToPay(() => url, page.slug, 'before')
  // Its payer has a prompt on the phone while the disk fills.
  const [open] = await insistToPay(() => url, page.slug, 'prompted', waiting)
  await eventually('the first one is completed', async () => (await readBooks(app)).completed === 1)
  assert.equal((await readiness(url)).status, 200)

  disk.fill()
  const message = await eventually('it is not ready', async () => {
    const { status, message: said } = await readiness(url)
    return status === 503 && said
  })
  assert.equal(message, 'Not ready: the disk of the database is full.')
  assert.equal((await fetch(`${url}/livez`)).status, 200)
  const answers: Asked[] = []
  const refused = await eventually('a payer is asked to try again', async () => {
    const answer = await askToPay(url, page.slug, `full-${answers.length}`)
    answers.push(answer)
    return answer.status === 503 && answer
  })
  assert.equal(refused.code, 'overloaded')
  // What is stored can be read, and a payment whose news cannot be stored stays as it is.
  assert.equal((await fetch(`${url}/v1/payments/${first!.reference}/status`)).status, 200)
  await payAll(app)
  const seen = await fetch(`${url}/v1/payments/${open!.reference}/status`)
  const { data } = (await seen.json()) as { data: { status: string } }
  assert.ok(!['failed', 'expired', 'voided'].includes(data.status), data.status)

  // The commands of the runbook work on a full disk.
  const commands = codeBlocksOf('docs/runbooks/disk-full.md')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(psql|df|curl -s ")/.test(line))
  assert.ok(commands.length >= 6)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
    env: { PATH: process.env['PATH'], BASE: url, DATABASE_URL: own.url, DEAD_SLOT: 'no_such_slot' },
  })
  assert.match(stdout, /the disk of the database is full/)

  disk.free()
  const startedAt = performance.now()
  await eventually('it is ready', async () => (await readiness(url)).status === 200)
  assert.ok(performance.now() - startedAt < 15_000)
  for (let number = 0; number < answers.length; number += 1) await insistToPay(() => url, page.slug, `full-${number}`)
  const { payments } = await readBooks(app)
  assert.equal(payments, answers.length + 2)
  await eventually('every payment is completed', async () => (await readBooks(app)).completed === payments, 90_000)
  await assertPaidOnce(app, payments)
  assert.deepEqual(ended, [], 'no process was started again')
})

test('a database that a full disk has stopped is found again when it is started, and nothing is lost [F30]', async (t) => {
  const own = await startOwnDatabase()
  const disk = await putOnSmallDisk(own, { withLog: true })
  if (!disk) {
    await own.drop()
    t.diagnostic(skipped)
    return
  }
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { database: disk.database })
  const { app } = fleet
  const members = [await fleet.api(), await fleet.worker()] as const
  const [{ url }] = members
  const ended: (number | null)[] = []
  for (const { gone } of members) void gone.then((code) => ended.push(code))
  const page = await app.page(await app.student())
  for (let number = 0; number < 10; number += 1) await insistToPay(() => url, page.slug, `before-${number}`)
  await eventually('they are completed', async () => (await readBooks(app)).completed === 10)

  disk.fill()
  await eventually('it is not ready', async () => (await readiness(url)).status === 503)
  // The log needs its next file, which the disk cannot hold: PostgreSQL stops itself.
  const stopped = await eventually('the database stops', async () => {
    const write = `select pg_logical_emit_message(true, 'test', repeat('x', 4000000))`
    await app.owner.pool.query(write).catch(() => undefined)
    const { message } = await readiness(url)
    return message === 'Not ready: the database does not answer.'
  })
  assert.equal(stopped, true)
  const refused = await askToPay(url, page.slug, 'stopped')
  assert.deepEqual([refused.status, refused.code], [503, 'overloaded'])

  disk.free()
  await own.start()
  await eventually('it is ready', async () => (await readiness(url)).status === 200, 30_000)
  await insistToPay(() => url, page.slug, 'stopped')
  await eventually('every payment is completed', async () => (await readBooks(app)).completed === 11, 60_000)
  await assertPaidOnce(app, 11)
  assert.deepEqual(ended, [], 'no process was started again')
})
