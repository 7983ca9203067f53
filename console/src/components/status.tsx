import { Badge } from '@mantine/core'

export type Tone = 'good' | 'caution' | 'alert' | 'quiet'

const colours: Readonly<Record<Tone, string>> = {
  ...{ good: 'green', caution: 'yellow', alert: 'red', quiet: 'gray' },
}

/** A state in one word. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return <Badge color={colours[tone]}>{children}</Badge>
}

/** The status of an answer, by its class. */
export function HttpStatus({ status }: { readonly status: number }) {
  const tone = status >= 500 ? 'alert' : status >= 400 ? 'caution' : 'good'
  return <Badge color={colours[tone]}>{String(status)}</Badge>
}
