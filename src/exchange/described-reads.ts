import type { GrowingList, Pages } from './lists/growing-pages.js';
import type { RecordPage } from './lists/record-pages.js';
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

/** The lists with pages that need nothing but their description. @param page counts from 1; all of them if undefined */
export type PagedReads = {
  readonly [Name in OperationName as NonNullable<OperationNamed<Name>['pages']>['read']]: (
    request: Omit<RequestOf<Name>, 'page' | 'size'>,
    page?: number,
  ) => Pages<DecodedResult<Name> extends RecordPage<infer Row> ? Row : never>;
};

/** What the description of an operation says about the methods that follow from it. */
interface Described {
  readonly read?: string;
  readonly pages?: Pick<GrowingList<unknown>, 'identity' | 'time'> & { readonly read: string };
}

/** Has a method for each read or list that needs nothing but its description. */
abstract class Reader {
  /** Reads by the description of an operation. Throws what a read throws. */
  protected abstract readOperation<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
  ): Promise<DecodedResult<Name>>;

  static {
    for (const [name, { read, pages }] of Object.entries(operations) as [OperationName, Described][]) {
      if (read !== undefined)
        addMethod(read, function (request: RequestOf<OperationName>) {
          return this.readOperation(name, request);
        });
      if (pages !== undefined)
        addMethod(pages.read, async function* (request: object, page?: number) {
          const { readRecords } = await import('./lists/record-pages.js');
          const readPage = (place: object) =>
            this.readOperation(name, { ...request, ...place } as RequestOf<OperationName>);
          return yield* readRecords(readPage as (place: object) => Promise<RecordPage<unknown>>, page, pages);
        });
    }

    function addMethod(name: string, value: (this: Reader, ...args: never[]) => unknown): void {
      Object.defineProperty(Reader.prototype, name, { configurable: true, writable: true, value });
    }
  }
}

export const DescribedReads = Reader as unknown as abstract new () => Reader & PlainReads & PagedReads;
