/** The way from a row of a `DataTable`: its own text is the link, and the whole row takes the press. */
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import classes from './data-table.module.css'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

function PlainRowLink({ children, className: _own, ...rest }: Props) {
  return (
    <a {...rest} className={classes['way']}>
      {children}
    </a>
  )
}

/** Takes what the router's `Link` takes. */
export const RowLink = createLink(PlainRowLink)

/** What can be pressed for itself within such a row. */
export function AboveRow({ children }: { children: ReactNode }) {
  return <span className={classes['above']}>{children}</span>
}
