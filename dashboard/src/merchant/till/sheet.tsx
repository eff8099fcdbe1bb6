/** A part of the till over the whole screen. */
import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

export function Sheet({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: string
  isOpen: boolean
  onClose(): void
  children: ReactNode
}) {
  return (
    <Drawer opened={isOpen} onClose={onClose} title={title} position="bottom" size="100%">
      {children}
    </Drawer>
  )
}
