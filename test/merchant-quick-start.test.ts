/** The quick start for merchants, as the service shows it, run word for word with the key of a new account that is not verified. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { keyPlace } from '../server/views/web/docs/script.ts'
import { exampleApiUrl } from '../server/views/web/docs/site.ts'
import { startTestApp } from './app.ts'

const run = promisify(execFile)

test('the quick start for merchants has the address of this service, and its commands work with a new account’s key', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const person = {
    full_name: 'Neema Joseph',
    student_id: 'T-1',
    institution: 'UDSM',
    email: 'neema@example.com',
    phone_number: '0754000111',
    password: 'karibu-malipo-2026',
  }
  const registered = await app.call('POST', '/v1/auth/register', { body: person })
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  const { key, page_slug } = registered.body.data.sandbox

  const page = await (await fetch(`${app.config.urls.api}/docs/quick-start.md`)).text()
  assert.ok(!page.includes(exampleApiUrl))
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
  const [start, pay, see, event, shell] = blocks
  assert.equal(blocks.length, 5)
  assert.equal(start, `BASE=${app.config.urls.api}\nKEY=${keyPlace}\n`)
  const first = start.replace(keyPlace, key)
  const print = async (script: string): Promise<string> => (await run('bash', ['-euo', 'pipefail', '-c', first + script])).stdout
  const answers = async (script: string): Promise<any[]> =>
    (await print(script))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  const [made] = await answers(pay!)
  assert.match(made.data.reference, /^pay_/)
  assert.equal((await answers(pay!))[0].data.reference, made.data.reference)
  await app.settled(made.data.reference)
  const [listed, balance] = await answers(see!)
  assert.deepEqual(
    listed.data.map((one: any) => [one.reference, one.status]),
    [[made.data.reference, 'completed']],
  )
  assert.equal(balance.data.available, 2500, JSON.stringify(balance))
  const [events] = await answers(event!)
  assert.deepEqual([events.data[0].type, events.data[0].data.reference], ['payment.completed', made.data.reference])
  assert.equal((await print(`${shell}echo "$SLUG"`)).trim(), page_slug)
})
