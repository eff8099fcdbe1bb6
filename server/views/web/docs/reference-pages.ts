/**
 * The API reference as pages of the documentation: a page for each operation and event of the description for merchants, and one that
 * lists them. The texts are Markdown, so that programs and the search read them as they do the guides.
 */
import { setImmediate } from 'node:timers/promises'
import { exampleOf, resolved, typesOf, type Kind } from '../../description/example.ts'
import type { Answer, OpenApi, Operation, Parameter } from '../../description/document.ts'
import type { Schema } from '../../description/schema.ts'
import type { Language } from '../checkout/messages.ts'
import type { Section } from './contents.ts'
import type { Passage } from './find-in-docs.ts'
import { renderMarkdown, type Rendered } from './markdown.ts'
import { freshKey } from '../../../platform/http/idempotency-key.ts'
import { samplesOf } from './samples.ts'
import { keyPlace } from './script.ts'
import { oldAddresses, sendForm, sendStyleLink } from './send-form.ts'
import { addressOf, home, type Page, type Site } from './site.ts'

export const referencePath = 'reference'

/** One call of the API, or one event that the service sends. */
export type Entry = {
  path: string
  title: string
  tag: string
  method: string
  /** The address below the API, or the type of the event. */
  at: string
  operation: Operation & { summary?: string }
  isEvent: boolean
}

const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const byKey = ({ security = [] }: Operation): boolean => security.some((scheme) => 'apiKey' in scheme)

const methodOrder = ['post', 'get', 'patch', 'delete']

/** In the order of the groups; in a group what keys call comes first, and what makes an object before what reads it. */
function entriesOf(document: OpenApi): Entry[] {
  const of = (places: OpenApi['paths'], isEvent: boolean): Entry[] =>
    Object.entries(places ?? {}).flatMap(([at, methods]) =>
      Object.entries(methods).map(([method, operation]: [string, Entry['operation']]) => {
        const path = `${referencePath}/${kebab(operation.operationId!)}`
        return { path, title: operation.summary!, tag: operation.tags![0]!, method, at, operation, isEvent }
      }),
    )
  const tags = document.tags!.map(({ name }) => name)
  const rank = ({ tag, operation, method, at }: Entry): number[] => [
    tags.indexOf(tag),
    byKey(operation) ? 0 : 1,
    at.split('{').length,
    methodOrder.indexOf(method),
  ]
  return [...of(document.paths, false), ...of(document.webhooks, true)].toSorted((one, other) => {
    const [mine, theirs] = [rank(one), rank(other)]
    const first = mine.findIndex((value, place) => value !== theirs[place])
    return first === -1 ? 0 : mine[first]! - theirs[first]!
  })
}

const code = (text: string): string => `\`${text}\``
const callText = ({ isEvent, method, at }: Entry): string => (isEvent ? at : `${method.toUpperCase()} ${at}`)

