/** A sentence in which no line ends within a phone number or the name of a network: `M-Pesa` would break at its hyphen. */
import { networks } from './networks.ts'
import { shared } from './texts.ts'

export function Unbroken({ text }: { text: string }) {
  const say = shared.use()
  const whole = new RegExp(`(0\\d{3} (?:•••|\\d{3}) \\d{3}|${networks.map((network) => say(`network.${network}`)).join('|')})`)
  return (
    <span>
      {text.split(whole).map((part, place) =>
        // Every second part is what the expression found.
        place % 2 === 0 ? (
          part
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- a sentence can name one network twice
          <span key={place} className="nowrap">
            {part}
          </span>
        ),
      )}
    </span>
  )
}
