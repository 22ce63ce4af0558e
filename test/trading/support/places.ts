/** The places of a file of lines to cut or damage: every one around the end of a line, and within a line, one in so many. */
export function placesIn(file: Buffer, apart: number): number[] {
  const isNearEnd = (at: number) => file.subarray(Math.max(at - 3, 0), at + 3).includes(10);
  return Array.from({ length: file.length }, (_, at) => at).filter((at) => at % apart === 0 || isNearEnd(at));
}
