/** An S3-compatible server for tests: it keeps its buckets in a separate folder and checks signatures. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import S3rver from '@20minutes/s3rver'

/** The value of both of its credentials. */
export const s3Secret = 'S3RVER'

/** A server with the bucket `documents`; returns its address. */
export async function startS3(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: 'documents' }],
  })
  const { port } = await server.run()
  t.after(async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })
  return `http://127.0.0.1:${port}`
}
