/** Spectral's rules for OpenAPI on both descriptions. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'

type Finding = { code: string; message: string; path: string[] }

test('Spectral finds no error and nothing to warn of in the descriptions', async (t) => {
  const app = await startTestApp(t)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-rules-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
  const spectral = join(import.meta.dirname, 'node_modules/.bin/spectral')
  const names = ['openapi.json', 'openapi-merchants.json']
  for (const name of names) writeFileSync(join(folder, name), await (await fetch(`${app.config.urls.api}/${name}`)).text())
  for (const name of names) {
    const { stdout, stderr } = spawnSync(spectral, ['lint', name, '--ruleset', 'rules.yaml', '--format', 'json', '--quiet'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    assert.match(stdout, /^\[/, stderr)
    const findings = JSON.parse(stdout) as Finding[]
    // OpenAPI 3.1 lets any scheme list the roles that an operation needs; this rule still knows only the scopes of OAuth.
    const isAboutRoles = ({ code, path }: Finding): boolean =>
      code === 'oas3-operation-security-defined' && path.at(-2) === 'apiKey'
    const others = findings.filter((finding) => !isAboutRoles(finding))
    assert.deepEqual(
      others.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`),
      [],
      name,
    )
  }
})
