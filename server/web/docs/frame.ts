/** The frame of a documentation page: head, menu, search, list of sections, and previous and next page. */
import { sections } from './contents.ts'
import type { Hit } from './find-in-docs.ts'
import { styleAddress } from './look.ts'
import { escaped, type Heading } from './markdown.ts'
import { addressOf, markdownAddress, type Page, type Site } from './site.ts'

type Around = { site: Site; path: string | undefined; title: string; question: string; main: string; parts: string }

function menuOf(site: Site, current: string | undefined): string {
  const link = (path: string): string => {
    const here = path === current ? ' aria-current="page"' : ''
    return `<li><a href="${addressOf(path)}"${here}>${escaped(site.pages.get(path)!.title)}</a></li>`
  }
  const parts = sections.map(({ title, entries: listed }) => {
    const links = listed.flatMap(({ path }) => (site.pages.has(path) ? [link(path)] : [])).join('\n')
    return `<h2>${escaped(title)}</h2>\n<ul>\n${links}\n</ul>`
  })
  return `<nav class="menu" id="menu" aria-label="Documentation">\n${parts.join('\n')}\n</nav>`
}

/** The headings below the title; a page with fewer than two needs no list. */
function partsOf(headings: readonly Heading[]): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (below.length < 2) return ''
  const links = below.map(
    ({ id, text, depth }) => `<li><a${depth === 3 ? ' class="deep"' : ''} href="#${id}">${escaped(text)}</a></li>`,
  )
  return `<nav class="parts" aria-label="On this page"><div><h2>On this page</h2>\n<ul>\n${links.join('\n')}\n</ul></div></nav>`
}

function neighboursOf(site: Site, path: string): string {
  const pages = [...site.pages.values()]
  const index = pages.findIndex((page) => page.path === path)
  const link = (page: Page | undefined, word: string): string =>
    page ? `<a href="${addressOf(page.path)}">${word}: ${escaped(page.title)}</a>` : '<span></span>'
  return `<nav class="turn" aria-label="Before and after">${link(pages[index - 1], 'Before')}${link(pages[index + 1], 'Next')}</nav>`
}

function frameOf({ site, path, title, question, main, parts }: Around): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)} – Malipo</title>
<link rel="stylesheet" href="${styleAddress}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="/docs">Malipo docs</a>
<span class="ways"><a class="to-menu" href="#menu">Menu</a>
<a href="/reference">API reference</a>
<a href="/dashboard">Dashboard</a></span>
<form role="search" action="/docs/search"><input type="search" name="q" maxlength="100" aria-label="Search the documentation" placeholder="Search" value="${escaped(question)}"><button>Search</button></form>
</header>
<div class="frame${parts ? ' with-parts' : ''}">
${menuOf(site, path)}
<main id="content">
${main}
</main>
${parts}
</div>
<footer>${path === undefined ? '' : `<a href="${markdownAddress(path)}">This page as Markdown</a> · `}<a href="/llms.txt">All pages for programs: llms.txt</a></footer>
</body>
</html>
`
}

export function pageHtml(site: Site, page: Page): string {
  return frameOf({
    site,
    path: page.path,
    title: page.title,
    question: '',
    main: page.html + neighboursOf(site, page.path),
    parts: partsOf(page.headings),
  })
}

export function hitsHtml(site: Site, question: string, hits: readonly Hit[]): string {
  const count = hits.length === 0 ? 'Nothing was found. Try fewer words, or one word alone.' : `${hits.length} found.`
  const items = hits.map(
    ({ address, title, excerpt }) => `<li><a href="${address}">${escaped(title)}</a><p>${escaped(excerpt)}</p></li>`,
  )
  const list = items.length > 0 ? `<ul class="hits">\n${items.join('\n')}\n</ul>` : ''
  const title = question === '' ? 'Search' : `Search: ${question}`
  const said = question === '' ? '<p>Type a word or an error code above.</p>' : `<p>${count}</p>\n${list}`
  return frameOf({ site, path: undefined, title, question, main: `<h1>${escaped(title)}</h1>\n${said}`, parts: '' })
}
