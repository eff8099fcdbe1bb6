/** The menu of `PopupMenu`. */
import { Menu, type MenuProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import type { MenuEntry } from './popup-menu.tsx'

type Props = Pick<MenuProps, 'position'> & {
  items: readonly (MenuEntry | 'divider')[]
  isOpenAtFirst: boolean
  /** Before the action of an item. */
  onChosen(): void
  /** The button. */
  children: ReactNode
}

export function OpenedMenu({ position, items, isOpenAtFirst, onChosen, children }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (!isOpenAtFirst) return undefined
    // Not open from the beginning: the menu returns the focus to what had it when it was opened.
    const frame = requestAnimationFrame(() => setIsOpen(true))
    return () => cancelAnimationFrame(frame)
  }, [isOpenAtFirst])
  return (
    <Menu width="target" position={position} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {items.map((item) =>
          item === 'divider' ? (
            <Menu.Divider key={item} />
          ) : (
            <Menu.Item
              key={item.key}
              leftSection={item.left}
              rightSection={item.right}
              {...('to' in item
                ? { component: Link, to: item.to }
                : {
                    onClick: () => {
                      // A dialog remembers the focused element; the menu item is gone when it closes.
                      onChosen()
                      item.onChoose()
                    },
                  })}
            >
              {item.text}
            </Menu.Item>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
