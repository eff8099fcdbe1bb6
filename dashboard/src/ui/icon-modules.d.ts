/** The form of the icons, which the build makes from their drawings. */
declare module '~icons/*' {
  import type { ComponentType, SVGProps } from 'react'

  /** `size` in pixels, `stroke` in units of a square of 24. */
  export type Icon = ComponentType<Omit<SVGProps<SVGSVGElement>, 'stroke'> & { size?: number; stroke?: number }>
  const icon: Icon
  export default icon
}
