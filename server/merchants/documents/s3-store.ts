/**
 * Documents in a bucket of any server that speaks S3 (path style, signature version 4). Invariant: one operation, including the
 * body of its answer and its one retry, ends within one deadline, and no answer uses more memory than the largest document.
 */
import { openAsBlob } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import type { DocumentStoreConfig } from '../../config/documents.ts'
import { assertKey, StoreUnavailable, type DocumentStore } from './document-store.ts'

type S3Config = Extract<DocumentStoreConfig, { kind: 's3' }>

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const retryPauseMs = 100
const maxErrorBytes = 4096

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'
type Content = { body: Blob; headers: Record<string, string> }

/** The body, or undefined when it is longer than `maxBytes`; then the connection is cut. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    // Leaving the loop cancels the rest.
    if (sizeBytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, sizeBytes)
}

/** The name of an error without its text, because a server may quote the request. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const cause = error.cause instanceof Error ? error.cause : error
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}

export function createS3Store(config: S3Config, maxBytes: number): DocumentStore {
  const aws = new AwsClient({
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey,
    region: config.region,
    service: 's3',
  })
  const base = `${config.endpoint.replace(/\/+$/, '')}/${config.bucket}`

  async function send(method: Method, key: string, content: Content | undefined, signal: AbortSignal): Promise<Response> {
    const headers = { 'x-amz-content-sha256': emptySha256, ...content?.headers }
    const request = await aws.sign(`${base}/${key}`, { method, headers, body: content?.body, redirect: 'manual' })
    return fetch(request, { signal })
  }

  /** The answer of the first try, or of the second if the first got none or one that says "later". */
  async function sendTwice(method: Method, key: string, content: Content | undefined, signal: AbortSignal): Promise<Response> {
    try {
      const response = await send(method, key, content, signal)
      if (response.status < 500 && response.status !== 429) return response
      await response.body?.cancel()
    } catch (error) {
      if (signal.aborted) throw error
    }
    await pause(retryPauseMs, undefined, { signal })
    return send(method, key, content, signal)
  }

  /** One operation under one deadline; undefined when the object does not exist. */
  async function ask<T>(
    method: Method,
    key: string,
    take: (response: Response) => Promise<T>,
    readContent?: () => Promise<Content>,
  ): Promise<T | undefined> {
    assertKey(key)
    const signal = AbortSignal.timeout(config.deadlineMs)
    try {
      const response = await sendTwice(method, key, await readContent?.(), signal)
      if (response.ok) return await take(response)
      const text = (await readBody(response, maxErrorBytes))?.toString('latin1') ?? ''
      // A missing bucket is not an empty bucket.
      if (response.status === 404 && method !== 'PUT' && !text.includes('NoSuchBucket')) return undefined
      throw new StoreUnavailable(`The document store answered ${response.status} to ${method}.`)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      throw new StoreUnavailable(`The document store did not answer ${method}: ${nameOf(error)}.`, error)
    }
  }

  const finish = async (response: Response): Promise<void> => void (await readBody(response, maxErrorBytes))

  return {
    async put(key, file, { sizeBytes, sha256, contentType }) {
      await ask('PUT', key, finish, async () => {
        // A blob of a file is read as it is sent, and its length is known, which S3 requires.
        const body = await openAsBlob(file, { type: contentType })
        if (body.size !== sizeBytes) throw new Error('the file has changed since it was measured')
        return { body, headers: { 'content-type': contentType, 'x-amz-content-sha256': sha256.toString('hex') } }
      })
    },
    async read(key) {
      return ask('GET', key, async (response) => {
        const content = await readBody(response, maxBytes)
        if (content === undefined) throw new StoreUnavailable('The document store sent more than any document that was taken in.')
        return content
      })
    },
    async sizeOf(key) {
      const size = await ask('HEAD', key, async (response) => {
        const length = response.headers.get('content-length')
        if (length === null || !/^\d{1,15}$/.test(length)) throw new StoreUnavailable('The document store sent no length.')
        return Number(length)
      })
      // HEAD gives no reason: the body of GET distinguishes a missing bucket from a missing object.
      return size ?? (await this.read(key))?.length
    },
    async remove(key) {
      await ask('DELETE', key, finish)
    },
  }
}
