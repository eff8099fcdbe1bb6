/** The status that a provider gave a charge. */
import { ofPayments } from '../ui/payment-texts.ts'
import { statusWords } from '../ui/status-words.ts'

type Known = 'completed'

/** In the words of our own statuses; a status that only the provider has is shown as it is. */
export function useProviderStatus(): (status: string | null) => string {
  const say = ofPayments.use()
  return (status) => {
    if (status === null) return '–'
    return Object.hasOwn(statusWords, status) ? say(`status.${status as Known}`) : status
  }
}
