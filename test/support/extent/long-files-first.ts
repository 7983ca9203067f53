import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or more, although they are short. */
const longFiles = ['/test/nightly/histories/histories.test.ts']

/**
 * In a fresh checkout Vitest starts large files first. A long test in a short file would begin when all others end, and
 * leave all workers but one idle: it begins first. All tests of the system first would be worse: they need the processor,
 * others wait more, and beside each other they use both cores.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Workers are kept as long as the next file is of the same project.
    const projects = Map.groupBy(sorted, ({ project }) => project)
    return [...projects.values()].flatMap((ofProject) => [
      ...ofProject.filter(isLong),
      ...ofProject.filter((file) => !isLong(file)),
    ])
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return longFiles.some((file) => moduleId.endsWith(file))
}
