/** The facts of one object, one name and value per line. */
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode] | undefined | false)[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
