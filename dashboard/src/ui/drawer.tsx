/** The navigation of a phone, from the left. */
import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from './brand.tsx'
import classes from './shell.module.css'

export function NavigationDrawer({ isOpen, onClose, children }: { isOpen: boolean; onClose(): void; children: ReactNode }) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size={300} title={<Brand />} classNames={{ body: classes['drawer']! }}>
      {children}
    </Drawer>
  )
}
