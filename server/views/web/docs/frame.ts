/** The frame of a documentation page: head, menu, search, list of sections, previous and next page, and the other language. */
import { payerLanguages } from '../../../domain/language.ts'
import type { Language } from '../checkout/messages.ts'
import { sections } from './contents.ts'
import type { Hit } from './find-in-docs.ts'
import { styleAddress } from './look.ts'
import { escaped, type Heading } from './markdown.ts'
import { scriptAddress } from './script.ts'
import { addressOf, home, markdownAddress, searchAddress, type Page, type Site } from './site.ts'

const english = {
  other: { language: 'sw' as Language, name: 'Kiswahili' },
  skip: 'Skip to the text',
  brand: ['Malipo', ' docs'],
  menu: 'Menu',
  reference: 'API reference',
  prices: 'Prices',
  dashboard: 'Dashboard',
  searchLabel: 'Search the documentation',
  search: 'Search',
  navigation: 'Documentation',
  onThisPage: 'On this page',
  around: 'Before and after',
  before: 'Before',
  next: 'Next',
  asMarkdown: 'This page as Markdown',
  forPrograms: 'All pages for programs: llms.txt',
  nothingFound: 'Nothing was found. Try fewer words, or one word alone.',
  found: (count: number) => `${count} found.`,
  howToSearch: 'Type a word or an error code above.',
  notTranslated: '',
  /** What the script of the page says. */
  script: {
    copy: 'Copy',
    copied: 'Copied',
    'not-copied': 'Not copied: select the text yourself',
    filled: 'The commands contain your test key svc_test_…, which is only in this tab.',
    forget: 'Remove the key',
    'your-key': 'Your test key',
    fill: 'Put it into the commands',
    'no-key': 'A test key begins with svc_test_. Your test key',
    results: 'Pages found',
    hits: '… found. Choose with the arrow keys.',
    all: 'All results',
    nothing: 'Nothing was found.',
  },
}

const words: Record<Language, typeof english> = {
  en: english,
  sw: {
    other: { language: 'en', name: 'English' },
    skip: 'Nenda kwenye maandishi',
    brand: ['Malipo', ' – nyaraka'],
    menu: 'Menyu',
    reference: 'Rejea ya API',
    prices: 'Bei',
    dashboard: 'Dashibodi',
    searchLabel: 'Tafuta kwenye nyaraka',
    search: 'Tafuta',
    navigation: 'Nyaraka',
    onThisPage: 'Kwenye ukurasa huu',
    around: 'Uliotangulia na unaofuata',
    before: 'Uliotangulia',
    next: 'Unaofuata',
    asMarkdown: 'Ukurasa huu kama Markdown',
    forPrograms: 'Kurasa zote kwa programu: llms.txt',
    nothingFound: 'Hakuna kilichopatikana. Tumia maneno machache zaidi, au neno moja tu.',
    found: (count) => `Matokeo ${count}.`,
    howToSearch: 'Andika neno au msimbo wa kosa hapo juu.',
    notTranslated: 'Ukurasa huu upo kwa Kiingereza tu.',
    script: {
      copy: 'Nakili',
      copied: 'Imenakiliwa',
      'not-copied': 'Haikunakiliwa: chagua maandishi mwenyewe',
      filled: 'Amri zina ufunguo wako wa majaribio svc_test_…, ambao uko kwenye kichupo hiki tu.',
      forget: 'Ondoa ufunguo',
      'your-key': 'Ufunguo wako wa majaribio',
      fill: 'Uweke kwenye amri',
      'no-key': 'Ufunguo wa majaribio unaanza na svc_test_. Ufunguo wako wa majaribio',
      results: 'Kurasa zilizopatikana',
      hits: 'Matokeo …. Chagua kwa vishale.',
      all: 'Matokeo yote',
      nothing: 'Hakuna kilichopatikana.',
    },
  },
}

type Around = {
  site: Site
  page: Page | undefined
  /** Of the same page in a language. */
  addressIn(language: Language): string
  title: string
  question: string
  main: string
  parts: string
}

/** For an element whose text is not in the language around it. */
const languageMark = (page: { language: Language }, { language }: Site): string =>
  page.language === language ? '' : ` lang="${page.language}"`

function menuOf(site: Site, current: Page | undefined): string {
  const link = (path: string): string => {
    const page = site.pages.get(path)!
    const here = path === current?.path ? ' aria-current="page"' : ''
    return `<li><a href="${addressOf(path, site.language)}"${here}${languageMark(page, site)}>${escaped(page.title)}</a></li>`
  }
  const parts = (site.menu ?? sections).map(({ title, entries: listed }) => {
    const links = listed.flatMap(({ path }) => (site.pages.has(path) ? [link(path)] : [])).join('\n')
    return `<h2>${escaped(title[site.language])}</h2>\n<ul>\n${links}\n</ul>`
  })
  const out = waysOf(site.language).map((way) => `<li>${way}</li>`)
  return `<nav class="menu" id="menu" aria-label="${words[site.language].navigation}">\n<ul class="out">${out.join('')}</ul>\n${parts.join('\n')}\n</nav>`
}

