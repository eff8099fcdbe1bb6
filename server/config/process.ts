/** Settings of one process: its mode, addresses and ports, its log, and how it ends. */
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { logLevels } from '../platform/process/log.ts'
import { list, port, url, type Frozen, type Given } from './values.ts'

const modes = ['local', 'production'] as const
export type Mode = (typeof modes)[number]

export const processVariables = {
  NODE_ENV: z.string().optional(),
  MALIPO_MODE: z.enum(modes).default('production'),
  SETTINGS_FILE: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  CHECKOUT_PORT: port.default(3001),
  STORAGE_PORT: port.default(3002),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  BASE_URL: url.optional(),
  CHECKOUT_BASE_URL: url.optional(),
  STORAGE_URL: url.optional(),
  PROVIDER_CALLBACK_BASE_URL: url.optional(),
  DASHBOARD_ORIGINS: list.default([]),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(5).optional(),
  DATA_DIR: z.string(),
  HEADS_FILE: z.string().optional(),
  HEADS_URL: url.optional(),
  STUCK_AFTER_SECONDS: z.coerce.number().min(1).max(600).default(30),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
}

export function processSettings(env: Given<typeof processVariables>) {
  const apiUrl = env.BASE_URL ?? `http://127.0.0.1:${env.PORT}`
  return {
    mode: env.MALIPO_MODE,
    logLevel: env.LOG_LEVEL,
    host: env.HOST,
    ports: { api: env.PORT, checkout: env.CHECKOUT_PORT, storage: env.STORAGE_PORT },
    urls: {
      api: apiUrl,
      checkout: env.CHECKOUT_BASE_URL ?? `http://127.0.0.1:${env.CHECKOUT_PORT}`,
      storage: env.STORAGE_URL ?? `http://127.0.0.1:${env.STORAGE_PORT}`,
      providerCallback: env.PROVIDER_CALLBACK_BASE_URL ?? apiUrl,
    },
    /** Where this process serves its metrics, for operators only; without a port it serves none. */
    metrics: { host: env.METRICS_HOST, port: env.METRICS_PORT },
    dashboardOrigins: env.DASHBOARD_ORIGINS,
    trustedProxies: env.TRUSTED_PROXIES ?? 0,
    dataDir: resolve(env.DATA_DIR),
    /** Where the ends of the audit log and the digests of the books are written, for later comparison. */
    heads: { file: resolve(env.HEADS_FILE ?? join(env.DATA_DIR, 'heads.jsonl')), url: env.HEADS_URL },
    /** A process without progress for this long is ended. */
    stuckAfterMs: env.STUCK_AFTER_SECONDS * 1000,
    http: {
      bodyLimitBytes: 256 * 1024,
      maxEventLoopDelayMs: 2_000,
      /** Time between reporting "not ready" and closing the port, so that a load balancer can stop sending requests first. */
      drainDelayMs: env.DRAIN_DELAY_MS,
      /** A draining process ends after this time, finished or not. */
      drainMs: env.DRAIN_DELAY_MS + 20_000,
    },
  }
}

export type ProcessSettings = Frozen<ReturnType<typeof processSettings>>
