/** The link of a row of a `DataTable`: its text is the link, and the whole row can be clicked. */
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

/** Controls within such a row. */
export function AboveRow({ children }: { children: ReactNode }) {
  return <span className={classes['above']}>{children}</span>
}
