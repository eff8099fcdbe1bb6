/** The reviewer's reasons at their documents and fields, in the person's language. */
import type { PersonalKyc } from '../../api/operations.ts'
import type { Language } from '../../i18n/language.ts'
import type { Problems } from '../../ui/form.tsx'

export type ItemError = PersonalKyc['requirements']['errors'][number]

/** Undefined for a file that was refused automatically: its code says why. */
export function reasonIn(language: Language, error: ItemError | undefined): string | undefined {
  return error?.[language]
}

/** What a reviewer found wrong with single documents and fields. */
export function foundErrors(errors: readonly ItemError[]): ItemError[] {
  return errors.filter(({ item, sw }) => item !== 'review' && sw !== undefined)
}

/** For the fields of a form, by their names. */
export function fieldReasons(errors: readonly ItemError[], names: readonly string[], language: Language): Problems {
  const wrong = foundErrors(errors).filter(({ item }) => names.includes(item))
  return Object.fromEntries(wrong.map((error) => [error.item, error[language]!]))
}
