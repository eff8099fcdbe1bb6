/** The device and browser of a session, in words that people use. */

const browsers: readonly [name: string, sign: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera Mini', /Opera Mini/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser/],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

const systems: readonly [name: string, sign: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** `Chrome, Android`; undefined if the program does not name its system. */
export function deviceOf(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined
  const named = [browsers, systems].map((list) => list.find(([, sign]) => sign.test(userAgent))?.[0])
  return named.filter(Boolean).join(', ') || undefined
}

export function isPhone(userAgent: string | null): boolean {
  return /\b(?:Mobile|Android|iPhone)\b/.test(userAgent ?? '')
}
