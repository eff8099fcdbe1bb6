/** Settings of uploaded documents: where their bytes are stored, their limits, and the virus scanner. */
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError, seconds, url, type Frozen, type Given } from './values.ts'

export const documentVariables = {
  DOCUMENT_STORE: z.enum(['disk', 's3']).default('disk'),
  S3_ENDPOINT: url.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  CLAMD_URL: z
    .string()
    .regex(/^(tcp:\/\/[^/:]+:\d+|unix:\/.+|none)$/, 'write it as tcp://host:3310 or unix:/path/to/clamd.sock, or none')
    .optional(),
  UPLOAD_IDLE_MS: seconds.default(20_000),
}

type Env = Given<typeof documentVariables> & { DATA_DIR: string }

export type DocumentStoreConfig =
  | { kind: 'disk'; folder: string }
  | {
      kind: 's3'
      endpoint: string
      region: string
      bucket: string
      accessKeyId: string
      secretAccessKey: string
      deadlineMs: number
    }

function documentStoreOf(env: Env): DocumentStoreConfig {
  if (env.DOCUMENT_STORE === 'disk') return { kind: 'disk', folder: join(resolve(env.DATA_DIR), 'documents') }
  const { S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = env
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    throw new ConfigError(
      'DOCUMENT_STORE=s3 needs S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; .env.example explains each key.',
    )
  }
  return {
    kind: 's3',
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    bucket: S3_BUCKET,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    deadlineMs: 20_000,
  }
}

export function documentSettings(env: Env) {
  return {
    documents: {
      store: documentStoreOf(env),
      /** clamd's socket, `tcp://host:port` or `unix:/path`; without it no file is scanned. */
      clamdUrl: env.CLAMD_URL === 'none' ? undefined : env.CLAMD_URL,
      scanDeadlineMs: 20_000,
      maxBytes: 10_000_000,
      /** How long an upload address is valid. */
      uploadSeconds: 900,
      /** An upload that sends nothing for this long is cut. */
      uploadIdleMs: env.UPLOAD_IDLE_MS,
      /** The maximum duration of one upload. */
      uploadDeadlineMs: 600_000,
      uploadsAtOnce: 128,
      uploadsAtOncePerOwner: 4,
      /** Minimum average speed over the whole upload, checked once it has lasted for `uploadIdleMs`. */
      leastBytesPerSecond: 500,
      /** How long a view address is valid. */
      viewSeconds: 60,
      /** Number of files inspected at once; at most one of each owner. */
      inspectors: 2,
      /** The maximum duration of one inspection. */
      inspectDeadlineMs: 5_000,
      /** Number of files that may wait for inspection. */
      inspectionsWaiting: 32,
    },
  }
}

export type DocumentSettings = Frozen<ReturnType<typeof documentSettings>>
