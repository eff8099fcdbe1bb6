/** The runbooks, each during its incident: every command of every page, word for word, against the running service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openMetricsPort } from '../server/operations/metrics/open-port.ts'
import { codeBlocksOf } from './code-blocks.ts'
import { eventually, freePorts, startTestApp, type TestApp } from './app.ts'
import { newMember } from './members.ts'
import { registerBusiness, submitKyc } from './onboarding.ts'
import { passMinute, report } from './fixtures/support.ts'

const root = join(import.meta.dirname, '..')

/** Lines that cannot be run where tests run. */
const notRun: Record<string, string> = {
  'malipo-ops backup check "$BACKUP"': 'there is no backup here; `npm run drill:restore` takes, checks and restores one',
  'malipo-ops backup restore "$BACKUP" --into "$DATA" --archive "$ARCHIVE" --until "$UNTIL"': 'the same',
  'malipo-ops backup restore-documents "$DOCUMENTS"': 'the same',
  'chronyc makestep': 'the clock of this machine is not ours to set',
  'chronyc tracking': 'the same',
  'systemctl restart malipo-worker': 'the service is not installed here; test/drain.long.test.ts restarts it',
  'systemctl status malipo-worker': 'the same',
  'journalctl -u malipo-worker -n 50 -o cat': 'the same',
  'docker compose -f ops/compose.yaml ps -a': 'there are no containers here',
  'docker compose -f ops/compose.yaml logs --tail 50 worker': 'the same',
  'docker compose -f ops/compose.yaml restart worker': 'the same',
  'psql "$STANDBY_URL" -Atc "select pg_promote()"': 'there is no standby here; test/faults/failover.test.ts promotes one',
}

type Incident = {
  /** The values that the page asks the reader to fill in. */
  env?: Record<string, string>
  /** The typed input. */
  typed?: string
  /** Files in the folder. */
  files?: Record<string, string>
  /** Actions before the block that contains `before`. */
  between?: { before: string; commands: string }[]
  /** The expected output. */
  shows: RegExp[]
}

