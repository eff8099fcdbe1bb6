import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rename, rm, stat, writeFile, chmod, mkdir } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { s3Secret, startS3 } from '../../../test/s3.ts'
import type { DocumentStoreConfig } from '../../config/documents.ts'
import { StoreUnavailable, type DocumentStore, type StoredFacts } from './document-store.ts'
import type { FolderRecord } from './disk-store.ts'
import { openStore } from './open-store.ts'

const maxBytes = 3_000_000
const key = 'business-docs/biz_01h455vb4pex5vsknk084sn02q/tax_certificate/doc_01h455vb4pex5vsknk084sn02q.pdf/0190'

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stores-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

type Sample = { content: Buffer; file: string; facts: StoredFacts }

async function makeSample(t: TestContext, content: Buffer): Promise<Sample> {
  const file = join(await makeFolder(t), 'upload')
  await writeFile(file, content)
  const sha256 = createHash('sha256').update(content).digest()
  return { content, file, facts: { sizeBytes: content.length, sha256, contentType: 'application/pdf' } }
}

type S3Config = Extract<DocumentStoreConfig, { kind: 's3' }>

const s3Config = (endpoint: string, changes: Partial<S3Config> = {}): S3Config => ({
  kind: 's3',
  endpoint,
  region: 'eu-west-1',
  bucket: 'documents',
  accessKeyId: s3Secret,
  secretAccessKey: s3Secret,
  deadlineMs: 5_000,
  ...changes,
})

/** The record of one database that names the documents of these keys. */
function startRecord(keys: string[] = []): FolderRecord {
  let recorded: string | undefined
  return {
    find: async () => recorded,
    insert: async (id) => void (recorded ??= id),
    async *stored() {
      for (const one of keys) yield { key: one }
    },
  }
}

const openDisk = (folder: string, record = startRecord()): DocumentStore => openStore({ kind: 'disk', folder }, maxBytes, record)
const openS3 = (config: S3Config): DocumentStore => openStore(config, maxBytes, startRecord())

/** A server with a given behaviour; returns its address and the requests that it received. */
async function startFaultyServer(t: TestContext, answer: RequestListener): Promise<{ endpoint: string; seen: string[] }> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const backEnds: Record<string, (t: TestContext) => Promise<DocumentStore>> = {
  disk: async (t) => openDisk(join(await makeFolder(t), 'documents')),
  s3: async (t) => openS3(s3Config(await startS3(t))),
}

for (const [name, open] of Object.entries(backEnds)) {
  test(`${name}: a stored object is read back completely, and is gone when removed`, async (t) => {
    const store = await open(t)
    const { content, file, facts } = await makeSample(t, randomBytes(2_500_000))
    assert.equal(await store.read(key), undefined)
    assert.equal(await store.sizeOf(key), undefined)
    await store.put(key, file, facts)
    assert.deepEqual(await store.read(key), content)
    assert.equal(await store.sizeOf(key), content.length)
    assert.equal(await store.sizeOf(`${key}-other`), undefined)
    assert.equal(await store.read('business-docs'), undefined)
    await store.remove(key)
    assert.equal(await store.read(key), undefined)
    assert.equal(await store.sizeOf(key), undefined)
    await store.remove(key)
  })

  test(`${name}: a second put under one key replaces the first`, async (t) => {
    const store = await open(t)
    const samples = [await makeSample(t, randomBytes(20_000)), await makeSample(t, randomBytes(10_000))]
    for (const { file, facts, content } of samples) {
      await store.put(key, file, facts)
      assert.deepEqual(await store.read(key), content)
      assert.equal(await store.sizeOf(key), content.length)
    }
  })

  test(`${name}: parallel puts of many keys are all kept`, async (t) => {
    const store = await open(t)
    const samples = await Promise.all(Array.from({ length: 20 }, () => makeSample(t, randomBytes(50_000))))
    await Promise.all(samples.map(({ file, facts }, i) => store.put(`${key}/${i}`, file, facts)))
    const read = await Promise.all(samples.map((_, i) => store.read(`${key}/${i}`)))
    assert.deepEqual(
      read,
      samples.map(({ content }) => content),
    )
  })

  test(`${name}: an empty file is kept as an empty file`, async (t) => {
    const store = await open(t)
    const { file, facts } = await makeSample(t, Buffer.alloc(0))
    await store.put(key, file, facts)
    assert.equal(await store.sizeOf(key), 0)
    assert.deepEqual(await store.read(key), Buffer.alloc(0))
  })

  test(`${name}: an object larger than a document may be is not read`, async (t) => {
    const store = await open(t)
    const { file, facts } = await makeSample(t, Buffer.alloc(maxBytes + 1))
    await store.put(key, file, facts)
    await assert.rejects(store.read(key), StoreUnavailable)
  })

  test(`${name}: a key that could lead elsewhere is a bug of the caller`, async (t) => {
    const store = await open(t)
    const { file, facts } = await makeSample(t, Buffer.from('x'))
    const keys = [
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '.',
      '..',
      'a/../b',
      'a/.',
      'a b',
      'a\\b',
      'a\0',
      'ä',
      'a?b',
      'a%2e',
      'a'.repeat(600),
    ]
    for (const wrong of keys) {
      await assert.rejects(store.put(wrong, file, facts), /Broken assumption/, wrong)
      await assert.rejects(store.read(wrong), /Broken assumption/, wrong)
      await assert.rejects(store.sizeOf(wrong), /Broken assumption/, wrong)
      await assert.rejects(store.remove(wrong), /Broken assumption/, wrong)
    }
  })
}