/** What the server checks, in a few words. */
function rulesOf(schema: Schema, document: OpenApi): string[] {
  const { enum: values, const: constant, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  const between = (least: number | undefined, most: number | undefined, unit = ''): string[] => {
    const [low, high] = [least, most].map((bound) => bound?.toLocaleString('en'))
    if (least === undefined && most === undefined) return []
    if (most === undefined) return [`at least ${low}${unit}`]
    return [least === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
  }
  return [
    ...(values ? [values.map((value) => code(String(value))).join(', ')] : []),
    ...(constant === undefined ? [] : [code(JSON.stringify(constant))]),
    ...between(minimum, maximum),
    ...between(minLength, maxLength, ' characters'),
    ...between(minItems, maxItems, ' entries'),
    ...(pattern === undefined || pattern.includes('`') ? [] : [`pattern ${code(pattern)}`]),
    ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`]),
    ...(schema.items ? rulesOf(resolved(schema.items, document), document) : []),
  ]
}

function typeOf(schema: Schema, document: OpenApi): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && !schema.type) {
    return [...new Set(choices.map((choice) => typeOf(resolved(choice, document), document)))].join(' or ')
  }
  const names = typesOf(schema).map((type) => {
    if (type === 'array') return `list of ${schema.items ? typeOf(resolved(schema.items, document), document) : 'values'}`
    return type === 'string' && schema.format ? schema.format : type
  })
  return names.join(' or ') || 'any value'
}

/** Objects inside a field: its own fields, those of its entries, or those of its choices. */
function insideOf(schema: Schema, document: OpenApi): Schema[] {
  const values = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
  const parts = [...(schema.anyOf ?? schema.oneOf ?? []), ...(schema.items ? [schema.items] : []), ...values]
  return schema.properties ? [schema] : parts.flatMap((part) => insideOf(resolved(part, document), document))
}

/** A list of Markdown; fields of objects are below their field. `seen` ends schemas that contain themselves. */
function fieldLines(schema: Schema, document: OpenApi, kind: Kind, indent = '', seen = 0): string[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, given]) => {
    const field = resolved(given, document)
    const need = kind === 'sent' && required.includes(name) ? ['**required**'] : []
    const facts = [typeOf(field, document), ...need, ...rulesOf(field, document)].join(' · ')
    const text = field.description ? `\\\n${indent}  ${field.description.replaceAll('\n', ' ')}` : ''
    const inside = seen > 5 ? [] : insideOf(field, document)
    return [
      `${indent}- ${code(name)} ${facts}${text}`,
      ...inside.flatMap((part) => fieldLines(part, document, kind, `${indent}  `, seen + 1)),
    ]
  })
}

function parameterLine({ name, required, description, schema = {} }: Parameter, document: OpenApi): string {
  const facts = [typeOf(schema, document), ...(required ? ['**required**'] : []), ...rulesOf(schema, document)]
  return `- ${code(name)} ${facts.join(' · ')}${description ? `\\\n  ${description.replaceAll('\n', ' ')}` : ''}`
}

const places: [place: string, title: string][] = [
  ['path', 'In the address'],
  ['query', 'In the query'],
  ['header', 'Headers'],
]

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('\n')}\n`
const fence = (word: string, text: string): string => `\`\`\`${word}\n${text}\n\`\`\`\n`

const valueOf = ({ name, example, schema = {} }: Parameter): string =>
  String((example ?? schema.enum?.[0] ?? schema.minimum ?? name.toUpperCase()) as string | number)

/** The request as an integrator sends it, with the key of the reader's test environment. */
function callOf({ at, method, operation }: Entry, body: unknown, apiUrl: string) {
  const { parameters = [], security = [] } = operation
  const needed = (place: string): Parameter[] => parameters.filter((one) => one.in === place && one.required)
  const path = needed('path').reduce((text, one) => text.replace(`{${one.name}}`, valueOf(one)), at)
  const query = needed('query').map((one) => `${one.name}=${encodeURIComponent(valueOf(one))}`)
  const isOnce = parameters.some(({ name }) => name === 'idempotency-key')
  const headers: [string, string][] = [
    ...(byKey(operation) ? [['X-API-Key', keyPlace] as [string, string]] : []),
    ...(security.some((scheme) => 'jwt' in scheme) ? [['Authorization', 'Bearer ACCESS_TOKEN'] as [string, string]] : []),
    ...(isOnce ? [['Idempotency-Key', freshKey] as [string, string]] : []),
  ]
  return { method: method.toUpperCase(), url: `${apiUrl}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`, headers, body }
}

const jsonOf = ({ content }: Pick<Answer, 'content'>): Schema | undefined => content?.['application/json']?.schema

/** The body that samples send; undefined for an operation without one. */
const bodyOf = ({ operation: { requestBody } }: Entry): unknown => requestBody?.content?.['application/json']?.example

function refusalRows({ responses = {} }: Operation, document: OpenApi): string[] {
  return Object.entries(responses).flatMap(([status, given]) => {
    const answer = given.$ref === undefined ? given : document.components!.responses![given.$ref.split('/').at(-1)!]!
    const refs = Object.entries(answer.content?.['application/json']?.examples ?? {})
    return refs.map(([name, { $ref }]) => {
      const { value } = document.components!.examples![$ref.split('/').at(-1)!] as { value: { error: { message: string } } }
      return `| ${status} | [${code(name)}](/docs/errors#${name}) | ${value.error.message} |`
    })
  })
}

function markdownOf(entry: Entry, document: OpenApi, apiUrl: string): string {
  const { operation, isEvent } = entry
  const limits = (operation['x-limits'] ?? []).map(code).join(', ')
  const body = operation.requestBody && jsonOf(operation.requestBody as Answer)
  const answers = Object.entries(operation.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status))
  const shapes = new Set(answers.map(([, answer]) => JSON.stringify(jsonOf(answer) ?? '')))
  const described = answers.flatMap(([status, answer], place) => {
    const schema = jsonOf(answer)
    if (!schema) return [`${status}: ${answer.description}`]
    // 200 and 201 mostly have the same form.
    if (place > 0 && shapes.size === 1) return []
    const example = fence('json', JSON.stringify(exampleOf(schema, document, 'answered'), null, 2))
    const statuses = shapes.size === 1 ? answers.map(([one]) => one).join(' or ') : status
    return [`### ${statuses}\n`, example, ...fieldLines(resolved(schema, document), document, 'answered'), '']
  })
  const samples = isEvent ? [] : samplesOf(callOf(entry, bodyOf(entry), apiUrl))
  const refusals = refusalRows(operation, document)
  return `# ${entry.title}

${fence('http', isEvent ? `POST your address\nX-Service-Event: ${entry.at}` : callText(entry))}
${operation.description ?? ''}
${limits && `\n[Limits](/docs/limits): ${limits}.\n`}${part(
    'Samples',
    samples.map((one) => `#### ${one.name}\n\n${fence(one.fence, one.code)}`),
  )}${places
    .map(([place, name]) =>
      part(
        name,
        (operation.parameters ?? []).filter((one) => one.in === place).map((one) => parameterLine(one, document)),
      ),
    )
    .join(
      '',
    )}${part('Body', body ? bodyLines(body, document, isEvent) : [])}${isEvent ? '' : part('Answer', described)}${part('Refusals', refusals.length > 0 ? ['| Status | Code | Meaning |', '|---|---|---|', ...refusals] : [])}`
}

function bodyLines(body: Schema, document: OpenApi, isEvent: boolean): string[] {
  const schema = resolved(body, document)
  const example = isEvent ? [fence('json', JSON.stringify(exampleOf(schema, document, 'answered'), null, 2))] : []
  return [...example, ...insideOf(schema, document).flatMap((one) => fieldLines(one, document, isEvent ? 'answered' : 'sent'))]
}

/** Each sample opens by itself, also without a script: the others stay closed. */
function withSamples(html: string): string {
  const folded = html.replaceAll(
    /<h4 id="[^"]*">(.*?)<\/h4>\n(<div class="code"[\s\S]*?<\/code><\/pre><\/div>\n<\/div>\n)/g,
    '<details name="samples" class="sample"><summary>$1</summary>\n$2</details>\n',
  )
  return folded.replace('<details name="samples"', '<details open name="samples"')
}

function overviewOf(document: OpenApi, entries: readonly Entry[], apiUrl: string): string {
  const groups = document.tags!.map(({ name, description }) => {
    const own = entries.filter(({ tag }) => tag === name)
    const lines = own.map((entry) => `- [${entry.title}](/docs/${entry.path}) ${code(callText(entry))}`)
    return `## ${name}\n\n${description}\n\n${lines.join('\n')}\n`
  })
  const intro = document.info!.description.replace(/\n## Limits\n[\s\S]*$/, '')
  return `# API reference

${intro}
The address of the API is ${code(apiUrl)}. Programs send their key as ${code('X-API-Key')}; a person’s session is ${code('Authorization: Bearer …')}. See also [errors](/docs/errors), [limits](/docs/limits), and the same for programs: [OpenAPI 3.1](/openapi-merchants.json).

${groups.join('\n')}`
}

