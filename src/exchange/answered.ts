import type { OperationName, OperationNamed } from './operations/index.js';
import type { Result } from './operations/operation.js';
import type { ValuesOf } from './request.js';

/** An answer that says that something was done or is so, with what was asked for. */
export type Answered = {
  readonly [Name in OperationName]: {
    readonly name: Name;
    readonly values: ValuesOf<Name>;
    readonly answer: Result<OperationNamed<Name>>;
  };
}[OperationName];
