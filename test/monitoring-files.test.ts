/** The samples for Prometheus, Alertmanager and rsyslog: they name what exists, and the real programs accept them where they are installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { readRules, root } from './alert-rules.ts'

const read = (file: string) => readFileSync(join(root, 'ops', file), 'utf8')

/** Runs a tool in ops/ and returns its output; undefined where it is not installed. */
function tool(t: TestContext, name: string, ...words: string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(name, words, { cwd: join(root, 'ops'), encoding: 'utf8' })
  if (error) {
    t.diagnostic(`SKIPPED: ${name} is not installed, so it did not check the file`)
    return undefined
  }
  assert.equal(status, 0, `${name} ${words.join(' ')}:\n${stdout}${stderr}`)
  return stdout
}

type Prometheus = {
  global: { external_labels: Record<string, string> }
  scrape_configs: { job_name: string; static_configs: { targets: string[]; labels: { role: string } }[] }[]
}

test('the sample for Prometheus scrapes the ports of the units as the job of the alerts, and promtool accepts it', (t) => {
  const { global, scrape_configs: jobs } = parse(read('prometheus.yaml')) as Prometheus
  assert.match(global.external_labels['runbooks']!, /^https:\/\/.*[^/]$/)
  assert.deepEqual(
    jobs.map(({ job_name }) => job_name),
    ['malipo'],
  )
  for (const { targets, labels } of jobs[0]!.static_configs) {
    const [, port] = /METRICS_PORT=(\d+)/.exec(read(`systemd/malipo-${labels.role}.service`))!
    assert.deepEqual(targets, [`127.0.0.1:${port}`])
  }
  tool(t, 'promtool', 'check', 'config', 'prometheus.yaml')
  tool(t, 'promtool', 'test', 'rules', 'alerts.test.yaml')
})

type Alertmanager = {
  route: { receiver: string; routes: { matchers: string[]; receiver: string }[] }
  inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[]
  receivers: { name: string }[]
}

/** Their notification never waits for another alert. */
const neverInhibited = readRules().alerts.filter(({ annotations }) =>
  /verify-violation|stuck-unknowns|restore/.test(annotations.runbook_url),
)

test('the sample for Alertmanager has a receiver for each severity, names only our alerts, and never withholds one about money', (t) => {
  const { route, inhibit_rules: inhibitions, receivers } = parse(read('alertmanager.yaml')) as Alertmanager
  const { alerts, heartbeats } = readRules()
  const all = [...alerts, ...heartbeats]
  for (const severity of new Set(all.map(({ labels }) => labels.severity))) {
    const found = route.routes.find(({ matchers }) => matchers.includes(`severity="${severity}"`))
    assert.ok(
      receivers.some(({ name }) => name === found?.receiver),
      severity,
    )
    const receiver = tool(t, 'amtool', 'config', 'routes', 'test', '--config.file=alertmanager.yaml', `severity=${severity}`)
    if (receiver !== undefined) assert.equal(receiver.trim(), found!.receiver)
  }
  const namedIn = (matchers: string[]) => matchers.flatMap((one) => /^alertname=~?"(.*)"$/.exec(one)![1]!.split('|'))
  for (const { source_matchers: causes, target_matchers: symptoms } of inhibitions) {
    for (const name of [...namedIn(causes), ...namedIn(symptoms)])
      assert.ok(
        all.some(({ alert }) => alert === name),
        name,
      )
    for (const { alert } of neverInhibited) assert.ok(!namedIn(symptoms).includes(alert), alert)
  }
  tool(t, 'amtool', 'check-config', 'alertmanager.yaml')
})

test('the sample for rsyslog sends the lines of both units over TLS and keeps them meanwhile, and rsyslogd accepts it', (t) => {
  const text = read('rsyslog.conf')
  for (const role of ['api', 'worker']) assert.ok(text.includes(`== "malipo-${role}.service"`), role)
  assert.match(text, /StreamDriverMode="1" StreamDriverAuthMode="x509\/name"/)
  assert.match(text, /queue\.maxDiskSpace="1g" queue\.saveOnShutdown="on"/)
  assert.match(text, /action\.resumeRetryCount="-1"/)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-rsyslog-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // It looks for the files that the sample names.
  const file = join(folder, 'rsyslog.conf')
  writeFileSync(join(folder, 'ca.pem'), '')
  writeFileSync(file, text.replace('/var/spool/rsyslog', folder).replace('/etc/malipo/tls/logs-ca.pem', join(folder, 'ca.pem')))
  tool(t, 'rsyslogd', '-N1', '-f', file)
})
