/** The pages of the documentation, read from their files once and cached: their HTML, their Markdown, and their summary. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entries } from './contents.ts'
import { renderMarkdown, targetOf, textOf, type Heading, type Rendered } from './markdown.ts'

export type Page = Rendered & {
  path: string
  title: string
  /** Its first paragraph. */
  about: string
  /** The source text; its links lead to the Markdown of other pages. */
  markdown: string
}

export type Site = { pages: ReadonlyMap<string, Page>; pictures: ReadonlyMap<string, string> }

const root = join(import.meta.dirname, '../../..')
const picturesFolder = 'docs/pictures'

export function addressOf(path: string): string {
  return path === '' ? '/docs' : `/docs/${path}`
}

/** The Markdown of a page has the address of the page with `.md`. */
export function markdownAddress(path: string): string {
  return `/docs/${path || 'index'}.md`
}

function withRawLinks(markdown: string, file: string, pathOf: (file: string) => string | undefined): string {
  return markdown.replace(/\]\(([^)\s]+)\)/g, (link, href: string) => {
    const [path, anchor] = href.split('#') as [string, string?]
    const target = path === '' ? undefined : targetOf(path, { file, addressOf: pathOf })
    if (target === undefined || (!('address' in target) && !target.file.startsWith(`${picturesFolder}/`))) return link
    if ('file' in target) return `](/${target.file})`
    if (target.address === path) return link
    return `](${markdownAddress(target.address)}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

async function readPictures(): Promise<Map<string, string>> {
  const names = (await readdir(join(root, picturesFolder))).filter((name) => name.endsWith('.svg'))
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => [name, await readFile(join(root, picturesFolder, name), 'utf8')]),
    ),
  )
}

function firstHeading(headings: Heading[]): string {
  return headings[0]?.text ?? ''
}

/** Undefined when the file is not installed. */
async function readInstalled(file: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The pages whose files are installed: an image of the service may omit the packages for integrators. Undefined without the first page. */
export async function readSite(): Promise<Site | undefined> {
  const read = await Promise.all(entries.map(async (entry) => ({ ...entry, text: await readInstalled(entry.file) })))
  const installed = read.flatMap(({ text, ...entry }) => (text === undefined ? [] : [{ ...entry, text }]))
  if (installed[0]?.path !== '') return undefined
  const paths = new Map(installed.map(({ file, path }) => [file, path]))
  const pathOf = (file: string): string | undefined => paths.get(file)
  const pageAddress = (file: string): string | undefined => {
    const path = pathOf(file)
    return path === undefined ? undefined : addressOf(path)
  }
  const pictures = await readPictures()
  const pictureOf = (file: string): string | undefined => pictures.get(file.slice(picturesFolder.length + 1))
  const pages = installed.map(({ path, file, name, text }): [string, Page] => {
    const rendered = renderMarkdown(text, { file, addressOf: pageAddress, pictureOf })
    const about = textOf(/<p>([\s\S]*?)<\/p>/.exec(rendered.html)?.[1] ?? '').replaceAll('\n', ' ')
    const title = name ?? firstHeading(rendered.headings)
    return [path, { ...rendered, path, title, about, markdown: withRawLinks(text, file, pathOf) }]
  })
  return { pages: new Map(pages), pictures }
}
