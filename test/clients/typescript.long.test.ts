/** The clients that JavaScript packages generate. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, tryClient, type Workplace } from './client-test.ts'

const modules = join(import.meta.dirname, 'node_modules')

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version as string

const titleOf = (...names: string[]): string => names.map((name) => `${name} ${versionOf(name)}`).join(' with ')

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  outDir: 'built',
  rootDir: 'src',
}

/** Compiles everything in strict mode, and returns the command that runs the program. */
async function compile({ folder }: Workplace, program: string): Promise<string[]> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  await run('tsc', ['-p', '.'], { cwd: folder })
  return ['node', `built/${program}.js`]
}

const openApiFetch = titleOf('openapi-typescript', 'openapi-fetch')

test(`${openApiFetch}: the client compiles, and its calls are as described`, async () => {
  await tryClient(openApiFetch, 'openapi-fetch.ts', async (place) => {
    await run('node', ['node_modules/openapi-typescript/bin/cli.js', place.description, '-o', 'src/generated/schema.d.ts'], {
      cwd: place.folder,
    })
    return compile(place, 'openapi-fetch')
  })
})

const heyApi = titleOf('@hey-api/openapi-ts')

test(`${heyApi}: the client compiles, and its calls are as described`, async () => {
  await tryClient(heyApi, 'hey-api.ts', async (place) => {
    await run('node_modules/.bin/openapi-ts', ['--input', place.description, '--output', 'src/generated', '--no-log-file'], {
      cwd: place.folder,
    })
    return compile(place, 'hey-api')
  })
})

const orval = titleOf('orval', 'zod')

test(`${orval}: the client compiles, and its calls are as described`, async () => {
  await tryClient(orval, 'orval.ts', async (place) => {
    const output = (file: string, options: object) => ({
      input: place.description,
      output: { target: `src/generated/${file}`, ...options },
    })
    const config = { api: output('api.ts', { client: 'fetch', baseUrl: place.url }), zod: output('zod.ts', { client: 'zod' }) }
    writeFileSync(join(place.folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)}\n`)
    await run('node_modules/.bin/orval', [], { cwd: place.folder })
    return compile(place, 'orval')
  })
})
