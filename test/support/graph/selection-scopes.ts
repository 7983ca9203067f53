/** The keys of an object in the answer, and which field each of them is. */
export interface Scope {
  /** Whether a key is free, or is this field already. */
  takes(responseKey: string, field: string): boolean
  add(responseKey: string, field: string): void
  /** The scope of the objects under a key. */
  below(responseKey: string): Scope
  /** Returns the same scope, which then notes what a fragment adds. */
  record(fragment: string): Scope
  takesFragment(fragment: string): boolean
  addFragment(fragment: string): void
}

type Note = readonly [path: string, responseKey: string, field: string]

/** Fields of one key must be the same wherever fragments name it (GraphQL §5.3.2): this keeps documents valid. */
export function openScopes(): Scope {
  const known = new Map<string, string>()
  const fragments = new Map<string, Note[]>()
  const keyOf = (path: string, responseKey: string) => `${path}/${responseKey}`

  function takesAt(path: string, responseKey: string, field: string): boolean {
    return (known.get(keyOf(path, responseKey)) ?? field) === field
  }

  function scopeAt(path: string, recorders: readonly { name: string; from: string }[]): Scope {
    function note(at: string, responseKey: string, field: string): void {
      known.set(keyOf(at, responseKey), field)
      for (const { name, from } of recorders) {
        const notes = fragments.get(name) ?? []
        fragments.set(name, notes)
        notes.push([at.slice(from.length), responseKey, field])
      }
    }
    return {
      takes: (responseKey, field) => takesAt(path, responseKey, field),
      add: (responseKey, field) => note(path, responseKey, field),
      below: (responseKey) => scopeAt(keyOf(path, responseKey), recorders),
      record: (name) => scopeAt(path, [...recorders, { name, from: path }]),
      takesFragment: (name) =>
        recorders.every((recorder) => recorder.name !== name) &&
        (fragments.get(name) ?? []).every(([at, responseKey, field]) =>
          takesAt(path + at, responseKey, field),
        ),
      addFragment(name) {
        for (const [at, responseKey, field] of fragments.get(name) ?? []) {
          note(path + at, responseKey, field)
        }
      },
    }
  }
  return scopeAt('', [])
}
