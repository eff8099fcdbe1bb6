/** The clients in other languages. Their generators and packages are fetched on demand, and what a machine lacks is reported. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, tryClient, type Workplace } from './client-test.ts'

/** Fetched once, and again after the packages of this folder have changed. */
const cache = join(import.meta.dirname, 'node_modules/.cache')

/** Why a client cannot be tried on this machine, or false. */
function missing(...tools: string[]): string | false {
  const absent = tools.filter((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error !== undefined)
  return absent.length > 0 && `not installed here: ${absent.join(', ')}`
}

const python = { generator: '0.29.1', mypy: '2.4.1' }
const pythonTitle = `openapi-python-client ${python.generator}`

test(`${pythonTitle}: the client passes mypy, and its calls are as described`, { skip: missing('python3.11') }, async () => {
  const tools = join(cache, `python-${python.generator}`)
  if (!existsSync(join(tools, 'bin/mypy'))) {
    await run('python3.11', ['-m', 'venv', tools], { cwd: import.meta.dirname })
    const packages = [`openapi-python-client==${python.generator}`, `mypy==${python.mypy}`]
    await run(join(tools, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { cwd: tools })
  }
  await tryClient(pythonTitle, 'client.py', async ({ folder, description }) => {
    const words = ['generate', '--path', description, '--output-path', 'src/malipo', '--meta', 'none']
    await run(join(tools, 'bin/openapi-python-client'), words, { cwd: folder })
    await run(join(tools, 'bin/mypy'), ['client.py', 'malipo'], { cwd: join(folder, 'src') })
    return [join(tools, 'bin/python'), 'src/client.py']
  })
})

const generator = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
  url: 'https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli',
}

/** Generates a client into `client`, with the generator for this language. */
async function generate({ folder, description }: Workplace, language: string): Promise<string> {
  const jar = join(cache, `openapi-generator-${generator.version}.jar`)
  if (!existsSync(jar)) {
    const response = await fetch(`${generator.url}/${generator.version}/openapi-generator-cli-${generator.version}.jar`)
    assert.equal(response.status, 200)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(createHash('sha256').update(bytes).digest('hex'), generator.sha256)
    mkdirSync(cache, { recursive: true })
    writeFileSync(`${jar}.part`, bytes)
    renameSync(`${jar}.part`, jar)
  }
  const without = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const words = ['-jar', jar, 'generate', '-i', description, '-g', language, '-o', 'client', '--global-property', without]
  await run('java', words, { cwd: folder })
  return join(folder, 'client')
}

const javaTitle = `openapi-generator ${generator.version} for Java`

test(`${javaTitle}: the client compiles, and its calls are as described`, { skip: missing('java', 'mvn') }, async () => {
  await tryClient(javaTitle, 'Client.java', async (place) => {
    const client = await generate(place, 'java')
    copyFileSync(join(place.folder, 'src/Client.java'), join(client, 'src/main/java/Client.java'))
    const words = ['-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath']
    await run('mvn', words, { cwd: client })
    const libraries = readFileSync(join(client, 'classpath'), 'utf8').trim()
    return ['java', '-cp', `client/target/classes:${libraries}`, 'Client']
  })
})

const phpTitle = `openapi-generator ${generator.version} for PHP`

/** The HTTP client of the generated code, as Debian packages it: for machines that do not reach Composer's registry. */
const systemGuzzle = '/usr/share/php/GuzzleHttp/autoload.php'

/** Loads what the client needs; false if this machine has it neither from Composer nor as a package. */
async function installForPhp(client: string): Promise<boolean> {
  const words = ['install', '--no-dev', '--quiet', '--no-interaction']
  const isInstalled = await run('composer', words, { cwd: client, env: { COMPOSER_ALLOW_SUPERUSER: '1' } }).then(
    () => true,
    () => false,
  )
  if (isInstalled) return true
  if (!existsSync(systemGuzzle)) return false
  const file = String.raw`__DIR__ . '/../lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $name) . '.php'`
  mkdirSync(join(client, 'vendor'), { recursive: true })
  writeFileSync(
    join(client, 'vendor/autoload.php'),
    `<?php require '${systemGuzzle}'; spl_autoload_register(function ($name) { $file = ${file}; if (is_file($file)) require $file; });`,
  )
  return true
}

test(
  `${phpTitle}: every file compiles, and its calls are as described`,
  { skip: missing('java', 'php', 'composer') },
  async () => {
    await tryClient(phpTitle, 'client.php', async (place) => {
      const client = await generate(place, 'php')
      for (const file of globSync('lib/**/*.php', { cwd: client })) await run('php', ['-l', file], { cwd: client })
      if (!(await installForPhp(client)))
        return 'the packages of Composer cannot be fetched, and php-guzzlehttp-guzzle is not installed'
      copyFileSync(join(place.folder, 'src/client.php'), join(client, 'client.php'))
      return ['php', 'client/client.php']
    })
  },
)
