import type { Config } from '../../../platform/settings/config.ts'

/** What a check found. A warning is printed and does not fail; a fault is printed with what to do, and the command exits with 1. */
export interface Finding {
  /** What it is about, for programs: `database`, `relay`. */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'fault'
  readonly message: string
}

export const fine = (name: string, message: string): Finding => ({ name, status: 'ok', message })
export const warning = (name: string, message: string): Finding => ({ name, status: 'warning', message })
export const fault = (name: string, message: string): Finding => ({ name, status: 'fault', message })

export interface CheckInput {
  readonly config: Config
  readonly environment: NodeJS.ProcessEnv
}

/** Looks at one subject, and changes nothing. */
export interface Check {
  readonly name: string
  run(input: CheckInput): Promise<Finding[]> | Finding[]
}

/** All checks at once, each with its time; findings in the order of the checks. `hasEnded` is false when one of them still runs. */
export async function runChecks(checks: readonly Check[], input: CheckInput, limitMs: number) {
  let hasEnded = true
  const findings = await Promise.all(
    checks.map(async ({ name, run }) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<Finding[]>((resolve) => {
        timer = setTimeout(() => {
          hasEnded = false
          resolve([fault(name, `The check of ${name} did not end within ${limitMs / 1_000} s.`)])
        }, limitMs)
      })
      const found = (async () => run(input))().catch((error: Error) => [fault(name, error.message)])
      return Promise.race([found, late]).finally(() => clearTimeout(timer))
    }),
  )
  return { findings: findings.flat(), hasEnded }
}
