export declare const LONGEST_SECONDS: number
/** In seconds; null when it is no duration. Whether it is too short or too long is for others to say. */
export declare function parseDuration(given: string): number | null
/** The one spelling in which a duration is kept and shown: `1 week 5 days`. Of whole seconds. */
export declare function normalDuration(seconds: number): string
