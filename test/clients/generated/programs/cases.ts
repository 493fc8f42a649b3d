/** What was found so far, by the name of the case. */
export type Found = Record<string, string>
export type Cases = Record<string, (found: Found) => Promise<Found>>

/** Prints of each case what became of it, one line of JSON each. */
export async function runCases(cases: Cases) {
  const found: Found = {}
  for (const [call, run] of Object.entries(cases)) {
    try {
      Object.assign(found, await run(found))
      console.log(JSON.stringify({ call }))
    } catch (error) {
      console.log(JSON.stringify({ call, error: (error as Error).message }))
    }
  }
}
