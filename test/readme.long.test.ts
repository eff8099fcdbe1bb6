/** Runs the commands of the README and of the tour in the documentation, word for word, in a separate checkout. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkoutInPrivateHome, databasePlace, killGroup, npmStart, portSettings } from './npm-start.ts'
import { freePorts } from './app.ts'

test('the commands of the README and of the tour work unchanged', async (t) => {
  const folder = checkoutInPrivateHome(t)
  const settings = await portSettings()
  const [receiverPort] = await freePorts(1)
  const started = npmStart(t, folder, settings)
  t.after(() => rmSync(databasePlace(folder), { recursive: true, force: true }))
  await started.readyMs
  const blocksOf = (file: string): string[] =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!)
  const [payment, ...more] = blocksOf('README.md')
  assert.ok(payment && more.length === 0)
  const tour = blocksOf('docs/tour.md')
  assert.ok(tour.length >= 12)
  // The documented ports may be in use where tests run.
  const script = [payment, ...tour]
    .join('\n')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${settings['PORT']}`)
    .replaceAll('4000', String(receiverPort))
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: dirname(dirname(folder)), TMPDIR: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  shell.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  assert.equal(await new Promise((resolve) => shell.once('exit', resolve)), 0, output)
  assert.match(output, /^[^\n]*"status":"completed"/, 'the payment of the README')
  assert.match(output, /pay_\w{26} is completed/)
  assert.match(output, /"available":25000/)
  assert.match(output, /"type":"payment","direction":"credit","amount":25000/)
  assert.match(output, /the signature is right/)
  assert.match(output, /po_\w{26} has arrived/)
  assert.match(output, /"type":"payout","direction":"debit","amount":20000/)
  assert.match(output, /'submission'/)
  assert.equal(output.match(/"status":"uploaded"/g)?.length, 4)
  assert.match(output, /the business is verified/)
  assert.match(output, /"available":0.*"environment":"live"/)
  assert.match(output, /Everything that must be true of the money is true/)
  killGroup(started.child, 'SIGTERM')
  await started.exited
})