const swahiliTags: Record<string, string> = {
  Payments: 'Malipo',
  'Payment pages': 'Kurasa za malipo',
  'Payment requests': 'Maombi ya malipo',
  Webhooks: 'Webhook',
  'Webhook events': 'Matukio ya webhook',
  Wallet: 'Pochi',
  Payouts: 'Malipo ya kutoka',
  Members: 'Wanachama',
  Brand: 'Chapa',
  Customers: 'Wateja',
  Recipients: 'Wapokeaji',
  'Payout batches': 'Mafungu ya malipo ya kutoka',
  Refunds: 'Kurudisha pesa',
  'Apps and keys': 'Programu na funguo',
  Businesses: 'Biashara',
  Verification: 'Uthibitisho',
  People: 'Watu',
}

const title: Record<Language, string> = { en: 'API reference', sw: 'Rejea ya API' }

function menuOf(document: OpenApi, entries: readonly Entry[]): Section[] {
  const start: Section = { title, entries: [{ path: referencePath, file: '' }] }
  const groups = document.tags!.map(({ name }) => ({
    title: { en: name, sw: swahiliTags[name] ?? name },
    entries: entries.filter(({ tag }) => tag === name).map(({ path }) => ({ path, file: '' })),
  }))
  return [start, ...groups.filter(({ entries: own }) => own.length > 0)]
}

