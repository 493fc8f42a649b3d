import { TimeSlices } from '../../../platform/concurrency/time-slices.ts'

/**
 * Copies of broadcasts are begun and built in slices of this process's time, whichever broadcast they are of: hundreds are handed over
 * at once, and a single email that arrives meanwhile does not wait for all of them. They give way when one is accepted, and when it is delivered.
 */
export const copySlices = new TimeSlices()
