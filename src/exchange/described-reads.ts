import {
  type DecodedResult,
  type OperationName,
  type OperationNamed,
  operations,
  type RequestOf,
} from './operations/index.js';

/** The reads that need nothing but their description, by the names that the operations give them. */
export type PlainReads = {
  readonly [Name in OperationName as NonNullable<OperationNamed<Name>['read']>]: (
    request: RequestOf<Name>,
  ) => Promise<DecodedResult<Name>>;
};

/** Has a method for each read that needs nothing but its description. */
abstract class Reader {
  /** Reads by the description of an operation. Throws what a read throws. */
  protected abstract readOperation<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
  ): Promise<DecodedResult<Name>>;

  static {
    for (const [name, { read }] of Object.entries(operations) as [OperationName, { readonly read?: string }][]) {
      if (read === undefined) continue;
      Object.defineProperty(Reader.prototype, read, {
        configurable: true,
        writable: true,
        value(this: Reader, request: RequestOf<OperationName>) {
          return this.readOperation(name, request);
        },
      });
    }
  }
}

export const DescribedReads = Reader as unknown as abstract new () => Reader & PlainReads;
