/** What a chosen file really is, by its first bytes: its name may say anything. */

export type DocumentType = 'image/jpeg' | 'image/png' | 'application/pdf'

const firstBytes: readonly [DocumentType, readonly number[]][] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
]

const extensions: Record<DocumentType, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'application/pdf': 'pdf' }

/** For the field of a browser: what it offers to choose. */
export const acceptedTypes = Object.keys(extensions).join(',')

/** A name that fits the type; how the file is called on the device is nobody's business. */
export function plainName(purpose: string, type: DocumentType): string {
  return `${purpose}.${extensions[type]}`
}

export type Kind = DocumentType | 'empty' | 'unknown' | 'unreadable'

export async function kindOf(file: Blob): Promise<Kind> {
  if (file.size === 0) return 'empty'
  try {
    const start = new Uint8Array(await file.slice(0, 8).arrayBuffer())
    return firstBytes.find(([, bytes]) => bytes.every((byte, place) => start[place] === byte))?.[0] ?? 'unknown'
  } catch {
    // What lies in a cloud, or was moved meanwhile, cannot be read.
    return 'unreadable'
  }
}
