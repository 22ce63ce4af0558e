import { SUCCESS } from './choices.js';
import type { Json } from './json.js';

/** A success whose message is an object: `{code, message: {des, isSuc, datas}}`. */
export function described(datas: Json): Json {
  return { code: SUCCESS.code, message: { des: SUCCESS.message, isSuc: true, datas } };
}
