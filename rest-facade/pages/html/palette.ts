/**
 * The colours of all our pages. Every pair that is used for text reaches WCAG AA. `hair` and `quiet`
 * draw lines, the numbered ones the parts of a chart.
 */
export const colours = {
  light: {
    ...{ ground: '#f3f4f6', paper: '#ffffff', ink: '#1a1d21', quiet: '#545c66' },
    ...{ line: '#767f89', hair: '#e1e5ea', 'code-ground': '#f6f7f9' },
    ...{ accent: '#0b57a4', 'on-accent': '#ffffff', 'accent-ground': '#e9f1fa' },
    ...{ alert: '#9b1c1c', 'alert-ground': '#fdf0ef' },
    ...{ caution: '#6b4300', 'caution-ground': '#fff6e0' },
    ...{ good: '#0b6640', 'good-ground': '#e8f5ee' },
    ...{
      'series-1': '#0b57a4',
      'series-2': '#0f8a6c',
      'series-3': '#c2570c',
      'series-4': '#7c4dbd',
    },
    ...{
      'series-5': '#b8860b',
      'series-6': '#c0356b',
      'series-7': '#3f7f9f',
      'series-8': '#767f89',
    },
  },
  dark: {
    ...{ ground: '#101317', paper: '#1a1e24', ink: '#eceff3', quiet: '#a9b3bf' },
    ...{ line: '#7d8894', hair: '#2b323b', 'code-ground': '#13171c' },
    ...{ accent: '#8cc2ff', 'on-accent': '#08223f', 'accent-ground': '#1c2c3f' },
    ...{ alert: '#ffb4ab', 'alert-ground': '#3a1614' },
    ...{ caution: '#ffd58a', 'caution-ground': '#33270c' },
    ...{ good: '#8fd6ac', 'good-ground': '#14291e' },
    ...{
      'series-1': '#5aa2ee',
      'series-2': '#3fbf9b',
      'series-3': '#f0925a',
      'series-4': '#b491e8',
    },
    ...{
      'series-5': '#d9b04a',
      'series-6': '#ec7ba4',
      'series-7': '#7fbcd9',
      'series-8': '#8a949f',
    },
  },
} as const

/** Custom properties of a stylesheet, such as `--ink: #1a1d21;`. */
function properties(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ')
}

/** The colours by the theme of the system. */
export const palette = `:root { color-scheme: light dark; ${properties(colours.light)} }
@media (prefers-color-scheme: dark) { :root { ${properties(colours.dark)} } }`
