import type { Steps } from '../steps.ts'

/** Bytes or characters in one step: the dearest of them take 0.1 µs. */
export const STEP_LENGTH = 64 * 1_024

/**
 * Goes through something long a piece at a time. `read` says where it got to: it may go on a little behind the end. The loop over the
 * bytes is in `read` and not in a generator, where it would take ten times as long.
 */
export function* inPieces(length: number, read: (start: number, end: number) => number): Steps<void> {
  for (let position = 0; position < length; ) {
    position = read(position, Math.min(position + STEP_LENGTH, length))
    if (position < length) yield
  }
}
