/** The tools that are fetched on demand, with their versions. What a machine lacks is said by the test that needs it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './client-test.ts'

export const versions = {
  'openapi-python-client': '0.29.1',
  mypy: '2.4.1',
  schemathesis: '4.32.5',
  'openapi-generator': '7.25.0',
  'github.com/oapi-codegen/oapi-codegen/v2': 'v2.8.2',
  // What the clients of the two generators for Go import.
  'github.com/oapi-codegen/runtime': 'v1.9.0',
  'gopkg.in/validator.v2': 'v2.0.1',
}
type Tool = keyof typeof versions

const generatorHash = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae'

/** Fetched once, and again after the packages of this folder have changed. */
const cache = join(import.meta.dirname, 'node_modules/.cache')

/** Why a client cannot be tried on this machine, or false. */
export function missing(...tools: string[]): string | false {
  const absent = tools.filter((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error !== undefined)
  return absent.length > 0 && `not installed here: ${absent.join(', ')}`
}

/** Installs packages of Python beside each other, and returns the folder of their programs. */
export async function installPython(...names: [Tool, ...Tool[]]): Promise<string> {
  const packages = names.map((name) => `${name}==${versions[name]}`)
  const folder = join(cache, packages.join('-'))
  if (!existsSync(join(folder, 'complete'))) {
    await run('python3.11', ['-m', 'venv', folder], { cwd: import.meta.dirname })
    await run(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { cwd: folder })
    writeFileSync(join(folder, 'complete'), '')
  }
  return join(folder, 'bin')
}

/** Installs a program of Go, and returns the folder it is in. Go compares it with its own checksum database. */
export async function installGo(name: Tool, program: string): Promise<string> {
  const folder = join(cache, `go-${program.split('/').at(-1)}-${versions[name]}`)
  if (!existsSync(folder))
    await run('go', ['install', `${name}/${program}@${versions[name]}`], { cwd: import.meta.dirname, env: { GOBIN: folder } })
  return folder
}

/** The jar of openapi-generator. */
export async function fetchGenerator(): Promise<string> {
  const version = versions['openapi-generator']
  const name = `openapi-generator-cli-${version}.jar`
  const jar = join(cache, name)
  if (!existsSync(jar)) {
    const response = await fetch(`https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${version}/${name}`)
    assert.equal(response.status, 200)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(createHash('sha256').update(bytes).digest('hex'), generatorHash)
    mkdirSync(cache, { recursive: true })
    writeFileSync(`${jar}.part`, bytes)
    renameSync(`${jar}.part`, jar)
  }
  return jar
}
