/** The theme: the green of the checkout, matching greys, and sufficient contrast in light and dark. */
import {
  createTheme,
  defaultVariantColorsResolver,
  isLightColor,
  localStorageColorSchemeManager,
  mergeThemeOverrides,
  parseThemeColor,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeColors,
  type MantineThemeOverride,
  type VariantColorsResolver,
} from '@mantine/core'

const green: MantineColorsTuple = [
  '#eaf6f1',
  '#d3ebe1',
  '#a7d7c3',
  '#78c2a3',
  '#52b48d',
  '#309a72',
  '#1a8560',
  '#0f7352',
  '#0a6148',
  '#064a37',
]
const gray: MantineColorsTuple = [
  '#f7f9f8',
  '#f0f3f1',
  '#e5eae7',
  '#d5dcd8',
  '#bcc6c1',
  '#93a099',
  '#66746d',
  '#4b5a54',
  '#33403b',
  '#17211d',
]
const dark: MantineColorsTuple = [
  '#e6ebe8',
  '#b4c0ba',
  '#93a19a',
  '#66746d',
  '#33403a',
  '#27322d',
  '#1a221f',
  '#121916',
  '#0d1210',
  '#080b0a',
]

/** `light` tints carry dark text, because the colour itself is too pale to read; filled backgrounds carry readable text. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input)
  if (input.variant !== 'light' && input.variant !== 'filled') return resolved
  const { color } = parseThemeColor({ color: input.color ?? input.theme.primaryColor, theme: input.theme })
  const name = color in input.theme.colors ? color : input.theme.primaryColor
  if (input.variant === 'filled') return { ...resolved, color: `var(--on-${name})` }
  return {
    ...resolved,
    background: `var(--tint-${name})`,
    hover: `var(--tint-${name}-hover)`,
    color: `var(--tint-${name}-text)`,
  }
}

const [lightShade, darkShade] = [8, 4] as const
const luminanceThreshold = 0.32
const black = '#17211d'

const theme = createTheme({
  primaryColor: 'green',
  primaryShade: { light: lightShade, dark: darkShade },
  autoContrast: true,
  luminanceThreshold,
  colors: { green, gray, dark },
  black,
  variantColorResolver,
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  // Named, not imported: a page loads only the components that it shows.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' } },
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm' },
      // A badge is never cut off: it wraps where there is no room for one line.
      styles: {
        root: { textTransform: 'none', height: 'auto', minHeight: 'var(--badge-height)' },
        label: { overflow: 'visible', whiteSpace: 'normal', textAlign: 'left' },
      },
    },
    Input: { defaultProps: { size: 'md' } },
    InputWrapper: { styles: { description: { lineHeight: 1.4 } } },
    // Its focusable placeholder is not a part of a menu for screen readers.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, radius: 'lg' } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    Timeline: { styles: { itemTitle: { lineHeight: 1.4 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
  },
})

/** The theme in a language: the names of the buttons that Mantine draws itself. */
export function themeWith(close: string, showPassword: string): MantineThemeOverride {
  const closes = { defaultProps: { closeButtonProps: { 'aria-label': close } } }
  const shows = { defaultProps: { visibilityToggleButtonProps: { 'aria-label': showPassword } } }
  return mergeThemeOverrides(theme, {
    components: { Drawer: closes, Modal: closes, Notification: closes, PasswordInput: shows },
  })
}

/** The pale background of each colour, and readable text on it. */
function tints(colors: MantineThemeColors, isDark: boolean): Record<string, string> {
  const entries = Object.entries(colors).flatMap(([name, shades]): [string, string][] => {
    const mixed = (percent: number) => `color-mix(in srgb, ${shades[4]} ${percent}%, transparent)`
    return [
      [`--on-${name}`, isLightColor(shades[isDark ? darkShade : lightShade]!, luminanceThreshold) ? black : '#fff'],
      [`--tint-${name}`, isDark ? mixed(16) : shades[0]],
      [`--tint-${name}-hover`, isDark ? mixed(24) : shades[1]],
      [`--tint-${name}-text`, isDark ? shades[2] : `color-mix(in srgb, ${shades[9]} 60%, black)`],
    ]
  })
  return Object.fromEntries(entries)
}

export const cssVariablesResolver: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...tints(colors, false),
    '--test-ground': '#ffe8a3',
    '--test-text': '#4d3800',
    '--chart-bar': colors.green[5],
    '--chart-bar-pointed': colors.green[8],
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-anchor': colors.green[8],
    '--page-background': colors.gray[0],
    '--page-line': colors.gray[2],
    '--page-hover': colors.gray[1],
  },
  dark: {
    ...tints(colors, true),
    '--test-ground': '#5c4300',
    '--test-text': '#ffeab0',
    '--chart-bar': colors.green[4],
    '--chart-bar-pointed': colors.green[2],
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-placeholder': colors.dark[2],
    '--mantine-color-anchor': colors.green[3],
    '--page-background': colors.dark[8],
    '--page-line': colors.dark[5],
    '--page-hover': colors.dark[6],
  },
})

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'malipo-color-scheme' })
