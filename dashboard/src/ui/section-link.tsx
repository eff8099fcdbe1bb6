/** A link to a section, in the frame; the current one is marked, also for screen readers. */
import { createLink } from '@tanstack/react-router'
import type { Icon } from '@tabler/icons-react'
import type { AnchorHTMLAttributes, Ref } from 'react'
import classes from './shell.module.css'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { icon: Icon; ref?: Ref<HTMLAnchorElement> }

function PlainSectionLink({ icon: Sign, children, className: _own, ...rest }: Props) {
  return (
    <a {...rest} className={classes['link']}>
      <Sign size={18} stroke={1.7} aria-hidden />
      {children}
    </a>
  )
}

/** Takes what the router's `Link` takes, and an `icon`. */
export const SectionLink = createLink(PlainSectionLink)