export type Reference = { site: Site; passages: readonly Passage[] }

/** Made on the first reader's request, because few of the pages are read. */
function pageOf(path: string, title: string, form: string, language: Language, markdownFor: () => string): Page {
  let known: Rendered | undefined
  const read = (): Rendered => (known ??= rendered(markdownFor(), form, language))
  return {
    path,
    title,
    language: 'en',
    about: '',
    get markdown() {
      return markdownFor()
    },
    get html() {
      return read().html
    },
    get headings() {
      return read().headings
    },
  }
}

/** The form stands below the samples, or below a text without any. */
function rendered(markdown: string, form: string, language: Language): Rendered {
  const context = { file: '', addressOf: () => undefined, pictureOf: () => undefined, language: 'en' as const }
  const { html, headings } = renderMarkdown(markdown, context)
  const linked = withSamples(html).replaceAll('href="/docs/', `href="${home[language]}/`)
  const end = linked.lastIndexOf('</details>\n')
  const place = end === -1 ? linked.length : end + '</details>\n'.length
  return {
    html: sendStyleLink + linked.slice(0, place) + form + linked.slice(place),
    headings: headings.filter(({ depth }) => depth < 4),
  }
}

/** The texts of operations are in English; the frame around them is in each language. */
export async function readReference(document: OpenApi, apiUrl: string): Promise<Record<Language, Reference>> {
  const entries = entriesOf(document)
  const menu = menuOf(document, entries)
  const overview = (): string => overviewOf(document, entries, apiUrl)
  const texts: string[] = []
  for (const entry of entries) {
    const fields = [...markdownOf(entry, document, apiUrl).matchAll(/^ *- `(\w+)`/gm)].map(([, field]) => field)
    texts.push(
      `${callText(entry)} ${(entry.operation.description ?? '').replace(/^Requires .*$/m, '')} ${[...new Set(fields)].join(' ')}`,
    )
    // Payments use the same process.
    await setImmediate()
  }
  const of = (language: Language): Reference => {
    const pages = new Map<string, Page>()
    const add = (path: string, name: string, form: string, markdownFor: () => string): void =>
      void pages.set(path, pageOf(path, name, form, language, markdownFor))
    add(referencePath, title.en, oldAddresses, overview)
    for (const entry of entries) {
      const form = byKey(entry.operation) ? sendForm(entry, bodyOf(entry), language) : ''
      add(entry.path, entry.title, form, () => markdownOf(entry, document, apiUrl))
    }
    const passages = entries.map((entry, place): Passage => {
      return { address: addressOf(entry.path, language), language: 'en', title: entry.title, text: texts[place]!, weight: 0.8 }
    })
    return { site: { language, pages, pictures: new Map(), menu }, passages }
  }
  return { en: of('en'), sw: of('sw') }
}