/** The headings below the title; a page with fewer than two needs no list. */
function partsOf(headings: readonly Heading[], page: Page, site: Site): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (below.length < 2) return ''
  const links = below.map(
    ({ id, text, depth }) => `<li><a${depth === 3 ? ' class="deep"' : ''} href="#${id}">${escaped(text)}</a></li>`,
  )
  const { onThisPage } = words[site.language]
  const list = `<ul${languageMark(page, site)}>\n${links.join('\n')}\n</ul>`
  return `<nav class="parts" aria-label="${onThisPage}"><div><h2>${onThisPage}</h2>\n${list}</div></nav>`
}

function neighboursOf(site: Site, path: string): string {
  const pages = [...site.pages.values()]
  const index = pages.findIndex((page) => page.path === path)
  const say = words[site.language]
  const link = (page: Page | undefined, word: string): string =>
    page
      ? `<a href="${addressOf(page.path, site.language)}">${word}: <span${languageMark(page, site)}>${escaped(page.title)}</span></a>`
      : '<span></span>'
  return `<nav class="turn" aria-label="${say.around}">${link(pages[index - 1], say.before)}${link(pages[index + 1], say.next)}</nav>`
}

/** The ways out of the documentation: in the head of a wide screen, in the menu of a phone. */
function waysOf(language: Language): string[] {
  const say = words[language]
  const ways = [
    ['/reference', say.reference],
    [`/prices?lang=${language}`, say.prices],
    ['/dashboard', say.dashboard],
  ]
  return ways.map(([address, name]) => `<a href="${address}">${name}</a>`)
}

/** The search, the other language at the address `turn`, and the links of every page: on a phone they are in the menu, if there is one. */
export function headOf(language: Language, turn: string, menuLink: string, question: string): string {
  const say = words[language]
  const { other } = say
  const code = other.language
  return `<header${menuLink === '' ? ' class="alone"' : ''}>
<a class="brand" href="${home[language]}">${say.brand[0]}<span>${say.brand[1]}</span></a>
<span class="ways">${waysOf(language).join('\n')}</span>
<form role="search" action="${home[language]}/search"><input type="search" name="q" maxlength="100" aria-label="${say.searchLabel}" placeholder="${say.search}" value="${escaped(question)}"><button>${say.search}</button></form>
<a class="tongue" href="${escaped(turn)}" lang="${code}" hreflang="${code}"><b>${code.toUpperCase()} </b><span>${other.name}</span></a>
${menuLink}</header>
`
}

function frameOf({ site, page, addressIn, title, question, main, parts }: Around): string {
  const { language } = site
  const say = words[language]
  const { other } = say
  const spoken = Object.entries(say.script).map(([name, text]) => ` data-${name}="${escaped(text)}"`)
  const alternates = payerLanguages.map((one) => `<link rel="alternate" hreflang="${one}" href="${escaped(addressIn(one))}">\n`)
  const isInBoth = page === undefined || page.language === language
  const there = addressIn(other.language)
  // The link to the other language stores the choice.
  const turn = `${there}${there.includes('?') ? '&' : '?'}lang=${other.language}`
  const menuLink = `<a class="to-menu" href="#menu">${say.menu}</a>\n`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)} – Malipo</title>
<link rel="stylesheet" href="${styleAddress}">
<link rel="icon" href="data:,">
${isInBoth ? alternates.join('') : `<link rel="canonical" href="${addressOf(page.path, 'en')}">\n`}<script src="${scriptAddress}" defer></script>
</head>
<body${spoken.join('')}>
<a class="skip" href="#content">${say.skip}</a>
${headOf(language, turn, menuLink, question)}<div class="frame${parts ? ' with-parts' : ''}">
${menuOf(site, page)}
<main id="content"${page?.path === '' ? ' class="home"' : ''}>
${main}
</main>
${parts}
</div>
<footer>${page === undefined ? '' : `<a href="${markdownAddress(page.path, language)}">${say.asMarkdown}</a> · `}<a href="/llms.txt">${say.forPrograms}</a></footer>
</body>
</html>
`
}

export function pageHtml(site: Site, page: Page): string {
  const isForeign = page.language !== site.language
  const text = isForeign
    ? `<p class="note">${words[site.language].notTranslated}</p>\n<div lang="${page.language}">${page.html}</div>`
    : page.html
  return frameOf({
    site,
    page,
    addressIn: (language) => addressOf(page.path, language),
    title: page.title,
    question: '',
    main: text + neighboursOf(site, page.path),
    parts: partsOf(page.headings, page, site),
  })
}

export function hitsHtml(site: Site, question: string, hits: readonly Hit[]): string {
  const say = words[site.language]
  const count = hits.length === 0 ? say.nothingFound : say.found(hits.length)
  const items = hits.map(({ title, excerpt, ...hit }) => {
    const text = excerpt.map((piece) => (piece.isFound ? `<mark>${escaped(piece.text)}</mark>` : escaped(piece.text))).join('')
    return `<li${languageMark(hit, site)}><a href="${hit.address}">${escaped(title)}</a><p>${text}</p></li>`
  })
  const list = items.length > 0 ? `<ul class="hits">\n${items.join('\n')}\n</ul>` : ''
  const title = question === '' ? say.search : `${say.search}: ${question}`
  return frameOf({
    site,
    page: undefined,
    addressIn: (language) => searchAddress(question, language),
    title,
    question,
    main: `<h1>${escaped(title)}</h1>\n${question === '' ? `<p>${say.howToSearch}</p>` : `<p>${count}</p>\n${list}`}`,
    parts: '',
  })
}
