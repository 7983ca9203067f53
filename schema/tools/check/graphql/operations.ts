import { parse } from 'graphql'
import { z } from 'zod'
import type { Tree } from '../trees/tree.ts'

const manifestFile = 'schema/operations.json'

/** A persisted operation, as its file has it. */
export interface NamedDocument {
  readonly name: string
  readonly file: string
  readonly document: string
}

/** The operation files that can be parsed; the others are findings already. */
export function operationsIn(tree: Tree): NamedDocument[] {
  return tree.list('schema/operations').flatMap((file) => {
    const [, name] = /([^/]+)\.graphql$/.exec(file) ?? []
    const document = tree.read(file)
    return name !== undefined && document !== null && canParse(document)
      ? [{ name, file, document }]
      : []
  })
}

const manifestSchema = z.record(z.string(), z.object({ document: z.string() }))

/**
 * The operations of the base's manifest: its build executes them, even if this tree changed or
 * deleted them.
 */
export function operationsAt(base: Tree): NamedDocument[] {
  const manifest = manifestSchema.parse(JSON.parse(base.read(manifestFile) ?? '{}'))
  return Object.entries(manifest).map(([name, { document }]) => ({
    ...{ name, file: manifestFile, document },
  }))
}

function canParse(document: string): boolean {
  try {
    parse(document)
    return true
  } catch {
    return false
  }
}
