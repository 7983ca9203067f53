import { drive } from '../generator/drive.ts'
import type { Served } from '../support/child.ts'
import { loadSchema } from '../support/load.ts'

/** The load generator. */
export async function serve(): Promise<Served> {
  return {
    ready: null,
    answer: (question) => drive(loadSchema.parse(question)),
    stop: async () => {},
  }
}
