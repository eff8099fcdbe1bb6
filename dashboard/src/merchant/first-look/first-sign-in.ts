/** The form of the sign-in, before the app is there. What is typed into it is not lost: `auth/typed-ahead.ts` hands it over. */
import { signInWords } from '../../auth/sign-in-words.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import { placeOf } from '../../i18n/translator.ts'
import { element, showFirstLook } from './draw.ts'

export function showFirstSignIn(): void {
  const at = placeOf[currentLanguage()]
  const input = (name: 'identifier' | 'password', attributes: Record<string, string>) =>
    element('label', {}, signInWords[name][at], element('input', { name, ...attributes }))
  const identifier = input('identifier', { autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false' })
  const password = input('password', { type: 'password', autocomplete: 'current-password' })
  const button = element('button', { type: 'submit' }, signInWords.signIn[at])
  const form = element('form', { novalidate: '' }, identifier, password, button)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // The app sends it.
    form.setAttribute('aria-busy', 'true')
    button.textContent = '…'
  })
  showFirstLook(
    undefined,
    element('h1', {}, signInWords.signIn[at]),
    element('p', {}, signInWords.signInText[at]),
    form,
    element('p', {}, element('a', { href: '/dashboard/forgot-password' }, signInWords.forgot[at])),
    element('p', {}, `${signInWords.noAccount[at]} `, element('a', { href: '/dashboard/register' }, signInWords.register[at])),
  )
  form.querySelector('input')?.focus()
}
