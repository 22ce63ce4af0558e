import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

interface Failed {
  readonly title: string;
  /** The first line of its first error. */
  readonly error: string;
}

/** Writes which tests failed to the file that PIT_TEST_FAILURES names, for `scripts/repeat-failed.js`. */
export default class FailureReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const report = process.env.PIT_TEST_FAILURES;
    if (report === undefined) return;
    const files = modules.flatMap((module) => {
      const tests = failedIn(module);
      return tests.length > 0 ? { file: path.relative('', module.moduleId), tests } : [];
    });
    writeFileSync(report, JSON.stringify({ files, elsewhere: unhandled.length }));
  }
}

/** The tests of a file that failed, and its hooks and the file itself if they did. */
function failedIn(module: TestModule): Failed[] {
  const parts = [module, ...module.children.allSuites()].flatMap((part) =>
    part.errors().length > 0 ? { title: 'name' in part ? part.fullName : 'the file', errors: part.errors() } : [],
  );
  const tests = [...module.children.allTests('failed')].map((test) => ({
    title: test.fullName,
    errors: test.result().errors ?? [],
  }));
  return [...parts, ...tests].map(({ title, errors }) => ({ title, error: errors[0]?.message.split('\n')[0] ?? '' }));
}
