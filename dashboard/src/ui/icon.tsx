/** Makes a component from the drawing of an icon, a square of 24 units drawn with lines. `size` in pixels, `stroke` in units. */
import type { ComponentType, SVGProps } from 'react'

export type IconProps = Omit<SVGProps<SVGSVGElement>, 'stroke'> & { size?: number; stroke?: number }
export type Icon = ComponentType<IconProps>

export function iconOf(drawing: string): Icon {
  return function DrawnIcon({ size = 24, stroke = 2, color = 'currentColor', ...others }: IconProps) {
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
