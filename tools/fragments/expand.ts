import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  visit,
} from 'graphql'

export const fragmentsFolder = 'schema/fragments'

/** Fragments by name: selections that several operations share. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

interface Problem {
  readonly file: string
  readonly message: string
}

/** Reads fragment files, by path: each holds one fragment, which has the file's name. */
export function readFragments(files: ReadonlyMap<string, string>): {
  fragments: Fragments
  problems: Problem[]
} {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const problems: Problem[] = []
  for (const [file, text] of files) {
    const name = /([^/]+)\.graphql$/.exec(file)?.[1] ?? ''
    const fragment = fragmentIn(new Source(text, file))
    if (typeof fragment === 'string') problems.push({ file, message: fragment })
    else if (fragment.name.value !== name) {
      problems.push({ file, message: `must name its fragment ${name}` })
    } else fragments.set(name, fragment)
  }
  return { fragments, problems }
}

/** The one fragment of a file, or why there is none. */
function fragmentIn(source: Source): FragmentDefinitionNode | string {
  try {
    const [fragment, ...others] = parse(source).definitions
    if (fragment?.kind === Kind.FRAGMENT_DEFINITION && others.length === 0) return fragment
    return 'must hold exactly one fragment'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The document together with the fragments that it uses, directly or through others: it can be validated. */
export function withFragments(document: DocumentNode, fragments: Fragments): DocumentNode {
  const used = new Map<string, FragmentDefinitionNode>()
  function collect(node: DocumentNode | FragmentDefinitionNode): void {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || used.has(name.value)) return
        used.set(name.value, fragment)
        collect(fragment)
      },
    })
  }
  collect(document)
  return { ...document, definitions: [...document.definitions, ...used.values()] }
}

/**
 * The document with the fields of each fragment in the place of its name, so that it stands alone. A
 * fragment that does not exist, or that contains itself, is left as it is.
 */
export function expand(document: DocumentNode, fragments: Fragments): DocumentNode {
  function expandSet(set: SelectionSetNode, within: readonly string[]): SelectionSetNode {
    return { ...set, selections: set.selections.flatMap((one) => expandOne(one, within)) }
  }

  function expandOne(
    selection: SelectionNode,
    within: readonly string[],
  ): readonly SelectionNode[] {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      const { selectionSet } = selection
      return [
        selectionSet ? { ...selection, selectionSet: expandSet(selectionSet, within) } : selection,
      ]
    }
    const { value } = selection.name
    const fragment = within.includes(value) ? undefined : fragments.get(value)
    return fragment ? expandSet(fragment.selectionSet, [...within, value]).selections : [selection]
  }

  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? { ...definition, selectionSet: expandSet(definition.selectionSet, []) }
      : definition,
  )
  return { ...document, definitions }
}

/** Whether a document uses fragments. */
export function hasFragments(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    FragmentSpread() {
      isFound = true
    },
  })
  return isFound
}
