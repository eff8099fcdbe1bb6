/** Links between the screens of one section, above the content. */
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import classes from './section-nav.module.css'

export function SectionNav({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes['nav']}>
      {children}
    </nav>
  )
}

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

function PlainSectionNavLink({ children, className: _own, ...rest }: Props) {
  return (
    <a {...rest} className={classes['link']}>
      {children}
    </a>
  )
}

/** Takes what the router's `Link` takes. */
export const SectionNavLink = createLink(PlainSectionNavLink)
