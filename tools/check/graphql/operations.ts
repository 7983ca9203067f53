import { parse, print } from 'graphql'
import { z } from 'zod'
import {
  expand,
  type Fragments,
  fragmentsFolder,
  hasFragments,
  readFragments,
} from '../../fragments/expand.ts'
import type { Tree } from '../trees/tree.ts'

const manifestFile = 'schema/generated/operations.json'

/** A persisted operation. */
export interface NamedDocument {
  readonly name: string
  readonly file: string
  /**
   * The document as its file has it, but with the fields of a fragment in the place of the fragment's name.
   */
  readonly document: string
}

/** The operation files that can be parsed; the others are findings already. */
export function operationsIn(tree: Tree): NamedDocument[] {
  const { fragments } = readFragments(
    new Map(tree.list(fragmentsFolder).map((file) => [file, tree.read(file) ?? ''])),
  )
  return tree.list('schema/operations').flatMap((file) => {
    const [, name] = /([^/]+)\.graphql$/.exec(file) ?? []
    const text = tree.read(file)
    const document = text === null ? null : expandText(text, fragments)
    return name !== undefined && document !== null ? [{ name, file, document }] : []
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

/** The document with its fragments; null if the text cannot be parsed. */
function expandText(text: string, fragments: Fragments): string | null {
  try {
    const document = parse(text)
    if (!hasFragments(document)) return text
    // The comment stays, so that the lines above the first fragment keep their numbers.
    const comment = text.slice(0, document.definitions[0]?.loc?.start ?? 0)
    return comment + print(expand(document, fragments))
  } catch {
    return null
  }
}
