/** Runs small versions of the benches: the checks matter here, not the measurements. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { run, start } from './bench-process.ts'

test('a commit against itself is not worse, and every line is measured', async () => {
  const { compared, worse } = await run('run', '--quick', '--rounds', '2', '--against', 'HEAD')
  assert.deepEqual(worse, [])
  for (const { title, ours, theirs } of compared) assert.ok(ours > 0 && theirs > 0, title)
})

test('an unknown commit is refused with a sentence', async () => {
  const { code, errors } = await start('run', ['--against', 'no-such-commit']).ended
  assert.equal(code, 2)
  assert.match(errors, /no-such-commit: this repository has no such commit/)
})

test('growth: both sides do all measured work, and the seeded past satisfies every invariant', async () => {
  const { results, violations } = await run('growth', '--payments', '4k', '--rounds', '1', '--window', '100')
  assert.deepEqual(violations, [])
  assert.equal(results.length, 7)
  for (const { name, emptyPerSecond, pastPerSecond } of results) assert.ok(emptyPerSecond > 0 && pastPerSecond > 0, name)
})

/** As much of Formance's ledger as a client sees: a new ledger, then balanced transactions in it. */
async function startLedger(t: TestContext): Promise<{ url: string; asked: { path: string; body: any }[] }> {
  const asked: { path: string; body: any }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push({ path: `${request.method} ${request.url}`, body: JSON.parse(Buffer.concat(chunks).toString()) })
      if (request.url!.endsWith('/transactions')) response.end(JSON.stringify({ data: { id: asked.length } }))
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ledger`, asked }
}

test('peers: Formance gets a new ledger and transactions from world, beside settlements and whole payments', async (t) => {
  const { url, asked } = await startLedger(t)
  const { results, violations } = await run('peers', '--rounds', '1', '--window', '200', '--formance', url)
  assert.deepEqual(violations, [])
  assert.equal(results.length, 5)
  for (const { name, perSecond, ratio } of results) assert.ok(perSecond > 0 && ratio > 0, name)
  const [made, ...transactions] = asked
  assert.match(made!.path, /^POST \/api\/ledger\/v2\/malipo-bench-[0-9a-f]{8}$/)
  for (const { path, body } of transactions) {
    assert.equal(path, `${made!.path}/transactions`)
    const [posting] = body.postings
    assert.match(posting.destination, /^merchants:\d+$/)
    assert.deepEqual({ ...posting, destination: '' }, { source: 'world', destination: '', amount: 5000, asset: 'TZS' })
  }
})

test('processes: every waiting payer gets an answer', async () => {
  const { steady, burst, violations } = await run('processes', '--payers', '400', '--idle', '1')
  assert.equal(steady.count + burst.count, 400)
  assert.deepEqual(violations, [])
})

/** The command lines of processes that name this folder. */
async function processesIn(folder: string): Promise<string[]> {
  const commands = globSync('/proc/[0-9]*/cmdline').map((file) => readFile(file, 'utf8').catch(() => ''))
  return (await Promise.all(commands)).filter((command) => command.includes(folder))
}

// `local` opens nothing. The other benches use the same scope.
for (const [bench, ...words] of [['run', '--quick'], ['peers'], ['growth', '--payments', '20k']] as [string, ...string[]][]) {
  test(`Ctrl-C in ${bench} prints one line, and leaves no process and no folder`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'interrupted-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    // The user of the database must reach it.
    await chmod(folder, 0o755)
    const { child, ended } = start(bench, words, { TMPDIR: folder })
    // Once the database is there, the terminal interrupts the whole process group.
    while (globSync(join(folder, '*/postgres.log')).length === 0 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 50))
    process.kill(-child.pid!, 'SIGINT')
    const { code, errors } = await ended
    assert.equal(code, 130, errors)
    assert.equal(errors, 'Interrupted: closing the servers and removing the folders.\n')
    assert.deepEqual(await readdir(folder), [])
    if (process.platform === 'linux') assert.deepEqual(await processesIn(folder), [])
  })
}
