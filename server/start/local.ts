/** `npm start`: the whole service on this machine, api and worker in one process, with an embedded database and the provider simulator. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createApi } from './api.ts'
import { prepareDemo } from './demo.ts'
import { openDependencies } from './dependencies.ts'
import { prepareLocal, type LocalSettings } from './local-settings.ts'
import { openMetricsPort } from '../operations/metrics/open-port.ts'
import { openDb } from '../platform/db/db.ts'
import { createLog } from '../platform/process/log.ts'
import { migrate } from '../platform/db/migrate.ts'
import { withServingLogin } from './serving-login.ts'
import { startSimulatorProcess } from './simulator-process.ts'
import type { Demo } from '../views/web/local/kept-demo.ts'
import { startWorker } from './worker.ts'

function simulatorSettings({ settings, simulatorPort, config }: LocalSettings): Record<string, string> {
  return {
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DATA_DIR: join(config.dataDir, 'simulator'),
    SNIPPE_TEST_API_KEY: settings['SNIPPE_TEST_API_KEY']!,
    SNIPPE_LIVE_API_KEY: settings['SNIPPE_LIVE_API_KEY']!,
    SNIPPE_TEST_WEBHOOK_SECRETS: settings['SNIPPE_TEST_WEBHOOK_SECRETS']!,
    SNIPPE_LIVE_WEBHOOK_SECRETS: settings['SNIPPE_LIVE_WEBHOOK_SECRETS']!,
    SIMULATOR_ALLOW_HTTP_WEBHOOKS: 'true',
  }
}

function screen(demo: Demo, startedInMs: number, logFile: string): string {
  const pageUrl = `${demo.checkout_base_url}/pay/${demo.page_slug}`
  return `
  Malipo is ready (${(startedInMs / 1000).toFixed(1)} s). Ctrl-C stops all of it.

  Start here     ${demo.base_url}/local      (accounts, one-time codes, mail, the payer's phone)

  Dashboard      ${demo.base_url}/dashboard/
  Operators      ${demo.base_url}/admin/
  API            ${demo.base_url}            reference: ${demo.base_url}/reference
  Checkout       ${demo.checkout_base_url}
  Documents      ${demo.storage_url}
  Payer's phone  ${demo.simulator_url}/phone      (the provider simulator)

  Demo student   ${demo.student.email}   password: ${demo.student.password}
  Demo operator  ${demo.admin.email}   password, one-time code: ${demo.base_url}/local
  Mail           ${demo.base_url}/local/mail
  Demo page      ${pageUrl}
  Test key       ${demo.test_key}

  Pay it: a number that ends in 789 pays by itself, any other number asks on the payer's phone.

  curl -s ${demo.base_url}/v1/payments/checkout -H 'content-type: application/json' \\
    -d '{"slug":"${demo.page_slug}","phone_number":"0754123789","customer_name":"Juma","customer_email":"juma@example.com","idempotency_key":"'$(date +%s%N)'"}'
  curl -s ${demo.base_url}/v1/balance -H 'x-api-key: ${demo.test_key}'

  Also in ${logFile.replace(/malipo\.log$/, 'demo.json')}; the log is ${logFile}
`
}

export async function startLocal(): Promise<{ stop(): Promise<void>; drainMs: number }> {
  const startedAt = performance.now()
  const undo: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const local = await prepareLocal()
    undo.push(local.releaseDatabase)
    const { config } = local
    const logFile = join(config.dataDir, 'malipo.log')
    const lines = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
    const log = createLog({ level: config.logLevel, role: 'local', destination: lines })
    const simulatorUrl = `http://127.0.0.1:${local.simulatorPort}`

    const starting = startSimulatorProcess(simulatorSettings(local), (line) => lines.write(`${line}\n`)).then((simulator) => {
      undo.push(() => simulator.stop())
    })
    // Awaited below. Until then this handler prevents an unhandled rejection.
    starting.catch(() => undefined)
    const owner = openDb({
      ...config.database,
      url: config.database.ownerUrl,
      poolSize: 2,
      applicationName: 'malipo-migrate',
      onError: () => undefined,
    })
    try {
      await migrate(owner)
    } finally {
      await owner.close()
    }
    await starting
    const deps = await openDependencies(await withServingLogin(config, log), log, 'local')
    undo.push(() => deps.close())
    const api = await createApi(deps)
    undo.push(() => api.drain())
    await api.listen()
    const metrics = await openMetricsPort(deps)
    undo.push(() => metrics.close())
    const worker = startWorker(deps)
    undo.push(() => worker.stop(3_000))
    const demo = await prepareDemo(deps, simulatorUrl)
    process.stdout.write(screen(demo, performance.now() - startedAt, logFile))
    return { stop, drainMs: 4_500 }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}
