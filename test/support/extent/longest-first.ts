import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Of each project, starts the tests of the system first: they take longest, and no worker is to be left alone with one
 * of them at the end. Within that, the files are in Vitest's order: by their last run, or by size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Workers are kept as long as the next file is of the same project.
    const projects = Map.groupBy(sorted, ({ project }) => project)
    return [...projects.values()].flatMap((ofProject) => [
      ...ofProject.filter(isOfSystem),
      ...ofProject.filter((file) => !isOfSystem(file)),
    ])
  }
}

function isOfSystem({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/test/system/')
}
