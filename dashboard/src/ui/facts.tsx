/** The facts of one object, one name and value per line; a name without a value has a dash. */
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Only pairs are shown. `key`: where another fact may have the same name. */
export type Fact = readonly [name: string, value: ReactNode, key?: string] | undefined | null | false

type Props = {
  facts: readonly Fact[]
  /** For screen readers. */
  label?: string
  /** Another look. */
  className?: string | undefined
}

export function Facts({ facts, label, className = classes['facts'] }: Props) {
  return (
    <dl className={className} aria-label={label}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[2] ?? fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1] ?? '–'}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
