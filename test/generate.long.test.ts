/** `npm run generate` in a clean checkout: the types of the API for the dashboards and the SDK, which are not in the repository. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dashboardTypesOf } from '../scripts/dashboard-types.ts'
import { sdkTypesOf } from '../scripts/sdk-types.ts'
import { startTestApp } from './app.ts'
import { copyTree } from './mutants/copy-tree.ts'

const root = join(import.meta.dirname, '..')
const forDashboards = 'dashboard/src/api/operations.ts'
const forSdk = 'sdk/src/api-types.ts'

test('a clean checkout generates, without a service or settings, the types that it describes, and they compile', async (t) => {
  const app = await startTestApp(t)
  const { body } = await app.call('GET', '/openapi.json')
  const folder = copyTree()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const bin = join(folder, 'node_modules/.bin')
  const options = { cwd: folder, env: { PATH: `${bin}:${process.env['PATH']}` }, encoding: 'utf8' } as const
  const tracked = execFileSync('git', ['ls-files', forDashboards, forSdk], { cwd: root, encoding: 'utf8' })
  assert.equal(tracked, '', 'generated files are not in the repository')

  const generate = (): string => execFileSync('node', ['scripts/run.mjs', 'scripts/generate.ts'], options)
  generate()
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  assert.ok(read(forDashboards) === dashboardTypesOf(body), forDashboards)
  assert.ok(read(forSdk) === sdkTypesOf(body), forSdk)
  // The checks compile the dashboards and the SDK with them.
  const { status, stdout } = spawnSync('tsc', ['--ignoreConfig', '--noEmit', '--strict', forDashboards, forSdk], options)
  assert.equal(status, 0, stdout)

  const writtenAt = (): number[] => [forDashboards, forSdk].map((path) => statSync(join(folder, path)).mtimeMs)
  const before = writtenAt()
  generate()
  assert.deepEqual(writtenAt(), before, 'unchanged files keep their time')
})
