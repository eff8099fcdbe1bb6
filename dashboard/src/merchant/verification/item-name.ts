/** The names of documents and fields, in the person's language. */
import { texts } from '../../i18n/language.ts'
import { verificationTexts } from './texts.ts'
import type { Purpose } from './uploads.ts'

const isNamed = (key: string): boolean => texts.exists(key, { ns: verificationTexts.name })

export const isPurpose = (item: string): item is Purpose => isNamed(`purpose.${item}`)

export function useItemName(): (item: string) => string {
  const say = verificationTexts.use()
  return (item) => {
    if (isPurpose(item)) return say(`purpose.${item}`)
    return isNamed(`fact.${item}`) ? say(`fact.${item as 'full_name'}`) : item
  }
}
