/**
 * A menu of the frame. Its button is there at once; the code of the menu is loaded after the first screen. A press before that opens the
 * menu as soon as it is there, and the focus stays on the button.
 */
import { UnstyledButton, type MenuProps, type UnstyledButtonProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { laterPart } from './later.ts'

const useMenu = laterPart(() => import('./opened-menu.tsx'))

type Props = Pick<MenuProps, 'position'> & {
  className: UnstyledButtonProps['className']
  /** In the button. */
  label: ReactNode
  items: readonly (MenuEntry | 'divider')[]
}

export type MenuEntry = {
  key: string
  text: ReactNode
  left: ReactNode
  right?: ReactNode
} & ({ onChoose(): void } | { to: '/profile' })

export function PopupMenu({ className, label, items, position }: Props) {
  const menu = useMenu()
  const [isWanted, setIsWanted] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const hasFocus = useRef(false)
  useLayoutEffect(() => {
    if (menu && hasFocus.current) button.current?.focus()
  }, [menu])
  if (menu) {
    return (
      <menu.OpenedMenu position={position} items={items} isOpenAtFirst={isWanted} onChosen={() => button.current?.focus()}>
        <UnstyledButton ref={button} className={className}>
          {label}
        </UnstyledButton>
      </menu.OpenedMenu>
    )
  }
  return (
    <UnstyledButton
      ref={button}
      className={className}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setIsWanted(true)}
      onFocus={() => void (hasFocus.current = true)}
      onBlur={() => void (hasFocus.current = false)}
    >
      {label}
    </UnstyledButton>
  )
}
