/** The actions of one object, behind three dots. A dialog opened from it returns the focus to the dots. */
import { ActionIcon, Menu, type ActionIconProps } from '@mantine/core'
import { IconDots, type Icon } from './icons.ts'
import { useRef, type ReactNode } from 'react'

type Props = {
  /** Names the object, for screen readers. */
  label: string
  actions: readonly { text: string; icon: Icon; onChoose(): void }[]
  /** Above them: a `Menu.Item` that is a link. */
  children?: ReactNode
} & Pick<ActionIconProps, 'variant'>

export function ActionsMenu({ label, actions, children, ...look }: Props) {
  const dots = useRef<HTMLButtonElement>(null)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon ref={dots} aria-label={label} {...look}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        {actions.map(({ text, icon: Sign, onChoose }) => (
          <Menu.Item
            key={text}
            leftSection={<Sign size={16} aria-hidden />}
            onClick={() => {
              // The dialog remembers the focused element; the menu item is gone when it closes.
              dots.current?.focus()
              onChoose()
            }}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
