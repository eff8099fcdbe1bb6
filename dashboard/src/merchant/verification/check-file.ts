/** The real type of a chosen file, by its first bytes: a file name can be wrong. */

export type DocumentType = 'image/jpeg' | 'image/png' | 'application/pdf'

const firstBytes: readonly [DocumentType, readonly number[]][] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
]

const extensions: Record<DocumentType, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'application/pdf': 'pdf' }

/** For the `accept` attribute of the file field. */
export const acceptedTypes = Object.keys(extensions).join(',')

const allowed: Record<DocumentType, RegExp> = {
  'image/jpeg': /\.(?:jpe?g|jpe|jfif)$/i,
  'image/png': /\.png$/i,
  'application/pdf': /\.pdf$/i,
}

/** The name on the device, by which its owner knows the file again, with an ending that fits the type. */
export function sentName(name: string, type: DocumentType): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, '').slice(-200)
  return allowed[type].test(plain) ? plain : `${plain}.${extensions[type]}`
}

/** `heic`: the own format of iPhones, which few programs read. */
export type Kind = DocumentType | 'empty' | 'unknown' | 'unreadable' | 'heic'

export async function kindOf(file: Blob): Promise<Kind> {
  if (file.size === 0) return 'empty'
  try {
    const start = new Uint8Array(await file.slice(0, 1_030).arrayBuffer())
    const known = firstBytes.find(([, bytes]) => bytes.every((byte, place) => start[place] === byte))
    if (known) return known[0]
    const text = String.fromCharCode(...start)
    if (/^....ftyp(?:hei|hev|mif1|msf1|avif)/s.test(text)) return 'heic'
    // Readers of PDF look for its first line in these bytes.
    return text.includes('%PDF-') ? 'application/pdf' : 'unknown'
  } catch {
    // A file in the cloud, or a moved one, cannot be read.
    return 'unreadable'
  }
}
