// The package has no types; this is what we use of it.
declare module 'autocannon' {
  interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    /** Seconds that an answer may take; 10 unless told. */
    timeout?: number
    sampleInt: number
    headers: Record<string, string>
    method?: string
    body?: string
    /** So many requests, however long they take. */
    amount?: number
  }

  interface Result {
    /** Seconds. */
    duration: number
    '2xx': number
    non2xx: number
    errors: number
    latency: { p50: number; p99: number }
  }

  export default function autocannon(options: Options): Promise<Result>
}