/** A merchant whose server is down, and one payment that was not delivered to it. */
async function failingMerchant(app: TestApp): Promise<{ MERCHANT: string; APP: string; EVENT: string; DELIVERY: string }> {
  const student = await app.student()
  const { appId } = await app.key(student)
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}/hook`
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  await app.checkout((await app.page(student)).slug)
  const attempt = await eventually('the webhook has failed', async () => {
    const { body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: student.token })
    return body.data[0]
  })
  return { MERCHANT: student.userId, APP: appId, EVENT: attempt.event_id, DELIVERY: attempt.id }
}

async function paymentTo(app: TestApp, digits: string): Promise<string> {
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: `0754000${digits}` })
  return body.data.reference
}

/** The incidents; a page without one runs against a healthy service. */
const incidents: Record<string, (app: TestApp, metricsUrl: string) => Promise<Incident>> = {
  README: async (app) => {
    const { email, password, recoveryCodes } = await app.admin()
    return { typed: `${email}\n${password}\n${recoveryCodes[0]}\n`, between: [], shows: [] }
  },
  'provider-down': async () => ({
    shows: [/circuit_open\{.*provider="snippe".*\} 0/, /"state":"off"/, /"state":"on"/, /rec_\w{26}|run_\w{26}/],
  }),
  'process-down': async () => ({ shows: [/^\{"status":"ok"\}/m, /verify_age_seconds/, /Everything that must be true/] }),
  'stuck-unknowns': async (app) => ({
    env: { REFERENCE: await paymentTo(app, '129') },
    shows: [/pay_\w{26}/, /provider_reference/, /provider_status: 'pending'/, /rec_\w{26}/],
  }),
  'suspense-not-zero': async (app, metricsUrl) => {
    await paymentTo(app, '189')
    const [proposer, confirmer] = [await app.admin(), await app.admin()]
    const found = await eventually('the break is open', async () => {
      const { body } = await app.call('GET', '/v1/admin/breaks?kind=amount_differs&status=open', { token: proposer.token })
      return body.data[0]
    })
    await eventually('the figures show it', async () =>
      (await (await fetch(`${metricsUrl}/metrics`)).text()).includes('malipo_suspense_tzs{environment="test"} 1400'),
    )
    return {
      env: { BREAK: found.id, TOKEN: proposer.token, OTHER: confirmer.token },
      between: [
        {
          before: '/confirm"',
          commands: 'PROPOSED_AT=$(admin GET "/breaks/$BREAK" | json data.proposal.proposed_at); TOKEN=$OTHER',
        },
      ],
      shows: [/suspense_tzs\{environment="test"\} 1400/, /kind: 'amount_differs'/, /^resolved$/m, /Everything that must be true/],
    }
  },
  'balance-differs': async () => ({
    shows: [
      /metric malipo_open_breaks|malipo_open_breaks\{/,
      /^500000 TZS \(top_up\) are recorded for live snippe/m,
      /^-80000 TZS \(withdrawal\) are recorded/m,
      /^-1200 TZS \(correction\) are recorded/m,
      /"reference":"FEES-2026-11"/,
      /Everything that must be true/,
    ],
  }),
  'verify-violation': async () => ({ shows: [/Everything that must be true/, /^true$/m, /"state":"off"/, /"state":"on"/] }),
  'dead-merchant-endpoint': async (app) => ({
    env: await failingMerchant(app),
    shows: [/outcome="failed"/, /connection_refused/, /^1$/m],
  }),
  'leaked-api-key': async (app) => {
    const student = await app.student()
    const { keyId, key } = await app.key(student, 'live')
    return {
      env: { KEY_ID: keyId, MERCHANT: student.userId },
      files: { 'leaked.txt': `${key}\n` },
      shows: [new RegExp(`Key\\s+${keyId}`), /is revoked/, /State\s+revoked/],
    }
  },
  'leaked-webhook-secret': async (app) => ({ env: await failingMerchant(app), shows: [/has another secret/, /failed/] }),
  'admin-lost-second-factor': async (app) => {
    const [lost, witness] = [await app.admin(), await app.admin()]
    return {
      env: { LOST: lost.email, USER_ID: lost.userId, WITNESS: witness.email },
      typed: `${witness.recoveryCodes[0]}\n`,
      shows: [/is disabled/, /is enabled/, /Recovery codes/, new RegExp(`witness: '${witness.userId}'`)],
    }
  },
  'approver-gone': async (app) => {
    const owner = await app.student()
    const { id } = await registerBusiness(app, owner)
    const gone = await newMember(app, owner, id, 'approver')
    return {
      env: { BUSINESS: id, GONE: gone.email, GONE_ID: gone.userId },
      shows: [new RegExp(`${gone.userId} approver active`), /is disabled/, /is enabled/, /account\.enabled/],
    }
  },
  'data-breach': async (app) => ({
    env: { STOLEN: (await app.admin()).email },
    shows: [/is disabled; 1 sessions/, /^true$/m, /Everything that must be true/],
  }),
  'leaked-envelope-key': async () => ({ shows: [/ENVELOPE_KEYS=/, /webhook_attempts_total/] }),
  restore: async () => ({ shows: [/Everything that must be true/, /"status":"ok"/] }),
  'clock-skew': async () => ({ shows: [/clock_skew_seconds/] }),
  'disk-full': async () => ({ env: { DEAD_SLOT: 'no_such_slot' }, shows: [/disk_free_ratio/, /"status":"ok"/] }),
  'mail-late': async () => ({ shows: [/mail_oldest_due_seconds\{kind="urgent"\}/, /mail_oldest_due_seconds\{kind="bulk"\}/] }),
  'reviews-overdue': async (app) => {
    const [student, away] = [await app.student({ verified: false }), await app.admin()]
    await submitKyc(app, student)
    const claimed = await app.call('POST', `/v1/admin/reviews/${student.userId}/claim`, { token: away.token, body: {} })
    assert.equal(claimed.status, 200, JSON.stringify(claimed.body))
    return {
      env: { CASE: student.userId },
      shows: [/reviews_overdue\{kind="personal"\}/, new RegExp(`${student.userId} person .* Rehema Ops`)],
    }
  },
  'support-cases-late': async (app, metricsUrl) => {
    const reference = await paymentTo(app, '129')
    const path = await report(app, reference, 'S46121174212')
    const id = /case_[0-9a-z]{26}/.exec(path)![0]
    await passMinute(app, path)
    await eventually('operators have the case', async () => {
      const { rows } = await app.owner.pool.query(`select from support_cases where state = 'with_operators'`)
      return rows.length > 0
    })
    await eventually('the metric shows it', async () =>
      (await (await fetch(`${metricsUrl}/metrics`)).text()).includes('malipo_support_cases{environment="test"} 1'),
    )
    return {
      env: { CASE: id, REFERENCE: reference },
      shows: [/support_cases\{environment="test"\} 1/, new RegExp(`${id} still_open`), /"decision":"other"/],
    }
  },
  'checkout-flood': async (app) => ({
    env: { SLUG: (await app.page(await app.student(), {}, 'live')).slug },
    shows: [
      /unconfirmed_checkouts 0/,
      /flooded_pages 0/,
      /No page asks for confirmations/,
      /: off\.$/m,
      /: auto\.$/m,
      /: on\.$/m,
    ],
  }),
  overload: async () => ({ env: { PID: '0' }, shows: [/database_waiting/, /"state":"off"/, /"state":"on"/] }),
  'database-failover': async (app) => ({
    env: { STANDBY_URL: app.settings['DATABASE_URL']! },
    shows: [/"status":"ok"/, /Everything that must be true/],
  }),
}

/** A folder that belongs to the service, where a page may leave files. */
function folderOfService(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-runbook-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'package-lock.json', 'bin', 'server', 'scripts', 'node_modules', 'migrations']) {
    symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}

async function run(script: string, typed: string, cwd: string, env: Record<string, string>) {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd, ...env },
  })
  // A page without prompts ends before the input is written.
  shell.stdin.on('error', () => undefined).end(typed)
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  const code = await new Promise<number | null>((resolve) => shell.once('close', resolve))
  return { code, output }
}

const runbooks = globSync('docs/runbooks/*.md', { cwd: root }).toSorted()
const [helpers] = codeBlocksOf('docs/runbooks/README.md')

test('no command of a runbook acts in the test environment: the incident is in live', () => {
  const lines = runbooks.flatMap((file) => codeBlocksOf(file).flatMap(({ text }) => text.split('\n')))
  assert.deepEqual(
    lines.filter((line) => /"environment":"test"|environment=test/.test(line)),
    [],
  )
})

test('each runbook works during its incident', { timeout: 400_000 }, async (t) => {
  const [port] = await freePorts(1)
  const app = await startTestApp(t, { worker: true, settings: { METRICS_PORT: String(port) } })
  const metrics = await openMetricsPort(app.deps)
  const metricsUrl = `http://127.0.0.1:${port}`
  app.beforeClose(() => metrics.close())
  for (const file of runbooks) {
    const name = basename(file, '.md')
    await t.test(name, async (inner) => {
      const incident = await incidents[name]?.(app, metricsUrl)
      assert.ok(incident, `${name} has an incident in this test`)
      const { env = {}, typed = '', files = {}, between = [], shows } = incident
      const folder = folderOfService(inner)
      for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
      const token = env['TOKEN'] ?? (await app.admin()).token
      const blocks = codeBlocksOf(file).flatMap(({ language, text, line }) => {
        assert.equal(language, 'bash', `${file}:${line}`)
        const added = between.filter(({ before }) => text.includes(before)).map(({ commands }) => commands)
        return [
          ...added,
          text
            .split('\n')
            .filter((one) => !(one in notRun))
            .join('\n'),
        ]
      })
      // bash reads a separate start file when it assumes a remote call.
      const script = [...(name === 'README' ? [] : [helpers!.text]), ...blocks].join('\n')
      const { code, output } = await run(script, typed, folder, {
        ...app.settings,
        ...env,
        SHLVL: '1',
        BASE: app.config.urls.api,
        METRICS: metricsUrl,
        TOKEN: token,
      })
      assert.equal(code, 0, `${file}:\n${output}`)
      for (const what of shows) assert.match(output, what, file)
    })
  }
  const texts = runbooks.flatMap((file) => codeBlocksOf(file).map(({ text }) => text)).join('')
  for (const line of Object.keys(notRun)) assert.ok(texts.includes(line), `${line} is in no runbook any more`)
})