async function assertUnavailable(store: DocumentStore, { file, facts }: Sample): Promise<void> {
  await assert.rejects(store.put(key, file, facts), StoreUnavailable)
  await assert.rejects(store.read(key), StoreUnavailable)
  await assert.rejects(store.sizeOf(key), StoreUnavailable)
  await assert.rejects(store.remove(key), StoreUnavailable)
}

test('disk: a reader sees the old or the new document during a replacement, never a mixture', async (t) => {
  const store = await backEnds.disk!(t)
  const samples = await Promise.all([0, 1].map((byte) => makeSample(t, Buffer.alloc(1_500_000 + byte, byte))))
  await store.put(key, samples[0]!.file, samples[0]!.facts)
  const putting = Promise.all(Array.from({ length: 10 }, (_, i) => store.put(key, samples[i % 2]!.file, samples[i % 2]!.facts)))
  const read = await Promise.all(Array.from({ length: 10 }, () => store.read(key)))
  await putting
  for (const content of [...read, await store.read(key)]) {
    assert.ok(content)
    assert.ok(samples.some((sample) => sample.content.equals(content)))
  }
})

test('disk: only the service can read files and folders, and no other files are left', async (t) => {
  const folder = join(await makeFolder(t), 'documents')
  const store = openDisk(folder)
  const { file, facts } = await makeSample(t, Buffer.from('x'))
  await store.put('a/b/c', file, facts)
  await assert.rejects(store.put('a/b/d', file, { ...facts, sizeBytes: 2 }), /Broken assumption/)
  assert.deepEqual(await readdir(join(folder, 'a/b')), ['c'])
  assert.equal((await stat(join(folder, 'a/b/c'))).mode & 0o777, 0o600)
  for (const path of ['', 'a', 'a/b']) assert.equal((await stat(join(folder, path))).mode & 0o777, 0o700)
})

test('disk: a folder that has disappeared is an unavailable store, not an empty one', async (t) => {
  const folder = join(await makeFolder(t), 'documents')
  const store = openDisk(folder)
  const sample = await makeSample(t, Buffer.from('x'))
  await store.put(key, sample.file, sample.facts)
  await rm(folder, { recursive: true })
  await assertUnavailable(store, sample)
})

test('disk: the folder of another machine is an unavailable store, and the one of the database stays in use', async (t) => {
  const [first, second] = [join(await makeFolder(t), 'documents'), join(await makeFolder(t), 'documents')]
  const record = startRecord()
  const sample = await makeSample(t, Buffer.from('x'))
  await openDisk(first, record).put(key, sample.file, sample.facts)
  await assertUnavailable(openDisk(second, record), sample)
  const moved = join(dirname(first), 'moved')
  await rename(first, moved)
  assert.equal(await openDisk(moved, record).sizeOf(key), 1)
  // A restored database that does not know the folder yet takes it, and so does a process that starts at the same time.
  const restored = startRecord()
  const sizes = await Promise.all([1, 2, 3].map(() => openDisk(moved, restored).sizeOf(key)))
  assert.deepEqual(sizes, [1, 1, 1])
  await assertUnavailable(openDisk(second, restored), sample)
})

test('disk: processes that start at the same time on a folder of before use it together', async (t) => {
  const folder = await makeFolder(t)
  const sample = await makeSample(t, Buffer.from('x'))
  await mkdir(join(folder, dirname(key)), { recursive: true })
  await writeFile(join(folder, key), sample.content)
  const record = startRecord()
  const sizes = await Promise.all(Array.from({ length: 10 }, () => openDisk(folder, record).sizeOf(key)))
  assert.deepEqual(new Set(sizes), new Set([1]))
})

test('disk: an empty folder never becomes the one of a database that names documents, whichever process starts first', async (t) => {
  const [before, empty] = [await makeFolder(t), join(await makeFolder(t), 'documents')]
  const sample = await makeSample(t, Buffer.from('x'))
  await mkdir(join(before, dirname(key)), { recursive: true })
  await writeFile(join(before, key), sample.content)
  // One of the documents was lost before.
  const record = startRecord([`${key}-lost`, key])
  await assertUnavailable(openDisk(empty, record), sample)
  assert.equal(await openDisk(before, record).sizeOf(key), 1)
  await assertUnavailable(openDisk(empty, record), sample)
  // All files are lost, and an operator wants this folder: the message says what to write.
  const lost = startRecord([key])
  const { message } = (await openDisk(empty, lost)
    .sizeOf(key)
    .catch((error: unknown) => error as Error)) as Error
  const [, id, file] = /write (\S+) into (\S+)\./.exec(message) ?? assert.fail(message)
  await writeFile(file!, id!)
  assert.equal(await openDisk(empty, lost).sizeOf(key), undefined)
})

