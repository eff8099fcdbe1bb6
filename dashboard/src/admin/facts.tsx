/** Names and values of an object: one column on a phone, names beside values on wide screens. */
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export type Fact = readonly [name: string, value: ReactNode]

export function Facts({ facts, label }: { facts: readonly Fact[]; label?: string }) {
  return (
    <dl className={classes['facts']} aria-label={label}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}
