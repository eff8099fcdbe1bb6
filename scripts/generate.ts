/**
 * `npm run generate`: writes the types of the API for the dashboards and for the SDK, which are not in the repository. The description
 * that they come from is made in this process, with all routes of the service: no database, no port and no settings.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { Dependencies } from '../server/start/dependencies.ts'
import { dashboardTypesOf } from './dashboard-types.ts'
import { sdkTypesOf, type OpenApi } from './sdk-types.ts'

const root = join(import.meta.dirname, '..')

// Most of the time is for the types in the sources of the service.
enableCompileCache(join(root, 'node_modules/.cache/generate'))
const { loadConfig } = await import('../server/config/config.ts')
const { createApi } = await import('../server/start/api.ts')
const { openProviders } = await import('../server/start/dependencies.ts')
const { newKeys } = await import('../server/start/local-settings.ts')

/** Stands for what only requests use: each of its properties, and each answer of a call of it, is itself. */
const unused: unknown = new Proxy(() => undefined, {
  get: (_target, name) => (name === 'then' ? undefined : unused),
  apply: () => unused,
})

const nowhere = 'http://unused.invalid'
const settings = {
  ...newKeys(),
  MALIPO_MODE: 'local',
  DATABASE_URL: 'postgres://unused.invalid/unused',
  SNIPPE_TEST_BASE_URL: nowhere,
  SNIPPE_LIVE_BASE_URL: nowhere,
}

async function describe(): Promise<OpenApi> {
  const config = loadConfig(settings, {})
  const own: Record<PropertyKey, unknown> = {
    config,
    providers: openProviders(config),
    version: '',
    // Also passed on in a copy, which has only what stands here.
    limits: unused as Dependencies['limits'],
  } satisfies Partial<Dependencies>
  const dependencies = new Proxy(own, { get: (target, name) => target[name] ?? unused })
  const { api } = await createApi(dependencies as Dependencies)
  // As a client reads it, without what is undefined.
  return JSON.parse(JSON.stringify(api.swagger())) as OpenApi
}

/** An unchanged file keeps its time, so that what is built from it need not be built again. */
function write(path: string, text: string): void {
  const file = join(root, path)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

const description = await describe()
write('dashboard/src/api/operations.ts', dashboardTypesOf(description))
write('sdk/src/api-types.ts', sdkTypesOf(description))
// The routes have started timers.
process.exit()
