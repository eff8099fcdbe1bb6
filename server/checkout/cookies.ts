/** The two cookies of a payer's browser, both unreadable to scripts: which form it fills in on a page, and that it started a payment. */
import { randomBytes } from 'node:crypto'

const dayInSeconds = 86_400

/** What this browser's form on a page stands for: its idempotency key, and the payment that it has made. */
export type FormMemory = { key: string; reference: string | undefined }

const memoryShape = /^([\w-]{24})(?:\.(pay_[0-9a-z]{26}))?$/

export function newFormKey(): string {
  return randomBytes(18).toString('base64url')
}

/** The form that a `Cookie` header remembers. */
export function readFormMemory(header: string | undefined): FormMemory | undefined {
  const cookie = (header ?? '').split(/;\s*/).find((part) => part.startsWith('form='))
  const match = memoryShape.exec(cookie?.slice('form='.length) ?? '')
  return match ? { key: match[1]!, reference: match[2] } : undefined
}

function cookie(name: string, value: string, path: string, checkoutUrl: string): string {
  const secure = checkoutUrl.startsWith('https://') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${dayInSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Keeps a page's form the same over reloads, tabs and Back, so that none of them makes a second payment. */
export function formCookie({ key, reference }: FormMemory, slug: string, checkoutUrl: string): string {
  return cookie('form', reference === undefined ? key : `${key}.${reference}`, `/pay/${slug}`, checkoutUrl)
}

export function tokenCookie(token: string, slug: string, reference: string, checkoutUrl: string): string {
  return cookie('checkout_token', token, `/pay/${slug}/${reference}`, checkoutUrl)
}

/** The token that a browser which started a payment sends to that payment's own addresses. */
export function readTokenCookie(header: string | undefined): string | undefined {
  return /(?:^|;\s*)checkout_token=(ct_[\w-]{43})(?:;|$)/.exec(header ?? '')?.[1]
}
