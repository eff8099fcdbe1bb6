/** Content that is too wide scrolls inside this box, also by keyboard. */
import type { ReactNode } from 'react'
import classes from './scroll-box.module.css'

export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes['box']} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
