import { Badge } from '@mantine/core'

const colours = {
  good: 'green',
  caution: 'yellow',
  alert: 'red',
  plain: 'gray',
  accent: 'accent',
} as const

export type Tone = keyof typeof colours

/** The state of something, in one word. The word says it; the colour only helps. */
export function State({ text, tone = 'plain' }: { readonly text: string; readonly tone?: Tone }) {
  return (
    <Badge color={colours[tone]} className="state">
      {text.replaceAll('_', ' ')}
    </Badge>
  )
}
