import * as v from 'valibot';
import { flag, integer, optionalText, text } from './fields.js';

/** `{code, message: string, …}`, as bills, fees, withdrawals and orders answer. */
export function enveloped<Fields extends v.ObjectEntries>(fields: Fields) {
  return v.object({ code: integer, message: optionalText, ...fields });
}

/** `{code, message: {des, isSuc, datas}}`, as addresses, records and cancellations answer. */
export function described<Datas extends v.GenericSchema>(datas: Datas) {
  return v.object({ code: integer, message: v.object({ des: text, isSuc: flag, datas }) });
}
