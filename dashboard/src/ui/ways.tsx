/** Links between the screens of one section, above the content. */
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import classes from './ways.module.css'

export function Ways({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes['ways']}>
      {children}
    </nav>
  )
}

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

function PlainWay({ children, className: _own, ...rest }: Props) {
  return (
    <a {...rest} className={classes['way']}>
      {children}
    </a>
  )
}

/** Takes what the router's `Link` takes. */
export const Way = createLink(PlainWay)
