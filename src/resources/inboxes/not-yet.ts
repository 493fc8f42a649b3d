/** The place of an act that is being written. */
export function notYet(): never {
  throw new Error('not yet')
}