test('disk: a folder that cannot be made or written is an unavailable store', async (t) => {
  const parent = await makeFolder(t)
  const sample = await makeSample(t, Buffer.from('x'))
  await writeFile(join(parent, 'file'), '')
  await assertUnavailable(openDisk(join(parent, 'file/documents')), sample)
  await mkdir(join(parent, 'closed'))
  await chmod(join(parent, 'closed'), 0o500)
  // root may write everywhere.
  if (process.getuid?.() === 0) return
  await assert.rejects(openDisk(join(parent, 'closed')).put(key, sample.file, sample.facts), {
    name: 'StoreUnavailable',
  })
})

test('s3: a wrong secret is an unavailable store, and the error does not contain the secret', async (t) => {
  const endpoint = await startS3(t)
  const sample = await makeSample(t, Buffer.from('x'))
  const store = openS3(s3Config(endpoint, { secretAccessKey: 'not-the-secret' }))
  await assertUnavailable(store, sample)
  const error = await store.read(key).catch((reason: unknown) => reason)
  assert.ok(error instanceof StoreUnavailable)
  assert.equal(error.message, 'The document store answered 403 to GET.')
})

test('s3: a missing bucket is an unavailable store', async (t) => {
  const sample = await makeSample(t, Buffer.from('x'))
  const store = openS3(s3Config(await startS3(t), { bucket: 'no-such-bucket' }))
  await assert.rejects(store.put(key, sample.file, sample.facts), StoreUnavailable)
  await assert.rejects(store.read(key), StoreUnavailable)
})

test('s3: a server that is not running is reported at once', async (t) => {
  const { endpoint } = await startFaultyServer(t, (_request, response) => response.destroy())
  const sample = await makeSample(t, Buffer.from('x'))
  const startedAt = performance.now()
  await assertUnavailable(openS3(s3Config('http://127.0.0.1:1', { deadlineMs: 20_000 })), sample)
  await assertUnavailable(openS3(s3Config(endpoint, { deadlineMs: 20_000 })), sample)
  assert.ok(performance.now() - startedAt < 5_000)
})

test('s3: the deadline applies to a server that never answers, and to one that never ends its answer', async (t) => {
  const silent = await startFaultyServer(t, () => undefined)
  const slow = await startFaultyServer(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('a')
  })
  const sample = await makeSample(t, Buffer.from('x'))
  const startedAt = performance.now()
  await assertUnavailable(openS3(s3Config(silent.endpoint, { deadlineMs: 300 })), sample)
  await assert.rejects(openS3(s3Config(slow.endpoint, { deadlineMs: 300 })).read(key), StoreUnavailable)
  assert.ok(performance.now() - startedAt < 4_000)
})

test('s3: endless answers are cut, redirects are not followed, and failures are tried at most twice', async (t) => {
  const endless = (status: number): RequestListener => {
    return (_request, response) => {
      response.writeHead(status)
      const writeMore = () => {
        if (!response.destroyed && response.write(Buffer.alloc(65_536))) setImmediate(writeMore)
      }
      response.on('drain', writeMore)
      writeMore()
    }
  }
  const sample = await makeSample(t, Buffer.from('x'))
  for (const status of [200, 403, 404]) {
    const { endpoint } = await startFaultyServer(t, endless(status))
    const reading = openS3(s3Config(endpoint)).read(key)
    if (status === 404) assert.equal(await reading, undefined)
    else await assert.rejects(reading, StoreUnavailable)
  }
  const elsewhere = await startFaultyServer(
    t,
    (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  )
  await assertUnavailable(openS3(s3Config(elsewhere.endpoint)), sample)
  assert.deepEqual(elsewhere.seen, [
    `PUT /documents/${key}`,
    `GET /documents/${key}`,
    `HEAD /documents/${key}`,
    `DELETE /documents/${key}`,
  ])
  const busy = await startFaultyServer(t, (_request, response) => void response.writeHead(503).end())
  await assert.rejects(openS3(s3Config(busy.endpoint)).put(key, sample.file, sample.facts), StoreUnavailable)
  assert.equal(busy.seen.length, 2)
})

test('s3: the second try succeeds with the same bytes, their length and their hash', async (t) => {
  const sample = await makeSample(t, randomBytes(300_000))
  const bodies: Buffer[] = []
  const headers: unknown[] = []
  const { endpoint } = await startFaultyServer(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks))
      const { 'content-length': length, 'content-type': type, 'x-amz-content-sha256': hash } = request.headers
      headers.push({ length, type, hash })
      response.writeHead(bodies.length === 1 ? 500 : 200).end()
    })
  })
  await openS3(s3Config(endpoint)).put(key, sample.file, sample.facts)
  const expected = { length: '300000', type: 'application/pdf', hash: sample.facts.sha256.toString('hex') }
  assert.deepEqual(headers, [expected, expected])
  assert.ok(bodies.every((body) => body.equals(sample.content)))
})
