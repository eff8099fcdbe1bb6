/** The names of documents and fields, in the person's language. */
import { verificationTexts } from './texts.ts'
import type { Purpose } from './uploads.ts'

export const isPurpose = (item: string): item is Purpose => verificationTexts.has(`purpose.${item}`)

export function useItemName(): (item: string) => string {
  const say = verificationTexts.use()
  return (item) => {
    if (isPurpose(item)) return say(`purpose.${item}`)
    const fact = `fact.${item}`
    return verificationTexts.has(fact) ? say(fact) : item
  }
}
