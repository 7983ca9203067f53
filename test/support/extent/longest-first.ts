import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts the files that take longest first, so that no worker is left alone with one of them at the end. In a fresh
 * checkout nothing is known of them but that tests of the system take longer than others.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isOfSystem = ({ moduleId }: TestSpecification) => moduleId.includes('/test/system/')
    return [...sorted.filter(isOfSystem), ...sorted.filter((file) => !isOfSystem(file))]
  }
}
