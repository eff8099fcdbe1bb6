/** The README's tour, word for word, in a checkout of its own: what a newcomer reads is what works. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkoutInPrivateHome, databasePlace, killGroup, npmStart, portSettings } from './newcomer.ts'
import { freePorts } from './world.ts'

test('the tours of the README work as they are written', async (t) => {
  const folder = checkoutInPrivateHome(t)
  const settings = await portSettings()
  const [receiverPort] = await freePorts(1)
  const started = npmStart(t, folder, settings)
  t.after(() => rmSync(databasePlace(folder), { recursive: true, force: true }))
  await started.readyMs
  const tour = readFileSync(join(folder, 'README.md'), 'utf8')
    .split('## A two-minute tour')[1]!
    .split('\n## Running it apart')[0]!
  const blocks = [...tour.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!)
  assert.ok(blocks.length >= 11)
  // Only the ports are not the README's: others may be in use where tests run.
  const script = blocks
    .join('\n')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${settings['PORT']}`)
    .replaceAll('4000', String(receiverPort))
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: dirname(dirname(folder)), TMPDIR: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  shell.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  shell.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  assert.equal(await new Promise((resolve) => shell.once('exit', resolve)), 0, said)
  assert.match(said, /pay_\w{26} is completed/)
  assert.match(said, /"available":25000/)
  assert.match(said, /"type":"payment","direction":"credit","amount":25000/)
  assert.match(said, /the signature is right/)
  assert.match(said, /po_\w{26} has arrived/)
  assert.match(said, /"type":"payout","direction":"debit","amount":20000/)
  assert.match(said, /'submission'/)
  assert.equal(said.match(/"status":"uploaded"/g)?.length, 4)
  assert.match(said, /the business is verified/)
  assert.match(said, /"available":0.*"environment":"live"/)
  assert.match(said, /Everything that must be true of the money is true/)
  killGroup(started.child, 'SIGTERM')
  await started.exited
})
