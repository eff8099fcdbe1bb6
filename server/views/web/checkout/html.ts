/** HTML as a tagged template. Invariant: every value in a template is escaped, unless it is markup already. */
import { escapeHtml } from '../../../platform/http/text.ts'

/** Markup that is safe to send. Only this file makes it. */
export class Html {
  static readonly #maker = Symbol('the maker of markup')
  readonly text: string

  constructor(text: string, maker: symbol) {
    if (maker !== Html.#maker) throw new Error('Markup is made by the html tag.')
    this.text = text
  }

  static fromTemplate(literals: TemplateStringsArray, ...values: Insertable[]): Html {
    const parts = unindented(literals)
    let text = parts[0]!
    values.forEach((value, index) => {
      text += insert(value) + parts[index + 1]!
    })
    return new Html(text, Html.#maker)
  }

  /** An element with constant content in another language, in exactly these bytes: the policy names it by its hash. */
  static constantElement(name: 'style' | 'script', source: string): Html {
    if (/<[/!]/.test(source)) throw new Error(`A ${name} must not contain markup.`)
    return new Html(`<${name}>${source}</${name}>`, Html.#maker)
  }
}

/** `false`, `null` and `undefined` insert nothing, so that parts can be optional. */
export type Insertable = string | number | Html | readonly Html[] | false | null | undefined

const known = new WeakMap<TemplateStringsArray, string[]>()

/** The literals without the indentation of the source. */
function unindented(literals: TemplateStringsArray): string[] {
  let parts = known.get(literals)
  if (!parts) known.set(literals, (parts = literals.map((literal) => literal.replace(/\n\s*/g, ' '))))
  return parts
}

function insert(value: Insertable): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((part) => part.text).join('')
  return escapeHtml(String(value))
}

/** Write attribute values in double quotes: an inserted value cannot end them. */
export const html = Html.fromTemplate
export const constantElement = Html.constantElement
