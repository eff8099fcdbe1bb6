/** The link from an object to its list, above the title. */
import { IconArrowLeft } from './icons.ts'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import classes from './back-link.module.css'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

function PlainBackLink({ children, className: _own, ...rest }: Props) {
  return (
    <a {...rest} className={classes['back']}>
      <IconArrowLeft size={16} aria-hidden />
      {children}
    </a>
  )
}

/** Takes what the router's `Link` takes. */
export const BackLink = createLink(PlainBackLink)
