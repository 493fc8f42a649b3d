const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1,
  boolean: true,
  date: '2026-01-01T00:00:00.000Z',
}

/** JSON with a value for each field of a flat schema, to begin with. */
export const samplePayload = (schema: Readonly<Record<string, string>> | null): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(schema ?? {}).map(([field, type]) => [field, SAMPLES[type] ?? null])),
    null,
    2,
  )
