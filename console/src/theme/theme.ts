import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core'
import { colours } from '../../../rest-facade/pages/html/palette.ts'

/** Shades from the lightest to the darkest, around our accent colours of the light and the dark theme. */
const accent: MantineColorsTuple = [
  ...(['#e9f1fa', '#d3e3f5', '#b3d0ef', '#8cc2ff', '#5aa2ee'] as const),
  ...(['#2f7fd0', '#1769bb', '#0b57a4', '#0a4a8b', '#083c72'] as const),
]

const dialog = {
  closeButtonProps: { 'aria-label': 'Close' },
  // The header of a dialog must not have the role of the page's banner.
  attributes: { header: { role: 'presentation' } },
}

export const theme = createTheme({
  colors: { accent },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 3 },
  // The library knows one contrast for both themes; our palette has one for each.
  variantColorResolver(input) {
    const colours = defaultVariantColorsResolver(input)
    if (input.variant !== 'filled') return colours
    return { ...colours, color: input.color === 'red' ? 'var(--paper)' : 'var(--on-accent)' }
  },
  defaultRadius: 'sm',
  radius: { sm: '6px', md: '8px' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.35' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Plain objects: naming the components here would load them with the first screen.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Badge: { defaultProps: { radius: 'sm', variant: 'light', tt: 'none' } },
    TextInput: { defaultProps: { autoComplete: 'off', spellCheck: false } },
    Modal: { defaultProps: { ...dialog, centered: true } },
    Drawer: { defaultProps: { ...dialog, position: 'right', size: 'lg' } },
  },
})

function properties(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, value]))
}

/** The colours that all our pages share, by their names in the library. */
const names = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--quiet)',
  '--mantine-color-error': 'var(--alert)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--paper)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-default-hover': 'var(--ground)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-text': 'var(--accent)',
  '--mantine-color-accent-light-color': 'var(--accent)',
  '--mantine-color-accent-light': 'var(--accent-ground)',
  '--mantine-color-accent-outline': 'var(--accent)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-color-red-filled': 'var(--alert)',
  '--mantine-color-red-text': 'var(--alert)',
  '--mantine-color-red-light': 'var(--alert-ground)',
  '--mantine-color-red-light-color': 'var(--alert)',
  '--mantine-color-red-outline': 'var(--alert)',
  '--mantine-color-yellow-light': 'var(--caution-ground)',
  '--mantine-color-yellow-light-color': 'var(--caution)',
  '--mantine-color-green-light': 'var(--good-ground)',
  '--mantine-color-green-light-color': 'var(--good)',
  '--mantine-color-gray-light': 'var(--ground)',
  '--mantine-color-gray-light-color': 'var(--quiet)',
  '--mantine-color-gray-text': 'var(--quiet)',
  '--table-border-color': 'var(--hair)',
}

export const variables: CSSVariablesResolver = () => ({
  variables: names,
  light: { ...names, ...properties(colours.light) },
  dark: { ...names, ...properties(colours.dark) },
})
