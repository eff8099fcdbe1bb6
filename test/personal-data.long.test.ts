/** The commands of docs/operations/personal-data.md, word for word, as an operator types them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from './app.ts'

const root = join(import.meta.dirname, '..')

/** The lines of its shell blocks. */
function commandsOf(page: string): string[] {
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'))
}

test('every command of the page about personal data does what the page says', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'personal-data-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754123789', customer_name: 'Neema Kisusange' })
  assert.equal((await app.settled(body.data.reference)).status, 'completed')

  async function run(command: string, typed = ''): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const words = command.replace('asha@example.com', student.email).replace('/var/lib/malipo/', `${folder}/`).split(' ')
    assert.deepEqual(words.slice(0, 1), ['malipo-ops'])
    const env = { PATH: process.env['PATH'], ...app.settings }
    const child = spawn(join(root, 'bin/malipo-ops'), words.slice(1), { cwd: folder, env })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()))
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
    child.stdin.end(`${typed}\n`)
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout, stderr }
  }

  const commands = commandsOf(readFileSync(join(root, 'docs/operations/personal-data.md'), 'utf8'))
  const [exportAccount, exportPayer, erase, eraseAndKeep, erasePayer, retention, ...others] = commands as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  assert.deepEqual(others, [])

  assert.equal((await run(exportAccount)).code, 0)
  assert.equal(statSync(join(folder, 'asha.json')).mode & 0o777, 0o600)
  assert.equal(JSON.parse(readFileSync(join(folder, 'asha.json'), 'utf8')).data.users[0].email, student.email)
  const again = await run(exportAccount)
  assert.deepEqual(
    [again.code, again.stderr],
    [1, `${folder}/asha.json already exists and may contain data of another person. Nothing was written.\n`],
  )
  assert.equal((await run(exportPayer)).code, 0)
  assert.match(readFileSync(join(folder, 'payer.json'), 'utf8'), /Neema Kisusange/)

  const mistyped = await run(erasePayer, '+255754123788')
  assert.equal(mistyped.code, 1)
  assert.match(mistyped.stderr, /Type \+255754123789 again .*The answer does not match\. Nothing was erased\./)
  const held = await run(erase, student.email)
  assert.deepEqual([held.code, held.stdout], [1, ''])
  assert.match(held.stderr, /Anti-Money Laundering Act, section 16\), that is until \d{4}-\d\d-\d\d\. With --keep-held-records/)
  const erased = await run(eraseAndKeep, student.email)
  assert.equal(erased.code, 0, erased.stderr)
  assert.match(
    erased.stdout,
    /^Erased: the account is erased-[0-9a-f]{16} now; its books are unchanged\.\nRecords of identification are held until /,
  )
  const payer = await run(`${erasePayer} --confirm +255754123789`)
  assert.match(payer.stdout, /^Erased: the payer of 1 payments and the recipient of 0 payouts is erased-[0-9a-f]{16} now\.\n$/)
  assert.deepEqual((await run(exportPayer.replace('payer.json', 'unknown.json'))).code, 0)
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'unknown.json'), 'utf8')).data, {})

  assert.match(
    (await run(retention)).stdout,
    /^webhooks\/deliveries \(webhook_deliveries, webhook_attempts\)\n {2}kept: +30 days/,
  )
  assert.equal((await run('malipo-ops verify')).stdout, 'Everything that must be true of the money is true.\n')
  const unknown = await run('malipo-ops person erase --phone 12')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /^Usage: /)
})
