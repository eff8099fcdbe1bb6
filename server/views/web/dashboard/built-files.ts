/** The files of the built dashboards, read once and cached: two pages, the files that they load, with compressed forms, and the lists of these files. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Face } from '../../../accounts/identity/session-cookie.ts'
import type { BuildManifest } from './first-files.ts'

export type BuiltFile = { type: string; bytes: Buffer; compressed: { br: Buffer | undefined; gzip: Buffer | undefined } }

export type BuiltFiles = {
  pages: Record<Face, { html: string; manifest: BuildManifest }>
  /** By name; each name contains a hash of the content. */
  assets: ReadonlyMap<string, BuiltFile>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.mp3': 'audio/mpeg',
}

/** Undefined when the dashboards are not built. */
export async function readBuiltFiles(folder: string): Promise<BuiltFiles | undefined> {
  try {
    const place = join(folder, 'assets')
    const names = await readdir(place)
    const read = async (name: string): Promise<Buffer | undefined> =>
      names.includes(name) ? readFile(join(place, name)) : undefined
    const assets = await Promise.all(
      names
        .filter((name) => extname(name) in types)
        .map(async (name): Promise<[string, BuiltFile]> => {
          const [bytes, br, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)])
          return [name, { type: types[extname(name)]!, bytes: bytes!, compressed: { br, gzip } }]
        }),
    )
    const page = async (app: string): Promise<BuiltFiles['pages']['merchant']> => ({
      html: await readFile(join(folder, `${app}.html`), 'utf8'),
      manifest: JSON.parse(await readFile(join(folder, `.vite/${app}.json`), 'utf8')) as BuildManifest,
    })
    return { pages: { merchant: await page('merchant'), admin: await page('admin') }, assets: new Map(assets) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
