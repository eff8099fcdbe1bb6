/** The clients in other languages. */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, tryClient, type Workplace } from './client-test.ts'
import { fetchGenerator, installGo, installPython, missing, versions } from './tools.ts'

const pythonTitle = `openapi-python-client ${versions['openapi-python-client']}`

test(`${pythonTitle}: the client passes mypy, and its calls are as described`, { skip: missing('python3.11') }, async () => {
  const tools = await installPython('openapi-python-client', 'mypy')
  await tryClient(pythonTitle, 'client.py', async ({ folder, description }) => {
    const words = ['generate', '--path', description, '--output-path', 'src/malipo', '--meta', 'none']
    await run(join(tools, 'openapi-python-client'), words, { cwd: folder })
    await run(join(tools, 'mypy'), ['client.py', 'malipo'], { cwd: join(folder, 'src') })
    return [join(tools, 'python'), 'src/client.py']
  })
})

const generator = `openapi-generator ${versions['openapi-generator']}`

/** Generates a client into `client`, with the generator for this language and its `settings`. */
async function generate({ folder, description }: Workplace, language: string, settings: string[] = []): Promise<string> {
  const jar = await fetchGenerator()
  const without = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const words = [
    '-jar',
    jar,
    'generate',
    '-i',
    description,
    '-g',
    language,
    '-o',
    'client',
    '--global-property',
    without,
    ...settings,
  ]
  await run('java', words, { cwd: folder })
  return join(folder, 'client')
}

const javaTitle = `${generator} for Java`

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

const phpTitle = `${generator} for PHP`

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

/** Compiles everything and returns the command that runs the program. The client in `api` imports `library`. */
async function buildGo(folder: string, library: keyof typeof versions): Promise<string[]> {
  writeFileSync(join(folder, 'go.mod'), `module client\n\ngo 1.24\n\nrequire ${library} ${versions[library]}\n`)
  await run('go', ['mod', 'tidy'], { cwd: folder })
  await run('go', ['vet', './...'], { cwd: folder })
  await run('go', ['build', '-o', 'program', './src'], { cwd: folder })
  return [join(folder, 'program')]
}

const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2'
const oapiTitle = `oapi-codegen ${versions[oapiCodegen]}`

test(`${oapiTitle}: the client compiles, and its calls are as described`, { skip: missing('go') }, async () => {
  const tools = await installGo(oapiCodegen, 'cmd/oapi-codegen')
  await tryClient(oapiTitle, 'oapi-codegen.go', async ({ folder, description }) => {
    mkdirSync(join(folder, 'api'))
    const words = ['-package', 'api', '-generate', 'types,client', '-o', 'api/api.go', description]
    await run(join(tools, 'oapi-codegen'), words, { cwd: folder })
    return buildGo(folder, 'github.com/oapi-codegen/runtime')
  })
})

const goTitle = `${generator} for Go`

test(`${goTitle}: the client compiles, and its calls are as described`, { skip: missing('go', 'java') }, async () => {
  await tryClient(goTitle, 'openapi-generator.go', async (place) => {
    // Without the prefix, this generator writes two constants for a value that two enumerations share.
    const settings = ['--additional-properties', 'packageName=api,withGoMod=false,enumClassPrefix=true']
    renameSync(await generate(place, 'go', settings), join(place.folder, 'api'))
    return buildGo(place.folder, 'gopkg.in/validator.v2')
  })
})
