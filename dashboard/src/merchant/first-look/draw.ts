/**
 * What a visit shows while the app is still loading: drawn without it, in the element that the app replaces. Invariants: only what the API
 * has answered in this visit is shown, it says that more is coming, and nothing is drawn once the app is there.
 */
import { currentLanguage } from '../../i18n/current-language.ts'
import { placeOf } from '../../i18n/translator.ts'
import { loadingWords } from './words.ts'

type Part = Node | string | false | undefined

/** An element with these attributes. Texts are texts, never HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...parts: readonly Part[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...parts.filter((part) => part !== undefined && part !== false))
  return made
}

const root = (): HTMLElement => document.getElementById('root')!

let shown: HTMLElement | undefined

/** Whether the app has not replaced it yet. */
export function isFirstLook(): boolean {
  return shown?.isConnected === true
}

/** Shows it, unless the app is there already. `note` is beside the name of the service. */
export function showFirstLook(note: string | undefined, ...content: readonly Part[]): void {
  if (root().hasChildNodes()) return
  const rest = element('p', { role: 'status' }, loadingWords.rest[placeOf[currentLanguage()]])
  shown = element(
    'div',
    { id: 'first-look' },
    element('header', {}, element('b', {}, 'Malipo'), note),
    element('main', {}, ...content, rest),
  )
  root().append(shown)
}

/** The app could not be loaded: says so, instead of a screen that never becomes whole. */
export function failFirstLook(): void {
  const at = placeOf[currentLanguage()]
  if (!isFirstLook()) showFirstLook(undefined)
  const again = element('a', { href: location.href }, loadingWords.again[at])
  shown?.querySelector('[role=status]')?.replaceWith(element('p', { role: 'alert' }, loadingWords.failed[at], ' ', again))
}
