import * as v from 'valibot';
import { fundsOperations } from './funds.js';
import { marketDataOperations } from './market-data.js';
import { type Codec, type Operation, signedWrite, WHOLE_LIST_BYTES } from './operation.js';
import { tradingOperations } from './trading.js';

/** Every operation of the interface by its name, which is also its path and its `method`. */
export const operations = {
  ...marketDataOperations,
  ...fundsOperations,
  ...tradingOperations,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
export type OperationNamed<Name extends OperationName> = (typeof operations)[Name];

/** The request of an operation, in domain values. */
export type RequestOf<Name extends OperationName> = Parameters<OperationNamed<Name>['encode']>[0];
/** The decoded answer of an operation, in domain values. */
export type DecodedResult<Name extends OperationName> = ReturnType<OperationNamed<Name>['decode']>;

/** The codec of an operation, typed by its name. */
export function codecOf<Name extends OperationName>(name: Name) {
  return operations[name] as unknown as Codec<RequestOf<Name>, OperationNamed<Name>, DecodedResult<Name>> & {
    readonly ifNotFound?: DecodedResult<Name>;
  };
}

/** An operation that the interface only names or does not know. It may do anything, so it counts as a write. */
const unknownOperation = signedWrite({}, v.unknown(), WHOLE_LIST_BYTES);

/** Whether the interface describes an operation of this name. */
export function isDocumented(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/** The description of an operation; that of {@link unknownOperation} if the interface does not describe it. */
export function operationOf(name: string): Operation {
  return isDocumented(name) ? operations[name] : unknownOperation;
}
