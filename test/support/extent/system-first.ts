import { BaseSequencer, type TestSpecification } from 'vitest/node'

const isOfSystem = ({ moduleId }: TestSpecification) => moduleId.includes('/test/system/')

/**
 * Files of `system/` begin first, otherwise as usual. A small file there may take minutes: as one of the
 * last, it would keep the run waiting while other workers have nothing to do.
 */
export class SystemFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(isOfSystem(other)) - Number(isOfSystem(one)))
  }
}
