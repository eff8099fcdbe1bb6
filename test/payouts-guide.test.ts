/** The program of the guide to payouts, word for word, against the real service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from './app.ts'

test('the program of the guide pays once for one key, follows the payout to its end, and stops at a refusal', async (t) => {
  const guide = readFileSync(join(import.meta.dirname, '../docs/guides/payouts.md'), 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'pay-out-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'pay-out.mjs'), /```js\n([\s\S]*?)```/.exec(guide)![1]!)
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 100_000 })
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')

  async function run(own: { KEY: string; PHONE: string; AMOUNT?: string }): Promise<[code: number | null, output: string]> {
    const env = {
      PATH: process.env['PATH'],
      MALIPO_URL: app.config.urls.api,
      MALIPO_API_KEY: key,
      NAME: 'Asha Mushi',
      AMOUNT: '20000',
    }
    const child = spawn('node', ['pay-out.mjs'], { cwd: folder, env: { ...env, ...own } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return [code, output.trim()]
  }
  const paid = await run({ KEY: 'refund-1', PHONE: '0754000123' })
  assert.match(paid.join(' '), /^0 po_\w{26} completed$/)
  assert.deepEqual(await run({ KEY: 'refund-1', PHONE: '0754000123' }), paid)
  assert.match((await run({ KEY: 'refund-2', PHONE: '0754000089' })).join(' '), /^0 po_\w{26} failed$/)
  const [code, output] = await run({ KEY: 'refund-3', PHONE: '0754000123', AMOUNT: '5000000' })
  assert.equal(code, 1)
  assert.match(output, /insufficient_balance/)
})
