/** What a client made of the service: each call is right, or wrong for a reason. */
export class Score {
  readonly client: string
  readonly version: string
  calls = 0
  readonly wrong: { call: string; reason: string }[] = []
  /** What the client could do, had it been built here: counted, not called. */
  notBuilt = 0

  constructor(client: string, version: string) {
    this.client = client
    this.version = version
  }

  /** One call, with what is wrong about it: the first reason, on one line. */
  count(call: string, reasons: readonly string[]) {
    this.calls++
    if (reasons.length > 0) this.wrong.push({ call, reason: reasons[0]!.replace(/\s+/g, ' ').slice(0, 300) })
  }
}

/** Where `actual` is not as expected. Fields that are not expected may be there; a function looks for itself. */
export function differences(actual: unknown, expected: unknown, path = 'it'): string[] {
  if (typeof expected === 'function') return expected(actual) ? [] : [`${path} is ${brief(actual)}`]
  if (expected instanceof RegExp)
    return expected.test(String(actual)) ? [] : [`${path} is ${brief(actual)}, not ${expected}`]
  if (typeof expected !== 'object' || expected === null)
    return Object.is(actual, expected) ? [] : [`${path} is ${brief(actual)}, not ${brief(expected)}`]
  if (typeof actual !== 'object' || actual === null) return [`${path} is ${brief(actual)}, not ${brief(expected)}`]
  return Object.entries(expected).flatMap(([name, value]) =>
    differences((actual as Record<string, unknown>)[name], value, `${path}.${name}`),
  )
}

export const brief = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 200)
