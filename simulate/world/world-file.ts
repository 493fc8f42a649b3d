import { readFileSync, statSync } from 'node:fs'
import { matches } from '../../src/kernel/http/validate.ts'
import { World } from '../sites/site-policy.ts'
import { UsageError } from '../usage-error.ts'

const MAX_FILE_BYTES = 8 * 1024 * 1024

/** A world that somebody wrote down. */
export function readWorld(path: string): World {
  const text = readText(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`)
  }
  const fault = matches(World, value)
  if (fault !== null)
    throw new UsageError(`${path} is not a world: ${fault.replaceAll('data/', '').replace(/^data /, '')}.`)
  const world = value as World
  for (const key of ['name', 'domains', 'hosts'] as const) {
    const twice = repeated(world.sites.flatMap((site) => site[key]))
    if (twice !== null) throw new UsageError(`${path} has ${twice} twice among the ${key === 'name' ? 'names' : key}.`)
  }
  return world
}

function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new UsageError(`${path} is larger than 8 MiB.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

function repeated(values: readonly string[]): string | null {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) return value
    seen.add(value)
  }
  return null
}
