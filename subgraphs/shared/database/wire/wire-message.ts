import { oids, type ParameterType, writeParameter } from './parameters.ts'
import { UnfitValue, WireWriter } from './wire-writer.ts'

/** A statement that is prepared under its name on a connection. */
export interface Prepared {
  readonly name: string
  readonly text: string
  readonly parameters: readonly ParameterType[]
}

const writer = new WireWriter()

/**
 * The messages that run a prepared statement. Where there is a `setter`, it runs first, with its one
 * parameter. One Sync ends both: they are one transaction, and an error skips what is left.
 */
export function runMessages(
  statement: Prepared,
  values: readonly unknown[],
  setter: { readonly statement: Prepared; readonly value: string } | null,
): Buffer {
  const { name, parameters } = statement
  if (values.length !== parameters.length) {
    throw new UnfitValue(`"${name}" has ${parameters.length} parameters, not ${values.length}.`)
  }
  writer.restart()
  if (setter) bindAndExecute(setter.statement, [setter.value])
  bindAndExecute(statement, values)
  writer.endMessage(writer.beginMessage('S'))
  return writer.written()
}

/**
 * The messages that prepare statements under their names, whatever had these names before. The last one is
 * described.
 */
export function prepareMessages(statements: readonly Prepared[]): Buffer {
  writer.restart()
  for (const { name, text, parameters } of statements) {
    let start = writer.beginMessage('C')
    writer.name(`S${name}`)
    writer.endMessage(start)
    start = writer.beginMessage('P')
    writer.name(name)
    writer.name(text)
    writer.int16(parameters.length)
    for (const type of parameters) writer.int32(oids[type])
    writer.endMessage(start)
  }
  const start = writer.beginMessage('D')
  writer.name(`S${statements.at(-1)?.name}`)
  writer.endMessage(start)
  return writer.written()
}

const binary = 1

function bindAndExecute({ name, parameters }: Prepared, values: readonly unknown[]): void {
  let start = writer.beginMessage('B')
  writer.name('')
  writer.name(name)
  writer.int16(1)
  writer.int16(binary)
  writer.int16(parameters.length)
  parameters.forEach((type, index) => {
    try {
      writeParameter(writer, type, values[index])
    } catch (cause) {
      throw told(cause, `The value of $${index + 1} of "${name}" is`)
    }
  })
  // The values of the answer come as text, as those of the pool.
  writer.int16(0)
  writer.endMessage(start)
  start = writer.beginMessage('E')
  writer.name('')
  // The answer has no limit of rows.
  writer.int32(0)
  writer.endMessage(start)
}

function told(cause: unknown, what: string): unknown {
  if (!(cause instanceof UnfitValue)) return cause
  return new UnfitValue(`${what} ${cause.message}.`, { code: cause.code, cause })
}
