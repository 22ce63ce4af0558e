import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that are short and take long, as they run whole campaigns or programs, or wait. */
const LONG =
  /secrets|campaign\.test|many-processes|kline|batch-(stopped|network)|deadline|limiter\/(shared|redis)|lifecycle\/(lifecycle|disk)/;

/** Starts first what takes long, so that no worker is left with it at the end. Else as the runner does: by size, or as measured. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
