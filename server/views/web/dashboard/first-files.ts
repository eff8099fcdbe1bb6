/**
 * Which files the first screen of a visit loads, as links for the head of its page: the browser then loads them side by side, instead of
 * finding each one in the one before. A wrong guess costs time, never correctness.
 */

import type { Face } from '../../../accounts/identity/session-cookie.ts'

/** What the build says of its files: by source, or by another key for a file of many sources, which has a name. */
export type BuildManifest = Record<string, { file: string; name?: string; imports?: string[]; css?: string[] }>

export type Visit = {
  app: Face
  /** Of the address: `/dashboard/me/test/payments`. */
  path: string
  /** Whether the request has a cookie of this dashboard, valid or not. */
  hasCookie: boolean
}

/** The folder of a screen is the last part of its address; a wallet alone (`me/test`) is the start. */
function screenOf({ app, path }: Visit): string {
  const parts = path.split('/').slice(2)
  const inWallet = app === 'merchant' && /^(test|live)$/.test(parts[1] ?? '') ? parts.slice(2) : parts
  return inWallet.findLast((part) => part !== '') ?? 'home'
}

/** The screens without a session; every other address leads a guest to sign in. */
const forGuests = new Set(['register', 'invitation'])

export function firstFiles(visit: Visit, manifest: BuildManifest): { scripts: string[]; styles: string[] } {
  const { app, hasCookie } = visit
  const screen = screenOf(visit)
  const names = new Set(['main', hasCookie ? 'home' : 'sign-in'])
  const asked = `src/${app}/${screen}/${screen}-screen.tsx`
  const keys = new Set(Object.keys(manifest).filter((key) => key.startsWith('_') && names.has(manifest[key]!.name ?? '')))
  if (asked in manifest && (hasCookie || forGuests.has(screen))) keys.add(asked)
  for (const key of keys) for (const imported of manifest[key]?.imports ?? []) keys.add(imported)
  const built = [...keys].flatMap((key) => manifest[key] ?? [])
  return {
    scripts: [...new Set(built.map(({ file }) => file))],
    styles: [...new Set(built.flatMap(({ css = [] }) => css))],
  }
}

/** For the head of the page, before its first script. */
export function firstLinks(visit: Visit, manifest: BuildManifest): string {
  const { scripts, styles } = firstFiles(visit, manifest)
  return [
    ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/dashboard/${file}">`),
    ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/dashboard/${file}">`),
  ].join('')
}
