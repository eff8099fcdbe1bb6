/**
 * The cookies of a payer's browser, all unreadable to scripts: its current form on a page, its earlier payments there, the proof that it
 * started a payment, and the sealed answer to a form that was refused.
 */
import { randomBytes } from 'node:crypto'

const dayInSeconds = 86_400

/** The state of this browser's form on a page: its idempotency key, and the payment that it made. */
export type FormMemory = { key: string; reference: string | undefined }

const memoryShape = /^([\w-]{24})(?:\.(pay_[0-9a-z]{26}))?$/

export function newFormKey(): string {
  return randomBytes(18).toString('base64url')
}

export function readFormMemory(header: string | undefined): FormMemory | undefined {
  const cookie = (header ?? '').split(/;\s*/).find((part) => part.startsWith('form='))
  const match = memoryShape.exec(cookie?.slice('form='.length) ?? '')
  return match ? { key: match[1]!, reference: match[2] } : undefined
}

function cookie(name: string, value: string, path: string, checkoutUrl: string, seconds = dayInSeconds): string {
  const secure = checkoutUrl.startsWith('https://') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Keeps a page's form the same over reloads, tabs and Back, so that none of them makes a second payment. */
export function formCookie({ key, reference }: FormMemory, slug: string, checkoutUrl: string): string {
  return cookie('form', reference === undefined ? key : `${key}.${reference}`, `/pay/${slug}`, checkoutUrl)
}

/** For the payment's page, and for the report that its money was taken. */
export function tokenCookies(token: string, slug: string, reference: string, checkoutUrl: string): string[] {
  const paths = [`/pay/${slug}/${reference}`, `/c/new/${reference}`]
  return paths.map((path) => cookie('checkout_token', token, path, checkoutUrl))
}

/** The token that a browser sends to the addresses of a payment that it started. */
export function readTokenCookie(header: string | undefined): string | undefined {
  return /(?:^|;\s*)checkout_token=(ct_[\w-]{43})(?:;|$)/.exec(header ?? '')?.[1]
}

/** The sealed answer to a form, for the page that the browser is sent to. */
export function keptCookie(sealed: string, path: string, checkoutUrl: string, seconds: number): string {
  return cookie('kept', sealed, path, checkoutUrl, seconds)
}

export function forgetCookie(path: string, checkoutUrl: string): string {
  return cookie('kept', '', path, checkoutUrl, 0)
}

/** The sealed answers that a browser sends: those of this page and of the pages above it. */
export function readKeptCookie(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/(?:^|;\s*)kept=([\w.-]+)/g)].map((match) => match[1]!)
}

/** Shows that this browser keeps cookies, on a page that has no other. */
export function markCookie(path: string, checkoutUrl: string): string {
  return cookie('page', '1', path, checkoutUrl)
}

/** How many earlier payments of a browser on a page are checked for a late success. */
const maxEarlierPayments = 3

const triedShape = /(?:^|;\s*)tried=(pay_[0-9a-z]{26}(?:\.pay_[0-9a-z]{26}){0,2})(?:;|$)/

/** Payments that this browser started on a page before its current form, newest first. */
export function readTried(header: string | undefined): string[] {
  return triedShape.exec(header ?? '')?.[1]?.split('.') ?? []
}

export function triedCookie(references: string[], slug: string, checkoutUrl: string): string {
  return cookie('tried', references.slice(0, maxEarlierPayments).join('.'), `/pay/${slug}`, checkoutUrl)
}

/** Binds the button that confirms a payment to the browser that it was shown to, so that no other site can press it. */
export function confirmCookie(key: string, slug: string, reference: string, checkoutUrl: string): string {
  return cookie('confirm', key, `/pay/${slug}/${reference}`, checkoutUrl)
}

export function readConfirmCookie(header: string | undefined): string | undefined {
  return /(?:^|;\s*)confirm=([\w-]{24})(?:;|$)/.exec(header ?? '')?.[1]
}
