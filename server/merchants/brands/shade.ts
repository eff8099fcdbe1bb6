/**
 * How a merchant's colour is shown. Invariant: for every colour, the text of a button has a contrast of at least 4.5 with the button,
 * and the button one of at least 3 with everything behind it, in the light and in the dark scheme (WCAG 2.2, 1.4.3 and 1.4.11).
 */

type Rgb = readonly [number, number, number]
export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** What lies behind a button of the hosted pages, by scheme: the page and a card. A test compares it with their style sheet. */
export const surfaces: Record<Scheme, readonly string[]> = { light: ['#f2f5f3', '#ffffff'], dark: ['#101614', '#1a2320'] }

const white = '#ffffff'
const black = '#000000'
export const textColors = [white, black] as const

export type Shade = {
  background: string
  text: (typeof textColors)[number]
  /** The merchant's own colour has too little contrast with the page; this one is darker or lighter. */
  isAdjusted: boolean
}

const leastOfText = 4.5
const leastOfButton = 3
/** The colour is mixed with black or white in so many steps. */
const steps = 64

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const linear = Array.from({ length: 256 }, (_, value) => {
  const part = value / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
})

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color)
  return 0.2126 * linear[red]! + 0.7152 * linear[green]! + 0.0722 * linear[blue]!
}

/** 1 to 21, as WCAG defines it. */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

function mix(color: string, into: string, step: number): string {
  const target = rgbOf(into)
  const parts = rgbOf(color).map((part, index) => Math.round(part + ((target[index]! - part) * step) / steps))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** `color`: `#rrggbb`. The nearest shade of it with enough contrast: darker on a light page, lighter on a dark one. */
export function shadeOf(color: string, scheme: Scheme): Shade {
  let background = color
  for (let step = 1; surfaces[scheme].some((surface) => contrast(background, surface) < leastOfButton); step += 1) {
    background = mix(color, scheme === 'light' ? black : white, step)
  }
  // Black or white always has a contrast of more than 4.5.
  const text = contrast(background, white) >= leastOfText ? white : black
  return { background, text, isAdjusted: background !== color }
}
