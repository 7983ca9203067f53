import { inspect, styleText } from 'node:util'
import { type DestinationStream, levels } from 'pino'
import { z } from 'zod'

const line = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ type: z.string(), message: z.string(), stack: z.string() }).optional(),
})

const colours = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green' } as const

/**
 * Writes pino's lines of JSON as text for people: time, level and message, and below them each
 * member and the stack of an error. A line of another form stays as it is.
 */
export function prettyLog(into: DestinationStream, isColoured: boolean): DestinationStream {
  function nameOf(level: number): string {
    const name = levels.labels[level] ?? String(level)
    const colour = Object.entries(colours).find(([known]) => known === name)?.[1]
    const shown = name.toUpperCase()
    return isColoured && colour ? styleText(colour, shown, { validateStream: false }) : shown
  }

  return {
    write(text) {
      const { data, success } = line.safeParse(JSON.parse(text))
      if (!success) return into.write(text)
      const { level, time, msg, err, ...members } = data
      const { type: _type, message: _message, stack, ...details } = err ?? { stack: '' }
      const shown = Object.entries({ ...members, ...details }).map(
        ([name, value]) => `${name}: ${inspect(value, { depth: 10, colors: isColoured })}`,
      )
      const below = stack === '' ? shown : [...shown, harmless(stack)]
      const first = `[${time.slice(11, 23)}] ${nameOf(level)}: ${harmless(msg)}`
      into.write(`${[first, ...below].join('\n').replaceAll('\n', '\n    ')}\n`)
    },
  }
}

/** A message can have words of a caller: they must not steer the terminal. */
function harmless(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, ' ')
}
