/** JSON that costs a parser more than other JSON of the same length. */

/** Texts of at most so many bytes, by what is hostile in them. */
export function hostileTexts(bytes: number): Record<string, string> {
  const list = (unit: string): string => `[0${unit.repeat((bytes - 4) / Buffer.byteLength(unit))}]`
  const text = (unit: string): string => `"${unit.repeat((bytes - 4) / Buffer.byteLength(unit))}"`
  const pairs = Array.from({ length: bytes / 10 }, (_, index) => `"${index.toString(36)}":0`).join()
  return {
    'many numbers': list(',0'),
    'a long number': `1${'1'.repeat(bytes - 1)}`,
    'long numbers': list(',1.234567890123456789'),
    'many keys': `{${pairs.slice(0, bytes - 20).replace(/,[^,]*$/, '')}}`,
    'many objects': list(',{"a":{}}'),
    'deep nesting': `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
    escapes: text(String.raw`\"`),
    codes: text(String.raw`\u00e9`),
    'broken characters': text(String.raw`\ud800`),
    unicode: text('é'),
    white: `${' '.repeat(bytes - 1)}1`,
  }
}
