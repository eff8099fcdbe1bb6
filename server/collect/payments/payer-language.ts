/** The language for a payer: Swahili, unless the payer, the page or the browser asks for English. */
import type { PageLanguage, PayerLanguage } from '../../domain/language.ts'

function known(value: unknown): PayerLanguage | undefined {
  return value === 'sw' || value === 'en' ? value : undefined
}

/** The language of ours with the highest preference in `Accept-Language`. */
function preferred(header: string | undefined): PayerLanguage | undefined {
  const wishes = (header ?? '').split(',').map((part) => {
    const [range = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { language: known(range.split('-')[0]), weight: weight === undefined ? 1 : Number(weight) }
  })
  const usable = wishes.filter(({ language, weight }) => language !== undefined && weight > 0)
  return usable.sort((one, other) => other.weight - one.weight)[0]?.language
}

/** The payer's own choice counts first, then the page's setting, then the browser's. */
export function languageOf(said: { chosen: unknown; page?: PageLanguage; acceptLanguage: string | undefined }): PayerLanguage {
  return known(said.chosen) ?? known(said.page) ?? preferred(said.acceptLanguage) ?? 'sw'
}
