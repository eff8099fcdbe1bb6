/** The facts of an object: one column on a phone, names beside values on wide screens. */
import { Facts as PlainFacts, type Fact } from '../ui/facts.tsx'
import classes from './facts.module.css'

export function Facts(props: { facts: readonly Fact[]; label?: string }) {
  return <PlainFacts {...props} className={classes['facts']} />
}
