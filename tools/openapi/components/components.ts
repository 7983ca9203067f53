import { isDeepStrictEqual } from 'node:util'
import type { Json } from './json.ts'

type Section = 'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes' | 'examples'

/** The components that several operations share, each under one name. */
export interface Components {
  /**
   * Stores a component and returns the reference to it. Throws if another component has the name.
   */
  add(section: Section, name: string, value: Json): Json
  /** Whether the name is free, or belongs to the same component. */
  fits(section: Section, name: string, value: Json): boolean
  /** Sorted by name, so that a new operation changes no order. */
  toJson(): Json
}

export function createComponents(): Components {
  const sections = new Map<Section, Map<string, Json>>()

  function fits(section: Section, name: string, value: Json): boolean {
    const known = sections.get(section)?.get(name)
    return known === undefined || isDeepStrictEqual(known, value)
  }

  return {
    fits,
    add(section, name, value) {
      if (!fits(section, name, value)) throw new Error(`Two ${section} are named ${name}.`)
      const named = sections.get(section) ?? new Map<string, Json>()
      sections.set(section, named.set(name, value))
      return { $ref: `#/components/${section}/${name}` }
    },
    toJson() {
      const sorted = [...sections].sort(byName)
      return Object.fromEntries(
        sorted.map(([section, named]) => [section, Object.fromEntries([...named].sort(byName))]),
      )
    },
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
