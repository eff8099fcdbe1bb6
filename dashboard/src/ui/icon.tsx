/** Makes a component from the drawing of an icon, a square of 24 units drawn with lines. */
import type { ComponentProps } from 'react'
import type { Icon } from './icons.ts'

export function iconOf(drawing: string): Icon {
  return function DrawnIcon({ size = 24, stroke = 2, color = 'currentColor', ...others }: ComponentProps<Icon>) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke={color}
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        dangerouslySetInnerHTML={{ __html: drawing }}
        {...others}
      />
    )
  }
}
