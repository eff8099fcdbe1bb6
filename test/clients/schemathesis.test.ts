/**
 * Schemathesis calls every operation with requests that it makes from the description: with a key all operations of merchants, with a
 * person's session those of the dashboards too. No answer may be a 5xx or other than described. Each run ends after its time.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { limitTable } from '../../server/config/limits.ts'
import { startTestApp } from '../app.ts'
import { run } from './client-test.ts'
import { installPython, missing, versions } from './tools.ts'

const seconds = 60
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]
/** Not called: they end the session, never end, have another address, or are for operators. */
const excluded = ['signOut', 'endSession', 'endOtherSessions', 'changePassword', 'listChanges']
const excludedPaths = '^/(admin|v1/admin|kyc-docs|business-docs)/'

type Exchange = { response: { status: number } }

const skip = missing('python3.11')

for (const credential of ['key', 'session'] as const) {
  const title = `Schemathesis ${versions.schemathesis} with a ${credential}`
  test(`${title} finds no 5xx and no answer that is not described`, { skip }, async (t) => {
    const tools = await installPython('schemathesis')
    const settings = { RATE_LIMIT_QUOTAS: [...limitTable.keys()].map((name) => `${name}=1000000/1`).join(',') }
    const app = await startTestApp(t, { settings })
    const student = await app.student()
    const { key } = await app.key(student)
    await app.page(student)
    const folder = mkdtempSync(join(tmpdir(), 'malipo-schemathesis-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const [document, header] =
      credential === 'key'
        ? ['openapi-merchants.json', `X-API-Key: ${key}`]
        : ['openapi.json', `Authorization: Bearer ${student.token}`]
    const words = ['run', `${app.config.urls.api}/${document}`, '--header', header, '--checks', checks.join(',')]
    const bounds = ['--max-time', String(seconds), '--request-timeout', '60', '--no-shrink', '--continue-on-failure']
    const without = ['--exclude-path-regex', excludedPaths, ...excluded.flatMap((id) => ['--exclude-operation-id', id])]
    const report = ['--report', 'har', '--report-har-path', 'exchanges.har', '--warnings', 'off']
    await run(join(tools, 'schemathesis'), [...words, ...bounds, ...without, ...report], { cwd: folder })
    const { log } = JSON.parse(readFileSync(join(folder, 'exchanges.har'), 'utf8')) as { log: { entries: Exchange[] } }
    const accepted = log.entries.filter(({ response }) => response.status < 300).length
    t.diagnostic(`${title}: ${log.entries.length} requests, ${accepted} of them accepted`)
    // A credential that is refused everywhere would find nothing.
    assert.ok(accepted > 20, `only ${accepted} of ${log.entries.length} requests were accepted`)
  })
}
