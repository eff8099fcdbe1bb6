/** Starts one role in this process and returns how to stop it. Only tests wrap the dependencies before the slices receive them. */
import { createApi } from './api.ts'
import { loadConfig } from '../config/config.ts'
import { openDependencies, type Dependencies } from './dependencies.ts'
import { openMetricsPort } from '../operations/metrics/open-port.ts'
import { refuseOtherFolder } from '../merchants/documents/open-store.ts'
import { refuseForeignHomes } from '../operations/cells/foreign-homes.ts'
import { checkDatabaseText } from './database-text.ts'
import { createLog } from '../platform/process/log.ts'
import { startWatchdog } from '../platform/process/watchdog.ts'
import { withServingLogin } from './serving-login.ts'
import { startWorker } from './worker.ts'

export type Running = {
  /** Finishes the work in flight, then releases all resources. */
  stop(): Promise<void>
  /** After this time the process ends, finished or not. */
  drainMs: number
}

export async function startRole(
  role: 'api' | 'worker',
  wrap: (deps: Dependencies) => Dependencies = (deps) => deps,
): Promise<Running> {
  const given = loadConfig()
  const log = createLog({ level: given.logLevel, role })
  const config = await withServingLogin(given, log)
  await checkDatabaseText(config, log)
  const deps = wrap(await openDependencies(config, log, role))
  await refuseForeignHomes(deps)
  await refuseOtherFolder(deps)
  const { drainMs } = config.http
  const watchdog = startWatchdog(config)
  let isDraining = false
  const metrics = await openMetricsPort(deps, () => isDraining)
  if (role === 'worker') {
    const worker = startWorker(deps)
    log.info('worker.ready')
    return {
      drainMs,
      async stop() {
        isDraining = true
        await worker.stop()
        await metrics.close()
        await deps.close()
        await watchdog.stop()
      },
    }
  }
  const api = await createApi(deps)
  await api.listen()
  log.info('api.ready', { ...config.urls })
  return {
    drainMs,
    async stop() {
      await api.drain()
      await deps.close()
      await watchdog.stop()
    },
  }
}
