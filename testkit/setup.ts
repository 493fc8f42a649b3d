import { startPostwren } from './server.ts'

/**
 * A global set-up for vitest, jest and Playwright: one Postwren for all tests. Where `POSTWREN_URL` and `POSTWREN_API_KEY` are set
 * already, that one is used. jest does not call what is returned; then it ends with the process.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.POSTWREN_URL && process.env.POSTWREN_API_KEY) return async () => {}
  const postwren = await startPostwren()
  return () => postwren.stop()
}
