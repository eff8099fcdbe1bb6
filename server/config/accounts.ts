/** Settings of people's accounts: sessions, second factors, mailed codes, mail, personal data, and the contact for security. */
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Role } from '../domain/account.ts'
import type { Frozen, Given } from './values.ts'

/** `least` is for tests, which register thousands of people: the hash protects nothing then. */
export const passwordCosts = ['full', 'least'] as const

export const accountVariables = {
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'write it as smtps://user:password@host:465' }).optional(),
  // Half of them are kept for mail that a person waits for.
  SMTP_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(20),
  MAILS_PER_MINUTE: z.coerce.number().int().min(10).optional(),
  MAIL_FROM: z.string().default('Malipo <support@malipo.invalid>'),
  PRIVACY_CONTROLLER: z.string().max(200).default('Malipo'),
  PRIVACY_CONTACT: z.email().optional(),
  KYC_RECORD_YEARS: z.coerce.number().int().min(0).max(50).default(10),
  SUPPORT_PHONE: z
    .string()
    .regex(/^\+[1-9]\d{7,14}$/, 'write it as +255 and nine digits, such as +255222123456')
    .optional(),
  SUPPORT_EMAIL: z.email().optional(),
  PASSWORD_COST: z.enum(passwordCosts).default('full'),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(?:https:\/\/|mailto:)\S+$/, 'write it as mailto:security@example.com or as an https address')
    .optional(),
  // RFC 9116 recommends less than a year.
  SECURITY_TXT_DAYS: z.coerce.number().int().min(1).max(364).default(180),
}

/** The address within a sender such as `Malipo <no-reply@example.com>`. */
export function addressOf(sender: string): string {
  return /<([^>]+)>$/.exec(sender)?.[1] ?? sender
}

export function accountSettings(env: Given<typeof accountVariables> & { DATA_DIR: string }) {
  return {
    sessions: {
      accessTokenSeconds: 900,
      /** A session ends when it is not refreshed for `idleSeconds`, and at the latest after `absoluteSeconds`; by role. */
      lifetimes: {
        student: { idleSeconds: 30 * 86_400, absoluteSeconds: 90 * 86_400 },
        admin: { idleSeconds: 30 * 60, absoluteSeconds: 8 * 3600 },
      } satisfies Record<Role, object>,
      refreshGraceSeconds: 10,
      /** How recently a person must have authenticated for a sensitive action. */
      stepUpSeconds: 300,
      /** The same for what makes power: one proof is enough to set up a team, its keys and its webhooks. */
      powerStepUpSeconds: 900,
    },
    passwords: { cost: env.PASSWORD_COST },
    secondFactor: { issuer: 'Malipo', challengeSeconds: 300, triesBeforeLock: 5, lockSeconds: 900 },
    mailedTokens: {
      passwordResetSeconds: 1800,
      emailVerificationSeconds: 1800,
      contactChangeSeconds: 1800,
      /** Seconds between two mails to one person for one purpose; at most `perDay` of them are sent in any 24 hours. */
      pauseSeconds: 60,
      perDay: 10,
      /** A code ends after this many wrong tries. */
      triesPerCode: 5,
    },
    privacy: {
      /** The controller of personal data, as the privacy notice names it, and its contact address. */
      controller: env.PRIVACY_CONTROLLER,
      // Without a contact address: the address that mails are sent from.
      contact: env.PRIVACY_CONTACT ?? addressOf(env.MAIL_FROM),
      /** Years for which identification records are kept after an account is closed. */
      kycRecordYears: env.KYC_RECORD_YEARS,
    },
    /** Where payers and merchants reach the operators; shown on pages and in mails. */
    support: { phone: env.SUPPORT_PHONE ?? null, email: env.SUPPORT_EMAIL ?? env.PRIVACY_CONTACT ?? addressOf(env.MAIL_FROM) },
    /** What security.txt says: where to report a security problem, and for how many days from now that is valid. */
    disclosure: {
      contact: env.SECURITY_CONTACT ?? `mailto:${env.PRIVACY_CONTACT ?? addressOf(env.MAIL_FROM)}`,
      validDays: env.SECURITY_TXT_DAYS,
    },
    mail: {
      /** The mail server; without it each mail is kept as a file in `folder`. */
      smtpUrl: env.SMTP_URL,
      from: env.MAIL_FROM,
      folder: join(resolve(env.DATA_DIR), 'mail'),
      deadlineMs: 15_000,
      /** Mails that a worker sends at once. */
      connections: env.SMTP_CONNECTIONS,
      /** The most mails that all workers together send in a minute; undefined: no limit. */
      perMinute: env.MAILS_PER_MINUTE,
    },
  }
}

export type AccountSettings = Frozen<ReturnType<typeof accountSettings>>
