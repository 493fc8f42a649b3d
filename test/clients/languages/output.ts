import { Score } from '../score.ts'

/** What a program of a language says of itself first: its version, and every method that there is. */
interface Opening {
  readonly version: string
  readonly methods?: readonly string[]
}

interface Called {
  readonly method: string
  readonly ok: boolean
  readonly detail?: string
}

/** What an SDK made of the service, with the methods that it has. */
export class SdkScore extends Score {
  methods = 0
}

/** Reads the lines of a program: JSON, one for each call. A method that was never called counts as wrong. */
export function readOutput(client: string, finished: { code: number | null; stdout: string; stderr: string }) {
  const lines = finished.stdout.split('\n').filter((line) => line.startsWith('{'))
  const said = lines.map((line): Opening | Called => JSON.parse(line))
  const opening = said.find((one): one is Opening => 'version' in one)
  const score = new SdkScore(client, opening?.version ?? '?')
  const called = said.filter((one): one is Called => 'method' in one)
  for (const { method, ok, detail } of called) score.count(method, ok ? [] : [detail ?? 'wrong'])
  const names = new Set(called.map(({ method }) => method))
  for (const method of opening?.methods ?? [])
    if (!names.has(method)) score.count(method, ['never called by this trial'])
  score.methods = new Set([...names, ...(opening?.methods ?? [])]).size
  if (finished.code !== 0) score.count('end', [`exit code ${finished.code}: ${finished.stderr.slice(-300)}`])
  return score
}
